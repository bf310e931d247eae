//! Collections of mistakes: each stage has its own, and [`merge`] makes the list that is reported.

use crate::error::{SyntaxError, SyntaxErrorKind};
use crate::limits::MAX_ERRORS;
use crate::span::Span;

/// The error that ends the parser after so many mistakes that more would only cost time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TooMany;

/// The mistakes of one stage, in the order they were found, up to a limit.
#[derive(Debug, Default)]
pub(crate) struct Errors {
    list: Vec<SyntaxError>,
    overflow: bool,
}

impl Errors {
    pub(crate) fn push(&mut self, kind: SyntaxErrorKind, span: Span) {
        if self.is_full() {
            self.overflow = true;
        } else {
            self.list.push(SyntaxError::new(kind, span));
        }
    }

    /// Returns whether the limit is reached.
    pub(crate) fn is_full(&self) -> bool {
        self.list.len() >= MAX_ERRORS
    }

    /// Returns where the first mistake begins in the text.
    pub(crate) fn first(&self) -> Option<u32> {
        self.list.iter().map(|error| error.span.start).min()
    }

    /// Notes that there are more mistakes than the limit.
    pub(crate) fn overflow(&mut self) {
        self.overflow = true;
    }

    /// Removes the mistakes within `spans`, which are sorted and do not overlap.
    pub(crate) fn forget(&mut self, spans: &[Span]) {
        self.list.retain(|error| {
            let next = spans.partition_point(|span| span.start <= error.span.start);
            next == 0 || spans[next - 1].end <= error.span.start
        });
    }
}

/// Returns the mistakes of all stages in the order of the text.
///
/// `recovered` holds the mistakes for which the parser skipped text. The parser also fails at a statement that is
/// already known to be broken, so only the first of these mistakes of a statement counts. An expression that is too
/// deep may be so in several places, which is one mistake. `statements` holds the offset at which each one begins.
pub(crate) fn merge(
    certain: [Errors; 3],
    recovered: Errors,
    statements: &[u32],
    end: Span,
) -> Vec<SyntaxError> {
    let mut overflow = recovered.overflow;
    let mut all: Vec<(SyntaxError, bool)> = recovered.list.into_iter().map(|error| (error, true)).collect();
    for errors in certain {
        overflow |= errors.overflow;
        all.extend(errors.list.into_iter().map(|error| (error, false)));
    }
    all.sort_by_key(|(error, recovered)| (error.span.start, *recovered, error.span.end));

    let mut broken = None;
    let mut too_deep = None;
    let mut merged = Vec::with_capacity(all.len());
    for (error, recovered) in all {
        let statement = Some(statements.partition_point(|&start| start <= error.span.start));
        let deep = error.kind == SyntaxErrorKind::TooDeep;
        // A token that is missing after an unterminated string would be part of the string.
        let in_string = error.kind == SyntaxErrorKind::MissingSemicolon
            && merged.last().is_some_and(|last: &SyntaxError| {
                last.kind == SyntaxErrorKind::UnterminatedString && last.span.end == error.span.start
            });
        let follows = in_string || (recovered && broken == statement) || (deep && too_deep == statement);
        broken = statement;
        if deep {
            too_deep = statement;
        }
        if !follows {
            merged.push(error);
        }
    }
    if merged.len() > MAX_ERRORS {
        overflow = true;
        merged.truncate(MAX_ERRORS);
    }
    if overflow {
        let end = merged.last().map_or(end, |error| error.span.behind());
        merged.push(SyntaxError::new(SyntaxErrorKind::TooManyErrors, end));
    }
    merged
}
