//! Sessions of a text that can be checked by themselves.
//!
//! A session depends on what is declared outside of sessions, and on the sessions that it includes; on no other. Where
//! no session of a text includes another, an edit inside of one changes the diagnostics of that session alone. It is
//! enough to analyse an *excerpt* then: the text with all other sessions blank, so that every place is the same. The
//! diagnostics of the others are moved with their places. An edit of white space and comments behind a session changes
//! places alone, and counts as one of that session.
//!
//! All of the text has to be analysed where something else connects sessions: a lint level, since
//! an unused one depends on the mistakes of all; two sessions of one name; so many diagnostics that a limit may be near;
//! a text so short that fixes are tried; braces that do not close in their session; a mistake of syntax elsewhere.

use std::ops::Range;

use tracec_grammar::{Parsed, TextToken, TokenClass, changed, tokens};
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

/// An edit that leaves most sessions as they are: inside of one, or of the space behind it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionEdit {
    /// The sessions after the edit.
    pub sessions: SeparateSessions,
    /// The indexes of the edited ones.
    pub edited: Range<usize>,
    /// The edited part before the edit: a session, with the space behind it if that was edited, or what is between two.
    old: Range<usize>,
    /// The same after it.
    new: Range<usize>,
}

impl SeparateSessions {
    /// Returns the sessions of a text with this syntax that can be checked by themselves; `None` if there are none.
    pub fn of(text: &str, parsed: &Parsed) -> Option<SeparateSessions> {
        let file = &parsed.file;
        if are_fixes_tried(text) || file.sessions().nth(1).is_none() {
            return None;
        }
        // Tokens are looked at where they may say something else than the syntax.
        let is_plain = parsed.errors.is_empty() && !CONNECTING.iter().any(|word| text.contains(word));
        let tokens = if is_plain { Vec::new() } else { tokens(text) };
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
            if is_plain {
                return Some(Place { start, word, end });
            }
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

    /// Returns the edit that leads from a text with these sessions to another; `None` if it is not inside one of them or
    /// in the space behind it, or connects sessions with each other.
    pub fn edit(&self, old: &str, new: &str) -> Option<SessionEdit> {
        if are_fixes_tried(new) {
            return None;
        }
        let inside = self.inside(old, new, &changed(old, new));
        inside.or_else(|| self.behind(old, new, &changed(old, new))).or_else(|| {
            // Where what is inserted begins as what stands behind it, the place in front of it is as good.
            self.behind(old, new, &changed_from_the_end(old, new))
        })
    }

    /// Returns the edit of the inside of one session.
    fn inside(&self, old: &str, new: &str, changed: &Range<usize>) -> Option<SessionEdit> {
        let index = self.0.partition_point(|place| place.end <= changed.start);
        let (place, next) = (self.0.get(index)?, index + 1);
        if changed.start <= place.word || changed.end >= place.end {
            return None;
        }
        let end = place.end + new.len() - old.len();
        let text = &new[place.word..end];
        let tokens = tokens(text);
        let body = body(text, &tokens, text.len())?;
        if connects(text, &tokens) || changed.start < place.word + body {
            return None;
        }
        let mut sessions = self.clone();
        sessions.0[index].end = end;
        sessions.move_from(next, old, new);
        let (old, new) = (place.start..place.end, place.start..end);
        Some(SessionEdit { sessions, edited: index..next, old, new })
    }

    /// Returns the edit of white space and comments behind a session, if the next one stands on a line of its own.
    fn behind(&self, old: &str, new: &str, changed: &Range<usize>) -> Option<SessionEdit> {
        let next = self.0.partition_point(|place| place.end <= changed.start);
        let index = next.checked_sub(1)?;
        let place = self.0.get(index)?;
        let has_next = next < self.0.len();
        let end = self.0.get(next).map_or(old.len(), |next| next.start);
        if changed.end > end {
            return None;
        }
        let moved = end + new.len() - old.len();
        let (before, after) = (&old[place.end..end], &new[place.end..moved]);
        if !is_space(before) || !is_space(after) || (has_next && indent(before)? != indent(after)?) {
            return None;
        }
        let mut sessions = self.clone();
        sessions.move_from(next, old, new);
        let (old, new) = (place.start..end, place.start..moved);
        Some(SessionEdit { sessions, edited: index..next, old, new })
    }

    /// Moves sessions that stand behind an edit.
    fn move_from(&mut self, index: usize, old: &str, new: &str) {
        let moved = |offset: usize| offset + new.len() - old.len();
        for Place { start, word, end } in self.0.iter_mut().skip(index) {
            (*start, *word, *end) = (moved(*start), moved(*word), moved(*end));
        }
    }
}

/// Returns the bytes of a text that another one has not, as [`changed`] does, but found from the end.
fn changed_from_the_end(old: &str, new: &str) -> Range<usize> {
    let behind = common(old.bytes().rev(), new.bytes().rev());
    let most = old.len().min(new.len()) - behind;
    common(old.bytes().take(most), new.bytes())..old.len() - behind
}

fn common(one: impl Iterator<Item = u8>, other: impl Iterator<Item = u8>) -> usize {
    one.zip(other).take_while(|(a, b)| a == b).count()
}

impl SessionEdit {
    /// Returns the edited text with all other sessions blank.
    pub fn excerpt(&self, text: &str) -> String {
        self.sessions.excerpt(text, &self.edited)
    }

