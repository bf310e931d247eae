//! T0132: as-in-kernel. The page beside this file says what it means.

use tracec_grammar::error::SyntaxError;

use crate::diagnostic::{Code, Diagnostic};

pub(crate) static CODE: Code = Code::error("T0132", "as-in-kernel", include_str!("as_in_kernel.md"));

pub(crate) fn as_in_kernel(error: &SyntaxError) -> Diagnostic {
    Diagnostic::from_grammar(&CODE, error, "syntax of the kernel's `trigger` files")
}
