//! What helpers of TP_printk and extensions of `%p` print: kernel/trace/trace_output.c, lib/vsprintf.c, lib/hexdump.c.

use std::io::Write;

use super::environment::Environment;
use super::memory::{Memory, Space, Value};
use super::number::{fill, push, push_hex_byte, push_hex_padded};
use super::program::{Extension, Names, NumberFormat, Padding};
use super::style::Dialect;
use crate::append::{is_printable_ascii, push_decimal, push_hex, push_short};
use crate::escaped::{Escaped, is_unprintable};
use crate::tables::errno;

/// Appends text of a record, with escapes for all that is not printable. A backslash is not escaped: the kernel prints
/// it as it is.
pub(super) fn escaped(out: &mut Vec<u8>, text: &[u8]) {
    if is_printable_ascii(text) {
        return push_short(out, text);
    }
    for chunk in text.utf8_chunks() {
        for character in chunk.valid().chars() {
            let mut bytes = [0; 4];
            let bytes = character.encode_utf8(&mut bytes).as_bytes();
            if is_unprintable(character) { shown(out, Escaped(bytes)) } else { out.extend_from_slice(bytes) }
        }
        if !chunk.invalid().is_empty() {
            shown(out, Escaped(chunk.invalid()));
        }
    }
}

pub(super) fn shown(out: &mut Vec<u8>, shown: impl std::fmt::Display) {
    // Writing to a vector does not fail.
    let _ = write!(out, "{shown}");
}

/// Appends a string that lies in the kernel's memory. One that is not known is marked, as kernels up to 6.12 mark a
/// string that they do not follow (`trace_check_vprintf`).
pub(super) fn kernel_string(out: &mut Vec<u8>, address: u64, environment: &dyn Environment, escape: bool) {
    let fault = is_fault(address);
    match environment.string(address).filter(|_| !fault) {
        Some(text) => {
            if escape {
                escaped(out, text)
            } else {
                out.extend_from_slice(text)
            }
        }
        None if fault => {
            out.extend_from_slice(if address == 0 { b"(null)" } else { b"(efault)" });
        }
        None => {
            out.extend_from_slice(b"(0x");
            push_hex(out, address);
            out.extend_from_slice(b")[UNSAFE-MEMORY]");
        }
    }
}

/// Returns whether `check_pointer_msg` refuses an address: it is in the first page, or an error.
fn is_fault(address: u64) -> bool {
    !(4096..=u64::MAX - 4095).contains(&address)
}

/// Cuts what was appended since `start` to a precision, and pads it to a width (`string_nocheck`, lib/vsprintf.c).
pub(super) fn pad(out: &mut Vec<u8>, start: usize, padding: Padding) {
    if let Ok(precision) = usize::try_from(padding.precision) {
        out.truncate(start.saturating_add(precision).max(start));
    }
    let length = out.len().saturating_sub(start);
    let blanks = i64::from(padding.width) - length as i64;
    if blanks <= 0 {
        return;
    }
    fill(out, b' ', blanks);
    if !padding.left
        && let Some(part) = out.get_mut(start..)
    {
        part.rotate_right(part.len() - length);
    }
}

/// `__print_symbolic`: `trace_print_symbols_seq`.
pub(super) fn symbolic(out: &mut Vec<u8>, value: u64, names: &Names, data: &[u8]) {
    let small = usize::try_from(value).ok().and_then(|value| names.small.get(value));
    let found = match small {
        Some(&place) => usize::from(place).checked_sub(1).and_then(|place| names.entries.get(place)),
        None => names.entries.iter().find(|(entry, _)| *entry == value),
    };
    match found.map(|(_, name)| name.of(data)) {
        // An empty name counts as none.
        Some(name) if !name.is_empty() => push_short(out, name),
        _ => {
            out.extend_from_slice(b"0x");
            push_hex(out, value);
        }
    }
}

/// `__print_flags`: `trace_print_flags_seq`.
///
/// libtraceevent does not print names of no bits, which are those of a mask that it does not know, except for the first
/// one if no bit is set.
pub(super) fn flags(out: &mut Vec<u8>, mut value: u64, names: &Names, data: &[u8], dialect: Dialect) {
    let is_trace_cmd = dialect == Dialect::TraceCmd;
    if is_trace_cmd && value == 0 {
        if let Some((_, name)) = names.entries.iter().find(|(mask, _)| *mask == 0) {
            out.extend_from_slice(name.of(data));
        }
        return;
    }
    let mut first = true;
    let mut separate = |out: &mut Vec<u8>| {
        if !first {
            out.extend_from_slice(names.delimiter.of(data));
        }
        first = false;
    };
    for (mask, name) in &names.entries {
        if value == 0 {
            return;
        }
        if value & mask == *mask && !(is_trace_cmd && *mask == 0) {
            value &= !mask;
            separate(out);
            out.extend_from_slice(name.of(data));
        }
    }
    if value != 0 {
        separate(out);
        out.extend_from_slice(b"0x");
        push_hex(out, value);
    }
}

