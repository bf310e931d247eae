//! T0253: doubtful-number. The page beside this file says what it means.

use tracec_grammar::span::Span;

use crate::diagnostic::{Applicability, Code, Diagnostic, Edit, Fix, Level};

pub(crate) static CODE: Code =
    Code::lint("T0253", "doubtful-number", Level::Warn, include_str!("doubtful_number.md"));

/// Reports `ret == -1` of a system call; `op` is its operator.
pub(crate) fn failed_call(span: Span, op: Span, is_equal: bool) -> Diagnostic {
    let (symbol, what) = if is_equal { ("<", "that failed") } else { (">=", "that did not fail") };
    let edits = vec![Edit { span: op, text: symbol.to_owned() }, Edit { span, text: "0".to_owned() }];
    Diagnostic::lint(&CODE, "a system call returns -1 for the error EPERM only")
        .at(span, "the same as `-EPERM`")
        .note("the kernel returns the number of the error, negative; the C library makes -1 of it")
        .offer(Fix::several(Applicability::Maybe, format!("write `{symbol} 0` for calls {what}"), edits))
}

/// Reports `sig == -9`.
pub(crate) fn negative_signal(span: Span, value: i128) -> Diagnostic {
    let signal = value.unsigned_abs().to_string();
    Diagnostic::lint(&CODE, "the numbers of signals are positive").at(span, "no signal").guess(
        format!("write `{signal}`"),
        span,
        signal,
    )
}

/// Reports `mode == 644`, if the number is likelier octal than decimal.
pub(crate) fn decimal_mode(span: Span, value: i128) -> Option<Diagnostic> {
    // The decimal values of 0644 and 0777.
    const MEANT: [i128; 2] = [420, 511];
    let digits = value.to_string();
    let is_octal = digits.len() == 3 && digits.bytes().all(|digit| (b'0'..=b'7').contains(&digit));
    let octal = format!("0o{digits}");
    (is_octal && !MEANT.contains(&value)).then(|| {
        Diagnostic::lint(&CODE, "the modes of files are written in octal, and this is decimal")
            .at(span, format!("the mode {value:#o}"))
            .guess(format!("write `{octal}`"), span, octal)
    })
}
