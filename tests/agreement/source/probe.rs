//! A uprobe on a function of this program: integers of every width and sign, arrays, dynamic text.

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

use libtest_mimic::Failed;
use tracec_kernel::format::EventFormat;

use super::super::field::{Field, Kind, Stimulus, Value, chosen, given};
use super::super::model::Memory;
use super::super::rig::{Raw, Rig};
use super::{Source, fixed};

/// What the probe reads: the serial, then eight bytes for each slot of [`FIELDS`], a number or the address of text.
type Words = [u64; 1 + SLOTS];

const SLOTS: usize = 14;

const fn int(bits: u32, signed: bool) -> Kind {
    Kind::Int { bits, signed }
}

/// The fields `comm` and `cpu` hide the pseudo-fields of these names; `COMM` and `CPU` stay what they are.
const FIELDS: &[Field] = &[
    chosen("a_u8", int(8, false), 0),
    chosen("a_s8", int(8, true), 1),
    chosen("a_u16", int(16, false), 2),
    chosen("a_s16", int(16, true), 3),
    chosen("a_u32", int(32, false), 4),
    chosen("a_s32", int(32, true), 5),
    chosen("a_u64", int(64, false), 6),
    chosen("a_s64", int(64, true), 7),
    chosen("odd", Kind::OddBytes, 8),
    // Four bytes are an integer to the filter, whatever they are to the probe.
    chosen("four", int(32, false), 9),
    chosen("text", Kind::DynamicText, 10),
    chosen("comm", Kind::DynamicText, 11),
    chosen("cpu", int(16, false), 12),
    chosen("address", int(64, false), 13),
    given("CPU", Kind::Cpu),
    given("COMM", Kind::TaskName),
    given("common_pid", int(32, true)),
];

/// The types of the fields with a slot, as the probe's definition names them.
const TYPES: [&str; SLOTS] = [
    "u8", "s8", "u16", "s16", "u32", "s32", "u64", "s64", "u8[3]", "u8[4]", "string", "string", "u16", "x64",
];

/// The register of the first argument.
const ARGUMENT: Option<&str> = if cfg!(target_arch = "x86_64") {
    Some("%di")
} else if cfg!(target_arch = "aarch64") {
    Some("%x0")
} else {
    None
};

/// The function that is probed. Its first instruction is one that uprobes need not single-step.
#[unsafe(naked)]
extern "C" fn target(_words: *const Words) {
    std::arch::naked_asm!("nop", "ret")
}

/// The probe, removed when it is dropped. No instance may hold it then.
#[derive(Debug)]
pub(crate) struct Probe {
    event: String,
    definitions: PathBuf,
}

impl Probe {
    /// Defines the probe; `Err` is why the kernel has none.
    pub(crate) fn new(tracefs: &Path) -> Result<Self, String> {
        let argument = ARGUMENT.ok_or("no register is known for the first argument of a function")?;
        let definitions = tracefs.join("uprobe_events");
        if !definitions.exists() {
            return Err("no uprobe events".to_owned());
        }
        let (path, offset) = place(target as *const () as u64)?;
        let event = format!("tracec_agreement_{}/fired", std::process::id());
        let mut text = format!("p:{event} {path}:{offset:#x} serial=+0({argument}):u32");
        for (slot, (field, kind)) in FIELDS.iter().zip(TYPES).enumerate() {
            let at = 8 * (slot + 1);
            let fetch = match kind {
                "string" => format!("+0(+{at}({argument}))"),
                _ => format!("+{at}({argument})"),
            };
            text.push_str(&format!(" {}={fetch}:{kind}", field.name));
        }
        append(&definitions, &text).map_err(|error| format!("{text}: {error}"))?;
        Ok(Probe { event, definitions })
    }
}

impl Drop for Probe {
    fn drop(&mut self) {
        if let Err(error) = append(&self.definitions, &format!("-:{}", self.event)) {
            println!("the probe {} stays behind: {error}", self.event);
        }
    }
}

/// Opened for appending: anything else would remove all probes of the machine.
fn append(file: &Path, line: &str) -> std::io::Result<()> {
    OpenOptions::new().append(true).open(file)?.write_all(format!("{line}\n").as_bytes())
}

/// The file and the offset in it from which the byte at an address of this program comes.
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
        FIELDS
    }

    fn batch(&self) -> usize {
        192
    }

    fn fire(&self, _rig: &Rig, stimulus: &Stimulus, _memory: &mut Memory) -> Result<(), Failed> {
        let mut words: Words = [0; 1 + SLOTS];
        words[0] = stimulus.serial.into();
        let mut texts = Vec::new();
        for (word, value) in words[1..].iter_mut().zip(&stimulus.values) {
            *word = match value {
                Value::Bits(bits) => *bits,
                Value::Text(text) => {
                    let text = [text.as_slice(), b"\0"].concat().into_boxed_slice();
                    let address = text.as_ptr() as u64;
                    texts.push(text);
                    address
                }
            };
        }
        target(std::hint::black_box(&raw const words));
        // The probe has read what the words point to; not earlier may it go.
        drop(std::hint::black_box(texts));
        Ok(())
    }

    fn key(&self, format: &EventFormat, record: &Raw) -> Option<Vec<u8>> {
        fixed(format, "serial", record).map(<[u8]>::to_vec)
    }

    fn key_of(&self, stimulus: &Stimulus) -> Vec<u8> {
        stimulus.serial.to_ne_bytes().to_vec()
    }
}
