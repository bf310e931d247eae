//! What a recording says of the running kernel: the texts of tracefs and of /proc, as the sections of a trace.dat file
//! have them.

use std::collections::BTreeMap;
use std::io::{self, Read};

use rustix::io::Errno;
use tracec_kernel::shown::ShownEvent;

use super::shown::show;
use crate::failure::Failure;
use crate::sink::UNKNOWN;
use crate::tracefs::{Directory, Tracefs, TracefsError};

/// How much of kallsyms is read at once.
const READ: usize = 1 << 20;

/// The running kernel, and the instance that records.
#[derive(Debug)]
pub(crate) struct Facts {
    tracefs: Directory,
    /// The layouts of a page and of an entry, as the instance has them.
    header: Vec<u8>,
}

impl Facts {
    /// Returns those of the running kernel for an instance, from which nothing is read later.
    ///
    /// # Errors
    /// There are too many open files, or the layout of pages cannot be read.
    pub(crate) fn new(tracefs: &Tracefs, instance: &Directory) -> Result<Self, Failure> {
        let tracefs = tracefs.root().try_clone().map_err(Failure::system("dup"))?;
        let mut header = Vec::new();
        for name in ["header_page", "header_event"] {
            let text = instance.read(&format!("events/{name}"))?;
            header.extend_from_slice(name.as_bytes());
            header.push(0);
            push_long(&mut header, &text);
        }
        Ok(Facts { tracefs, header })
    }

    /// Returns the layouts of a page and of an entry. The size of a page is that of the instance.
    pub(crate) fn header(&self) -> Vec<u8> {
        self.header.clone()
    }

    /// Returns the layouts of the records that tracers write.
    pub(crate) fn tracers(&self) -> io::Result<Vec<u8>> {
        let texts = self.formats("ftrace", None)?;
        let mut body = count(texts.len())?.to_vec();
        texts.iter().for_each(|text| push_long(&mut body, text));
        Ok(body)
    }

    /// Returns the layouts of events, each a system and a name, by which their records are shown.
    pub(crate) fn events(&self, events: &[(String, String)], shown: &[ShownEvent]) -> io::Result<Vec<u8>> {
        let mut systems: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for (system, name) in events.iter().filter(|(system, _)| system != "ftrace") {
            let names = systems.entry(system).or_default();
            if !names.contains(&name.as_str()) {
                names.push(name);
            }
        }
        let mut body = count(systems.len())?.to_vec();
        for (system, names) in systems {
            let mut texts = self.formats(system, Some(&names))?;
            for text in &mut texts {
                show(system, text, shown)?;
            }
            body.extend_from_slice(system.as_bytes());
            body.push(0);
            body.extend_from_slice(&count(texts.len())?);
            texts.iter().for_each(|text| push_long(&mut body, text));
        }
        Ok(body)
    }

    /// Returns the formats of some events of a system, or of all. One that the kernel lacks has no records.
    fn formats(&self, system: &str, names: Option<&[&str]>) -> io::Result<Vec<Vec<u8>>> {
        let directory = format!("events/{system}");
        let all: Vec<String> = match names {
            Some(names) => names.iter().map(|name| (*name).to_owned()).collect(),
            None => {
                self.tracefs.list(&directory).map_err(failed)?.into_iter().map(|entry| entry.name).collect()
            }
        };
        let mut texts = Vec::new();
        for name in all {
            match self.tracefs.read(&format!("{directory}/{name}/format")) {
                Ok(text) => texts.push(text),
                Err(error) if error.is_not_found() => {}
                // Beside the directories of events there are files, such as `enable`.
                Err(TracefsError::Io { errno: Errno::NOTDIR, .. }) if names.is_none() => {}
                Err(error) => return Err(failed(error)),
            }
        }
        Ok(texts)
    }

    /// Returns the symbols. `step` is called now and then: it takes a tenth of a second. Kernels can hide them.
    pub(crate) fn symbols(&self, step: &dyn Fn()) -> io::Result<Vec<u8>> {
        let mut text = Vec::new();
        if let Ok(mut file) = std::fs::File::open("/proc/kallsyms") {
            while file.by_ref().take(READ as u64).read_to_end(&mut text).unwrap_or(0) > 0 {
                step();
            }
        }
        short_text(&text)
    }

    /// Returns the strings of the kernel that records point to. Kernels can be built without the file.
    pub(crate) fn strings(&self) -> Vec<u8> {
        let text = self.tracefs.read("printk_formats").unwrap_or_default();
        short_text(&text).unwrap_or_else(|_| vec![0; 4])
    }

