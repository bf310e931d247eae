//! T0245: no-such-cpu. The page beside this file says what it means.

use tracec_grammar::span::Span;

use crate::diagnostic::{Code, Diagnostic, Level};

/// The code.
pub static CODE: Code = Code::lint("T0245", "no-such-cpu", Level::Warn, include_str!("no_such_cpu.md"));

/// Raises it; `numbers` is how many numbers the CPUs of the kernel can have.
pub fn no_such_cpu(span: Span, cpu: u32, kernel: &str, numbers: u32) -> Diagnostic {
    Diagnostic::lint(&CODE, format!("there is no CPU {cpu}")).at(span, none_above(kernel, numbers))
}

/// Which CPUs a kernel does not have, as a clause. Between those that it has there may be gaps.
pub fn none_above(kernel: &str, numbers: u32) -> String {
    match numbers {
        0 | 1 => format!("{kernel} has one CPU, 0"),
        numbers => format!("{kernel} has no CPU above {}", numbers - 1),
    }
}
