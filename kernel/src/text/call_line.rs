//! The lines of calls and returns that function_graph records: `print_graph_entry_leaf`, `print_graph_entry_nested` and
//! `print_graph_return` (kernel/trace/trace_functions_graph.c), and those of trace-cmd (lib/trace-cmd/trace-ftrace.c).
//!
//! A call whose return is the next record of its CPU is one line, `work();`. Other calls open a brace that their return
//! closes. Who shows records one behind the other knows which is the next one; here is what either line has.

use super::print::shown;
use super::style::{Dialect, Style};
use crate::append::{push_decimal, push_hex};

/// A call, or a return.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Call {
    /// The address of the function.
    pub function: u64,
    /// How many calls that are recorded surround it.
    pub depth: u32,
    /// What a return has; `None` for a call.
    pub returned: Option<Returned>,
}

/// What is known of a call that has returned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Returned {
    /// How long it took, in units of the clock.
    pub duration: u64,
    /// The number of calls that the stack of returns had no room for.
    pub overrun: u64,
    /// What the function returned, if the kernel records that.
    pub value: Option<u64>,
    /// Whether the kernel shows that as those since 6.13 do.
    pub is_new: bool,
}

/// Appends the name of a function; of a call, with its arguments in parentheses.
pub type Name<'n> = &'n dyn Fn(&mut Vec<u8>);

/// The number of blanks per call around.
const INDENT: usize = 2;

/// The depth up to which records are indented: `FTRACE_RETFUNC_DEPTH` (include/linux/ftrace.h) is 50, and a damaged record
/// may have any.
const DEEPEST: u32 = 256;

/// The largest error number (include/linux/err.h).
const MAX_ERRNO: u64 = 4095;

/// The width of durations, with the point.
const DURATION_WIDTH: usize = 8;

/// The durations in nanoseconds above which a call is marked (`trace_find_mark`, kernel/trace/trace_output.c).
const MARKS: &[(u64, u8)] = &[
    (1_000_000_000, b'$'),
    (100_000_000, b'@'),
    (10_000_000, b'*'),
    (1_000_000, b'#'),
    (100_000, b'!'),
    (10_000, b'+'),
];

/// Those that trace-cmd knows.
const MARKS_OF_TRACE_CMD: &[u8] = b"$#!+";

/// Returns the mark of a duration in nanoseconds, a blank where it is short.
pub fn mark(nanoseconds: u64) -> u8 {
    MARKS.iter().find(|(above, _)| nanoseconds > *above).map_or(b' ', |(_, mark)| *mark)
}

impl Call {
    /// Returns whether a record is the return of this call, if both are of one task.
    pub fn is_ended_by(&self, next: &Call) -> bool {
        self.returned.is_none() && next.returned.is_some() && self.function == next.function
    }

    /// Appends a call that opens a brace. `name` appends the function, as
    /// [`push_function`](super::Text::push_function) does; `caller` is what [`push_caller`](super::Text::push_caller) appends.
    pub fn push_open(&self, style: Style, name: Name<'_>, caller: &[u8], out: &mut Vec<u8>) {
        match style.dialect {
            Dialect::Kernel if !style.calls.durations => {}
            Dialect::Kernel => out.extend_from_slice(b"              |  "),
            Dialect::TraceCmd => out.extend_from_slice(b"             |  "),
        }
        self.indent(out);
        name(out);
        out.extend_from_slice(b" {");
        if !caller.is_empty() {
            out.extend_from_slice(b" /*");
            out.extend_from_slice(caller);
            out.extend_from_slice(b" */");
        }
    }

    /// Appends a call, as [`push_open`](Self::push_open) does, together with what its return has.
    pub fn push_leaf(
        &self,
        style: Style,
        name: Name<'_>,
        caller: &[u8],
        returned: &Returned,
        out: &mut Vec<u8>,
    ) {
        duration(returned.duration, style, out);
        self.indent(out);
        name(out);
        out.push(b';');
        if style.dialect == Dialect::TraceCmd {
            if let Some(value) = returned.value.filter(|_| !style.is_old) {
                push_ret(value, out);
            }
            return;
        }
        let value = returned.value.filter(|_| style.calls.values);
        if value.is_none() && caller.is_empty() {
            return;
        }
        out.extend_from_slice(b" /*");
        out.extend_from_slice(caller);
        if let Some(value) = value {
            returned.push_value(value, style, out);
        }
        out.extend_from_slice(b" */");
    }

