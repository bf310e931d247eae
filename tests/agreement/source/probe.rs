//! Uprobes on a function of this program: integers of every width and sign, arrays, dynamic text, and arguments whose
//! names hide generic fields.

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

use libtest_mimic::Failed;
use tracec_kernel::format::EventFormat;

use super::super::field::{Field, Kind, Stimulus, Value, chosen, given};
use super::super::model::Memory;
use super::super::rig::{Raw, Rig};
use super::{Source, fixed};

/// The arguments of a probe, and the fields that its event gets from them.
#[derive(Debug)]
pub(crate) struct Arguments {
    /// The name of the event.
    event: &'static str,
    /// The name of each, its kind for the filter and its type for the probe. The index is that of its value's slot.
    own: &'static [(&'static str, Kind, &'static str)],
    /// Further fields that filters may name.
    given: &'static [Field],
}

const fn int(bits: u32, signed: bool) -> Kind {
    Kind::Int { bits, signed }
}

/// Arguments of all kinds. `comm` and `cpu` hide the generic fields of these names; `COMM` and `CPU` are not hidden.
pub(crate) const FIRED: Arguments = Arguments {
    event: "fired",
    own: &[
        ("a_u8", int(8, false), "u8"),
        ("a_s8", int(8, true), "s8"),
        ("a_u16", int(16, false), "u16"),
        ("a_s16", int(16, true), "s16"),
        ("a_u32", int(32, false), "u32"),
        ("a_s32", int(32, true), "s32"),
        ("a_u64", int(64, false), "u64"),
        ("a_s64", int(64, true), "s64"),
        ("odd", Kind::OddBytes, "u8[3]"),
        // Four bytes are an integer for the filter, whatever their type in the probe.
        ("four", int(32, false), "u8[4]"),
        ("text", Kind::DynamicText, "string"),
        ("comm", Kind::DynamicText, "string"),
        ("cpu", int(16, false), "u16"),
        ("address", int(64, false), "x64"),
    ],
    given: &[given("CPU", Kind::Cpu), given("COMM", Kind::TaskName), given("common_pid", int(32, true))],
};

/// Arguments that hide `CPU` and `COMM`, which filters look up first; the other names are not hidden.
pub(crate) const HIDING: Arguments = Arguments {
    event: "hiding",
    own: &[
        ("a_u8", int(8, false), "u8"),
        ("a_s32", int(32, true), "s32"),
        ("text", Kind::DynamicText, "string"),
        ("CPU", int(16, false), "u16"),
        ("COMM", Kind::DynamicText, "string"),
    ],
    given: &[given("cpu", Kind::Cpu), given("common_cpu", Kind::Cpu), given("comm", Kind::TaskName)],
};

/// Arguments that hide all names of the CPU and of the task's name.
pub(crate) const HIDING_ALL: Arguments = Arguments {
    event: "hiding_all",
    own: &[
        ("a_u8", int(8, false), "u8"),
        ("CPU", int(16, false), "u16"),
        ("cpu", int(32, true), "s32"),
        ("common_cpu", int(8, false), "u8"),
        ("COMM", Kind::DynamicText, "string"),
        ("comm", Kind::DynamicText, "string"),
    ],
    given: &[given("common_pid", int(32, true))],
};

/// The register of the first argument.
const ARGUMENT: Option<&str> = if cfg!(target_arch = "x86_64") {
    Some("%di")
} else if cfg!(target_arch = "aarch64") {
    Some("%x0")
} else {
    None
};

/// The probed function. Its argument points to the serial, followed by eight bytes for each argument of the probe, a
/// number or the address of a string. Its first instruction is one that uprobes need not single-step.
#[unsafe(naked)]
extern "C" fn target(_words: *const u64) {
    std::arch::naked_asm!("nop", "ret")
}

/// A probe, removed when it is dropped. No instance may use it then.
#[derive(Debug)]
pub(crate) struct Probe {
    event: String,
    fields: Vec<Field>,
    definitions: PathBuf,
}

