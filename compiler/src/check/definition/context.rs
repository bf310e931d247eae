//! The context that all checks of definitions share.

use std::cell::OnceCell;

use tracec_grammar::span::Span;
use tracec_grammar::syntax::Exprs as Syntax;
use tracec_kernel::btf::Btf;
use tracec_kernel::tables::features::{self, Support};

use crate::constant::Unread;
use crate::diagnostic::{Diagnostic, Diagnostics, Suggestions, codes};
use crate::ir::definition::{Exprs, VisibleConstants};
use crate::source::KernelSource;

use super::signed_char::has_signed_char;

/// A file's expressions and constants, the kernel, and the sink for mistakes.
pub(super) struct Context<'a, 'd> {
    pub(super) syntax: &'a Syntax,
    /// The typed expressions so far.
    pub(super) exprs: Exprs,
    pub(super) constants: VisibleConstants<'a>,
    /// Whether the file names a C header: only then can a type or macro be unknown to the compiler and still be valid.
    pub(super) has_headers: bool,
    pub(super) unread: &'a Unread,
    /// The suggestions for the unknown names of the file.
    pub(super) suggestions: &'a Suggestions,
    pub(super) kernel: &'a dyn KernelSource,
    /// Whether the kernel has the tracepoints that the main file defines.
    pub(super) loaded: bool,
    /// Whether `char` is signed, once that has been asked.
    pub(super) signed_char: Option<bool>,
    /// The kernel's types, once they have been asked for, or why they are not known.
    pub(super) types: OnceCell<Result<Btf, String>>,
    /// Whether it has been said that they are not known.
    pub(super) types_said: bool,
    pub(super) diagnostics: &'d mut Diagnostics,
}

impl Context<'_, '_> {
    /// Runs `define`, and discards the expressions of a definition that has a mistake and is left out.
    pub(super) fn whole<T>(&mut self, define: impl FnOnce(&mut Self) -> Option<T>) -> Option<T> {
        let before = self.exprs.len();
        let defined = define(self);
        if defined.is_none() {
            self.exprs.truncate(before);
        }
        defined
    }

    /// Returns whether `char` is signed in the kernel that the definitions are for.
    pub(super) fn has_signed_char(&mut self) -> bool {
        if let Some(known) = self.signed_char {
            return known;
        }
        let found = has_signed_char(self.kernel).unwrap_or_else(|error| {
            self.diagnostics.push(codes::kernel_unreadable::kernel_unreadable(None, &error.to_string()));
            false
        });
        *self.signed_char.insert(found)
    }

    /// Returns the types of the kernel that the definitions are for.
    ///
    /// # Errors
    /// Why they are not known, a clause.
    pub(super) fn types(&self) -> Result<&Btf, String> {
        let types = self.types.get_or_init(|| match self.kernel.btf() {
            Ok(Some(bytes)) => Btf::parse(bytes).map_err(|error| error.to_string()),
            Ok(None) => {
                Err(format!(
                    "the types of {} are not known: there is no BTF of it; `tracec kernel save` keeps it, on that kernel",
                    self.kernel.describe()
                ))
            }
            Err(error) => Err(error.to_string()),
        });
        types.as_ref().map_err(Clone::clone)
    }

    /// Reports a mistake, and returns `None` for the value that it is a part of.
    pub(super) fn say<T>(&mut self, diagnostic: Diagnostic) -> Option<T> {
        self.diagnostics.push(diagnostic);
        None
    }

    /// Reports `what` where the kernel lacks the feature that it needs, and returns whether the kernel has it. An
    /// unknown feature is accepted.
    pub(super) fn need(&mut self, feature: Option<&str>, what: &str, span: Span) -> bool {
        let Some(feature) = feature.and_then(features::find) else { return true };
        let lacks = self.kernel.feature(feature.name) == Support::No;
        if lacks {
            let kernel = self.kernel.describe();
            let said = codes::lacking_feature::lacking_feature(span, what, &kernel, feature);
            self.diagnostics.push(said);
        }
        !lacks
    }
}
