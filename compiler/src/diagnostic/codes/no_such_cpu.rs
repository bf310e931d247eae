//! T0245: no-such-cpu. The page beside this file says what it means.

use tracec_grammar::span::Span;

use crate::diagnostic::{Code, Diagnostic, Level};

pub(crate) static CODE: Code =
    Code::lint("T0245", "no-such-cpu", Level::Warn, include_str!("no_such_cpu.md"));

/// Reports a CPU of a list; `numbers` is the number of CPU numbers that the kernel has.
pub(crate) fn no_such_cpu(span: Span, cpu: u32, kernel: &str, numbers: u32) -> Diagnostic {
    Diagnostic::lint(&CODE, format!("there is no CPU {cpu}")).at(span, none_above(kernel, numbers))
}

/// Returns the clause that says which CPUs a kernel does not have. The CPU numbers of a kernel can have gaps.
pub(crate) fn none_above(kernel: &str, numbers: u32) -> String {
    match numbers {
        0 | 1 => format!("{kernel} has one CPU, 0"),
        numbers => format!("{kernel} has no CPU above {}", numbers - 1),
    }
}
