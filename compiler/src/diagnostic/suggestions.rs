//! What an unknown name may have meant.

use std::cell::RefCell;

use rustc_hash::FxHashMap;
use tracec_grammar::span::Span;
use tracec_kernel::nearest::nearest;

/// How many unknown names of a text get suggestions: nobody reads those for more mistakes than are kept.
const SPANS: usize = 200;

/// How many known names are looked at for the unknown ones of a text. A right text with one mistake has fewer by far.
const LOOKED_AT: usize = 1_000_000;

/// How many names a diagnostic suggests.
const NAMES: usize = 3;

/// The suggestions for the unknown names of one text: as many as are worth their time.
///
/// They are results of [`nearest`], kept because a name is looked up once per event, and limited in number. Only the
/// wording of diagnostics depends on them: no pass decides by them what is a mistake, or what it returns.
#[derive(Clone, Debug, Default)]
pub struct Suggestions(RefCell<Given>);

/// Suggestions do not distinguish one text from another: any two are equal.
impl PartialEq for Suggestions {
    fn eq(&self, _: &Suggestions) -> bool {
        true
    }
}

#[derive(Clone, Debug, Default)]
struct Given {
    /// What was suggested at each span, once it was searched for. A name may be looked up several times: a condition is
    /// checked for many events.
    spans: FxHashMap<Span, Option<Vec<String>>>,
    /// How many known names were looked at.
    looked_at: usize,
}

/// How much was searched for suggestions. Below the limits each unknown name of a text gets its own.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Searched {
    spans: usize,
    looked_at: usize,
}

impl std::ops::Add for Searched {
    type Output = Searched;

    fn add(self, other: Searched) -> Searched {
        Searched { spans: self.spans + other.spans, looked_at: self.looked_at + other.looked_at }
    }
}

impl Searched {
    /// Returns whether it is below the limits.
    pub(crate) fn is_below_limits(self) -> bool {
        self.spans < SPANS && self.looked_at < LOOKED_AT
    }
}

impl Suggestions {
    /// Returns how much was searched.
    pub(crate) fn searched(&self) -> Searched {
        let given = self.0.borrow();
        Searched { spans: given.spans.len(), looked_at: given.looked_at }
    }

    /// Returns whether the unknown name at `span` is among the first of its text, which get suggestions.
    pub fn has(&self, span: Span) -> bool {
        let spans = &mut self.0.borrow_mut().spans;
        if !spans.contains_key(&span) && spans.len() < SPANS {
            spans.insert(span, None);
        }
        spans.contains_key(&span)
    }

    /// Returns the names that are most similar to the unknown one at `span`, the best first. `names` is called only if
    /// they have to be searched for.
    pub fn near<I>(&self, span: Span, word: &str, names: impl FnOnce() -> I) -> Vec<String>
    where
        I: IntoIterator<Item: AsRef<str>>,
    {
        if !self.has(span) {
            return Vec::new();
        }
        let given = &mut *self.0.borrow_mut();
        if let Some(Some(near)) = given.spans.get(&span) {
            return near.clone();
        }
        if given.looked_at >= LOOKED_AT {
            return Vec::new();
        }
        let names: Vec<I::Item> = names().into_iter().collect();
        given.looked_at += names.len();
        let near = nearest(word, names.iter().map(AsRef::as_ref), NAMES);
        let near: Vec<String> = near.into_iter().map(str::to_owned).collect();
        given.spans.insert(span, Some(near.clone()));
        near
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(suggestions: &Suggestions, at: usize, names: &[&str]) -> Vec<String> {
        suggestions.near(Span::new(at, at + 1), "lenght", || names.iter().copied())
    }

    #[test]
    fn the_first_places_of_a_text_get_suggestions() {
        let suggestions = Suggestions::default();
        for at in 0..SPANS {
            assert_eq!(near(&suggestions, at, &["length", "other"]), ["length"]);
        }
        assert_eq!(near(&suggestions, SPANS, &["length"]), [""; 0]);
        assert!(!suggestions.has(Span::new(SPANS, SPANS + 1)));
        assert_eq!(near(&suggestions, 0, &[]), ["length"], "it was searched for before");
    }

    #[test]
    fn long_searches_end_sooner() {
        let suggestions = Suggestions::default();
        let many = vec!["length"; LOOKED_AT / 4];
        let found = (0..10).filter(|at| !near(&suggestions, *at, &many).is_empty()).count();
        assert_eq!(found, 4);
        assert_eq!(near(&suggestions, 3, &many), ["length"]);
    }
}
