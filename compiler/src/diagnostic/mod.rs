//! Diagnostics about a text or a machine: one model, one file per code below [`codes`], one file per form of output
//! below [`render`].
//!
//! A [`Diagnostic`] is plain data. Its [`Code`] says what kind of thing was found, its [`Label`]s where, its [`Fix`]es
//! what an editor or `tracec check --fix` can do about it ([`fix`]). Whether a lint is shown, and as what, is decided
//! when it is taken by [`Diagnostics`], from the [`lints::Levels`] of the text and of the command line.

mod code;
pub mod codes;
mod collect;
pub mod fix;
mod foreign;
pub mod lints;
pub mod merge;
pub(crate) mod quoted;
pub mod render;
mod shortened;
mod statement;
mod suggestions;
pub mod syntax;
mod tried;

pub use code::{Code, Kind, Level};
pub use collect::{Diagnostics, add_in_order};
pub(crate) use collect::{MOST, add_warnings};
pub use fix::{Applicability, Edit, Fix};
pub(crate) use suggestions::Searched;
pub use suggestions::Suggestions;
pub(crate) use tried::{are_fixes_tried, keep_fixes_that_check};

use std::fmt;

use shortened::shortened;
use tracec_grammar::error::SyntaxError;
use tracec_grammar::span::Span;

/// The severity of a diagnostic.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// Nothing is built.
    Error,
    /// The session is built and may not mean what was intended.
    Warning,
}

impl Severity {
    /// Returns the word for it.
    pub fn word(self) -> &'static str {
        match self {
            Severity::Error => "error",
            Severity::Warning => "warning",
        }
    }
}

/// A span with a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Label {
    /// Where it is.
    pub span: Span,
    /// The text; may be empty.
    pub text: String,
}

/// The kernels that a diagnostic is about, where it is not about all that were asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SomeKernels {
    /// Where it holds.
    pub on: Vec<String>,
    /// Where it does not.
    pub not_on: Vec<String>,
}

impl fmt::Display for SomeKernels {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "on {}, not on {}", merge::list(&self.on), merge::list(&self.not_on))
    }
}

/// A diagnostic.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// Its kind.
    pub code: &'static Code,
    /// The severity of a diagnostic.
    pub severity: Severity,
    /// One sentence without a full stop.
    pub message: String,
    /// The span that it is about; `None` where it concerns the machine and not the text.
    pub primary: Option<Label>,
    /// Other spans that explain it.
    pub secondary: Vec<Label>,
    /// Facts, one line each.
    pub notes: Vec<String>,
    /// What to do, one line each.
    pub helps: Vec<String>,
    /// Edits that an editor can make. Where there are several, they are alternatives, the best one first.
    pub fixes: Vec<Fix>,
    /// Where it holds, if a text was checked against several kernels and it does not hold on all ([`merge`]).
    pub kernels: Option<SomeKernels>,
}

impl Diagnostic {
    /// Creates an error without a span.
    pub fn error(code: &'static Code, message: impl Into<String>) -> Self {
        Diagnostic::new(code, shortened(message.into()))
    }

    /// Creates a finding of a lint without a span, at the default level of the lint.
    pub fn lint(code: &'static Code, message: impl Into<String>) -> Self {
        Diagnostic::new(code, shortened(message.into()))
    }

    fn new(code: &'static Code, message: String) -> Self {
        let severity = match code.kind {
            Kind::Error | Kind::Lint(Level::Deny) => Severity::Error,
            Kind::Lint(Level::Allow | Level::Warn) => Severity::Warning,
        };
        Diagnostic {
            code,
            severity,
            message,
            primary: None,
            secondary: Vec::new(),
            notes: Vec::new(),
            helps: Vec::new(),
            fixes: Vec::new(),
            kernels: None,
        }
    }

    /// Creates an error from one of the grammar, with its message, hint and fix.
    pub(crate) fn from_grammar(code: &'static Code, error: &SyntaxError, label: &str) -> Self {
        let diagnostic = Diagnostic::error(code, error.to_string()).at(error.span, label);
        match (syntax::replacement(error), error.hint()) {
            (None, None) => diagnostic,
            (None, Some(hint)) => diagnostic.help(hint),
            (Some((text, applicability)), hint) => {
                let order =
                    || if text.is_empty() { "remove it".to_owned() } else { format!("write `{text}`") };
                let title = hint.unwrap_or_else(order);
                diagnostic.offer(Fix::new(applicability, title, error.span, text))
            }
        }
    }

    /// Sets the primary span.
    #[must_use]
    pub fn at(mut self, span: Span, text: impl Into<String>) -> Self {
        self.primary = Some(Label { span, text: shortened(text.into()) });
        self
    }

    /// Adds a span that explains it.
    #[must_use]
    pub fn and_at(mut self, span: Span, text: impl Into<String>) -> Self {
        self.secondary.push(Label { span, text: shortened(text.into()) });
        self
    }

    /// Adds a note.
    #[must_use]
    pub fn note(mut self, text: impl Into<String>) -> Self {
        self.notes.push(shortened(text.into()));
        self
    }

    /// Adds a help.
    #[must_use]
    pub fn help(mut self, text: impl Into<String>) -> Self {
        self.helps.push(shortened(text.into()));
        self
    }

    /// Adds a fix that says what was meant for certain; its title is also shown as help.
    #[must_use]
    pub fn fix(self, title: impl Into<String>, span: Span, replacement: impl Into<String>) -> Self {
        self.offer(Fix::new(Applicability::Always, title, span, replacement))
    }

    /// Adds a fix that may not say what was meant; its title is also shown as help.
    #[must_use]
    pub fn guess(self, title: impl Into<String>, span: Span, replacement: impl Into<String>) -> Self {
        self.offer(Fix::new(Applicability::Maybe, title, span, replacement))
    }

    /// Adds a fix of any form.
    #[must_use]
    pub fn offer(mut self, fix: Fix) -> Self {
        self.fixes.push(Fix { title: shortened(fix.title), ..fix });
        self
    }

    /// Adds the names that are nearest to a wrong one, each as a guess.
    #[must_use]
    pub fn suggest(self, span: Span, names: impl IntoIterator<Item = impl fmt::Display>) -> Self {
        names.into_iter().fold(self, |diagnostic, name| {
            diagnostic.guess(format!("did you mean `{name}`?"), span, name.to_string())
        })
    }
}
