//! Sets of texts, and sets of CPU masks: what an atom says of such a value.
//!
//! Both kinds have equality with one value and a test that many values pass. What is known of two tests is sound and not
//! complete: [`PointSet::implies`] may miss a relation, and never claims one that is not there.

use crate::condition::glob::{Glob, Token, matches_by};
use crate::condition::ir::{MaskTest, TextTest};
use crate::condition::ranges::Ranges;

/// One value.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Point {
    Text(String),
    Mask(Ranges),
}

/// What many values pass.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Pattern {
    Glob(Glob),
    /// A CPU in common.
    Any(Ranges),
}

/// The values for which an atom, or its negation, is true, and whether it is where there is no value.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct PointSet {
    pub(super) kind: Kind,
    /// True where there is no value: a text that cannot be read. Only a negation is. Never set for what always has one.
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
    /// What a test says of a text that has at most so many bytes.
    pub(super) fn of_text(test: &TextTest, longest: Option<usize>) -> Kind {
        let fits = |length: usize| longest.is_none_or(|longest| length <= longest);
        let is = |text: &str| {
            if fits(text.len()) { Kind::Is(Point::Text(text.to_owned())) } else { Kind::Nothing }
        };
        match test {
            TextTest::Eq(text) => is(text),
            TextTest::Ne(text) => is(text).complement(),
            TextTest::Glob(glob) if glob.tokens() == [Token::Star] => Kind::Everything,
            TextTest::Glob(glob) if !fits(glob.shortest()) || glob.is_never() => Kind::Nothing,
            TextTest::Glob(glob) => match glob.literal() {
                Some(text) => is(&text),
                None => Kind::Matches(Pattern::Glob(glob.clone())),
            },
        }
    }

    /// What a test says of a mask.
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

    /// Whether a value is in it.
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
    /// All values that are not in it. What always has a value (`total`) has no other case.
    pub(super) fn complement(self, total: bool) -> PointSet {
        PointSet { kind: self.kind.complement(), bottom: !total && !self.bottom }
    }

    /// Whether it is known that all values of this are in the other.
    pub(super) fn implies(&self, other: &PointSet) -> bool {
        (!self.bottom || other.bottom) && self.kind.implies(&other.kind)
    }

    /// Whether it is known that no value is in both. Both lack the case of no value, or it is one that they share.
    pub(super) fn excludes(&self, other: &PointSet) -> bool {
        !(self.bottom && other.bottom) && self.kind.implies(&other.kind.clone().complement())
    }

    /// Whether it says more than that a value is another: [`PointSet::implies`] between two that do not is equality.
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

    /// Whether it is known that it takes all that the other takes.
    fn includes(&self, other: &Pattern) -> bool {
        match (self, other) {
            (Pattern::Glob(own), Pattern::Glob(other)) => includes(own.tokens(), other.tokens()),
            (Pattern::Any(own), Pattern::Any(other)) => own.intersection(other) == *other,
            _ => false,
        }
    }

    /// Whether it is known that nothing passes both.
    fn is_apart(&self, other: &Pattern) -> bool {
        match (self, other) {
            (Pattern::Glob(own), Pattern::Glob(other)) => are_apart(own, other),
            _ => false,
        }
    }
}

/// Whether a pattern matches another one read as a text, in which a star is taken by a star alone and any other token by
/// one that takes all of its bytes. Then it matches every text that the other matches.
fn includes(tokens: &[Token], text: &[Token]) -> bool {
    matches_by(tokens, text.len(), |token, at| text.get(at).is_some_and(|other| takes_all(token, other)))
}

/// Whether a token, no star, takes every byte that another takes.
fn takes_all(token: &Token, other: &Token) -> bool {
    match (token, other) {
        (Token::Star, _) | (_, Token::Star) => false,
        (Token::One, _) => true,
        (token, Token::Byte(byte)) => token.takes(*byte),
        (token, Token::One) => (1..=u8::MAX).all(|byte| token.takes(byte)),
        (token, Token::Class(class)) => (1..=u8::MAX).all(|byte| !class.contains(byte) || token.takes(byte)),
    }
}

/// Whether no text is matched by both: their beginnings or their ends, up to the first star, have no byte in common at
/// some place, or one is longer than the other can be.
fn are_apart(a: &Glob, b: &Glob) -> bool {
    let exact = |glob: &Glob| (!glob.tokens().contains(&Token::Star)).then(|| glob.shortest());
    let too_long = |one: &Glob, other: &Glob| exact(one).is_some_and(|length| other.shortest() > length);
    let differ =
        |(one, other): (&Token, &Token)| (1..=u8::MAX).all(|byte| !(one.takes(byte) && other.takes(byte)));
    let solid = |token: &&Token| **token != Token::Star;
    let (starts_a, starts_b) = (a.tokens().iter().take_while(solid), b.tokens().iter().take_while(solid));
    let ends =
        |glob: &'_ Glob| -> Vec<Token> { glob.tokens().iter().rev().take_while(solid).cloned().collect() };
    too_long(a, b)
        || too_long(b, a)
        || starts_a.zip(starts_b).any(differ)
        || ends(a).iter().zip(ends(b).iter()).any(differ)
}
