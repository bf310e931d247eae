//! Which of many scopes, each within another or beside it, is the innermost around a span.

use tracec_grammar::span::Span;

/// Scopes of one lint in one text. No two overlap in part: they are the text, its sessions, and clauses.
#[derive(Debug)]
pub(super) struct Nested {
    /// By where they begin; of those that begin together the outer one first.
    scopes: Vec<Scope>,
}

#[derive(Debug)]
struct Scope {
    span: Span,
    /// What stands for it.
    entry: usize,
    /// The next scope around it, an index of `scopes`.
    around: Option<usize>,
}

impl Nested {
    /// Scopes and what stands for each. Of two equal scopes the later counts.
    pub(super) fn new(mut given: Vec<(Span, usize)>) -> Self {
        // A stable sort: equal scopes stay in order.
        given.sort_by_key(|(span, _)| (span.start, u32::MAX - span.end));
        let mut scopes: Vec<Scope> = Vec::new();
        let mut open: Vec<usize> = Vec::new();
        for (span, entry) in given {
            if let Some(last) = scopes.last_mut().filter(|last| last.span == span) {
                last.entry = entry;
                continue;
            }
            while open.last().is_some_and(|&around| scopes[around].span.end < span.end) {
                open.pop();
            }
            let around = open.last().copied();
            open.push(scopes.len());
            scopes.push(Scope { span, entry, around });
        }
        Nested { scopes }
    }

    /// What stands for the smallest scope that holds a span.
    pub(super) fn innermost(&self, at: Span) -> Option<usize> {
        self.outwards(at).find(|scope| at.end <= scope.span.end).map(|scope| scope.entry)
    }

    /// The last scope that begins before a span, and those around it: no others can hold the span.
    fn outwards(&self, at: Span) -> impl Iterator<Item = &Scope> {
        let behind = self.scopes.partition_point(|scope| scope.span.start <= at.start);
        let last = behind.checked_sub(1).map(|last| &self.scopes[last]);
        std::iter::successors(last, |scope| scope.around.map(|around| &self.scopes[around]))
    }
}

#[cfg(test)]
mod tests {
    use tracec_span::FileId;

    use super::*;

    fn span(start: u32, end: u32) -> Span {
        FileId::MAIN.span(start, end)
    }

    /// The rule itself: of the smallest scope the last.
    fn searched(given: &[(Span, usize)], at: Span) -> Option<usize> {
        let holds = |scope: &Span| scope.start <= at.start && at.end <= scope.end;
        let holding = given.iter().enumerate().filter(|(_, (scope, _))| holds(scope));
        holding
            .min_by_key(|(at, (scope, _))| (scope.end - scope.start, usize::MAX - at))
            .map(|(_, (_, e))| *e)
    }

    #[test]
    fn the_smallest_scope_around_a_place_is_found() {
        let given = [
            (span(40, 60), 0),
            (span(0, 100), 1),
            (span(10, 90), 2),
            (span(10, 30), 3),
            (span(40, 60), 4),
            (span(60, 70), 5),
            (span(12, 13), 6),
            (span(0, 100), 7),
        ];
        let nested = Nested::new(given.to_vec());
        for start in 0..110 {
            for end in start..110 {
                let place = span(start, end);
                assert_eq!(nested.innermost(place), searched(&given, place), "{place:?}");
            }
        }
        assert_eq!(Nested::new(Vec::new()).innermost(span(0, 1)), None);
    }

    /// However many there are, only those that lie around each other are looked at one by one.
    #[test]
    fn many_scopes_cost_no_more_than_their_depth() {
        let mut given = vec![(span(0, 1_000_000), 0); 100_000];
        given.extend((0..100_000).map(|n| (span(10 * n, 10 * n + 9), 1)));
        let nested = Nested::new(given);
        assert_eq!(nested.scopes.len(), 100_001);
        for place in [span(5, 6), span(500_003, 500_004), span(999_990, 999_999), span(8, 12)] {
            assert!(nested.outwards(place).count() <= 2, "{place:?}");
        }
        assert_eq!(nested.innermost(span(8, 12)), Some(0));
    }
}
