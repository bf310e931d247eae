//! What the texts of records need to know of the kernel that wrote them: the running one, or that of a recording.

use std::borrow::Cow;
use std::cell::OnceCell;
use std::io;

use rustc_hash::FxHashMap;
use rustix::io::Errno;
use tracec_kernel::btf::{Btf, TypeId};
use tracec_kernel::text::{Environment, Passed, Symbol};

use super::late::Late;
use super::names::parse;
use super::symbols::Symbols;
use crate::tracefs::{Directory, Tracefs};

/// A kernel. Each part is read when it is first asked for: most events need none of them.
#[derive(Debug)]
pub(crate) struct Kernel<'a> {
    source: Source<'a>,
    little_endian: bool,
    symbols: OnceCell<Symbols>,
    strings: OnceCell<FxHashMap<u64, Box<[u8]>>>,
    /// The types of a recorded kernel, as a file has them, if it has some.
    types: Option<&'a Late>,
    /// The first failure to read of the recording.
    failure: OnceCell<io::Error>,
    btf: OnceCell<Option<Btf>>,
    enumerators: OnceCell<FxHashMap<String, i128>>,
    /// The number of the type of each function.
    functions: OnceCell<FxHashMap<String, TypeId>>,
    tasks: OnceCell<FxHashMap<i32, Box<[u8]>>>,
}

#[derive(Debug)]
enum Source<'a> {
    Running { tracefs: Directory },
    Recording { kallsyms: &'a Late, printk_formats: &'a [u8], cmdlines: &'a [u8], uname: Option<&'a str> },
}

impl<'a> Kernel<'a> {
    /// Returns the running kernel.
    ///
    /// # Errors
    /// There are too many open files.
    pub(crate) fn running(tracefs: &Tracefs) -> Result<Self, Errno> {
        let tracefs = tracefs.root().try_clone()?;
        Ok(Self::of(Source::Running { tracefs }, cfg!(target_endian = "little")))
    }

    /// Returns the kernel of a recording, by its symbols, its texts of `printk_formats` and `saved_cmdlines`, and by what
    /// uname(2) said of the machine: its name, its host's, the release.
    pub(crate) fn recorded(
        kallsyms: &'a Late,
        [printk_formats, cmdlines]: [&'a [u8]; 2],
        uname: Option<&'a str>,
        little_endian: bool,
    ) -> Self {
        Self::of(Source::Recording { kallsyms, printk_formats, cmdlines, uname }, little_endian)
    }

    /// Adds the types of a recorded kernel: its BTF, or the section of a file, which has the size of it in front.
    pub(crate) fn with_types(self, types: &'a Late) -> Self {
        Kernel { types: Some(types), ..self }
    }

    /// Takes the error of a recording whose symbols or types could not be read.
    pub(crate) fn take_failure(&mut self) -> Option<io::Error> {
        self.failure.take()
    }

    /// Returns the bytes of a section; none, and notes the error, if they cannot be read.
    fn late(&self, section: &'a Late) -> Cow<'a, [u8]> {
        section.bytes().unwrap_or_else(|error| {
            self.failure.get_or_init(|| error);
            Cow::default()
        })
    }

    fn of(source: Source<'a>, little_endian: bool) -> Self {
        Kernel {
            source,
            little_endian,
            symbols: OnceCell::new(),
            strings: OnceCell::new(),
            types: None,
            failure: OnceCell::new(),
            btf: OnceCell::new(),
            enumerators: OnceCell::new(),
            functions: OnceCell::new(),
            tasks: OnceCell::new(),
        }
    }

    /// Returns its functions; none if they cannot be read, so that addresses are shown as numbers.
    pub(crate) fn symbols(&self) -> &Symbols {
        self.symbols.get_or_init(|| match self.source {
            Source::Running { .. } => {
                Symbols::parse(&std::fs::read_to_string("/proc/kallsyms").unwrap_or_default())
            }
            Source::Recording { kallsyms, .. } => {
                Symbols::parse(&String::from_utf8_lossy(&self.late(kallsyms)))
            }
        })
    }

    fn strings(&self) -> &FxHashMap<u64, Box<[u8]>> {
        self.strings.get_or_init(|| match &self.source {
            // Kernels can be built without the file; such strings are shown by their address.
            Source::Running { tracefs } => strings(&tracefs.read("printk_formats").unwrap_or_default()),
            Source::Recording { printk_formats, .. } => strings(printk_formats),
        })
    }

    fn tasks(&self) -> &FxHashMap<i32, Box<[u8]>> {
        self.tasks.get_or_init(|| match &self.source {
            // Records of tracers name few tasks, which the kernel's table has. An unknown name is shown as the kernel
            // shows it.
            Source::Running { tracefs } => {
                parse(&tracefs.read("saved_cmdlines").unwrap_or_default()).collect()
            }
            Source::Recording { cmdlines, .. } => parse(cmdlines).collect(),
        })
    }

    /// Returns the types of the kernel, if they are known.
    fn btf(&self) -> Option<&Btf> {
        let types = self.btf.get_or_init(|| match self.source {
            Source::Running { .. } => {
                std::fs::read("/sys/kernel/btf/vmlinux").ok().and_then(|bytes| Btf::parse(bytes).ok())
            }
            // A type of another byte order than this machine's is not read.
            Source::Recording { .. } => {
                let types = self.types.map(|types| self.late(types)).unwrap_or_default();
                let sized = || types.get(size_of::<u64>()..).unwrap_or_default();
                let parse = |bytes: &[u8]| Btf::parse(bytes.to_vec()).ok();
                parse(&types).or_else(|| parse(sized()))
            }
        });
        types.as_ref()
    }

    fn enumerators(&self) -> &FxHashMap<String, i128> {
        self.enumerators.get_or_init(|| {
            // Without type information, names have the values that all kernels give them, or the event has no text.
            let all = self.btf().into_iter().flat_map(Btf::enumerators);
            all.map(|(name, value)| (name.to_owned(), value)).collect()
        })
    }

    fn functions(&self) -> &FxHashMap<String, TypeId> {
        self.functions.get_or_init(|| {
            let all = self.btf().into_iter().flat_map(Btf::functions);
            all.map(|(name, ty)| (name.to_owned(), ty)).collect()
        })
    }
}

impl Environment for Kernel<'_> {
    fn is_little_endian(&self) -> bool {
        self.little_endian
    }

    fn release(&self) -> Option<(u32, u32)> {
        let running;
        let release = match &self.source {
            Source::Running { .. } => {
                running = std::fs::read_to_string("/proc/sys/kernel/osrelease").ok()?;
                &running
            }
            Source::Recording { uname, .. } => uname.as_ref()?.split(' ').nth(2)?,
        };
        let mut numbers =
            release.split(|c: char| !c.is_ascii_digit()).map_while(|number| number.parse().ok());
        numbers.next().zip(numbers.next())
    }

    fn symbol(&self, address: u64) -> Option<Symbol<'_>> {
        self.symbols().symbol(address)
    }