    /// Returns the names of threads: those that the kernel has saved, and for others those that are known.
    pub(crate) fn names(&self, known: &BTreeMap<i32, Box<[u8]>>) -> Vec<u8> {
        // Kernels can be built or locked down without the table.
        let saved = self.tracefs.read("saved_cmdlines").unwrap_or_default();
        let mut names = known.clone();
        for line in saved.split(|byte| *byte == b'\n') {
            let Some(at) = line.iter().position(|byte| *byte == b' ') else { continue };
            let (thread, name) = line.split_at(at);
            let thread = std::str::from_utf8(thread).ok().and_then(|thread| thread.parse().ok());
            // The kernel lists threads whose place in the table another one has taken.
            if let (Some(thread), Some(name)) = (thread, name.get(1..).filter(|name| *name != UNKNOWN)) {
                names.insert(thread, name.into());
            }
        }
        let mut text = Vec::new();
        for (thread, name) in names {
            text.extend_from_slice(format!("{thread} ").as_bytes());
            text.extend_from_slice(&name);
            text.push(b'\n');
        }
        let mut body = Vec::new();
        push_long(&mut body, &text);
        body
    }

    /// Returns the text of `trace_clock`: all clocks, the chosen one in brackets. `chosen` stands for it where the instance
    /// is gone.
    pub(crate) fn clocks(&self, chosen: &str) -> String {
        let all = self.tracefs.read_to_string("trace_clock").unwrap_or_default();
        let all = all.split_whitespace().map(|clock| clock.trim_matches(['[', ']']));
        let all: Vec<String> =
            all.map(|clock| if clock == chosen { format!("[{clock}]") } else { clock.to_owned() }).collect();
        if all.is_empty() { format!("[{chosen}]\n") } else { format!("{}\n", all.join(" ")) }
    }

    /// Returns what uname(2) says of the machine, with a NUL.
    pub(crate) fn machine(&self) -> Vec<u8> {
        let uname = rustix::system::uname();
        let words = [uname.sysname(), uname.nodename(), uname.release(), uname.machine()];
        let mut text = words.map(|word| word.to_bytes()).join(&b' ');
        text.push(0);
        text
    }
}

/// Appends a text behind its size of eight bytes.
fn push_long(body: &mut Vec<u8>, text: &[u8]) {
    body.extend_from_slice(&(text.len() as u64).to_ne_bytes());
    body.extend_from_slice(text);
}

/// Returns a text behind its size of four bytes.
fn short_text(text: &[u8]) -> io::Result<Vec<u8>> {
    let mut body = count(text.len())?.to_vec();
    body.extend_from_slice(text);
    Ok(body)
}

fn count(number: usize) -> io::Result<[u8; 4]> {
    match u32::try_from(number) {
        Ok(number) => Ok(number.to_ne_bytes()),
        Err(_) => Err(io::Error::new(io::ErrorKind::InvalidData, "a text has more than 4 GiB")),
    }
}

fn failed(error: TracefsError) -> io::Error {
    io::Error::other(error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the facts of a directory that is like a tracefs.
    fn facts(directory: &std::path::Path) -> Facts {
        for (name, text) in [
            ("events/header_page", "page"),
            ("events/header_event", "event"),
            ("events/ftrace/print/format", "print"),
            ("events/ftrace/enable", "0"),
            ("events/a/b/format", "of b"),
            ("events/a/c/format", "of c"),
            ("trace_clock", "[local] global mono\n"),
            ("saved_cmdlines", "12 saved\n13 a b\n14 <...>\nnonsense\n"),
        ] {
            let path = directory.join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        let tracefs = Tracefs::open(directory).unwrap();
        Facts::new(&tracefs, tracefs.root()).unwrap()
    }

    #[test]
    fn texts_are_the_bodies_of_sections() {
        let directory = tempfile::tempdir().unwrap();
        let facts = facts(directory.path());
        let number = |number: u64| number.to_ne_bytes().to_vec();
        let short = |number: u32| number.to_ne_bytes().to_vec();
        let header =
            [b"header_page\0", &number(4)[..], b"page", b"header_event\0", &number(5), b"event"].concat();
        assert_eq!(facts.header(), header);
        assert_eq!(facts.tracers().unwrap(), [&short(1)[..], &number(5), b"print"].concat());
        let events = [("a", "c"), ("ftrace", "print"), ("a", "c"), ("a", "missing")];
        let events = events.map(|(system, name)| (system.to_owned(), name.to_owned()));
        let expected = [&short(1)[..], b"a\0", &short(1), &number(4), b"of c"].concat();
        assert_eq!(facts.events(&events, &[]).unwrap(), expected);
        assert_eq!(facts.strings(), short(0), "there is no such file");
    }

    #[test]
    fn saved_name_comes_before_one_that_was_seen() {
        let directory = tempfile::tempdir().unwrap();
        let known = [(12, b"seen".as_slice()), (14, b"gone")];
        let known = known.map(|(thread, name)| (thread, name.into())).into();
        let text = b"12 saved\n13 a b\n14 gone\n";
        let body = [&(text.len() as u64).to_ne_bytes()[..], text].concat();
        assert_eq!(facts(directory.path()).names(&known), body);
    }

    #[test]
    fn chosen_clock_is_in_brackets() {
        let directory = tempfile::tempdir().unwrap();
        assert_eq!(facts(directory.path()).clocks("mono"), "local global [mono]\n");
        let facts = facts(directory.path());
        std::fs::remove_file(directory.path().join("trace_clock")).unwrap();
        assert_eq!(facts.clocks("mono"), "[mono]\n");
        assert_eq!(facts.machine().iter().filter(|byte| **byte == b' ').count(), 3);
    }
}
