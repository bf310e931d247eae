//! An event of this program (kernel/trace/trace_events_user.c), on kernels that are built for that: fields of kinds
//! that a test cannot choose otherwise.

use std::fs::{self, File, OpenOptions};
use std::io::{self, IoSlice, Write};
use std::os::fd::AsRawFd;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicU32;
use std::time::{Duration, Instant};

use libtest_mimic::Failed;
use tracec_kernel::format::EventFormat;

use super::super::field::{Field, Kind, Stimulus, Value, chosen, given};
use super::super::model::Memory;
use super::super::rig::{Raw, Rig};
use super::{Source, fixed};

const FIELDS: &[Field] = &[
    chosen("near", Kind::RelativeText, 0),
    chosen("text", Kind::DynamicText, 1),
    chosen("six", Kind::ShortText, 2),
    chosen("three", Kind::Struct, 3),
    chosen("fixed", Kind::FixedText, 4),
    chosen("cpus", Kind::Cpumask, 5),
    chosen("near_u8", Kind::Int { bits: 8, signed: false }, 6),
    given("CPU", Kind::Cpu),
    given("comm", Kind::TaskName),
];

/// The fields as `user_event_parse_field` reads them.
const DEFINITION: &str = "u32 serial; __rel_loc char[] near; __data_loc char[] text; unsigned char[6] six; \
    struct trio three 3; char[16] fixed; __data_loc cpumask_t cpus; __rel_loc cpumask_t near_cpus; u8 near_u8";

/// `_IOWR('*', 0, struct user_reg *)` and `_IOW('*', 2, struct user_unreg *)` (include/uapi/linux/user_events.h).
const DIAG_IOCSREG: libc::c_ulong = 0xc008_2a00;
const DIAG_IOCSUNREG: libc::c_ulong = 0x4008_2a02;

/// `struct user_reg`.
#[repr(C, packed)]
struct Registration {
    size: u32,
    enable_bit: u8,
    enable_size: u8,
    flags: u16,
    enable_addr: u64,
    name_args: u64,
    write_index: u32,
}

/// `struct user_unreg`.
#[repr(C, packed)]
struct Withdrawal {
    size: u32,
    disable_bit: u8,
    reserved: u8,
    reserved2: u16,
    disable_addr: u64,
}

/// The event, removed when it is dropped. No instance may use it then.
#[derive(Debug)]
pub(crate) struct User {
    event: String,
    directory: PathBuf,
    format: EventFormat,
    /// `None` once the event is withdrawn: the kernel removes it with the last file.
    data: Option<File>,
    index: u32,
    /// The kernel writes here whether the event is enabled.
    enabled: Box<AtomicU32>,
}

impl User {
    /// Defines the event; `Err` is the reason why the kernel lacks it.
    pub(crate) fn new(tracefs: &Path) -> Result<Self, String> {
        let file = tracefs.join("user_events_data");
        if !file.exists() {
            return Err("no events of programs (CONFIG_USER_EVENTS)".to_owned());
        }
        let data = OpenOptions::new().read(true).write(true).open(file).map_err(|error| error.to_string())?;
        let name = format!("tracec_agreement_{}", std::process::id());
        let definition = format!("{name} {DEFINITION}\0");
        let enabled = Box::new(AtomicU32::new(0));
        let mut registration = Registration {
            size: size_of::<Registration>() as u32,
            enable_bit: 0,
            enable_size: 4,
            flags: 0,
            enable_addr: enabled.as_ptr() as u64,
            name_args: definition.as_ptr() as u64,
            write_index: 0,
        };
        // SAFETY: the structure and the text at its address live through the call; the word stays in place until it is
        // withdrawn.
        let result = unsafe { libc::ioctl(data.as_raw_fd(), DIAG_IOCSREG, &raw mut registration) };
        if result != 0 {
            return Err(format!("{definition}: {}", io::Error::last_os_error()));
        }
        let directory = tracefs.join("events/user_events").join(&name);
        let text = fs::read_to_string(directory.join("format")).map_err(|error| error.to_string())?;
        let format = EventFormat::parse("user_events", &text).map_err(|error| error.to_string())?;
        let event = format!("user_events/{name}");
        Ok(User { event, directory, format, data: Some(data), index: registration.write_index, enabled })
    }

