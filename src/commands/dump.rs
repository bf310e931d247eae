//! `tracec dump FILE`: lists what a recording consists of and where it is.

use std::io::Write;
use std::path::Path;
use std::process::ExitCode;

use serde_json::{Value, json};
use tracec_kernel::escaped::{Escaped, in_json};
use tracec_kernel::grouped::Grouped;
use tracec_runtime::record::{Buffer, CpuData, Damage, FileOption, Outline, Part, option};

use super::{Failure, recording};
use crate::out::out;

/// The most characters of an option's data that the table shows.
const SHOWN: usize = 60;

/// Lists the parts of a trace.dat file.
pub(crate) fn dump(file: &Path, json: bool) -> Result<ExitCode, Failure> {
    let mut recording = recording::open(file)?;
    let outline = recording.outline().map_err(|error| recording::damaged(file, &error))?;
    let mut out = std::io::BufWriter::new(out());
    match json {
        true => writeln!(out, "{}", in_json(&as_json(&outline).to_string()))?,
        false => table(&outline, &mut out)?,
    }
    out.flush()?;
    let mut damage = Damage::default();
    recording.take_damage().into_iter().for_each(|error| damage.add(0, error));
    recording::incomplete(&[file], &damage).map_or(Ok(ExitCode::SUCCESS), Err)
}

/// Returns the name of an option or section, or its number.
fn name(id: u16) -> String {
    option::name(id).map_or_else(|| id.to_string(), str::to_owned)
}

/// Returns the name of a section: that of options has the id of the end of its options.
fn section_name(id: u16) -> String {
    if id == option::DONE { "OPTIONS".to_owned() } else { name(id) }
}

fn pages(buffer: &Buffer, data: &CpuData) -> u64 {
    data.length().div_ceil(u64::from(buffer.page_size.max(1)))
}

fn table(outline: &Outline, out: &mut impl Write) -> std::io::Result<()> {
    let compression = match outline.compression_version.as_str() {
        "" => outline.compression.name().to_owned(),
        version => format!("{} ({})", outline.compression.name(), Escaped::text(version)),
    };
    writeln!(
        out,
        "trace.dat version {}, compression {compression}, {} bytes",
        outline.version.number(),
        Grouped(outline.size)
    )?;
    writeln!(
        out,
        "{} endian, long of {} bytes, machine pages of {} bytes",
        if outline.big_endian { "big" } else { "little" },
        outline.long_size,
        Grouped(outline.page_size)
    )?;
    writeln!(out, "\n{:<16} {:>14} {:>12} {:>14}", "section", "offset", "bytes", "uncompressed")?;
    let mut parts = outline.parts.clone();
    parts.sort_by_key(|part| part.offset);
    for Part { id, offset, size, is_compressed, length } in &parts {
        let length = if *is_compressed { Grouped(*length).to_string() } else { "-".to_owned() };
        let [offset, size] = [*offset, *size].map(|number| Grouped(number).to_string());
        writeln!(out, "{:<16} {offset:>14} {size:>12} {length:>14}", section_name(*id))?;
    }
    writeln!(out, "\n{:<16} {:>14} {:>12}  data", "option", "offset", "bytes")?;
    for found in &outline.options {
        let [offset, size] =
            [found.offset, found.data.len() as u64].map(|number| Grouped(number).to_string());
        let shown = shown(outline, found);
        writeln!(out, "{:<16} {offset:>14} {size:>12}  {shown}", name(found.id))?;
    }
    for buffer in &outline.buffers {
        let which = match buffer.name.as_str() {
            "" => "buffer of the top level".to_owned(),
            name => format!("buffer of the instance {}", Escaped::text(name)),
        };
        let clock = buffer.clock.as_deref().unwrap_or("unknown");
        writeln!(
            out,
            "\n{which}, clock {}, pages of {} bytes",
            Escaped::text(clock),
            Grouped(buffer.page_size)
        )?;
        writeln!(out, "{:>16} {:>14} {:>12} {:>14}", "cpu", "offset", "bytes", "pages")?;
        for data in &buffer.cpus {
            let numbers = [data.offset, data.size, pages(buffer, data)];
            let [offset, size, pages] = numbers.map(|number| Grouped(number).to_string());
            writeln!(out, "{:>16} {offset:>14} {size:>12} {pages:>14}", data.cpu)?;
        }
    }
    Ok(())
}

/// Returns the text of an option's data, if it is one.
fn text(data: &[u8]) -> Option<&str> {
    let text = std::str::from_utf8(data.strip_suffix(b"\0")?).ok()?;
    text.chars().all(|c| !c.is_control() || c == '\n' || c == '\t').then_some(text)
}

/// Returns the number of an option that has one, of four bytes or of eight.
fn number(outline: &Outline, data: &[u8]) -> Option<u64> {
    let mut bytes = match data.len() {
        4 | 8 => data.to_vec(),
        _ => return None,
    };
    if outline.big_endian {
        bytes.reverse();
    }
    bytes.resize(8, 0);
    bytes.first_chunk().map(|bytes| u64::from_le_bytes(*bytes))
}

/// Returns the data of an option on one line.
fn shown(outline: &Outline, found: &FileOption) -> String {
    let shown = match (found.id, text(&found.data), number(outline, &found.data)) {
        (option::BUFFER, ..) => return "see below".to_owned(),
        (option::TRACEID, _, Some(number)) => return format!("{number:#x}"),
        (_, Some(text), _) if !text.is_empty() => text.trim_end().replace('\n', "; "),
        (_, _, Some(number)) => return number.to_string(),
        _ => found.data.iter().map(|byte| format!("{byte:02x}")).collect::<Vec<_>>().join(" "),
    };
    let cut: String = shown.chars().take(SHOWN).collect();
    let rest = if cut.len() < shown.len() { "..." } else { "" };
    format!("{}{rest}", Escaped::text(&cut))
}

fn as_json(outline: &Outline) -> Value {
    let parts = outline.parts.iter().map(|part| {
        json!({
            "id": part.id,
            "name": section_name(part.id),
            "offset": part.offset,
            "bytes": part.size,
            "compressed": part.is_compressed,
            "length": part.length,
        })
    });
    let options = outline.options.iter().map(|found| {
        let hex: String = found.data.iter().map(|byte| format!("{byte:02x}")).collect();
        json!({
            "id": found.id,
            "name": option::name(found.id),
            "offset": found.offset,
            "bytes": found.data.len(),
            "text": text(&found.data),
            "hex": hex,
        })
    });
    let buffers = outline.buffers.iter().map(|buffer| {
        let cpus = buffer.cpus.iter().map(|data| {
            json!({
                "cpu": data.cpu,
                "offset": data.offset,
                "bytes": data.size,
                "length": data.length(),
                "pages": pages(buffer, data),
            })
        });
        json!({
            "name": buffer.name,
            "clock": buffer.clock,
            "page_size": buffer.page_size,
            "cpus": cpus.collect::<Vec<_>>(),
        })
    });
    json!({
        "version": outline.version.number(),
        "compression": outline.compression.name(),
        "compression_version": outline.compression_version,
        "endian": if outline.big_endian { "big" } else { "little" },
        "long_size": outline.long_size,
        "page_size": outline.page_size,
        "bytes": outline.size,
        "sections": parts.collect::<Vec<_>>(),
        "options": options.collect::<Vec<_>>(),
        "buffers": buffers.collect::<Vec<_>>(),
    })
}