/// `__print_hex`, `__print_hex_str`: `trace_print_hex_seq`.
pub(super) fn hex(out: &mut Vec<u8>, memory: &Memory<'_>, address: Value, count: i32, joined: bool) {
    let separator = if joined { None } else { Some(b' ') };
    hex_bytes(out, memory, address, usize::try_from(count).unwrap_or(0), separator);
}

fn hex_bytes(out: &mut Vec<u8>, memory: &Memory<'_>, address: Value, count: usize, separator: Option<u8>) {
    let known = memory.tail(address).unwrap_or_default();
    for (index, &byte) in known.iter().take(count).enumerate() {
        if index > 0 {
            out.extend(separator);
        }
        push_hex_byte(out, byte);
    }
    if known.len() < count {
        out.extend_from_slice(address.fault());
    }
}

/// `__print_array`: `trace_print_array_seq`.
pub(super) fn array(out: &mut Vec<u8>, memory: &Memory<'_>, address: Value, count: i32, size: u64) {
    // The end of the array lies before its start where the count is negative: nothing is printed.
    let length = i64::from(count).wrapping_mul(size as i64).max(0) as u64;
    let (mut at, mut size) = (0u64, size);
    out.push(b'{');
    while at < length {
        let known = matches!(size, 1 | 2 | 4 | 8);
        let bytes = if known { size as usize } else { 1 };
        let Some(value) = memory.uint(address.behind(at as usize), bytes) else {
            out.extend_from_slice(address.fault());
            break;
        };
        if !known {
            shown(out, format_args!("BAD SIZE:{size} "));
            size = 1;
        } else if at > 0 {
            out.push(b',');
        }
        out.extend_from_slice(b"0x");
        push_hex(out, value);
        at += size;
    }
    out.push(b'}');
}

/// `%*pb`, `%*pbl`, `__get_bitmask`: `bitmap_string`, `bitmap_list_string`.
pub(super) fn bitmap(out: &mut Vec<u8>, memory: &Memory<'_>, address: Value, bits: u32, list: bool) {
    let bytes = (bits as usize).div_ceil(64) * 8;
    // A bitmap is an array of longs, of which the last may be cut off by the end of the record.
    let longs = memory.tail(address).map_or(0, |tail| tail.len()).min(bytes);
    if longs.saturating_mul(8) < bits as usize {
        return out.extend_from_slice(address.fault());
    }
    let word = |index: u32| {
        let at = address.behind(8 * index as usize);
        let whole = memory.uint(at, 8);
        whole.or_else(|| memory.uint(at, 4)).unwrap_or_else(|| {
            let rest = memory.tail(at).unwrap_or_default();
            rest.iter().rev().fold(0, |word, &byte| word << 8 | u64::from(byte))
        })
    };
    let bit = |index: u32| word(index / 64) >> (index % 64) & 1 != 0;
    if list {
        return bitmap_list(out, bits, bit);
    }
    let mut chunk = match bits % 32 {
        0 => 32,
        part => part,
    };
    let mut at = bits.div_ceil(32) * 32;
    let mut first = true;
    while at >= 32 {
        at -= 32;
        let value = word(at / 64) >> (at % 64) & ((1 << chunk) - 1);
        if !std::mem::take(&mut first) {
            out.push(b',');
        }
        push_hex_padded(out, value, chunk.div_ceil(4) as usize);
        chunk = 32;
    }
}

fn bitmap_list(out: &mut Vec<u8>, bits: u32, bit: impl Fn(u32) -> bool) {
    let mut first = true;
    let mut at = 0;
    while at < bits {
        if !bit(at) {
            at += 1;
            continue;
        }
        let start = at;
        while at < bits && bit(at) {
            at += 1;
        }
        if !std::mem::take(&mut first) {
            out.push(b',');
        }
        push_decimal(out, u64::from(start));
        if at > start + 1 {
            out.push(b'-');
            push_decimal(out, u64::from(at - 1));
        }
    }
}

