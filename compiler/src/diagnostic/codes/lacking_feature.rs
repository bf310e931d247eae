//! T0756: lacking-feature. The page beside this file says what it means.

use tracec_grammar::span::Span;
use tracec_kernel::tables::features::Feature;

use crate::diagnostic::{Code, Diagnostic};

/// The code.
pub static CODE: Code = Code::error("T0756", "lacking-feature", include_str!("lacking_feature.md"));

/// Raises it for `what`, a kind of probe or a part of one.
pub fn lacking_feature(span: Span, what: &str, kernel: &str, feature: &Feature) -> Diagnostic {
    Diagnostic::error(&CODE, format!("{kernel} does not have {what}"))
        .at(span, "not in this kernel")
        .note(format!("it lacks the feature `{}`: {}", feature.name, feature.doc))
        .help("`tracec list --kind features` says what a kernel has")
}
