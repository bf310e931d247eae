//! The records of `sched:sched_switch` in a recording, in memory.

use std::fmt::Write as _;
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use tracec_kernel::format::EventFormat;
use tracec_kernel::page::Page;
use tracec_kernel::record::Decoder;
use tracec_runtime::record::{TraceDat, TraceDatError};

/// The variable that names a recording.
pub(crate) const VARIABLE: &str = "TRACEC_BENCH_TRACE";

/// The recording of the project's tests.
pub(crate) const KEPT: &str = "runtime/tests/data/small-v6.dat";

/// The records to measure with.
pub(crate) struct Records {
    /// The layout of the event.
    pub(crate) format: EventFormat,
    /// Finds the layout of a record; knows this event alone.
    pub(crate) decoder: Decoder,
    /// The records, each after its length: four bytes in this machine's order.
    bytes: Vec<u8>,
    /// The offset and length of each, in bytes.
    places: Vec<(u32, u32)>,
}

impl Records {
    /// Reads a recording of version 6.
    pub(crate) fn read(path: &Path) -> io::Result<Records> {
        let recording = TraceDat::open(path).map_err(io::Error::other)?;
        let format = recording.formats.iter().find(|format| format.qualified_name() == "sched:sched_switch");
        let format = format.cloned().ok_or_else(|| io::Error::other("the recording has no sched_switch"))?;
        let decoder = Decoder::for_layout(vec![format.clone()], &recording.layout);
        let mut records = Records { format, decoder, bytes: Vec::new(), places: Vec::new() };
        let file = File::open(path)?;
        let size = recording.layout.size;
        let mut page = vec![0; size as usize];
        for data in recording.buffers.iter().flat_map(|buffer| &buffer.cpus) {
            for number in 0..data.size / u64::from(size) {
                file.read_exact_at(&mut page, data.offset + number * u64::from(size))?;
                for entry in Page::new(&recording.layout, &page).map_err(io::Error::other)?.entries() {
                    records.add(entry.map_err(io::Error::other)?.data)?;
                }
            }
        }
        if records.places.is_empty() {
            return Err(io::Error::other("the recording has no record of sched_switch"));
        }
        Ok(records)
    }

    /// Returns records of the same event that were made.
    pub(crate) fn made(&self, made: &[Vec<u8>]) -> io::Result<Records> {
        let (format, decoder) = (self.format.clone(), self.decoder.clone());
        let mut records = Records { format, decoder, bytes: Vec::new(), places: Vec::new() };
        made.iter().try_for_each(|record| records.add(record))?;
        Ok(records)
    }

    /// Takes a record, if it is one of the event.
    fn add(&mut self, record: &[u8]) -> io::Result<()> {
        // Records of other events are unknown to this decoder.
        if self.decoder.record(record).is_err() {
            return Ok(());
        }
        let length = record.len() as u32;
        self.bytes.extend_from_slice(&length.to_ne_bytes());
        let at = u32::try_from(self.bytes.len()).map_err(|_| io::Error::other("records of 4 GiB"))?;
        self.bytes.extend_from_slice(record);
        self.places.push((at, length));
        Ok(())
    }

    /// Returns how many there are, at least 1.
    pub(crate) fn len(&self) -> usize {
        self.places.len()
    }

    /// Returns all of them, each after its length.
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Returns each of them.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &[u8]> {
        self.places.iter().map(|&(at, length)| &self.bytes[at as usize..at as usize + length as usize])
    }

    /// Returns the event's format file, for a reader that needs its text.
    pub(crate) fn format_file(&self) -> String {
        let format = &self.format;
        let mut text = format!("name: {}\nID: {}\nformat:\n", format.name, format.id);
        for (index, field) in format.fields.iter().enumerate() {
            if index == format.common {
                text.push('\n');
            }
            let declared = match field.type_text.split_once('[') {
                Some((base, count)) if !base.starts_with("__data_loc") => {
                    format!("{base} {}[{count}", field.name)
                }
                _ => format!("{} {}", field.type_text, field.name),
            };
            let signed = u8::from(field.signed);
            // Writing to a String cannot fail.
            let _ = writeln!(
                text,
                "\tfield:{declared};\toffset:{};\tsize:{};\tsigned:{signed};",
                field.offset, field.size
            );
        }
        let _ = write!(text, "\nprint fmt: {}\n", format.print_fmt);
        text
    }
}

/// Returns the file to read, in version 6, and its name: the one that [`VARIABLE`] names, or that of the project's
/// tests. Or the reason why the named one cannot be read here.
pub(crate) fn find(scratch: &Path) -> io::Result<Result<(PathBuf, String), String>> {
    let Some(named) = std::env::var_os(VARIABLE).map(PathBuf::from) else {
        let kept = Path::new(env!("CARGO_MANIFEST_DIR")).join(KEPT);
        return Ok(Ok((kept, format!("{KEPT} ({VARIABLE} names another)"))));
    };
    let name = named.display().to_string();
    match TraceDat::open(&named) {
        Ok(_) => return Ok(Ok((named, name))),
        Err(TraceDatError::Version { .. }) => {}
        Err(error) => return Err(io::Error::other(format!("{name}: {error}"))),
    }
    let file = scratch.join("version-6.dat");
    let mut convert = Command::new("trace-cmd");
    convert.args(["convert", "--file-version", "6", "--compression", "none", "-i"]).arg(&named);
    let Ok(done) = convert.arg("-o").arg(&file).output() else {
        return Ok(Err(format!("{name} is of version 7, and there is no trace-cmd to convert it")));
    };
    if done.status.success() {
        return Ok(Ok((file, format!("{name}, converted to version 6"))));
    }
    let said = String::from_utf8_lossy(&done.stderr);
    Err(io::Error::other(format!("trace-cmd does not convert {name}: {said}")))
}