/// The frames of a stack in a synthetic event: `print_synth_event` (kernel/trace/trace_events_synth.c).
pub(super) fn stack(
    out: &mut Vec<u8>,
    memory: &Memory<'_>,
    address: Value,
    bytes: u64,
    environment: &dyn Environment,
) {
    for index in 0..(bytes / 8) as usize {
        let Some(frame) = memory.uint(address.behind(8 * index), 8) else { break };
        out.extend_from_slice(b"\n=> ");
        symbol(out, frame, true, false, environment);
    }
}

/// The arguments of `__print_hex_dump`.
pub(super) struct Dump {
    pub(super) prefix: Value,
    pub(super) kind: i32,
    pub(super) row: i32,
    pub(super) group: i32,
    pub(super) address: Value,
    pub(super) length: u64,
    pub(super) characters: bool,
}

/// `DUMP_PREFIX_ADDRESS` and `DUMP_PREFIX_OFFSET` (include/linux/printk.h). The address is that in the reader's memory;
/// it is printed as an offset.
const WITH_PREFIX: [i32; 2] = [1, 2];

/// `__print_hex_dump`: `seq_buf_hex_dump`, `hex_dump_to_buffer`.
pub(super) fn hex_dump(out: &mut Vec<u8>, memory: &Memory<'_>, dump: Dump) {
    out.push(b'\n');
    let row = if dump.row == 32 { 32 } else { 16 };
    let known = memory.tail(dump.address).unwrap_or_default();
    let length = usize::try_from(dump.length).unwrap_or(usize::MAX);
    let bytes = known.get(..length).unwrap_or(known);
    for (index, line) in bytes.chunks(row).enumerate() {
        if let Some(prefix) = memory.string(dump.prefix) {
            out.extend_from_slice(prefix);
        }
        if WITH_PREFIX.contains(&dump.kind) {
            push_hex_padded(out, (index * row) as u64, 8);
            out.extend_from_slice(b": ");
        }
        hex_line(out, memory, line, row, dump.group, dump.characters);
        out.push(b'\n');
    }
    if bytes.len() < length {
        out.extend_from_slice(dump.address.fault());
        out.push(b'\n');
    }
}

fn hex_line(out: &mut Vec<u8>, memory: &Memory<'_>, line: &[u8], row: usize, group: i32, characters: bool) {
    let group = match usize::try_from(group) {
        Ok(group @ (2 | 4 | 8)) if line.len().is_multiple_of(group) => group,
        _ => 1,
    };
    let start = out.len();
    for (index, part) in line.chunks(group).enumerate() {
        if index > 0 {
            out.push(b' ');
        }
        push_hex_padded(out, memory.order.uint(part, 0, group).unwrap_or(0), 2 * group);
    }
    if characters {
        let column = row * 2 + row / group + 1;
        fill(out, b' ', column as i64 - (out.len() - start) as i64);
        out.extend(line.iter().map(|&byte| if matches!(byte, b' '..=b'~') { byte } else { b'.' }));
    }
}

