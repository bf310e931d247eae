//! The check of a text against the copy of a kernel, for the law over fixes.

use tracec::{Choice, Input, analyse};
use tracec_compiler::{Diagnostic, KernelSource, SourceText};

pub(crate) fn check(source: &SourceText, kernel: &dyn KernelSource) -> Vec<Diagnostic> {
    analyse(Input::new(source, kernel), Choice::All).diagnostics
}