    fn string(&self, address: u64) -> Option<&[u8]> {
        self.strings().get(&address).map(|text| &**text)
    }

    fn task(&self, pid: i32) -> Option<&[u8]> {
        self.tasks().get(&pid).map(|name| &**name)
    }

    fn enumerator(&self, name: &str) -> Option<i128> {
        self.enumerators().get(name).copied()
    }

    fn parameters(&self, function: &str) -> Vec<(&str, Passed)> {
        let ty = self.functions().get(function).copied();
        self.btf().zip(ty).map(|(btf, ty)| btf.parameters(ty)).unwrap_or_default()
    }

    fn variable(&self, name: &str) -> Option<u64> {
        // The value of a variable is in the kernel's memory; that of a label is its address.
        (name == "_stext").then(|| self.symbols().address("_stext")).flatten()
    }
}

/// Reads the text of `printk_formats`: `0xADDRESS : "TEXT"` per line, with the escapes of `t_show` in
/// kernel/trace/trace_printk.c.
fn strings(text: &[u8]) -> FxHashMap<u64, Box<[u8]>> {
    let text = String::from_utf8_lossy(text);
    let read = |line: &str| {
        let (address, text) = line.split_once(" : \"")?;
        let address = u64::from_str_radix(address.strip_prefix("0x")?, 16).ok()?;
        let text = text.strip_suffix('"')?;
        let text = text.replace("\\n", "\n").replace("\\t", "\t").replace("\\\"", "\"").replace("\\\\", "\\");
        Some((address, text.into_bytes().into_boxed_slice()))
    };
    text.lines().filter_map(read).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn recorded_kernel_knows_what_the_recording_holds() {
        let kallsyms = b"ffffffff81000000 T _stext\nffffffff81000100 t work\nffffffff81000180 t next\n";
        let kallsyms = Late::from(kallsyms.to_vec());
        let strings = b"0xffffffff82000000 : \"a\\n\"\nnonsense\n";
        let kernel = Kernel::recorded(&kallsyms, [strings, b"7 a b\n"], None, true);
        assert_eq!((kernel.task(7), kernel.task(8)), (Some(b"a b".as_slice()), None));
        let symbol = Symbol { name: "work", module: None, offset: 8, size: 0x80 };
        assert_eq!(kernel.symbol(0xffff_ffff_8100_0108), Some(symbol));
        assert_eq!(kernel.string(0xffff_ffff_8200_0000), Some(b"a\n".as_slice()));
        assert_eq!(kernel.string(1), None);
        assert_eq!(kernel.variable("_stext"), Some(0xffff_ffff_8100_0000));
        assert_eq!(
            (kernel.variable("work"), kernel.enumerator("TCP_CLOSE"), kernel.release()),
            (None, None, None)
        );
    }

    #[test]
    fn symbols_that_cannot_be_read_are_unknown_and_an_error_at_the_end() {
        let mut file = tempfile::tempfile().unwrap();
        std::io::Write::write_all(&mut file, b"ffffffff81000000 T _stext\nffffffff81000100 t work\n")
            .unwrap();
        for (length, failure) in [(50, None), (51, Some(io::ErrorKind::UnexpectedEof))] {
            let kallsyms = Late::of_file(file.try_clone().unwrap(), (0, length), Ok);
            let mut kernel = Kernel::recorded(&kallsyms, [b"", b""], None, true);
            assert_eq!(kernel.variable("_stext").is_some(), failure.is_none());
            assert_eq!(kernel.take_failure().map(|error| error.kind()), failure);
        }
    }

    #[test]
    fn recorded_kernel_has_the_release_that_uname_said() {
        let symbols = Late::default();
        let release = |uname| Kernel::recorded(&symbols, [b"", b""], Some(uname), true).release();
        assert_eq!(release("Linux build-1.2 6.1.0-56-cloud-amd64 x86_64"), Some((6, 1)));
        assert_eq!((release("Linux host"), release("Linux host next x86_64")), (None, None));
    }
}
