//! What programs and the kernel's code write into a trace: `trace_print_print`, `trace_bprint_print`,
//! `trace_bputs_print`, `trace_raw_data` (kernel/trace/trace_output.c).

use super::super::number::push_hex_byte;
use super::super::print::kernel_string;
use super::super::style::Dialect;
use super::view::View;
use super::{Kind, binary};
use crate::append::push_hex;

pub(super) const ALL: &[Kind] = &[
    PRINT,
    BPRINT,
    BPUTS,
    Kind {
        name: "raw_data",
        fields: &["id", "buf"],
        optional: &[],
        print: |view, out| {
            out.extend_from_slice(b"# ");
            push_hex(out, view.uint(0));
            out.extend_from_slice(b" buf:");
            for byte in view.tail(1) {
                out.push(b' ');
                push_hex_byte(out, *byte);
            }
        },
    },
];

/// Those that trace-cmd shows too, by its own names of functions: the messages.
pub(super) const OF_TRACE_CMD: &[Kind] = &[PRINT, BPRINT, BPUTS];

/// Returns whether a kind is a message, which the option `printk-msg-only` shows alone.
pub(super) fn is_message(kind: &Kind) -> bool {
    OF_TRACE_CMD.iter().any(|message| message.name == kind.name)
}

const PRINT: Kind = Kind {
    name: "print",
    fields: &["ip", "buf"],
    optional: &[],
    print: |view, out| {
        place(view, out);
        view.push_text(out, without_line_break(view.text(1)));
    },
};

const BPRINT: Kind = Kind {
    name: "bprint",
    fields: &["ip", "fmt", "buf"],
    optional: &[],
    print: |view, out| {
        place(view, out);
        binary::print(view, out, view.uint(1), view.tail(2));
    },
};

const BPUTS: Kind = Kind {
    name: "bputs",
    fields: &["ip", "str"],
    optional: &[],
    print: |view, out| {
        place(view, out);
        match view.environment.string(view.uint(1)) {
            Some(text) => view.push_text(out, without_line_break(text)),
            None => kernel_string(out, view.uint(1), view.environment, view.escape),
        }
    },
};

/// Appends the function that has written the text: `tracing_mark_write` for a program.
fn place(view: &View<'_>, out: &mut Vec<u8>) {
    if view.style.places {
        match (view.style.dialect, view.environment.symbol(view.uint(0))) {
            (Dialect::TraceCmd, Some(symbol)) => out.extend_from_slice(symbol.name.as_bytes()),
            _ => view.push_function(out, view.uint(0)),
        }
        out.extend_from_slice(b": ");
    }
}

fn without_line_break(text: &[u8]) -> &[u8] {
    text.strip_suffix(b"\n").unwrap_or(text)
}
