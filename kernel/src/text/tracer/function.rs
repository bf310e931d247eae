//! Functions: `trace_fn_trace`, `trace_func_repeats_print`, `print_graph_function` and branches
//! (kernel/trace/trace_output.c, trace_functions_graph.c, trace_branch.c).

use super::super::print::shown;
use super::Kind;
use super::view::View;
use crate::append::push_decimal;

pub(super) const ALL: &[Kind] = &[
    Kind {
        name: "function",
        fields: &["ip", "parent_ip"],
        optional: &[],
        print: |view, out| {
            view.push_function(out, view.uint(0));
            if view.style.parents && view.uint(1) != 0 {
                out.extend_from_slice(b" <-");
                view.push_function(out, view.uint(1));
            }
        },
    },
    Kind {
        name: "func_repeats",
        fields: &["ip", "parent_ip", "count", "top_delta_ts", "bottom_delta_ts"],
        optional: &[],
        print: |view, out| {
            view.push_function(out, view.uint(0));
            if view.style.parents && view.uint(1) != 0 {
                out.extend_from_slice(b" <-");
                view.push_function(out, view.uint(1));
            }
            // The kernel adds the time of the last call, which depends on the time of the record; the line of the
            // layout has it.
            out.extend_from_slice(b" (repeats: ");
            push_decimal(out, view.uint(2));
            out.push(b')');
        },
    },
    Kind { name: "branch", fields: &["line", "func", "file", "correct"], optional: &[], print: branch },
];

/// `trace_branch_print`.
fn branch(view: &View<'_>, out: &mut Vec<u8>) {
    out.extend_from_slice(if view.uint(3) != 0 { b"[  ok  ] " } else { b"[ MISS ] " });
    view.push_text(out, view.text(1));
    out.push(b':');
    view.push_text(out, view.text(2));
    shown(out, format_args!(":{}", view.uint(0)));
}
