//! Sets of texts, and sets of CPU masks: the values for which an atom is true.
//!
//! Both kinds have equality with one value and a test that many values pass. Relations between tests are sound and not
//! complete: [`PointSet::implies`] may miss a relation, and never claims a wrong one.

use crate::condition::glob::{Glob, GlobToken, matches_by};
use crate::condition::ir::{MaskTest, TextTest};
use crate::condition::ranges::Ranges;

/// One value.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Point {
    Text(String),
    Mask(Ranges),
}

/// A test that many values pass.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Pattern {
    Glob(Glob),
    /// A CPU in common.
    Any(Ranges),
}

/// The values for which an atom, or its negation, is true, and whether it is true without a value.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct PointSet {
    pub(super) kind: Kind,
    /// Whether the case without a value, a text that cannot be read, is included. Only a negation is true then. Never
    /// set for subjects that always have a value.
    pub(super) bottom: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Kind {
    Nothing,
    Everything,
    Is(Point),
    IsNot(Point),
    Matches(Pattern),
    MatchesNot(Pattern),
}

impl Kind {
    /// Returns the set of a test of a text that has at most so many bytes.
    pub(super) fn of_text(test: &TextTest, longest: Option<usize>) -> Kind {
        let fits = |length: usize| longest.is_none_or(|longest| length <= longest);
        let is = |text: &str| {
            if fits(text.len()) { Kind::Is(Point::Text(text.to_owned())) } else { Kind::Nothing }
        };
        match test {
            TextTest::Eq(text) => is(text),
            TextTest::Ne(text) => is(text).complement(),
            TextTest::Glob(glob) if glob.tokens() == [GlobToken::Star] => Kind::Everything,
            TextTest::Glob(glob) if !fits(glob.shortest()) || glob.is_never() => Kind::Nothing,
            TextTest::Glob(glob) => match glob.literal() {
                Some(text) => is(&text),
                None => Kind::Matches(Pattern::Glob(glob.clone())),
            },
        }
    }

    /// Returns the set of a test of a mask.
    pub(super) fn of_mask(test: MaskTest, cpus: &Ranges) -> Kind {
        match test {
            MaskTest::Equal => Kind::Is(Point::Mask(cpus.clone())),
            MaskTest::Differ => Kind::IsNot(Point::Mask(cpus.clone())),
            MaskTest::Any => Kind::Matches(Pattern::Any(cpus.clone())),
        }
    }

    fn complement(self) -> Kind {
        match self {
            Kind::Nothing => Kind::Everything,
            Kind::Everything => Kind::Nothing,
            Kind::Is(point) => Kind::IsNot(point),
            Kind::IsNot(point) => Kind::Is(point),
            Kind::Matches(pattern) => Kind::MatchesNot(pattern),
            Kind::MatchesNot(pattern) => Kind::Matches(pattern),
        }
    }

    /// Returns whether a value is in the set.
    pub(super) fn contains(&self, point: &Point) -> bool {
        match self {
            Kind::Nothing => false,
            Kind::Everything => true,
            Kind::Is(own) => own == point,
            Kind::IsNot(own) => own != point,
            Kind::Matches(pattern) => pattern.takes(point),
            Kind::MatchesNot(pattern) => !pattern.takes(point),
        }
    }

    fn implies(&self, other: &Kind) -> bool {
        match (self, other) {
            (Kind::Nothing, _) | (_, Kind::Everything) => true,
            (Kind::Is(point), other) => other.contains(point),
            (own, Kind::IsNot(point)) => !own.contains(point),
            (Kind::Matches(own), Kind::Matches(other)) => other.includes(own),
            (Kind::MatchesNot(own), Kind::MatchesNot(other)) => own.includes(other),
            (Kind::Matches(own), Kind::MatchesNot(other)) => own.is_apart(other),
            _ => false,
        }
    }
}

impl PointSet {
    /// Returns the complement of the set. A subject that always has a value (`total`) does not have the additional
    /// case.
    pub(super) fn complement(self, total: bool) -> PointSet {
        PointSet { kind: self.kind.complement(), bottom: !total && !self.bottom }
    }

