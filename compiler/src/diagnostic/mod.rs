//! What tracec has to say about a text or a machine: one model, one file per code below [`codes`], one file per
//! form of output below [`render`].

pub mod codes;
mod collect;
pub mod render;
pub mod syntax;

use std::fmt;

pub use collect::Diagnostics;

use tracec_grammar::error::SyntaxError;
use tracec_grammar::span::Span;

/// A kind of diagnostic.
#[derive(PartialEq, Eq)]
pub struct Code {
    /// `T0101`: stable, never reused.
    pub id: &'static str,
    /// `unknown-event`: the name of the file that raises it.
    pub name: &'static str,
    /// Its page, Markdown: what it means, a wrong and a right example.
    pub page: &'static str,
}

impl Code {
    /// The code with this id or name, case-insensitive.
    pub fn find(id: &str) -> Option<&'static Code> {
        codes::ALL.iter().copied().find(|code| code.id.eq_ignore_ascii_case(id) || code.name == id)
    }
}

impl fmt::Debug for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.id, self.name)
    }
}

/// How much it matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// Nothing is built.
    Error,
    /// Something is built that may not be what was meant.
    Warning,
}

/// A place and what to say of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Label {
    /// The place.
    pub span: Span,
    /// What to say; may be empty.
    pub text: String,
}

/// A change of the text that an editor can make.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fix {
    /// What it does, as an order: `write "bash"`.
    pub title: String,
    /// The bytes to replace.
    pub span: Span,
    /// What to put there.
    pub replacement: String,
}

/// One thing found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// Its kind.
    pub code: &'static Code,
    /// How much it matters.
    pub severity: Severity,
    /// One sentence without a full stop.
    pub message: String,
    /// The place; `None` where it concerns the machine and not the text.
    pub primary: Option<Label>,
    /// Other places that explain it.
    pub secondary: Vec<Label>,
    /// Facts, one line each.
    pub notes: Vec<String>,
    /// What to do, one line each.
    pub helps: Vec<String>,
    /// What an editor can do.
    pub fixes: Vec<Fix>,
}

impl Diagnostic {
    /// An error without a place.
    pub fn error(code: &'static Code, message: impl Into<String>) -> Self {
        Diagnostic {
            code,
            severity: Severity::Error,
            message: message.into(),
            primary: None,
            secondary: Vec::new(),
            notes: Vec::new(),
            helps: Vec::new(),
            fixes: Vec::new(),
        }
    }

    /// A warning without a place.
    pub fn warning(code: &'static Code, message: impl Into<String>) -> Self {
        Diagnostic { severity: Severity::Warning, ..Diagnostic::error(code, message) }
    }

    /// An error in the grammar's own words: its message, hint and fix.
    pub(crate) fn from_grammar(code: &'static Code, error: &SyntaxError, label: &str) -> Self {
        let diagnostic = Diagnostic::error(code, error.to_string()).at(error.span, label);
        match (error.fix(), error.hint()) {
            (None, None) => diagnostic,
            (None, Some(hint)) => diagnostic.help(hint),
            (Some(fix), hint) => {
                let order = || if fix.is_empty() { "remove it".to_owned() } else { format!("write `{fix}`") };
                diagnostic.fix(hint.unwrap_or_else(order), error.span, fix)
            }
        }
    }

    /// Says where.
    #[must_use]
    pub fn at(mut self, span: Span, text: impl Into<String>) -> Self {
        self.primary = Some(Label { span, text: text.into() });
        self
    }

    /// Adds a place that explains.
    #[must_use]
    pub fn and_at(mut self, span: Span, text: impl Into<String>) -> Self {
        self.secondary.push(Label { span, text: text.into() });
        self
    }

    /// Adds a fact.
    #[must_use]
    pub fn note(mut self, text: impl Into<String>) -> Self {
        self.notes.push(text.into());
        self
    }

    /// Adds what to do.
    #[must_use]
    pub fn help(mut self, text: impl Into<String>) -> Self {
        self.helps.push(text.into());
        self
    }

    /// Adds a fix; its title is also shown as help.
    #[must_use]
    pub fn fix(mut self, title: impl Into<String>, span: Span, replacement: impl Into<String>) -> Self {
        self.fixes.push(Fix { title: title.into(), span, replacement: replacement.into() });
        self
    }

    /// Adds the names that are nearest to a wrong one, with a fix if there is just one place to put it.
    #[must_use]
    pub fn suggest(self, span: Span, names: &[String]) -> Self {
        match names {
            [] => self,
            [only] => self.fix(format!("did you mean `{only}`?"), span, only.clone()),
            [first, ..] => {
                let list = names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
                self.fix(format!("did you mean one of {list}?"), span, first.clone())
            }
        }
    }
}
