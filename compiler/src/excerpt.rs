//! Sessions of a text that can be checked by themselves.
//!
//! A session depends on what is declared outside of sessions, and on the sessions that it includes; on no other. Where
//! no session of a text includes another, an edit inside of one changes the diagnostics of that session alone. It is
//! enough to analyse an *excerpt* then: the text with all other sessions blank, so that every place is the same. The
//! diagnostics of the others are moved with their places.
//!
//! All of the text has to be analysed where something else connects sessions: a lint level, since
//! an unused one depends on the mistakes of all; two sessions of one name; so many diagnostics that a limit may be near;
//! a text so short that fixes are tried; brackets that do not close in their session; a mistake of syntax elsewhere.

use std::ops::Range;

use tracec_grammar::syntax::File;
use tracec_grammar::{TextToken, TokenClass, tokens};
use tracec_span::{FileId, Span};

use crate::diagnostic::{Diagnostic, Severity, add_in_order, are_fixes_tried, codes};

/// The greatest number of errors of a text whose sessions are checked by themselves. The names that errors suggest are
/// searched for until all searches of a text together have looked at a million.
const ERRORS: usize = 10;

/// The same number of warnings.
const WARNINGS: usize = 50;

/// Words that connect a session with others.
const CONNECTING: [&str; 2] = ["include", "lint"];

/// The sessions of a text that can be checked by themselves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SeparateSessions(Vec<Place>);

/// Where a session stands.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Place {
    /// The start of the comments that document it, or of the session.
    start: usize,
    /// The word `session`.
    word: usize,
    /// The end of its closing brace.
    end: usize,
}

impl Place {
    fn overlaps(&self, span: Span) -> bool {
        let Range { start, end } = span.range();
        span.file == FileId::MAIN && start < self.end && self.start < end.max(start + 1)
    }

    fn holds(&self, span: Span) -> bool {
        let Range { start, end } = span.range();
        span.file == FileId::MAIN && self.start <= start && end <= self.end
    }
}

/// An edit inside one session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionEdit {
    /// The sessions after the edit.
    pub sessions: SeparateSessions,
    /// The index of the edited one.
    pub index: usize,
    /// Where it was before.
    old: Place,
}

impl SeparateSessions {
    /// Returns the sessions of a text that can be checked by themselves; `None` if there are none.
    pub fn of(text: &str, file: &File) -> Option<SeparateSessions> {
        if are_fixes_tried(text) || file.sessions().nth(1).is_none() {
            return None;
        }
        let tokens = tokens(text);
        if connects(text, &tokens) {
            return None;
        }
        let mut names: Vec<&str> =
            file.sessions().map(|session| session.name.as_ref().map_or("", |n| &n.value)).collect();
        names.sort_unstable();
        if names.windows(2).any(|two| two[0] == two[1]) {
            return None;
        }
        let places = file.sessions().filter_map(|session| {
            let Range { start: word, end } = session.span.range();
            let start = session.doc.as_ref().map_or(word, |doc| doc.span.range().start);
            let from = tokens.partition_point(|token| token.span.range().start < word);
            let to = tokens.partition_point(|token| token.span.range().start < end);
            body(text, tokens.get(from..to)?, end)?;
            Some(Place { start, word, end })
        });
        Some(SeparateSessions(places.collect()))
            .filter(|sessions| sessions.0.is_sorted_by(|a, b| a.end <= b.start))
    }

    /// Returns the indexes of the sessions that overlap a range.
    pub fn at(&self, range: &Range<usize>) -> Range<usize> {
        let from = self.0.partition_point(|place| place.end < range.start);
        from..self.0.partition_point(|place| place.start <= range.end).max(from)
    }

    /// Returns the text in which all of these sessions are blank except for some.
    pub fn excerpt(&self, text: &str, wanted: &Range<usize>) -> String {
        let mut excerpt = String::with_capacity(text.len());
        let mut copied = 0;
        for (_, place) in self.0.iter().enumerate().filter(|(index, _)| !wanted.contains(index)) {
            excerpt.push_str(&text[copied..place.start]);
            let blank = |byte: u8| if matches!(byte, b'\r' | b'\n') { char::from(byte) } else { ' ' };
            excerpt.extend(text[place.start..place.end].bytes().map(blank));
            copied = place.end;
        }
        excerpt.push_str(&text[copied..]);
        excerpt
    }