    /// Returns whether it is known that all values of this set are in the other.
    pub(super) fn implies(&self, other: &PointSet) -> bool {
        (!self.bottom || other.bottom) && self.kind.implies(&other.kind)
    }

    /// Returns whether it is known that the sets are disjoint, disregarding the case without a value if they share it.
    pub(super) fn excludes(&self, other: &PointSet) -> bool {
        !(self.bottom && other.bottom) && self.kind.implies(&other.kind.clone().complement())
    }

    /// Returns whether the set has a pattern. Between two that have none, [`PointSet::implies`] is equality.
    pub(super) fn is_pattern(&self) -> bool {
        !matches!(self.kind, Kind::Is(_) | Kind::IsNot(_))
    }
}

impl Pattern {
    fn takes(&self, point: &Point) -> bool {
        match (self, point) {
            (Pattern::Glob(glob), Point::Text(text)) => glob.matches(text.as_bytes()),
            (Pattern::Any(cpus), Point::Mask(mask)) => !cpus.intersection(mask).is_empty(),
            _ => false,
        }
    }

    /// Returns whether it is known that it matches all values that the other matches.
    fn includes(&self, other: &Pattern) -> bool {
        match (self, other) {
            (Pattern::Glob(own), Pattern::Glob(other)) => includes(own.tokens(), other.tokens()),
            (Pattern::Any(own), Pattern::Any(other)) => own.intersection(other) == *other,
            _ => false,
        }
    }

    /// Returns whether it is known that no value matches both.
    fn is_apart(&self, other: &Pattern) -> bool {
        match (self, other) {
            (Pattern::Glob(own), Pattern::Glob(other)) => are_apart(own, other),
            _ => false,
        }
    }
}

/// Returns whether a pattern matches another one read as a text, in which only a star matches a star, and any other
/// token is matched by one that matches all of its bytes. Then it matches every text that the other matches.
fn includes(tokens: &[GlobToken], text: &[GlobToken]) -> bool {
    matches_by(tokens, text.len(), |token, at| text.get(at).is_some_and(|other| takes_all(token, other)))
}

/// Returns whether a token other than a star matches every byte that another matches.
fn takes_all(token: &GlobToken, other: &GlobToken) -> bool {
    match (token, other) {
        (GlobToken::Star, _) | (_, GlobToken::Star) => false,
        (GlobToken::One, _) => true,
        (token, GlobToken::Byte(byte)) => token.takes(*byte),
        (token, GlobToken::One) => (1..=u8::MAX).all(|byte| token.takes(byte)),
        (token, GlobToken::Class(class)) => {
            (1..=u8::MAX).all(|byte| !class.contains(byte) || token.takes(byte))
        }
    }
}

/// Returns whether no text matches both: their beginnings or their ends, up to the first star, have no byte in common
/// at some place, or one is longer than the other can be.
fn are_apart(a: &Glob, b: &Glob) -> bool {
    let exact = |glob: &Glob| (!glob.tokens().contains(&GlobToken::Star)).then(|| glob.shortest());
    let too_long = |one: &Glob, other: &Glob| exact(one).is_some_and(|length| other.shortest() > length);
    let differ = |(one, other): (&GlobToken, &GlobToken)| {
        (1..=u8::MAX).all(|byte| !(one.takes(byte) && other.takes(byte)))
    };
    let solid = |token: &&GlobToken| **token != GlobToken::Star;
    let (starts_a, starts_b) = (a.tokens().iter().take_while(solid), b.tokens().iter().take_while(solid));
    let ends = |glob: &'_ Glob| -> Vec<GlobToken> {
        glob.tokens().iter().rev().take_while(solid).cloned().collect()
    };
    too_long(a, b)
        || too_long(b, a)
        || starts_a.zip(starts_b).any(differ)
        || ends(a).iter().zip(ends(b).iter()).any(differ)
}