/// `%p` and its extensions: `pointer`.
pub(super) fn pointer(
    out: &mut Vec<u8>,
    memory: &Memory<'_>,
    address: Value,
    extension: Extension,
    padding: Padding,
    (environment, dialect): (&dyn Environment, Dialect),
) {
    let start = out.len();
    match extension {
        _ if address.space == Space::Unknown => out.push(b'?'),
        Extension::Address if dialect == Dialect::TraceCmd => match address.bits {
            0 => out.extend_from_slice(b"(nil)"),
            bits => {
                out.extend_from_slice(b"0x");
                push_hex(out, bits);
            }
        },
        Extension::Address => return address_number(out, address.bits, padding),
        Extension::Error => {
            let error = address.bits.wrapping_neg();
            let name =
                i32::try_from(error).ok().and_then(|error| errno::ALL.iter().find(|e| e.number == error));
            match name {
                Some(name) => shown(out, format_args!("-{}", name.name)),
                None => return address_number(out, address.bits, padding),
            }
        }
        Extension::Symbol { offset, .. } if dialect == Dialect::TraceCmd => {
            symbol_without_size(out, address.bits, offset, environment)
        }
        Extension::Symbol { offset, before } => symbol(out, address.bits, offset, before, environment),
        Extension::Hex { separator } => {
            // A width that is not given, or negative, counts as 1.
            let count = if padding.left { 1 } else { padding.width };
            let count = if count < 0 { 1 } else { count.min(64) } as usize;
            if count == 0 {
                return;
            }
            if memory.bytes(address, count).is_some() {
                return hex_bytes(out, memory, address, count, separator);
            }
            out.extend_from_slice(address.fault());
        }
        Extension::Bitmap { list } => {
            let bits = if padding.left { 0 } else { padding.width.max(0) };
            return bitmap(out, memory, address, bits as u32, list);
        }
        Extension::Word => match memory.uint(address, 8) {
            Some(value) => {
                out.extend_from_slice(b"0x");
                return push_hex_padded(out, value, 16);
            }
            None => out.extend_from_slice(address.fault()),
        },
        Extension::Hardware { separator, reversed } => match memory.bytes(address, 6) {
            Some(bytes) => {
                for index in 0..6 {
                    if index > 0 {
                        out.extend(separator);
                    }
                    let at = if reversed { 5 - index } else { index };
                    push_hex_byte(out, bytes.get(at).copied().unwrap_or(0));
                }
            }
            None => out.extend_from_slice(address.fault()),
        },
        Extension::Ipv4 { zeroes, reversed } => match memory.tail(address).and_then(<[u8]>::first_chunk) {
            Some(bytes) => ipv4(out, *bytes, zeroes, reversed),
            None => out.extend_from_slice(address.fault()),
        },
        Extension::Ipv6 { compressed, colons } => match memory.tail(address).and_then(<[u8]>::first_chunk) {
            Some(bytes) if compressed => ipv6_compressed(out, bytes),
            Some(bytes) => ipv6(out, bytes, colons),
            None => out.extend_from_slice(address.fault()),
        },
        Extension::Socket { .. } => match memory.tail(address) {
            Some(bytes) => socket(out, memory, bytes, extension),
            None => out.extend_from_slice(address.fault()),
        },
        Extension::Uuid { upper, guid } => match memory.tail(address).and_then(<[u8]>::first_chunk) {
            Some(bytes) => uuid(out, bytes, upper, guid),
            None => out.extend_from_slice(address.fault()),
        },
    }
    pad(out, start, padding);
}

fn address_number(out: &mut Vec<u8>, value: u64, padding: Padding) {
    let padding = match padding.width {
        -1 => Padding { width: 16, zero: true, ..padding },
        _ => padding,
    };
    let format = NumberFormat {
        base: 16,
        signed: false,
        upper: false,
        alternate: false,
        plus: false,
        space: false,
        padding,
    };
    push(out, value, &format, padding);
}

/// `%pS`, `%ps`, `%pB`: `sprint_symbol`, `sprint_symbol_no_offset`, `sprint_backtrace` (kernel/kallsyms.c).
fn symbol(out: &mut Vec<u8>, address: u64, offset: bool, before: bool, environment: &dyn Environment) {
    let back = u64::from(before);
    let Some(symbol) = environment.symbol(address.wrapping_sub(back)) else {
        out.extend_from_slice(b"0x");
        return push_hex(out, address);
    };
    out.extend_from_slice(symbol.name.as_bytes());
    if offset {
        out.extend_from_slice(b"+0x");
        push_hex(out, symbol.offset.wrapping_add(back));
        out.extend_from_slice(b"/0x");
        push_hex(out, symbol.size);
    }
    if let Some(module) = symbol.module {
        out.extend_from_slice(b" [");
        out.extend_from_slice(module.as_bytes());
        out.push(b']');
    }
}

/// `%pS` and `%ps` of libtraceevent.
fn symbol_without_size(out: &mut Vec<u8>, address: u64, offset: bool, environment: &dyn Environment) {
    let Some(symbol) = environment.symbol(address) else {
        out.extend_from_slice(b"0x");
        return push_hex(out, address);
    };
    out.extend_from_slice(symbol.name.as_bytes());
    if offset {
        out.extend_from_slice(b"+0x");
        push_hex(out, symbol.offset);
    }
}

fn ipv4(out: &mut Vec<u8>, mut bytes: [u8; 4], zeroes: bool, reversed: bool) {
    if reversed {
        bytes.reverse();
    }
    for (index, byte) in bytes.into_iter().enumerate() {
        if index > 0 {
            out.push(b'.');
        }
        if zeroes {
            fill(out, b'0', i64::from(byte < 100) + i64::from(byte < 10));
        }
        push_decimal(out, u64::from(byte));
    }
}

fn ipv6(out: &mut Vec<u8>, bytes: &[u8; 16], colons: bool) {
    for (index, byte) in bytes.iter().enumerate() {
        if colons && index > 0 && index % 2 == 0 {
            out.push(b':');
        }
        push_hex_byte(out, *byte);
    }
}

