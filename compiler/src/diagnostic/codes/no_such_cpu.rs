//! T0245: no-such-cpu. The page beside this file says what it means.

use tracec_grammar::span::Span;

use crate::diagnostic::{Code, Diagnostic, Level};

/// The code.
pub static CODE: Code =
    Code::lint("T0245", "no-such-cpu", Level::Warn, include_str!("no_such_cpu.md"));

/// Raises it; `count` is how many CPUs the kernel knows.
pub fn no_such_cpu(span: Span, cpu: u32, kernel: &str, count: u32) -> Diagnostic {
    let has = match count {
        1 => "has one CPU, 0".to_owned(),
        count => format!("has the CPUs 0 to {}", count - 1),
    };
    Diagnostic::lint(&CODE, format!("there is no CPU {cpu}")).at(span, format!("{kernel} {has}"))
}
