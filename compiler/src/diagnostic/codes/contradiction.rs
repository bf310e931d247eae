//! T0226: contradiction. The page beside this file says what it means.

use tracec_grammar::span::Span;
use tracec_kernel::grouped::Grouped;

use crate::diagnostic::{Code, Diagnostic, Level};

pub(crate) static CODE: Code =
    Code::lint("T0226", "contradiction", Level::Warn, include_str!("contradiction.md"));

/// A part of a condition that another part is compared with.
#[derive(Clone, Debug)]
pub struct Other {
    /// Its text, in quotes; as written, where that is on one line and printable.
    pub text: String,
    /// Where it is.
    pub runs: Vec<Run>,
}

/// Adjacent parts of a condition.
#[derive(Clone, Debug)]
pub struct Run {
    /// From the first to the last.
    pub span: Span,
    /// There is more than one.
    pub several: bool,
}

impl Other {
    /// Returns whether it is at this span and nowhere else.
    pub(super) fn is_at(&self, span: Span) -> bool {
        matches!(&self.runs[..], [run] if run.span == span)
    }

    /// Labels it in a diagnostic about another part.
    pub(super) fn mark(&self, diagnostic: Diagnostic) -> Diagnostic {
        self.runs.iter().fold(diagnostic, |diagnostic, run| diagnostic.and_at(run.span, "this"))
    }
}

/// Reports `text`, in quotes, which is never true beside `other`; `runs` are its spans.
pub(crate) fn contradiction(text: &str, runs: &[Run], other: &Other) -> Diagnostic {
    let verb = if runs.len() > 1 || runs.iter().any(|run| run.several) { "are" } else { "is" };
    let diagnostic =
        Diagnostic::lint(&CODE, format!("{text} {verb} never true together with {}", other.text));
    let Some((first, more)) = runs.split_first() else { return diagnostic };
    if other.is_at(first.span) {
        return diagnostic.at(first.span, "contradicts itself");
    }
    let contradict = |run: &Run| if run.several { "contradict" } else { "contradicts" };
    let diagnostic = diagnostic.at(first.span, format!("{} {}", contradict(first), other.text));
    more.iter().fold(other.mark(diagnostic), |diagnostic, run| {
        diagnostic.and_at(run.span, format!("{} it too", contradict(run)))
    })
}

/// Returns the note that counts the other contradictions of the condition, which are not shown.
pub(crate) fn more(count: usize) -> String {
    match count {
        1 => "1 more part of this condition contradicts another".to_owned(),
        count => format!("{} more parts of this condition contradict others", Grouped(count)),
    }
}
