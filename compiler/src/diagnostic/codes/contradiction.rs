//! T0226: contradiction. The page beside this file says what it means.

use tracec_grammar::span::Span;
use tracec_kernel::grouped::Grouped;

use crate::diagnostic::{Code, Diagnostic, Level};

/// The code.
pub static CODE: Code = Code::lint("T0226", "contradiction", Level::Warn, include_str!("contradiction.md"));

/// What a condition is held against.
#[derive(Clone, Debug)]
pub struct Other {
    /// In quotes, as it is written where that is on one line and can be printed.
    pub text: String,
    /// Where it stands.
    pub runs: Vec<Run>,
}

/// Parts of a condition with nothing else between them.
#[derive(Clone, Debug)]
pub struct Run {
    /// From the first to the last.
    pub span: Span,
    /// There is more than one.
    pub several: bool,
}

impl Other {
    /// Whether it stands at this place and nowhere else.
    pub(super) fn is_at(&self, span: Span) -> bool {
        matches!(&self.runs[..], [run] if run.span == span)
    }

    /// Marks it in what is told of something else.
    pub(super) fn mark(&self, diagnostic: Diagnostic) -> Diagnostic {
        self.runs.iter().fold(diagnostic, |diagnostic, run| diagnostic.and_at(run.span, "this"))
    }
}

/// Raises it; `text` is what is never true, in quotes, and `runs` where it stands.
pub fn contradiction(text: &str, runs: &[Run], other: &Other) -> Diagnostic {
    let hold = if runs.len() > 1 || runs.iter().any(|run| run.several) { "hold" } else { "holds" };
    let diagnostic = Diagnostic::lint(&CODE, format!("{text} never {hold} together with {}", other.text));
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

/// Says on one how many more its condition has, which are not told.
pub fn more(count: usize) -> String {
    match count {
        1 => "1 more part of this condition contradicts another".to_owned(),
        count => format!("{} more parts of this condition contradict others", Grouped(count)),
    }
}
