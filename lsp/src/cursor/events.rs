//! The set of events that the statement at a place is about.

use std::ops::Range;

use tracec_grammar::TokenClass;

use super::{Block, BlockKind, Cursor};

/// The number of words before the event of a probe: `event NAME at event`.
const PROBE: usize = 4;

impl<'t> Cursor<'t> {
    /// Returns the text of the set of events that the statement is about: of its own, or of the block around it; empty if
    /// it is about none.
    pub(crate) fn events(&self) -> String {
        self.set_of(self.event_tokens())
    }

    /// Returns the text of some tokens of a set of events.
    fn set_of(&self, tokens: Range<usize>) -> String {
        let words: Vec<&str> = tokens.map(|index| self.token(index)).collect();
        words.join(" ").replace(" : ", ":")
    }

    /// Returns the bytes of that set, if the place is behind it.
    pub(crate) fn events_before(&self) -> Option<Range<usize>> {
        let tokens = self.event_tokens();
        let range = self.offset_of(tokens.start)..self.end_of(tokens.end.checked_sub(1)?);
        (!tokens.is_empty() && range.end < self.word.start).then_some(range)
    }

    /// Returns the fields that the events of that set have to have, without the one at the place.
    pub(crate) fn having(&self) -> Vec<&'t str> {
        let mut rest = self.event_tokens().end..self.tokens.len();
        if rest.next().is_none_or(|index| self.token(index) != "having") {
            return Vec::new();
        }
        let mut list = rest.take_while(|index| {
            let class = self.tokens.get(*index).map(|token| token.class);
            self.token(*index) == "," || class == Some(TokenClass::Word) && self.token(*index) != "if"
        });
        let mut fields = Vec::new();
        while let Some(index) = list.next() {
            let is_here = self.tokens.get(index).is_some_and(|token| token.span.range() == self.word);
            fields.extend(Some(self.token(index)).filter(|_| !is_here));
            // Behind a field without a comma another statement begins.
            if list.next().is_none_or(|index| self.token(index) != ",") {
                break;
            }
        }
        fields
    }

    /// Returns whether the place is among the fields that events have to have.
    pub(crate) fn is_in_having(&self) -> bool {
        let before = self.before();
        let last = before.iter().rposition(|word| matches!(*word, "having" | "if" | "filter"));
        last.and_then(|last| before.get(last)) == Some(&"having")
    }

    /// Returns the tokens of the set of events that the statement is about.
    fn event_tokens(&self) -> Range<usize> {
        if let Some(block) = self.blocks.iter().rev().find(|block| block.kind == BlockKind::Items) {
            let start = block.first + 1;
            return start..start + set_length(self.words_of(block).get(1..).unwrap_or_default());
        }
        if let Some(block) = self.event_probe() {
            return block.first + PROBE..block.first + self.words_of(block).len();
        }
        let all: Vec<&str> = (self.before.start..self.behind.end).map(|index| self.token(index)).collect();
        let (skipped, words) = match all.as_slice() {
            ["trace" | "on", rest @ ..] => (1, rest),
            ["stop" | "dump", "on", rest @ ..] => (2, rest),
            ["when", "has", "field", rest @ ..] => {
                (3, rest.split(|word| *word == ".").next().unwrap_or_default())
            }
            _ => return 0..0,
        };
        let start = self.before.start + skipped;
        start..start + set_length(words)
    }

    /// Returns the block around the place, if it has the fields that a probe records of another event.
    pub(crate) fn event_probe(&self) -> Option<&Block> {
        let block = self.blocks.iter().rev().find(|block| block.kind != BlockKind::Set)?;
        matches!(self.words_of(block).as_slice(), ["event", _, "at", "event", ..]).then_some(block)
    }

    /// Returns the names of the arguments of the probe whose block the place is in, and of its result.
    pub(crate) fn probe_arguments(&self) -> Vec<&'t str> {
        let Some(block) = self.blocks.iter().rev().find(|block| block.kind != BlockKind::Set) else {
            return Vec::new();
        };
        let words = self.words_of(block);
        if !matches!(words.as_slice(), ["event", _, "at", ..]) {
            return Vec::new();
        }
        let named = words.windows(3).filter_map(|words| match *words {
            ["(" | ",", name, ":"] => Some(name),
            _ => None,
        });
        named.collect()
    }

    /// Returns the set of events before the `except` that the place is behind.
    pub(crate) fn events_before_except(&self) -> Option<String> {
        let all = self.event_tokens();
        let except = all.clone().rev().find(|index| self.token(*index) == "except")?;
        (self.offset_of(except) < self.word.start).then(|| self.set_of(all.start..except))
    }

    /// Returns whether the place is in the block of a `trace` clause.
    pub(crate) fn is_in_trace(&self) -> bool {
        let block = self.blocks.iter().rev().find(|block| block.kind == BlockKind::Items);
        block.is_some_and(|block| self.words_of(block).first() == Some(&"trace"))
    }

    /// Returns whether the place is in a condition, or among the fields that decide which events a clause is about.
    pub(crate) fn is_in_condition(&self) -> bool {
        let before = self.before();
        before.first() == Some(&"filter") || before.iter().any(|word| matches!(*word, "if" | "having"))
    }
}

/// Returns the number of words of the set of events at the start of some words.
fn set_length(words: &[&str]) -> usize {
    let mut depth = 0_i32;
    let end = words.iter().enumerate().position(|(index, word)| {
        // Behind `trace`, `,` and `except` a brace opens a set, elsewhere the block.
        let opens_set =
            index == 0 || words.get(index - 1).is_some_and(|before| matches!(*before, "except" | ","));
        match *word {
            "{" if opens_set || depth > 0 => depth += 1,
            "}" if depth > 0 => depth -= 1,
            "{" | "}" | ";" | "if" | "having" | "count" | "once" | "to" => {
                return depth <= 0 || matches!(*word, ";");
            }
            _ => {}
        }
        false
    });
    end.unwrap_or(words.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_events_of_a_statement_are_found() {
        for (text, expected) in [
            ("session a { trace b:c if x| }", "b:c"),
            (
                "session a { trace {b:c, d:*} except {d:e} if x| { filter y; } }",
                "{ b:c , d:* } except { d:e }",
            ),
            ("session a { trace b:c { filter | } }", "b:c"),
            ("session a { on b:c having d { trigger | } }", "b:c"),
            ("session a { stop on b:c if | count 3; }", "b:c"),
            ("session a { dump on b:c to \"d\" max |; }", "b:c"),
            ("session a { dump on b:c if | count 3 to \"d\"; }", "b:c"),
            ("session a { clock | }", ""),
        ] {
            let offset = text.find('|').expect("a mark");
            assert_eq!(Cursor::new(&text.replacen('|', "", 1), offset).events(), expected, "{text}");
        }
    }
}