    /// Appends a return. `is_matched` is whether the call that opened its brace was shown; the kernel names the function
    /// if not.
    pub fn push_return(
        &self,
        style: Style,
        name: Name<'_>,
        returned: &Returned,
        is_matched: bool,
        out: &mut Vec<u8>,
    ) {
        duration(returned.duration, style, out);
        self.indent(out);
        out.push(b'}');
        match (returned.value, style.dialect) {
            (Some(value), Dialect::TraceCmd) if !style.is_old => push_ret(value, out),
            (_, Dialect::TraceCmd) => {}
            (Some(value), Dialect::Kernel) if style.calls.values => {
                out.extend_from_slice(b" /* ");
                name(out);
                returned.push_value(value, style, out);
                out.extend_from_slice(b" */");
            }
            (_, Dialect::Kernel) if is_matched && !style.calls.tails => {}
            (_, Dialect::Kernel) => {
                out.extend_from_slice(b" /* ");
                name(out);
                out.extend_from_slice(b" */");
            }
        }
        if style.dialect == Dialect::Kernel && style.calls.overruns {
            out.extend_from_slice(b"\n (Overruns: ");
            push_decimal(out, returned.overrun);
            out.push(b')');
        }
    }

    fn indent(&self, out: &mut Vec<u8>) {
        out.extend(std::iter::repeat_n(b' ', self.depth.min(DEEPEST) as usize * INDENT));
    }
}

impl Returned {
    /// Appends what a function returned: a number that is an error's in decimal.
    fn push_value(&self, value: u64, style: Style, out: &mut Vec<u8>) {
        out.extend_from_slice(if self.is_new { b" ret=" } else { b" = " });
        // A function that returns an `int` leaves the upper half of the register as it is.
        let extended = if value >> 31 == 1 { value as u32 as i32 as i64 as u64 } else { value };
        if !style.calls.hexadecimal && is_error(extended) {
            shown(out, extended as i64);
        } else {
            out.extend_from_slice(b"0x");
            push_hex(out, value);
        }
    }
}

fn is_error(value: u64) -> bool {
    value >= MAX_ERRNO.wrapping_neg()
}

/// Appends what a function returned as trace-cmd 3.3 does.
fn push_ret(value: u64, out: &mut Vec<u8>) {
    out.extend_from_slice(b" (ret=");
    if is_error(value) {
        shown(out, value as i64);
    } else {
        out.extend_from_slice(b"0x");
        push_hex(out, value);
    }
    out.push(b')');
}

/// Appends the mark of a duration, the duration in microseconds, and the end of its column.
fn duration(nanoseconds: u64, style: Style, out: &mut Vec<u8>) {
    let is_kernel = style.dialect == Dialect::Kernel;
    if is_kernel && !style.calls.durations {
        return;
    }
    let mark = MARKS
        .iter()
        .find(|(above, mark)| nanoseconds > *above && (is_kernel || MARKS_OF_TRACE_CMD.contains(mark)));
    let is_marked = !is_kernel || style.calls.marks;
    out.extend_from_slice(&[mark.filter(|_| is_marked).map_or(b' ', |(_, mark)| *mark), b' ']);
    let from = out.len();
    push_decimal(out, nanoseconds / 1000);
    let digits = out.len() - from;
    if digits < 7 {
        shown(out, format_args!(".{:03}", nanoseconds % 1000));
        if is_kernel {
            // The kernel leaves out what exceeds the width.
            out.truncate(from + (digits + 4).min(DURATION_WIDTH));
        }
    }
    let width = out.len() - from;
    out.extend_from_slice(b" us ");
    let filled = if is_kernel { DURATION_WIDTH } else { DURATION_WIDTH - 1 };
    out.extend(std::iter::repeat_n(b' ', filled.saturating_sub(width)));
    out.extend_from_slice(b"|  ");
}

#[cfg(test)]
mod tests {
    use super::super::style::CallStyle;
    use super::*;

    const CALL: Call = Call { function: 7, depth: 1, returned: None };

    fn returned(duration: u64, value: u64, is_new: bool) -> Returned {
        Returned { duration, overrun: 3, value: Some(value), is_new }
    }