    /// Returns the edit that leads from a text with these sessions to another; `None` if it is not inside one of them, or
    /// connects that one with others.
    pub fn edit(&self, old: &str, new: &str) -> Option<SessionEdit> {
        let same = |(a, b): &(u8, u8)| a == b;
        let before = old.bytes().zip(new.bytes()).take_while(same).count();
        let most = old.len().min(new.len()) - before;
        let behind = old.bytes().rev().zip(new.bytes().rev()).take(most).take_while(same).count();
        let index = self.0.partition_point(|place| place.end <= before);
        let place = self.0.get(index)?;
        if before <= place.word || old.len() - behind >= place.end {
            return None;
        }
        let moved = |offset: usize| offset + new.len() - old.len();
        let (word, end) = (place.word, moved(place.end));
        let text = &new[word..end];
        let tokens = tokens(text);
        let body = body(text, &tokens, text.len())?;
        if connects(text, &tokens) || before < word + body {
            return None;
        }
        let mut sessions = self.clone();
        sessions.0[index].end = end;
        for Place { start, word, end } in &mut sessions.0[index + 1..] {
            (*start, *word, *end) = (moved(*start), moved(*word), moved(*end));
        }
        Some(SessionEdit { sessions, index, old: place.clone() })
    }
}

impl SessionEdit {
    /// Returns the edited text with all other sessions blank.
    pub fn excerpt(&self, text: &str) -> String {
        self.sessions.excerpt(text, &(self.index..self.index + 1))
    }

    /// Returns the diagnostics of the edited text: those of the `excerpt`, whose syntax is `file`, and the `old` ones of
    /// the other sessions. `None` if the edit may concern other sessions.
    pub fn diagnostics(
        &self,
        old: &[Diagnostic],
        excerpt: Vec<Diagnostic>,
        file: &File,
    ) -> Option<Vec<Diagnostic>> {
        let new = &self.sessions.0[self.index];
        let mut here = file.declarations.iter().filter(|declaration| new.overlaps(declaration.span));
        let is_it = |span: Span| span.range() == (new.word..new.end);
        if !here.next().is_some_and(|declaration| is_it(declaration.span)) || here.next().is_some() {
            return None;
        }
        let is_of = |place: &Place, said: &Diagnostic| {
            said.primary.as_ref().is_some_and(|label| place.holds(label.span))
        };
        let (own, outside): (Vec<_>, Vec<_>) = excerpt.into_iter().partition(|said| is_of(new, said));
        let others = old.iter().filter(|said| !is_of(&self.old, said));
        let mut all: Vec<Diagnostic> = others.map(|said| self.moved(said)).collect::<Option<_>>()?;
        // How a text is read behind a mistake of syntax depends on all that follows.
        if all.iter().any(|said| said.code.is_of_syntax()) {
            return None;
        }
        let is_of_session = |said: &Diagnostic| {
            let at = said.primary.as_ref().map(|label| label.span.range());
            at.is_some_and(|at| self.sessions.0[self.sessions.at(&at)].iter().any(|place| is_of(place, said)))
        };
        if !all.iter().filter(|said| !is_of_session(said)).eq(&outside) {
            return None;
        }
        add_in_order(&mut all, own);
        (are_few(old) && are_few(&all)).then_some(all)
    }

    /// Returns a diagnostic of another part of the text at its new place; `None` if it concerns the edited session.
    fn moved(&self, said: &Diagnostic) -> Option<Diagnostic> {
        let (old, new) = (&self.old, &self.sessions.0[self.index]);
        let mut said = said.clone();
        let labels = said.primary.iter_mut().chain(&mut said.secondary).map(|label| &mut label.span);
        let edits = said.fixes.iter_mut().flat_map(|fix| &mut fix.edits).map(|edit| &mut edit.span);
        for span in labels.chain(edits).filter(|span| span.file == FileId::MAIN) {
            let Range { start, end } = span.range();
            if start >= old.end {
                *span = Span::new(start + new.end - old.end, end + new.end - old.end);
            } else if end > old.start {
                return None;
            }
        }
        Some(said)
    }
}

/// Returns whether there are so few diagnostics that no limit has left out any of them, nor a part. Sessions with more are
/// not checked by themselves.
pub fn are_few(diagnostics: &[Diagnostic]) -> bool {
    let errors = diagnostics.iter().filter(|said| said.severity == Severity::Error).count();
    errors <= ERRORS
        && diagnostics.len() - errors <= WARNINGS
        && diagnostics.iter().all(|said| said.code != &codes::too_many_errors::CODE)
}

fn connects(text: &str, tokens: &[TextToken]) -> bool {
    let words = tokens.iter().filter(|token| token.class == TokenClass::Word);
    words.into_iter().any(|token| CONNECTING.contains(&&text[token.span.range()]))
}

