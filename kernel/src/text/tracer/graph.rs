//! Calls and returns of function_graph (`print_graph_function`, kernel/trace/trace_functions_graph.c). The text of one
//! record does not know the next: a call opens a brace, and a return closes one. What joins both is in
//! [`call_line`](super::super::call_line).

use super::super::call_line::{Call, Returned};
use super::super::style::Dialect;
use super::Kind;
use super::view::View;
use crate::append::push_hex;

pub(super) const ALL: &[Kind] = &[
    Kind {
        name: ENTRY,
        fields: &["func", "depth"],
        optional: &[],
        print: |view, out| entry(view).push_open(view.style, &|out| push_name(view, out), out),
    },
    Kind {
        name: EXIT,
        fields: &["func", "depth", "calltime", "rettime"],
        optional: &["overrun", "retval"],
        print: |view, out| {
            entry(view).push_return(view.style, &|out| push_name(view, out), &returned(view), true, out)
        },
    },
];

const ENTRY: &str = "funcgraph_entry";
const EXIT: &str = "funcgraph_exit";

/// The first kernel with the newer form of returned values.
const NEW_VALUES: (u32, u32) = (6, 13);

/// Returns what a record of a kind says; `None` if it is not a call or a return.
pub(super) fn call(kind: &Kind, view: &View<'_>) -> Option<Call> {
    match kind.name {
        ENTRY => Some(entry(view)),
        EXIT => Some(Call { returned: Some(returned(view)), ..entry(view) }),
        _ => None,
    }
}

fn entry(view: &View<'_>) -> Call {
    // A negative depth, which only a damaged record has, is not indented.
    let depth = u32::try_from(view.int(1)).unwrap_or(0);
    Call { function: view.uint(0), depth, returned: None }
}

fn returned(view: &View<'_>) -> Returned {
    Returned {
        duration: view.uint(3).wrapping_sub(view.uint(2)),
        overrun: view.uint(4),
        value: view.optional(5),
        is_new: view.environment.release().is_none_or(|release| release >= NEW_VALUES),
    }
}

/// Appends the name of the function, which is the first field.
pub(super) fn push_name(view: &View<'_>, out: &mut Vec<u8>) {
    let address = view.uint(0);
    match (view.style.dialect, view.environment.symbol(address)) {
        (Dialect::Kernel, symbol) => view.push_found(out, address, symbol, false),
        (Dialect::TraceCmd, Some(symbol)) => out.extend_from_slice(symbol.name.as_bytes()),
        (Dialect::TraceCmd, None) => push_hex(out, address),
    }
}