    /// Returns the diagnostics of the edited text: those of the `excerpt`, whose syntax is `parsed`, and the `old` ones of
    /// the other sessions. `None` if the edit may concern other sessions.
    pub fn diagnostics(
        &self,
        old: &[Diagnostic],
        excerpt: Vec<Diagnostic>,
        parsed: &Parsed,
    ) -> Option<Vec<Diagnostic>> {
        let overlaps = |span: Span| {
            let Range { start, end } = span.range();
            span.file == FileId::MAIN && start < self.new.end && self.new.start < end.max(start + 1)
        };
        let here = parsed.file.declarations.iter().filter(|declaration| overlaps(declaration.span));
        let edited = self.sessions.0.get(self.edited.clone())?.iter();
        if !here.map(|declaration| declaration.span.range()).eq(edited.map(|at| at.word..at.end)) {
            return None;
        }
        let is_in = |range: &Range<usize>, said: &Diagnostic| {
            said.primary.as_ref().is_some_and(|label| holds(range, label.span))
        };
        let (own, outside): (Vec<_>, Vec<_>) = excerpt.into_iter().partition(|said| is_in(&self.new, said));
        let others = old.iter().filter(|said| !is_in(&self.old, said));
        let mut all: Vec<Diagnostic> = others.map(|said| self.moved(said)).collect::<Option<_>>()?;
        // How a text is read behind a mistake of syntax depends on all that follows.
        if all.iter().any(|said| said.code.is_of_syntax()) {
            return None;
        }
        let is_of_session = |said: &Diagnostic| {
            let Some(at) = said.primary.as_ref().map(|label| label.span) else { return false };
            let places = &self.sessions.0[self.sessions.at(&at.range())];
            places.iter().any(|place| holds(&(place.start..place.end), at))
        };
        if !all.iter().filter(|said| !is_of_session(said)).eq(&outside) {
            return None;
        }
        add_in_order(&mut all, own);
        (are_few(old) && are_few(&all)).then_some(all)
    }

