//! Calls and returns of function_graph (`print_graph_function`, kernel/trace/trace_functions_graph.c). The text of one
//! record does not know the next: a call opens a brace, and a return closes one. What joins both is in
//! [`call_line`](super::super::call_line).

use super::super::call_line::{Call, Returned};
use super::super::style::Dialect;
use super::view::View;
use super::{Kind, arguments};
use crate::append::push_hex;

pub(super) const ALL: &[Kind] = &[
    ENTRY,
    EXIT,
    Kind {
        name: "fgraph_retaddr_entry",
        fields: &["func", "depth", "retaddr"],
        optional: &[ARGUMENTS],
        print: |view, out| push_open(view, out),
    },
];

/// Those that trace-cmd shows too. It knows no calls with the place that called.
pub(super) const OF_TRACE_CMD: &[Kind] = &[ENTRY, EXIT];

const ENTRY: Kind = Kind {
    name: "funcgraph_entry",
    fields: &["func", "depth"],
    optional: &[NO_CALLER, ARGUMENTS],
    print: |view, out| push_open(view, out),
};

const EXIT: Kind = Kind {
    name: "funcgraph_exit",
    fields: &["func", "depth", "calltime", "rettime"],
    optional: &["overrun", "retval"],
    print: |view, out| {
        let returned = returned(view);
        entry(view).push_return(view.style, &|out| push_name(view, out), &returned, true, out);
    },
};

/// The arguments of a call (`funcgraph-args`), behind the other fields.
const ARGUMENTS: &str = "args";

/// What an entry without the place that called has in its stead, so that the fields of both stand at the same positions.
const NO_CALLER: &str = "retaddr";
const CALLER: usize = 2;
const ARGUMENTS_AT: usize = 3;

/// The first kernel with the newer form of returned values.
const NEW_VALUES: (u32, u32) = (6, 13);

/// Returns what a record of a kind says; `None` if it is not a call or a return.
pub(super) fn call(kind: &Kind, view: &View<'_>) -> Option<Call> {
    match () {
        () if is_return(kind) => Some(Call { returned: Some(returned(view)), ..entry(view) }),
        () if ALL.iter().any(|other| other.name == kind.name) => Some(entry(view)),
        () => None,
    }
}

fn is_return(kind: &Kind) -> bool {
    kind.name == EXIT.name
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

/// Appends a call whose return is not known.
fn push_open(view: &View<'_>, out: &mut Vec<u8>) {
    let mut caller = Vec::new();
    push_caller(view, &mut caller);
    entry(view).push_open(view.style, &|out| push_called(view, out), &caller, out);
}

/// Appends the function of a record of a kind: of a call, with its arguments.
pub(super) fn push_function(kind: &Kind, view: &View<'_>, out: &mut Vec<u8>) {
    if is_return(kind) { push_name(view, out) } else { push_called(view, out) }
}

/// Appends the place that called, of a record of a kind that has it.
pub(super) fn push_caller_of(kind: &Kind, view: &View<'_>, out: &mut Vec<u8>) {
    if !is_return(kind) {
        push_caller(view, out);
    }
}

fn push_caller(view: &View<'_>, out: &mut Vec<u8>) {
    if let Some(address) = view.optional(CALLER).filter(|_| view.style.calls.callers) {
        out.extend_from_slice(b" <-");
        view.push_symbol(out, address, true);
    }
}

/// Appends the name of a function that was called, and its arguments.
fn push_called(view: &View<'_>, out: &mut Vec<u8>) {
    push_name(view, out);
    match view.style.dialect {
        Dialect::Kernel => arguments::push(view, view.uint(0), view.tail(ARGUMENTS_AT), out),
        Dialect::TraceCmd => out.extend_from_slice(b"()"),
    }
}

/// Appends the name of the function, which is the first field.
fn push_name(view: &View<'_>, out: &mut Vec<u8>) {
    let address = view.uint(0);
    match (view.style.dialect, view.environment.symbol(address)) {
        (Dialect::Kernel, symbol) => view.push_found(out, address, symbol, false),
        (Dialect::TraceCmd, Some(symbol)) => out.extend_from_slice(symbol.name.as_bytes()),
        (Dialect::TraceCmd, None) => push_hex(out, address),
    }
}
