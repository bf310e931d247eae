//! T0205: bad-operator. The page beside this file says what it means.

use tracec_grammar::span::Span;

use crate::diagnostic::{Code, Diagnostic};

pub(crate) static CODE: Code = Code::error("T0205", "bad-operator", include_str!("bad_operator.md"));

/// Reports an operator that the operand does not have.
pub(crate) fn bad_operator(span: Span, op: &str, field: &str, is: &str, ops: &str) -> Diagnostic {
    Diagnostic::error(&CODE, format!("`{op}` cannot be applied to {is}"))
        .at(span, format!("`{field}` is {is}"))
        .help(format!("the operators for {is} are {ops}"))
}

/// Reports `flags & O_WRONLY`: a number that stands beside flags, which a mask leaves out in `masked`.
pub(crate) fn of_packed(span: Span, name: &str, is: &str, masked: &str) -> Diagnostic {
    Diagnostic::error(&CODE, format!("`&` cannot be applied to {is}"))
        .at(span, format!("`{name}` is {is}"))
        .help(format!("write `{masked}` to leave the flags out"))
}

/// Reports `cpu & 3` as a condition. `whole` is its text, `cpu` its operand; `bits` is the mask if it is constant, and
/// `possible` says whether a CPU number can have one of them.
pub(crate) fn bits_of_cpu(
    span: Span,
    whole: &str,
    cpu: &str,
    bits: Option<u64>,
    possible: bool,
) -> Diagnostic {
    let cpus: Vec<String> =
        (0..64).filter(|cpu| bits.unwrap_or(0) >> cpu & 1 == 1).map(|cpu| cpu.to_string()).collect();
    let cpus = if cpus.is_empty() { "..".to_owned() } else { cpus.join(",") };
    let message = match possible {
        true => format!("`{whole}` is ambiguous: it can mean bits of the CPU number or a set of CPUs"),
        false => format!("`{whole}` is 0 for every CPU"),
    };
    let said =
        Diagnostic::error(&CODE, message).at(span, format!("`{cpu}` is the CPU number, not a mask of CPUs"));
    let said = match possible {
        true => said.help(format!("write `{whole} != 0` to test bits of the CPU number")),
        false => said,
    };
    said.help(format!("write `{cpu} & CPUS{{{cpus}}}` to test whether the CPU is in a set"))
}
