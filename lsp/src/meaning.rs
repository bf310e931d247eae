//! What texts mean, in a form in which two versions of them can be compared: those before and after a name is changed.
//!
//! Two versions whose names have the same length differ in that name alone if they mean the same: every span is equal.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::hash::BuildHasher;

use rustc_hash::FxBuildHasher;
use tracec_compiler::diagnostic::Severity;
use tracec_compiler::dump::Pass;
use tracec_compiler::load::LoadedText;
use tracec_compiler::source::{LineEnds, LineIndex, Position, Unit};
use tracec_compiler::{Analysis, Choice, Diagnostic, Input, SourceMap, analyse_and_print};
use tracec_span::Span;

use crate::answer::Surroundings;
use crate::document::Document;
use crate::files::{Documents, Overlay, source};
use crate::names::{self, Key, Named, Owner, ReadTexts, Role, Space};
use crate::world::Remembered;

/// What a document and the texts that it imports mean.
pub(crate) struct Meaning {
    sources: SourceMap,
    /// Every name with its span.
    names: Vec<Named>,
    /// The diagnostics.
    found: Vec<Found>,
    /// The hashes of the lines of the module form, sorted, for each word that was to be replaced in them. Names decide the
    /// order of some lines, and of what stands on some. The lines themselves take much memory.
    lines: Vec<Vec<u64>>,
    /// The words of the texts and of the module form that could be [stand-ins](is_stand_in).
    taken: BTreeSet<String>,
}

/// A word, and the word that replaces it in the lines that are compared; `None` to replace nothing.
pub(crate) type Replaced<'w> = Option<(&'w str, &'w str)>;

/// A diagnostic.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Found {
    span: Option<Span>,
    code: &'static str,
    is_error: bool,
    message: String,
}

/// A difference between two meanings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Difference {
    /// A name belongs to another declaration.
    Name { at: String, is: String, was: String },
    /// A diagnostic that is there only with the second version.
    New { at: String, message: String },
    /// A diagnostic that is there only with the first version.
    Gone { at: String, message: String },
    /// The meaning of a part of the text, if it is known which.
    Other(Option<Part>),
}

/// Returns the texts of an analysis with their syntax, and the diagnostics.
fn parts(analysis: Analysis) -> (SourceMap, Vec<LoadedText>, Vec<Diagnostic>) {
    (analysis.sources, analysis.texts, analysis.diagnostics)
}

/// A part of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Part {
    /// Its location.
    pub(crate) at: String,
    /// The part.
    pub(crate) text: String,
}

impl Difference {
    /// Returns the location of the difference, if it has one.
    pub(crate) fn at(&self) -> Option<&str> {
        match self {
            Difference::Name { at, .. } | Difference::New { at, .. } | Difference::Gone { at, .. } => {
                Some(at)
            }
            Difference::Other(part) => part.as_ref().map(|part| part.at.as_str()),
        }
    }
}

