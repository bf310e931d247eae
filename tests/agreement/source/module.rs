//! The event of a module that tracec has built: fields of every width and sign, an array of bytes, texts of both kinds.

use std::ffi::CString;
use std::fs;
use std::path::{Path, PathBuf};

use libtest_mimic::Failed;
use rustix::system::{delete_module, finit_module};
use tracec_kernel::format::EventFormat;

use super::super::field::{Field, Kind, Stimulus, Value, chosen, given};
use super::super::model::Memory;
use super::super::rig::{Raw, Rig};
use super::{Source, fixed};

const fn int(bits: u32, signed: bool) -> Kind {
    Kind::Int { bits, signed }
}

/// The fields of `tests/modules/pairs.trc`; the words before the texts.
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
    chosen("name", Kind::FixedText, 9),
    chosen("text", Kind::DynamicText, 10),
    given("CPU", Kind::Cpu),
    given("COMM", Kind::TaskName),
    given("common_pid", int(32, true)),
];

/// Bytes of the words, the serial number included, and of the name behind them.
const WORDS_BYTES: usize = 8 * 10;
const NAME_BYTES: usize = 16;

/// The module, unloaded when it is dropped. No instance may use its event then.
#[derive(Debug)]
pub(crate) struct Module {
    name: CString,
    fire: PathBuf,
}

impl Module {
    /// Loads it from a file.
    pub(crate) fn load(file: &Path) -> Result<Self, Failed> {
        let failed = |error: &dyn std::fmt::Display| format!("{}: {error}", file.display());
        let opened = fs::File::open(file).map_err(|error| failed(&error))?;
        finit_module(&opened, c"", 0).map_err(|error| failed(&error))?;
        let name = file.file_stem().unwrap_or_default();
        let fire = Path::new("/sys/module").join(name).join("parameters/fire");
        Ok(Module { name: CString::new(name.as_encoded_bytes())?, fire })
    }
}

impl Drop for Module {
    fn drop(&mut self) {
        if let Err(error) = delete_module(&self.name, 0) {
            println!("the module {:?} stays behind: {error}", self.name);
        }
    }
}

impl Source for Module {
    fn event(&self) -> &'static str {
        "pairs/pair"
    }

    fn fields(&self) -> &[Field] {
        FIELDS
    }

    fn batch(&self) -> usize {
        128
    }

    fn fire(&self, _rig: &Rig, stimulus: &Stimulus, _memory: &mut Memory) -> Result<(), Failed> {
        let mut bytes = u64::from(stimulus.serial).to_ne_bytes().to_vec();
        for value in &stimulus.values {
            match value {
                Value::Bits(bits) => bytes.extend(bits.to_ne_bytes()),
                // The name is the first text.
                Value::Text(name) if bytes.len() == WORDS_BYTES => {
                    bytes.extend(name);
                    bytes.resize(WORDS_BYTES + NAME_BYTES, 0);
                }
                Value::Text(text) => bytes.extend(text),
            }
        }
        let digits: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
        fs::write(&self.fire, digits).map_err(|error| format!("{}: {error}", self.fire.display()).into())
    }

    fn key(&self, format: &EventFormat, record: &Raw) -> Option<Vec<u8>> {
        fixed(format, "serial", record).map(<[u8]>::to_vec)
    }

    fn key_of(&self, stimulus: &Stimulus) -> Vec<u8> {
        stimulus.serial.to_ne_bytes().to_vec()
    }
}