    fn shown(push: impl FnOnce(Name<'_>, &mut Vec<u8>)) -> String {
        let mut out = Vec::new();
        push(&|out| out.extend_from_slice(b"work()"), &mut out);
        String::from_utf8(out).unwrap()
    }

    fn leaf(style: Style, returned: Returned) -> String {
        shown(|name, out| CALL.push_leaf(style, name, b"", &returned, out))
    }

    #[test]
    fn durations_have_marks_and_at_most_seven_digits() {
        let (kernel, trace_cmd) = (Style::default(), Style::TRACE_CMD_3_1);
        for (nanoseconds, of_kernel, of_trace_cmd) in [
            (0, "  0.000 us    |", "  0.000 us   |"),
            (10_000, "  10.000 us   |", "  10.000 us  |"),
            (10_001, "+ 10.001 us   |", "+ 10.001 us  |"),
            (100_001, "! 100.001 us  |", "! 100.001 us |"),
            (1_234_567, "# 1234.567 us |", "# 1234.567 us |"),
            (12_345_678, "* 12345.67 us |", "# 12345.678 us |"),
            (123_456_789, "@ 123456.7 us |", "# 123456.789 us |"),
            (1_234_567_890, "$ 1234567 us  |", "$ 1234567 us |"),
        ] {
            let returned = Returned { value: None, ..returned(nanoseconds, 0, false) };
            assert_eq!(leaf(kernel, returned), format!("{of_kernel}    work();"));
            assert_eq!(leaf(trace_cmd, returned), format!("{of_trace_cmd}    work();"));
        }
    }

    #[test]
    fn values_that_are_error_numbers_are_decimal() {
        let calls = CallStyle { values: true, ..CallStyle::default() };
        let style = Style { calls, ..Style::default() };
        let hexadecimal = Style { calls: CallStyle { hexadecimal: true, ..calls }, ..style };
        for (value, of_kernel, of_trace_cmd) in [
            (0, "0x0", "0x0"),
            (0xffff_fffe, "-2", "0xfffffffe"),
            (2_u64.wrapping_neg(), "-2", "-2"),
            (4096_u64.wrapping_neg(), "0xfffffffffffff000", "0xfffffffffffff000"),
        ] {
            let line = |style, is_new| leaf(style, returned(5, value, is_new));
            assert_eq!(line(style, false), format!("  0.005 us    |    work(); /* = {of_kernel} */"));
            assert_eq!(line(style, true), format!("  0.005 us    |    work(); /* ret={of_kernel} */"));
            assert_eq!(line(hexadecimal, true), format!("  0.005 us    |    work(); /* ret={value:#x} */"));
            assert_eq!(
                line(Style::TRACE_CMD_3_3, true),
                format!("  0.005 us   |    work(); (ret={of_trace_cmd})")
            );
            assert_eq!(line(Style::TRACE_CMD_3_1, true), "  0.005 us   |    work();");
        }
    }

    #[test]
    fn returns_name_their_function_if_nothing_shows_the_call() {
        let end = |style, is_matched| {
            let name: Name<'_> = &|out| out.extend_from_slice(b"work");
            shown(|_, out| CALL.push_return(style, name, &returned(5, 1, false), is_matched, out))
        };
        assert_eq!(end(Style::default(), true), "  0.005 us    |    }");
        assert_eq!(end(Style::default(), false), "  0.005 us    |    } /* work */");
        assert_eq!(end(Style::TRACE_CMD_3_1, false), "  0.005 us   |    }");
        let calls = CallStyle { values: true, overruns: true, durations: false, ..CallStyle::default() };
        let style = Style { calls, ..Style::default() };
        assert_eq!(end(style, true), "  } /* work = 0x1 */\n (Overruns: 3)");
        assert_eq!(shown(|name, out| CALL.push_open(style, name, b"", out)), "  work() {");
    }

    #[test]
    fn place_that_called_is_a_comment() {
        let style = Style::default();
        let open = |style| shown(|name, out| CALL.push_open(style, name, b" <-run+0x8/0x10", out));
        assert_eq!(open(style), "              |    work() { /* <-run+0x8/0x10 */");
        let leaf = |style| {
            shown(|name, out| CALL.push_leaf(style, name, b" <-run+0x8/0x10", &returned(5, 0, true), out))
        };
        assert_eq!(leaf(style), "  0.005 us    |    work(); /* <-run+0x8/0x10 */");
        let calls = CallStyle { values: true, ..CallStyle::default() };
        let text = leaf(Style { calls, ..style });
        assert_eq!(text, "  0.005 us    |    work(); /* <-run+0x8/0x10 ret=0x0 */");
    }
}
