//! Switches and wake-ups of the scheduler's tracers: `trace_ctxwake_print` (kernel/trace/trace_output.c).

use super::super::print::shown;
use super::Kind;
use super::view::View;

const FIELDS: &[&str] =
    &["prev_pid", "prev_prio", "prev_state", "next_pid", "next_prio", "next_state", "next_cpu"];

pub(super) const ALL: &[Kind] = &[
    Kind { name: "context_switch", fields: FIELDS, optional: &[], print: |view, out| push(view, out, "==>") },
    Kind { name: "wakeup", fields: FIELDS, optional: &[], print: |view, out| push(view, out, "  +") },
];

/// The letters of a task's state, `task_index_to_char` (include/linux/sched.h).
const STATES: &[u8] = b"RSDTtXZPI";

fn state(index: u64) -> char {
    let letter = usize::try_from(index).ok().and_then(|index| STATES.get(index));
    letter.map_or('?', |letter| char::from(*letter))
}

fn push(view: &View<'_>, out: &mut Vec<u8>, arrow: &str) {
    let (pid, priority, before) = (view.uint(0), view.uint(1), state(view.uint(2)));
    let (next, next_priority, after, cpu) = (view.uint(3), view.uint(4), state(view.uint(5)), view.uint(6));
    shown(out, format_args!(" {pid:>7}:{priority:>3}:{before} {arrow} [{cpu:03}]"));
    shown(out, format_args!(" {next:>7}:{next_priority:>3}:{after} "));
    view.push_text(out, view.task(view.int(3)));
}
