//! T0756: lacking-feature. The page beside this file says what it means.

use tracec_grammar::span::Span;
use tracec_kernel::tables::features::Feature;

use crate::diagnostic::{Code, Diagnostic};

pub(crate) static CODE: Code = Code::error("T0756", "lacking-feature", include_str!("lacking_feature.md"));

/// Reports `what`, a kind of probe or a part of one, that needs a feature of the kernel.
pub(crate) fn lacking_feature(span: Span, what: &str, kernel: &str, feature: &Feature) -> Diagnostic {
    Diagnostic::error(&CODE, format!("{kernel} does not have {what}"))
        .at(span, "not in this kernel")
        .note(format!("it lacks the feature `{}`: {}", feature.name, feature.doc))
        .help("`tracec list --kind features` lists the features of a kernel")
}