/// Returns the end of the brace that opens the block of a session, whose tokens these are; `None` if its block does not
/// end with it, at `end`.
fn body(text: &str, tokens: &[TextToken], end: usize) -> Option<usize> {
    if tokens.first().is_none_or(|first| &text[first.span.range()] != "session") {
        return None;
    }
    let (mut open, mut body) = (Vec::new(), None);
    for token in tokens.iter().filter(|token| token.class == TokenClass::Punctuation) {
        let at = token.span.range();
        let closes = match &text[at.clone()] {
            "(" => ")",
            "[" => "]",
            "{" => "}",
            word @ (")" | "]" | "}") => {
                if open.pop() != Some(word) {
                    return None;
                }
                if open.is_empty() && word == "}" {
                    return body.filter(|_| at.end == end);
                }
                continue;
            }
            _ => continue,
        };
        if open.is_empty() && closes == "}" {
            body = Some(at.end);
        }
        open.push(closes);
    }
    None
}

#[cfg(test)]
mod tests {
    use tracec_grammar::parse;

    use super::*;

    /// Returns a text of some sessions that is long enough.
    fn text(clause: impl Fn(usize) -> String) -> String {
        let session =
            |at| format!("/// Doc {at}.\nsession s{at} {{\n    clock mono;\n    {}\n}}\n", clause(at));
        format!("const A = 1;\n{}", (0..700).map(session).collect::<String>())
    }

    fn separate(text: &str) -> Option<SeparateSessions> {
        SeparateSessions::of(text, &parse(text).file)
    }

    #[test]
    fn sessions_that_nothing_connects_are_separate() {
        let plain = text(|_| "trace sched:sched_switch if prev_prio < 100;".to_owned());
        assert_eq!(separate(&plain).map(|sessions| sessions.0.len()), Some(700));
        assert_eq!(separate(&plain[..plain.find("session s3 ").expect("a session")]), None);
        for clause in ["include s1;", "trace sched:* { lint allow T0901; }"] {
            assert_eq!(separate(&text(|at| if at == 9 { clause.to_owned() } else { String::new() })), None);
        }
        let twice =
            text(|_| "trace sched:sched_switch;".to_owned()).replacen("session s5 ", "session s6 ", 1);
        assert_eq!(separate(&twice), None);
        // What does not close its brackets is left as it is.
        let open = plain.replacen("100;", "(100;", 1);
        assert_eq!(separate(&open).map(|sessions| sessions.0.len()), Some(699));
    }

    #[test]
    fn excerpt_has_the_places_of_its_text() {
        let text = text(|at| format!("trace sched:sched_switch; // \u{1f980} {at}"));
        let sessions = separate(&text).expect("sessions");
        let excerpt = sessions.excerpt(&text, &(7..8));
        assert_eq!(excerpt.len(), text.len());
        assert_eq!(excerpt.lines().count(), text.lines().count());
        let words: Vec<&str> =
            excerpt.split_whitespace().filter(|word| word.starts_with(['s', 'c'])).collect();
        assert_eq!(words, ["const", "session", "s7", "clock", "sched:sched_switch;"]);
        assert_eq!(excerpt.find("session s7"), text.find("session s7"));
    }

    #[test]
    fn edit_of_the_inside_of_one_session_is_found() {
        let old = text(|_| "trace sched:sched_switch if prev_prio < 100;".to_owned());
        let sessions = separate(&old).expect("sessions");
        let at = old.find("session s9 ").expect("a session");
        let edited = |from: &str, to: &str| {
            let (before, behind) = old.split_at(at);
            let new = format!("{before}{}", behind.replacen(from, to, 1));
            let edit = sessions.edit(&old, &new)?;
            assert_eq!(Some(&edit.sessions), separate(&new).as_ref(), "{to}");
            Some(edit.index)
        };
        assert_eq!(edited("100", "1007"), Some(9));
        assert_eq!(edited("mono;", "boot; buffer 1MiB;"), Some(9));
        assert_eq!(edited("    clock mono;\n", ""), Some(9));
        for (from, to) in [
            ("s9 {", "s90 {"),
            ("100;", "100; }"),
            ("100;", "(100;"),
            ("100;", "100; /*"),
            ("clock mono;", "include s1;"),
            ("}\n", "}\nsession t { }\n"),
            ("/// Doc 10", "/// Doc 11"),
        ] {
            assert_eq!(edited(from, to), None, "{to}");
        }
    }
}
