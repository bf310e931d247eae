//! Accesses to the memory of devices, and the mappings of it: `mmio_print_line` (kernel/trace/trace_mmiotrace.c) of the
//! tracer mmiotrace. A line of it has its own time and neither a task nor a CPU, for the programs that read this form.

use super::super::print::shown;
use super::Kind;
use super::view::View;

pub(super) const ALL: &[Kind] = &[
    Kind {
        name: "mmiotrace_rw",
        fields: &["phys", "value", "pc", "map_id", "opcode", "width"],
        optional: &[],
        print: access,
    },
    Kind {
        name: "mmiotrace_map",
        fields: &["phys", "virt", "len", "map_id", "opcode"],
        optional: &[],
        print: mapping,
    },
];

/// Returns whether the lines of a kind are without the columns that others begin with.
pub(super) fn is_whole_line(kind: &Kind) -> bool {
    ALL.iter().any(|of_memory| of_memory.name == kind.name)
}

/// `enum mm_io_opcode` (include/linux/mmiotrace.h).
mod opcode {
    pub(super) const READ: u64 = 1;
    pub(super) const WRITE: u64 = 2;
    pub(super) const PROBE: u64 = 3;
    pub(super) const UNPROBE: u64 = 4;
    pub(super) const UNKNOWN: u64 = 5;
}

fn access(view: &View<'_>, out: &mut Vec<u8>) {
    let (physical, value, pc) = (view.uint(0), view.uint(1), view.uint(2));
    let (map, width) = (view.int(3), view.uint(5));
    let letter = match view.uint(4) {
        opcode::READ => 'R',
        opcode::WRITE => 'W',
        opcode::UNKNOWN => {
            out.extend_from_slice(b"UNKNOWN ");
            push_time(view, out);
            let byte = |shift: u32| value >> shift & 0xff;
            let (first, second, third) = (byte(16), byte(8), byte(0));
            return shown(
                out,
                format_args!(" {map} {physical:#x} {first:02x},{second:02x},{third:02x} {pc:#x} 0"),
            );
        }
        _ => return out.extend_from_slice(b"rw what?"),
    };
    shown(out, format_args!("{letter} {width} "));
    push_time(view, out);
    shown(out, format_args!(" {map} {physical:#x} {value:#x} {pc:#x} 0"));
}

fn mapping(view: &View<'_>, out: &mut Vec<u8>) {
    let (physical, address, length, map) = (view.uint(0), view.uint(1), view.uint(2), view.int(3));
    match view.uint(4) {
        opcode::PROBE => {
            out.extend_from_slice(b"MAP ");
            push_time(view, out);
            shown(out, format_args!(" {map} {physical:#x} {address:#x} {length:#x} 0x0 0"));
        }
        opcode::UNPROBE => {
            out.extend_from_slice(b"UNMAP ");
            push_time(view, out);
            shown(out, format_args!(" {map} 0x0 0"));
        }
        _ => out.extend_from_slice(b"map what?"),
    }
}

/// Appends the time of the record without the blanks in front.
fn push_time(view: &View<'_>, out: &mut Vec<u8>) {
    if let Some(time) = view.time {
        let from = out.len();
        time(out, 0);
        let blanks = out.iter().skip(from).take_while(|byte| **byte == b' ').count();
        out.drain(from..from + blanks);
    }
}
