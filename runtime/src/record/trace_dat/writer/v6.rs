//! The end of a version 6 file: the options, the tables of buffers, and their pages.

use std::io::{self, Seek, Write};

use super::super::{Buffer, option};
use super::{Output, too_large};

/// The places of the tables, which are written again once it is known where the pages are.
pub(in crate::record::trace_dat) struct Tables {
    /// The offset of the first entry of each buffer's table.
    tables: Vec<u64>,
}

/// Writes the options and the tables of buffers for `cpus` CPUs. `options` are those that name no part.
pub(in crate::record::trace_dat) fn write_tables<W: Write + Seek>(
    out: &mut Output<W>,
    cpus: u32,
    options: &[(u16, Vec<u8>)],
    buffers: &[&Buffer],
) -> io::Result<Tables> {
    out.u32(cpus)?;
    out.bytes(b"options  \0")?;
    for (id, data) in options {
        out.u16(*id)?;
        out.u32(u32::try_from(data.len()).map_err(too_large)?)?;
        out.bytes(data)?;
    }
    // The offset of each instance's table is known later.
    let mut named = Vec::new();
    for buffer in buffers.iter().skip(1) {
        out.u16(option::BUFFER)?;
        out.u32(u32::try_from(8 + buffer.name.len() + 1).map_err(too_large)?)?;
        named.push(out.position());
        out.u64(0)?;
        out.bytes(buffer.name.as_bytes())?;
        out.bytes(b"\0")?;
    }
    out.u16(option::DONE)?;
    let mut tables = Vec::new();
    for (index, buffer) in buffers.iter().enumerate() {
        if let Some(at) = index.checked_sub(1).and_then(|index| named.get(index)) {
            let offset = out.u64_bytes(out.position());
            out.again(*at, &offset)?;
        }
        out.bytes(b"flyrecord\0")?;
        tables.push(out.position());
        for _ in 0..2 * cpus {
            out.u64(0)?;
        }
        // The text of `trace_clock`, which the specification does not mention.
        let clock = format!("[{}]", buffer.clock.as_deref().unwrap_or("local"));
        out.u64(clock.len() as u64)?;
        out.bytes(clock.as_bytes())?;
    }
    Ok(Tables { tables })
}

impl Tables {
    /// Writes where the pages of a CPU of a buffer are.
    pub(in crate::record::trace_dat) fn set<W: Write + Seek>(
        &self,
        out: &mut Output<W>,
        (buffer, cpu): (usize, u32),
        (offset, size): (u64, u64),
    ) -> io::Result<()> {
        let Some(table) = self.tables.get(buffer) else { return Ok(()) };
        let entry = [out.u64_bytes(offset), out.u64_bytes(size)].concat();
        out.again(table + 16 * u64::from(cpu), &entry)
    }
}