impl Probe {
    /// Defines a probe; `Err` is the reason why the kernel lacks it.
    pub(crate) fn new(tracefs: &Path, arguments: &Arguments) -> Result<Self, String> {
        let argument = ARGUMENT.ok_or("no register is known for the first argument of a function")?;
        let definitions = tracefs.join("uprobe_events");
        if !definitions.exists() {
            return Err("no uprobe events".to_owned());
        }
        let (path, offset) = place(target as *const () as u64)?;
        let event = format!("tracec_agreement_{}/{}", std::process::id(), arguments.event);
        let mut text = format!("p:{event} {path}:{offset:#x} serial=+0({argument}):u32");
        let mut fields = Vec::new();
        for (slot, (name, kind, type_text)) in arguments.own.iter().enumerate() {
            let at = 8 * (slot + 1);
            let fetch = match *type_text {
                "string" => format!("+0(+{at}({argument}))"),
                _ => format!("+{at}({argument})"),
            };
            text.push_str(&format!(" {name}={fetch}:{type_text}"));
            fields.push(chosen(name, *kind, slot));
        }
        fields.extend(arguments.given);
        append(&definitions, &text).map_err(|error| format!("{text}: {error}"))?;
        Ok(Probe { event, fields, definitions })
    }
}

impl Drop for Probe {
    fn drop(&mut self) {
        if let Err(error) = append(&self.definitions, &format!("-:{}", self.event)) {
            println!("the probe {} stays behind: {error}", self.event);
        }
    }
}

/// Appends a line to a file: opening it in any other mode would remove all probes of the machine.
fn append(file: &Path, line: &str) -> std::io::Result<()> {
    OpenOptions::new().append(true).open(file)?.write_all(format!("{line}\n").as_bytes())
}

/// Returns the file and the offset in it from which the byte at an address of this program is mapped.
fn place(address: u64) -> Result<(String, u64), String> {
    let maps = fs::read_to_string("/proc/self/maps").map_err(|error| error.to_string())?;
    let hex = |word: &str| u64::from_str_radix(word, 16).ok();
    let found = maps.lines().find_map(|line| {
        let mut words = line.split_ascii_whitespace();
        let (start, end) = words.next()?.split_once('-')?;
        let (start, end) = (hex(start)?, hex(end)?);
        let offset = hex(words.nth(1)?)?;
        let path = words.nth(2)?;
        (start..end).contains(&address).then(|| (path.to_owned(), address - start + offset))
    });
    found.ok_or_else(|| "the probed function is in no mapping".to_owned())
}

impl Source for Probe {
    fn event(&self) -> &str {
        &self.event
    }

    fn fields(&self) -> &[Field] {
        &self.fields
    }

    fn batch(&self) -> usize {
        192
    }

    fn fire(&self, _rig: &Rig, stimulus: &Stimulus, _memory: &mut Memory) -> Result<(), Failed> {
        let mut words: Vec<u64> = vec![stimulus.serial.into()];
        let mut texts = Vec::new();
        for value in &stimulus.values {
            words.push(match value {
                Value::Bits(bits) => *bits,
                Value::Text(text) => {
                    let text = [text.as_slice(), b"\0"].concat().into_boxed_slice();
                    let address = text.as_ptr() as u64;
                    texts.push(text);
                    address
                }
            });
        }
        target(std::hint::black_box(words.as_ptr()));
        // The probe has read the words and the strings they point to, which must live until here.
        drop(std::hint::black_box((words, texts)));
        Ok(())
    }

    fn key(&self, format: &EventFormat, record: &Raw) -> Option<Vec<u8>> {
        fixed(format, "serial", record).map(<[u8]>::to_vec)
    }

    fn key_of(&self, stimulus: &Stimulus) -> Vec<u8> {
        stimulus.serial.to_ne_bytes().to_vec()
    }
}