/// `ip6_compressed_string`: the longest run of more than one 0 is left out, and the end of a mapped or ISATAP address
/// is that of IPv4.
fn ipv6_compressed(out: &mut Vec<u8>, bytes: &[u8; 16]) {
    let (pairs, _) = bytes.as_chunks::<2>();
    let words: [u16; 8] =
        std::array::from_fn(|index| pairs.get(index).map_or(0, |pair| u16::from_be_bytes(*pair)));
    let mapped = matches!(words, [0, 0, 0, 0, 0, 0xffff, _, _]);
    // ipv6_addr_is_isatap (include/net/addrconf.h): the bit for universal addresses does not count.
    let isatap = matches!(words, [_, _, _, _, high, 0x5efe, _, _] if high | 0x0200 == 0x0200);
    let range = if mapped || isatap { 6 } else { 8 };
    let words = words.get(..range).unwrap_or_default();
    let run = |from: usize| words.iter().skip(from).take_while(|word| **word == 0).count();
    let (mut longest, mut gap) = (1, None);
    for from in 0..range {
        if run(from) > longest {
            (longest, gap) = (run(from), Some(from));
        }
    }
    let mut colon = false;
    let mut at = 0;
    while let Some(&word) = words.get(at) {
        if Some(at) == gap {
            if colon || at == 0 {
                out.push(b':');
            }
            out.push(b':');
            colon = false;
            at += longest;
            continue;
        }
        if colon {
            out.push(b':');
        }
        push_hex(out, u64::from(word));
        colon = true;
        at += 1;
    }
    if range == 6 {
        if colon {
            out.push(b':');
        }
        let [.., a, b, c, d] = *bytes;
        ipv4(out, [a, b, c, d], false, false);
    }
}

/// The families of addresses that `ip_addr_string` knows (include/linux/socket.h).
const AF_INET: u64 = 2;
const AF_INET6: u64 = 10;

fn socket(out: &mut Vec<u8>, memory: &Memory<'_>, bytes: &[u8], extension: Extension) {
    let Extension::Socket { port, flow, scope, compressed, plain, reversed } = extension else { return };
    let big = |at: usize, count: usize| {
        bytes
            .get(at..at + count)
            .map_or(0, |part| part.iter().fold(0, |value, &byte| value << 8 | u64::from(byte)))
    };
    match memory.order.uint(bytes, 0, 2) {
        Some(AF_INET) => match bytes.get(4..).and_then(<[u8]>::first_chunk) {
            Some(address) => {
                ipv4(out, *address, plain, reversed);
                if port {
                    out.push(b':');
                    push_decimal(out, big(2, 2));
                }
            }
            None => out.extend_from_slice(b"(efault)"),
        },
        Some(AF_INET6) => match bytes.get(8..).and_then(<[u8]>::first_chunk) {
            Some(address) => {
                let brackets = port || flow || scope;
                if brackets {
                    out.push(b'[');
                }
                if compressed && !plain {
                    ipv6_compressed(out, address)
                } else {
                    ipv6(out, address, !plain)
                }
                if brackets {
                    out.push(b']');
                }
                if port {
                    out.push(b':');
                    push_decimal(out, big(2, 2));
                }
                if flow {
                    out.push(b'/');
                    push_decimal(out, big(4, 4) & 0x0fff_ffff);
                }
                if scope {
                    out.push(b'%');
                    push_decimal(out, memory.order.uint(bytes, 24, 4).unwrap_or(0));
                }
            }
            None => out.extend_from_slice(b"(efault)"),
        },
        Some(_) => out.extend_from_slice(b"(einval)"),
        None => out.extend_from_slice(b"(efault)"),
    }
}

fn uuid(out: &mut Vec<u8>, bytes: &[u8; 16], upper: bool, guid: bool) {
    const UUID: [usize; 16] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15];
    const GUID: [usize; 16] = [3, 2, 1, 0, 5, 4, 7, 6, 8, 9, 10, 11, 12, 13, 14, 15];
    let start = out.len();
    for (index, at) in if guid { GUID } else { UUID }.into_iter().enumerate() {
        if matches!(index, 4 | 6 | 8 | 10) {
            out.push(b'-');
        }
        push_hex_byte(out, bytes.get(at).copied().unwrap_or(0));
    }
    if upper && let Some(text) = out.get_mut(start..) {
        text.make_ascii_uppercase();
    }
}
