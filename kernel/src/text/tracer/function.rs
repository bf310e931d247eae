//! Functions: `trace_fn_trace`, `trace_func_repeats_print`, `print_graph_function` and branches
//! (kernel/trace/trace_output.c, trace_functions_graph.c, trace_branch.c).

use super::super::environment::Symbol;
use super::super::print::shown;
use super::view::View;
use super::{Kind, arguments};
use crate::append::push_decimal;

pub(super) const ALL: &[Kind] = &[
    Kind { name: CALL, fields: &["ip", "parent_ip"], optional: &["args"], print: push_call },
    Kind { name: REPEATS, fields: REPEATED, optional: &[], print: push_repeats },
    Kind { name: "branch", fields: &["line", "func", "file", "correct"], optional: &[], print: branch },
];

/// Those that trace-cmd shows too, with an indentation that depends on the calls before: a layout asks for the
/// [`Function`].
pub(super) const OF_TRACE_CMD: &[Kind] = &[
    Kind { name: CALL, fields: &["ip", "parent_ip"], optional: &[], print: push_plain },
    Kind { name: REPEATS, fields: REPEATED, optional: &[], print: push_plain },
];

const CALL: &str = "function";
const REPEATS: &str = "func_repeats";
const REPEATED: &[&str] = &["ip", "parent_ip", "count", "top_delta_ts", "bottom_delta_ts"];

/// A record of the tracer function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Function<'e> {
    /// The address where it was called.
    pub address: u64,
    /// The function there.
    pub function: Option<Symbol<'e>>,
    /// The address to which it returns.
    pub parent_address: u64,
    /// The function there, which has called it.
    pub parent: Option<Symbol<'e>>,
    /// For a function that was called again and again: how often, and how long before the record the last call was.
    pub repeats: Option<(u64, u64)>,
}

/// Returns what a record of a kind says; `None` if it is not of the tracer function.
pub(super) fn function<'e>(kind: &Kind, view: &View<'e>) -> Option<Function<'e>> {
    let repeats = match kind.name {
        CALL => None,
        REPEATS => Some((view.uint(2), before(view))),
        _ => return None,
    };
    let (address, parent_address) = (view.uint(0), view.uint(1));
    let (function, parent) = (view.environment.symbol(address), view.environment.symbol(parent_address));
    Some(Function { address, function, parent_address, parent, repeats })
}

fn push_call(view: &View<'_>, out: &mut Vec<u8>) {
    view.push_function(out, view.uint(0));
    if view.tail(2).len() >= arguments::BYTES {
        arguments::push(view, view.uint(0), view.tail(2), out);
    }
    push_parent(view, out);
}

fn push_parent(view: &View<'_>, out: &mut Vec<u8>) {
    if view.style.parents && view.uint(1) != 0 {
        out.extend_from_slice(b" <-");
        view.push_function(out, view.uint(1));
    }
}

fn push_repeats(view: &View<'_>, out: &mut Vec<u8>) {
    view.push_function(out, view.uint(0));
    push_parent(view, out);
    out.extend_from_slice(b" (repeats: ");
    push_decimal(out, view.uint(2));
    if let Some(time) = view.time {
        out.extend_from_slice(b", last_ts: ");
        time(out, before(view));
    }
    out.push(b')');
}

/// Returns how long before the record the last call was (`FUNC_REPEATS_GET_DELTA_TS`, kernel/trace/trace.h).
fn before(view: &View<'_>) -> u64 {
    view.uint(3) << 32 | view.uint(4)
}

fn push_plain(view: &View<'_>, out: &mut Vec<u8>) {
    match view.environment.symbol(view.uint(0)) {
        Some(symbol) => out.extend_from_slice(symbol.name.as_bytes()),
        None => shown(out, format_args!("{:#x}", view.uint(0))),
    }
}

/// `trace_branch_print`.
fn branch(view: &View<'_>, out: &mut Vec<u8>) {
    out.extend_from_slice(if view.uint(3) != 0 { b"[  ok  ] " } else { b"[ MISS ] " });
    view.push_text(out, view.text(1));
    out.push(b':');
    view.push_text(out, view.text(2));
    shown(out, format_args!(":{}", view.uint(0)));
}
