//! The records of tracers that trace-cmd 3.1.6 prints in a form of its own; all others it prints by their `print fmt`, or
//! by what earlier records were.

use super::super::number::push_hex_byte;
use super::super::print::shown;
use super::Kind;
use super::stack::addresses;
use crate::append::push_hex;

pub(super) const ALL: &[&[Kind]] = &[
    super::graph::OF_TRACE_CMD,
    super::function::OF_TRACE_CMD,
    super::print::OF_TRACE_CMD,
    &[
        Kind {
            name: "kernel_stack",
            fields: &["caller"],
            optional: &[],
            print: |view, out| {
                out.extend_from_slice(b"<stack trace >");
                for address in addresses(view, usize::MAX).take_while(|address| *address != u64::MAX) {
                    out.extend_from_slice(b"\n=> ");
                    match view.environment.symbol(address) {
                        Some(symbol) => shown(out, format_args!("{} ({address:x})", symbol.name)),
                        None => push_hex(out, address),
                    }
                }
            },
        },
        Kind {
            name: "raw_data",
            fields: &["id", "buf"],
            optional: &[],
            print: |view, out| {
                out.extend_from_slice(b"# ");
                push_hex(out, view.uint(0));
                for byte in view.tail(1) {
                    out.push(b' ');
                    push_hex_byte(out, *byte);
                }
            },
        },
    ],
];