    /// Returns the record of a stimulus, with an empty header.
    fn record(&self, stimulus: &Stimulus) -> Result<Vec<u8>, Failed> {
        let ends = self.format.fields.iter().map(|field| field.offset + field.size);
        let mut record = vec![0; ends.max().unwrap_or_default() as usize];
        let place = |name: &str| self.format.field(name).ok_or_else(|| format!("no field {name}"));
        let mut put = |name: &str, bytes: &[u8]| -> Result<(), Failed> {
            let field = place(name)?;
            let (start, size) = (field.offset as usize, field.size as usize);
            let dynamic = field.type_text.contains("_loc");
            if !dynamic {
                let length = bytes.len().min(size);
                record[start..start + length].copy_from_slice(&bytes[..length]);
                return Ok(());
            }
            // A relative offset is counted from the end of the word.
            let base = if field.type_text.starts_with("__rel_loc") { start + size } else { 0 };
            let word = (bytes.len() << 16 | (record.len() - base)) as u32;
            record[start..start + size].copy_from_slice(&word.to_ne_bytes());
            record.extend_from_slice(bytes);
            Ok(())
        };
        put("serial", &stimulus.serial.to_ne_bytes())?;
        for (field, value) in FIELDS.iter().zip(&stimulus.values) {
            match value {
                Value::Bits(bits) => put(field.name, &bits.to_ne_bytes())?,
                // A dynamic string has to end in a NUL (`user_event_validate`); an array is filled with them.
                Value::Text(text) => put(field.name, &[text.as_slice(), b"\0"].concat())?,
            }
        }
        put("near_cpus", &u64::from(stimulus.serial).to_ne_bytes())?;
        Ok(record)
    }
}

impl Drop for User {
    fn drop(&mut self) {
        let Some(data) = self.data.take() else { return };
        let mut withdrawal = Withdrawal {
            size: size_of::<Withdrawal>() as u32,
            disable_bit: 0,
            reserved: 0,
            reserved2: 0,
            disable_addr: self.enabled.as_ptr() as u64,
        };
        // SAFETY: the structure lives through the call.
        if unsafe { libc::ioctl(data.as_raw_fd(), DIAG_IOCSUNREG, &raw mut withdrawal) } != 0 {
            println!("the event {} stays behind: {}", self.event, io::Error::last_os_error());
        }
        drop(data);
        // A worker of the kernel removes it (`delayed_destroy_user_event`).
        let deadline = Instant::now() + Duration::from_secs(20);
        while self.directory.exists() {
            if Instant::now() > deadline {
                println!("the event {} stays behind", self.event);
                return;
            }
            std::thread::yield_now();
        }
    }
}

impl Source for User {
    fn event(&self) -> &str {
        &self.event
    }

    fn fields(&self) -> &[Field] {
        FIELDS
    }

    fn batch(&self) -> usize {
        128
    }

    fn fire(&self, _rig: &Rig, stimulus: &Stimulus, _memory: &mut Memory) -> Result<(), Failed> {
        let record = self.record(stimulus)?;
        let payload = &record[self.format.header_size() as usize..];
        let mut data = self.data.as_ref().ok_or("the event is withdrawn")?;
        let index = self.index.to_ne_bytes();
        let written = data.write_vectored(&[IoSlice::new(&index), IoSlice::new(payload)])?;
        if written == payload.len() + index.len() || written == payload.len() {
            Ok(())
        } else {
            Err(format!("{written} of {} bytes were written", payload.len()).into())
        }
    }

    fn key(&self, format: &EventFormat, record: &Raw) -> Option<Vec<u8>> {
        fixed(format, "serial", record).map(<[u8]>::to_vec)
    }

    fn key_of(&self, stimulus: &Stimulus) -> Vec<u8> {
        stimulus.serial.to_ne_bytes().to_vec()
    }
}
