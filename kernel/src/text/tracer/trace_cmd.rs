//! The records of tracers that trace-cmd 3.1.6 prints in a form of its own; all others it prints by their `print fmt`, or
//! by what earlier records were.

use super::super::number::{push_hex, push_hex_byte};
use super::Kind;
use super::stack::addresses;

pub(super) const ALL: &[&[Kind]] = &[
    super::graph::ALL,
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
                    if let Some(symbol) = view.environment.symbol(address) {
                        out.extend_from_slice(symbol.name.as_bytes());
                        out.push(b' ');
                    }
                    out.push(b'(');
                    push_hex(out, address);
                    out.push(b')');
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
