//! What all checks of definitions look at.

use tracec_grammar::syntax::Exprs;
use tracec_kernel::nearest::nearest;

use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::ir::definition::Constants;
use crate::source::KernelSource;

use super::unread::Unread;

/// A file's expressions and constants, the kernel, and where mistakes go.
pub(super) struct Context<'a, 'd> {
    pub(super) exprs: &'a Exprs,
    pub(super) constants: &'a Constants,
    /// Whether the file names a C header: only then can a type or macro be one that nobody here knows.
    pub(super) has_headers: bool,
    pub(super) unread: &'a Unread,
    pub(super) kernel: &'a dyn KernelSource,
    pub(super) diagnostics: &'d mut Diagnostics,
}

impl Context<'_, '_> {
    /// Reports a mistake; what it is a part of has no value.
    pub(super) fn say<T>(&mut self, diagnostic: Diagnostic) -> Option<T> {
        self.diagnostics.push(diagnostic);
        None
    }
}

/// The names nearest to one that was not found.
pub(super) fn near<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Vec<String> {
    nearest(word, candidates, 3).into_iter().map(str::to_owned).collect()
}