impl Meaning {
    /// Analyses a document for a kernel. It imports what `documents` have. Of its lines, the hashes with each of `replaced`
    /// are kept.
    pub(crate) fn of(
        of: (&Surroundings<'_>, &Remembered),
        document: &Document,
        documents: &Documents,
        replaced: &[Replaced<'_>],
    ) -> Self {
        let mut lines = vec![Vec::new(); replaced.len()];
        let mut taken = BTreeSet::new();
        let analysis = print(of, document, documents, &mut |line| {
            for (hashes, replaced) in lines.iter_mut().zip(replaced) {
                hashes.push(hash(line, *replaced));
            }
            take_stand_ins(line, &mut taken);
        });
        lines.iter_mut().for_each(|hashes| hashes.sort_unstable());
        // The rest of it takes much memory, and is not needed any more.
        let (sources, texts, diagnostics) = parts(analysis);
        sources.files().iter().for_each(|file| take_stand_ins(&file.text, &mut taken));
        let names = names::of(ReadTexts::new(&sources, &texts));
        let names = names.into_iter().flat_map(|(_, names)| names).collect();
        let said = diagnostics.into_iter().map(|said| Found {
            span: said.primary.map(|label| label.span),
            code: said.code.id,
            is_error: said.severity == Severity::Error,
            message: said.message,
        });
        let mut found: Vec<Found> = said.collect();
        found.sort();
        Meaning { sources, names, found, lines, taken }
    }

    /// Returns whether the meaning has a word that could be a [stand-in](is_stand_in).
    pub(crate) fn has_stand_in(&self, word: &str) -> bool {
        self.taken.contains(word)
    }

    /// Returns the first difference of another version of the text. It has the word `to` where this one has `from`, a word of
    /// the same length that means nothing else here. `at` is the index of the lines of this version to compare: those with
    /// `from` replaced. `again` prints the lines of the other version.
    pub(crate) fn difference(
        &self,
        at: usize,
        (from, to): (&str, &str),
        other: &Meaning,
        again: impl FnOnce(&mut dyn FnMut(&str)),
    ) -> Option<Difference> {
        self.other_name(other, from, to).or_else(|| self.other_diagnostic(other)).or_else(|| {
            let (before, after) = (self.lines.get(at)?, other.lines.first()?);
            if before == after {
                return None;
            }
            let mut new = None;
            again(&mut |line| {
                if new.is_none() && before.binary_search(&hash(line, None)).is_err() {
                    new = span(line);
                }
            });
            let part = |span| Part { at: other.at(span), text: other.sources.text_of(span).to_owned() };
            Some(Difference::Other(new.map(part)))
        })
    }

    fn other_name(&self, other: &Meaning, from: &str, to: &str) -> Option<Difference> {
        let renamed = |name: &str| if name == from { to.to_owned() } else { name.to_owned() };
        let key = |key: &Key| Key {
            text: key.text.clone(),
            space: match &key.space {
                Space::Member(ty) => Space::Member(renamed(ty)),
                Space::Param(session) => Space::Param(renamed(session)),
                Space::Field(Owner::Event(event)) => Space::Field(Owner::Event(renamed(event))),
                Space::Field(Owner::Class(class)) => Space::Field(Owner::Class(renamed(class))),
                same => same.clone(),
            },
            name: renamed(&key.name),
        };
        if self.names.len() != other.names.len() {
            // The text is read otherwise, which its diagnostics report.
            return None;
        }
        let mut pairs = self.names.iter().zip(&other.names);
        let differs = |(before, after): &(&Named, &Named)| {
            before.span != after.span || before.key.as_ref().map(key) != after.key
        };
        let (before, after) = pairs.find(differs)?;
        let (was, is) = (described(before), described(after));
        Some(Difference::Name { at: other.at(after.span), is, was })
    }

    fn other_diagnostic(&self, other: &Meaning) -> Option<Difference> {
        let same = |one: &Found, two: &Found| {
            (one.span, one.code, one.is_error) == (two.span, two.code, two.is_error)
        };
        let missing = |from: &Meaning, found: &Found| !from.found.iter().any(|known| same(known, found));
        let at = |of: &Meaning, found: &Found| found.span.map_or_else(String::new, |span| of.at(span));
        if let Some(found) = other.found.iter().find(|found| missing(self, found)) {
            return Some(Difference::New { at: at(other, found), message: found.message.clone() });
        }
        let gone = self.found.iter().find(|found| missing(other, found))?;
        Some(Difference::Gone { at: at(self, gone), message: gone.message.clone() })
    }

    /// Returns a location as users see it.
    fn at(&self, span: Span) -> String {
        let (text, range) = self.sources.locate(span);
        let Position { line, column } =
            LineIndex::new(&text.text, LineEnds::Newline).position(range.start, Unit::Char);
        let name = text.name.rsplit('/').next().unwrap_or_default();
        format!("{name}:{}:{}", line + 1, column + 1)
    }
}

/// Returns what a name is, for messages.
fn described(named: &Named) -> String {
    let what = match named.role {
        Role::Session => "session",
        Role::Event => "event",
        Role::Class => "class",
        Role::Field => "field",
        Role::Constant => "constant",
        Role::Type => "type",
        Role::Member => "member",
        Role::Param => "parameter",
        Role::Module => "module",
        Role::Property => "setting",
        Role::Function => "function",
    };
    match &named.key {
        Some(Key { space: Space::Member(ty), .. }) => format!("a member of `{ty}`"),
        Some(_) => format!("the {what}"),
        None => format!("a {what} that no text declares"),
    }
}

/// Analyses a document for a kernel, and passes the lines of its module form on.
pub(crate) fn print(
    (of, kernel): (&Surroundings<'_>, &Remembered),
    document: &Document,
    documents: &Documents,
    each: &mut dyn FnMut(&str),
) -> Analysis {
    let text = source(document);
    let imports = Overlay { documents, files: of.world.imports(&document.name) };
    let input = Input { imports: &imports, ..Input::new(&text, kernel) };
    analyse_and_print(input, Choice::All, Pass::Check, &mut |lines| lines.lines().for_each(&mut *each))
}

fn hash(line: &str, replaces: Replaced<'_>) -> u64 {
    let line = match replaces {
        Some((from, to)) => replaced(line, from, to),
        None => line.into(),
    };
    FxBuildHasher.hash_one(with_sorted_maps(line))
}

/// Returns whether a word could stand in the place of a name: its letters are large, so that it is not a word of the
/// language, and all but the last two are the last of the alphabet.
fn is_stand_in(word: &str) -> bool {
    let rest = word.bytes().rev().skip(2);
    !word.is_empty()
        && word.bytes().all(|byte| byte.is_ascii_uppercase())
        && rest.into_iter().all(|byte| byte == b'Z')
}

/// Adds the words of a text that could be stand-ins.
fn take_stand_ins(text: &str, into: &mut BTreeSet<String>) {
    for word in text.split(|char| !is_part(char)).filter(|word| is_stand_in(word)) {
        if !into.contains(word) {
            into.insert(word.to_owned());
        }
    }
}

/// Returns whether a text has a word, and not only a longer one that it is a part of.
pub(crate) fn has_word(text: &str, word: &str) -> bool {
    text.match_indices(word).any(|(at, _)| {
        let (before, behind) = (text.get(..at), text.get(at + word.len()..));
        !before.is_some_and(|before| before.ends_with(is_part))
            && !behind.is_some_and(|behind| behind.starts_with(is_part))
    })
}

fn is_part(char: char) -> bool {
    char.is_ascii_alphanumeric() || char == '_'
}

/// Replaces a word.
fn replaced<'l>(line: &'l str, from: &str, to: &str) -> Cow<'l, str> {
    if !line.contains(from) {
        return line.into();
    }
    let mut out = String::new();
    let mut rest = line;
    while let Some(first) = rest.chars().next() {
        let of_word = is_part(first);
        let end = rest.find(|char| is_part(char) != of_word).unwrap_or(rest.len());
        let (part, behind) = rest.split_at(end);
        out.push_str(if part == from { to } else { part });
        rest = behind;
    }
    out.into()
}

/// Returns a line of a dump with the entries of each map and set of names in it sorted as they are written: a map has them
/// in the order of their names.
fn with_sorted_maps(line: Cow<'_, str>) -> Cow<'_, str> {
    if !line.contains("{ \"") {
        return line;
    }
    // The groups that are open, each with its parts.
    let mut open = vec![vec![String::new()]];
    let (mut is_text, mut is_escaped) = (false, false);
    for char in line.chars() {
        if !is_text && matches!(char, '}' | ')' | ']') && open.len() > 1 {
            let mut parts = open.pop().unwrap_or_default();
            if char == '}' && parts.iter().all(|part| part.trim_start().starts_with('"')) {
                parts.iter_mut().for_each(|part| *part = format!(" {} ", part.trim()));
                parts.sort_unstable();
            }
            push(&mut open, &parts.join(","));
        }
        match char {
            ',' if !is_text => open.last_mut().into_iter().for_each(|parts| parts.push(String::new())),
            _ => push(&mut open, char.encode_utf8(&mut [0; 4])),
        }
        if !is_text && matches!(char, '{' | '(' | '[') {
            open.push(vec![String::new()]);
        }
        is_text ^= char == '"' && !is_escaped;
        is_escaped = is_text && char == '\\' && !is_escaped;
    }
    open.into_iter().map(|parts| parts.join(",")).collect::<String>().into()
}

/// Appends to the last part of the innermost group.
fn push(open: &mut [Vec<String>], text: &str) {
    let part = open.last_mut().and_then(|parts| parts.last_mut());
    part.into_iter().for_each(|part| part.push_str(text));
}

/// Returns the first span in a line of a dump.
fn span(line: &str) -> Option<Span> {
    let (_, rest) = line.split_once("Span(")?;
    let (inside, _) = rest.split_once(')')?;
    let (file, range) = inside.split_once(':')?;
    let (start, end) = range.split_once("..")?;
    let number = |text: &str| text.parse::<u32>().ok();
    Some(Span { file: tracec_span::FileId(number(file)?), start: number(start)?, end: number(end)? })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_is_not_a_part_of_a_longer_one() {
        assert!(has_word("a ZZ,", "ZZ") && has_word("ZZ", "ZZ") && has_word("ZZZ ZZ", "ZZ"));
        assert!(!has_word("ZZZ a_ZZ ZZ1", "ZZ"));
    }

    #[test]
    fn the_order_of_the_names_in_a_map_does_not_matter() {
        let sorted = |line: &str| with_sorted_maps(line.into()).into_owned();
        let line = |entries: &str| format!("values: {{ {entries} }}, [2, 1]");
        let (one, two) = ("\"A\": Int { value: 9, of: (2, 1) }", "\"B\": \"}, \\\" {\"");
        let (here, there) = (format!("{one}, {two}"), format!("{two}, {one}"));
        assert_eq!(sorted(&line(&here)), sorted(&line(&there)));
        // Another value is another map, and what is not a map keeps its order.
        assert_ne!(sorted(&line(&here)), sorted(&line(&there.replace("9", "8"))));
        assert_ne!(sorted("x: { \"A\": [1, 2] }"), sorted("x: { \"A\": [2, 1] }"));
        assert_eq!(sorted("x: { b: \"a\", a: \"b\" }"), "x: { b: \"a\", a: \"b\" }");
        // A line may have a part of a text.
        assert_eq!(sorted("| { \"a"), "| { \"a");
    }
}