    /// Returns a diagnostic of another part of the text at its new place; `None` if it concerns the edited part.
    fn moved(&self, said: &Diagnostic) -> Option<Diagnostic> {
        let (old, new) = (&self.old, &self.new);
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

/// Returns whether a part of the text holds a span.
fn holds(range: &Range<usize>, span: Span) -> bool {
    let Range { start, end } = span.range();
    span.file == FileId::MAIN && range.start <= start && end <= range.end
}

/// Returns whether a text is white space and complete comments, which document nothing. One with other characters than
/// those of ASCII is not: some of them are mistakes in comments too.
fn is_space(text: &str) -> bool {
    let is_plain = |byte: u8| matches!(byte, b'\t' | b'\n' | b' '..=b'~');
    if !text.bytes().all(is_plain) {
        return false;
    }
    let mut end = 0;
    for token in tokens(text) {
        let Range { start, end: next } = token.span.range();
        let comment = &text[start..next];
        let is_line = comment.starts_with("//") && !comment.starts_with("///") && !comment.starts_with("//!");
        let is_block = comment.starts_with("/*") && comment.len() >= "/**/".len() && comment.ends_with("*/");
        // What is between tokens may be a comment of another language, which is a mistake.
        if !(is_line || is_block) || !text[end..start].trim().is_empty() {
            return false;
        }
        end = next;
    }
    text[end..].trim().is_empty()
}

/// Returns the white space behind the last end of a line; `None` if there is none, or something else stands there.
fn indent(text: &str) -> Option<&str> {
    let (_, last) = text.rsplit_once('\n')?;
    last.trim().is_empty().then_some(last)
}

fn connects(text: &str, tokens: &[TextToken]) -> bool {
    let words = tokens.iter().filter(|token| token.class == TokenClass::Word);
    words.into_iter().any(|token| CONNECTING.contains(&&text[token.span.range()]))
}

/// Returns the end of the brace that opens the block of a session, whose tokens these are; `None` if its block does not
/// end with it, at `end`. Other brackets that are open end with their statement.
fn body(text: &str, tokens: &[TextToken], end: usize) -> Option<usize> {
    if tokens.first().is_none_or(|first| &text[first.span.range()] != "session") {
        return None;
    }
    let (mut open, mut body) = (0_usize, None);
    for token in tokens.iter().filter(|token| token.class == TokenClass::Punctuation) {
        let at = token.span.range();
        match &text[at.clone()] {
            "{" => {
                body.get_or_insert(at.end);
                open += 1;
            }
            "}" => {
                open = open.checked_sub(1)?;
                if open == 0 {
                    return body.filter(|_| at.end == end);
                }
            }
            _ => {}
        }
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
        SeparateSessions::of(text, &parse(text))
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
        // Other brackets than braces end with their statement.
        let open = plain.replacen("100;", "(100;", 1);
        assert_eq!(separate(&open).map(|sessions| sessions.0.len()), Some(700));
        // What does not close its braces is left as it is.
        let open = plain.replacen("100;", "{100;", 1);
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
            Some(edit.edited.start)
        };
        assert_eq!(edited("100", "1007"), Some(9));
        assert_eq!(edited("mono;", "boot; buffer 1MiB;"), Some(9));
        assert_eq!(edited("    clock mono;\n", ""), Some(9));
        assert_eq!(edited("100;", "(100;"), Some(9));
        for (from, to) in [
            ("s9 {", "s90 {"),
            ("100;", "100; }"),
            ("100;", "{100;"),
            ("100;", "100; /*"),
            ("clock mono;", "include s1;"),
            ("}\n", "}\nsession t { }\n"),
            ("/// Doc 10", "/// Doc 11"),
        ] {
            assert_eq!(edited(from, to), None, "{to}");
        }
    }

    #[test]
    fn edit_of_the_space_behind_a_session_is_found() {
        let old = text(|_| "trace sched:sched_switch;".to_owned());
        let old = old.replacen("}\n/// Doc 20.", "}\n\n// A note.\n\n/// Doc 20.", 1);
        let sessions = separate(&old).expect("sessions");
        let edited = |at: &str, from: &str, to: &str| {
            let (before, behind) = old.split_at(old.find(at).expect("a place"));
            let new = format!("{before}{}", behind.replacen(from, to, 1));
            let edit = sessions.edit(&old, &new)?;
            assert_eq!(Some(&edit.sessions), separate(&new).as_ref(), "{to}");
            Some(edit.edited.start)
        };
        for (from, to) in [
            ("}\n", "}\n\n"),
            ("}\n", "} // Behind.\n"),
            ("}\n", "}\n// About nothing.\n"),
            ("}\n", "}\n/* One. */ // Two.\n\n/* Three\n\"{ */\n"),
        ] {
            assert_eq!(edited("session s9 ", from, to), Some(9), "{to}");
        }
        assert_eq!(edited("// A note.", " A note", ""), Some(19));
        assert_eq!(edited("// A note.", "// A note.\n\n", ""), Some(19));
        assert_eq!(edited("session s699 ", "}\n", "}\n// The end"), Some(699));
        for (from, to) in [
            ("}\n", "}\n/// About it.\n"),
            ("}\n", "}\n//! About all.\n"),
            ("}\n", "}\n# About nothing.\n"),
            ("}\n", "}\n/* About nothing.\n"),
            ("}\n", "}\n/*/\n"),
            ("}\n", "}\n// About \u{202e}nothing.\n"),
            ("}\n", "}\nconst B = 1;\n"),
            ("}\n", "}\n;\n"),
            ("}\n", "} "),
            ("}\n", "}\n // "),
            ("}\n", "}\n  "),
        ] {
            assert_eq!(edited("session s9 ", from, to), None, "{to}");
        }
        assert_eq!(edited("const A", "1;\n", "1;\n\n"), None, "before the first one");
    }

    /// A short text is another matter: its fixes are tried.
    #[test]
    fn edit_that_leads_to_a_short_text_is_not_one_of_a_session() {
        let old = text(|_| "trace sched:sched_switch if prev_prio < 100;".to_owned());
        let sessions = separate(&old).expect("sessions");
        let at = old.find("trace sched").expect("a clause");
        let new = format!("{}{}", &old[..at], &old[at + "trace".len()..]);
        assert!(sessions.edit(&old, &new).is_some());
        let first = &old[..old.find("session s300 ").expect("a session")];
        let sessions =
            SeparateSessions(sessions.0.into_iter().take_while(|place| place.end <= first.len()).collect());
        let new = format!("{}{}", &first[..at], &first[at + "trace".len()..]);
        assert!(are_fixes_tried(&new) && sessions.edit(first, &new).is_none());
    }
}
