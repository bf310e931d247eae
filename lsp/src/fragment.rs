//! A statement of a text alone: the declarations of the text, the blocks around the statement, and the statement. What
//! concerns one statement is asked of this, since it takes far less time than the whole text. Of a short declaration the
//! other statements are there too, which one statement may contradict; of a long session those that concern no event.

use std::borrow::Cow;
use std::cell::OnceCell;
use std::collections::BTreeSet;
use std::ops::Range;
use std::rc::Rc;
use std::sync::Arc;

use tracec_compiler::ir::EventLayout;
use tracec_compiler::ir::definition::VisibleConstants;
use tracec_compiler::load::{Program, load};
use tracec_compiler::{
    Analysis, Choice, Diagnostic, Diagnostics, Input, Severity, SourceText, analyse_untried,
};
use tracec_grammar::syntax::SessionParam;
use tracec_grammar::{TextToken, TokenClass, parse, tokens};

use crate::answer::Surroundings;
use crate::cursor::{BlockKind, Cursor};
use crate::event_set::{self, Layouts};
use crate::world::Remembered;

/// A statement of a text, with what it depends on.
pub(crate) struct Fragment<'a> {
    of: &'a Surroundings<'a>,
    /// The kernel that has the events of the statement.
    pub(crate) kernel: &'a Remembered,
    /// The set of events that the statement is about, and the fields that they have to have.
    set: String,
    having: Vec<&'a str>,
    /// The declarations of the text, and the heads of the blocks around the statement.
    head: String,
    /// The declarations of the text around the statement that it may depend on.
    declarations: String,
    /// The parameters of the session around the place, with their parentheses.
    params: String,
    /// The statement, before and behind the word at the place.
    before: String,
    behind: String,
    /// The closing braces, and what stands before them.
    tail: String,
    /// What the statement still has to end with where the rest of it stands; mostly empty.
    end: &'static str,
    /// The statement without the parameter at the place; empty elsewhere.
    without: String,
    /// The errors that are there without the statement, or without the parameter.
    known: OnceCell<BTreeSet<String>>,
}

/// The length of a declaration, in bytes, whose other statements are there.
const SHORT: usize = 4096;

impl<'a> Fragment<'a> {
    /// Takes the statement at a place of the document, for the first kernel that has its events.
    pub(crate) fn new(of: &'a Surroundings<'a>, cursor: &Cursor<'a>) -> Self {
        Fragment::on(of, cursor, None)
    }

    /// Takes the statement at a place of the document, for a kernel.
    pub(crate) fn on(of: &'a Surroundings<'a>, cursor: &Cursor<'a>, kernel: Option<&'a Remembered>) -> Self {
        let text = &*of.document.text;
        let plain = |range: Range<usize>| text.get(range).unwrap_or_default();
        let mut declarations = String::new();
        let mut around = None;
        let (before, behind) = (cursor.range_before(), cursor.range_behind());
        // Sessions depend on others only where they include them, and on events that the text defines.
        let needs_sessions = match cursor.before().first() {
            Some(&"include") => true,
            Some(&"event") => text.len() <= SHORT,
            _ => false,
        };
        // From tokens: to parse the whole text would take longer than all the rest.
        for (word, range) in cursor.declarations() {
            let is_around = range.contains(&before.start);
            match word {
                _ if is_around => around = around.or((!cursor.blocks.is_empty()).then_some(range)),
                "session" if !needs_sessions => {}
                _ => {
                    declarations.push_str(plain(range));
                    declarations.push('\n');
                }
            }
        }
        let session = cursor.blocks.first().map_or("", |block| plain(block.head.clone()));
        let params =
            session.find('(').zip(session.rfind(')')).and_then(|(open, close)| session.get(open..=close));
        let mut fragment = Fragment {
            of,
            kernel: kernel.unwrap_or(of.kernel),
            set: cursor.events(),
            having: cursor.having(),
            head: String::new(),
            declarations,
            params: params.unwrap_or_default().to_owned(),
            before: String::new(),
            behind: String::new(),
            tail: String::new(),
            end: "",
            without: String::new(),
            known: OnceCell::new(),
        };
        if kernel.is_none() {
            fragment.choose_kernel();
        }
        let few = fragment.few(cursor);
        // The text, with the few events in the place of all.
        let part = |range: Range<usize>| match &few {
            Some((set, few)) if range.start <= set.start && set.end <= range.end => {
                Cow::from(format!("{}{few}{}", plain(range.start..set.start), plain(set.end..range.end)))
            }
            _ => Cow::from(plain(range)),
        };
        // What records decides which parts of a condition there are.
        let recorder = around
            .clone()
            .map_or("", |range| if records_by_programs(plain(range)) { "recorder bpf;\n" } else { "" });
        let is_long = around.as_ref().is_some_and(|range| range.len() > SHORT);
        let around = around.filter(|_| !is_long || (cursor.blocks.len() == 1 && !session.is_empty()));
        let is_inside = |range: &Range<usize>| range.start <= before.start && behind.end <= range.end;
        // What other clauses say of the same events does not matter to a condition, and what cannot be read would take in
        // the statement.
        let with_others = around.filter(|range| !cursor.is_in_condition() && is_inside(range));
        let others = with_others
            .map(|range| {
                let (head, tail) = (part(range.start..before.start), plain(behind.end..range.end));
                match is_long {
                    true => (without_events(&head, 0), without_events(tail, 1)),
                    false => (head.into_owned(), tail.to_owned()),
                }
            })
            .filter(|(head, tail)| {
                // The lines that document the statement are wrong without it, and nothing else is.
                let lines =
                    head.trim_end().lines().rev().skip_while(|line| line.trim_start().starts_with("///"));
                let head: Vec<&str> = lines.collect::<Vec<_>>().into_iter().rev().collect();
                parse(&format!("{}{}{tail}", fragment.declarations, head.join("\n"))).errors.is_empty()
            });
        let (head, tail) = others.unwrap_or_else(|| {
            let blocks = || cursor.blocks.iter().filter(|block| block.kind != BlockKind::Set);
            let heads = blocks()
                .map(|block| format!("{}{}\n", cursor.branches_before(block), part(block.head.clone())));
            let heads =
                heads.enumerate().map(|(depth, head)| if depth == 0 { head + recorder } else { head });
            let ends: String = blocks().map(|_| "\n}").collect();
            // A session that records nothing is not placed.
            let is_end = matches!(cursor.before().first(), Some(&("stop" | "dump")));
            let record = match fragment.set.as_str() {
                set if is_end && !set.is_empty() => format!("\ntrace {set};"),
                _ => String::new(),
            };
            (heads.collect(), record + &ends)
        });
        let behind = match cursor.element_range() {
            // What a long session does with a parameter is for its check.
            Some(_) if cursor.blocks.is_empty() && behind.len() > SHORT => {
                let end = cursor.list_end().unwrap_or(behind.end);
                behind.start..end
            }
            _ => behind,
        };
        let without = cursor.element_range().filter(|_| cursor.blocks.is_empty()).map(|element| {
            let end = element.end.min(behind.end);
            format!("{}{}", plain(before.start..element.start), plain(end..behind.end))
        });
        fragment.head = format!("{}{head}", fragment.declarations);
        fragment.before = shortened(&part(before), true);
        fragment.behind = shortened(&part(behind), false);
        fragment.tail = tail;
        if cursor.before().first() == Some(&"dump") {
            fragment.complete_dump(cursor);
        }
        fragment.without = without.unwrap_or_default();
        fragment
    }

    /// Adds what a dump needs, and what may not have been typed yet: its file, and a ring to be taken from.
    fn complete_dump(&mut self, cursor: &Cursor<'_>) {
        let has_file = cursor.before().contains(&"to") || cursor.behind().contains(&"to");
        self.end = if has_file { "" } else { " to \"dump-{n}.dat\"" };
        let is_ring =
            |text: &str| tokens(text).into_iter().any(|token| text.get(token.span.range()) == Some("ring"));
        if !is_ring(&self.head) && !is_ring(&self.tail) {
            self.tail.insert_str(0, "\nring;");
        }
    }

    /// Chooses the kernel: an event that the first of several lacks is looked up in the others.
    fn choose_kernel(&mut self) {
        if self.of.kernels.len() < 2 {
            return;
        }
        let mut kernels = self.of.kernels.iter();
        if let Some(kernel) = kernels.find(|kernel| !self.events_on(kernel).is_empty()) {
            self.kernel = kernel;
        }
    }

    /// Returns the bytes of the set of events before the place, and few events that stand for them in the statement.
    fn few(&self, cursor: &Cursor<'_>) -> Option<(Range<usize>, String)> {
        // There each field of any of the events can stand.
        let set = cursor.events_before().filter(|_| !cursor.is_in_having())?;
        let heads = cursor.blocks.iter().flat_map(|block| cursor.words_of(block));
        let words: Vec<&str> = heads.chain(cursor.before()).chain(cursor.behind()).collect();
        Some((set, event_set::few(&self.events(), &words)?))
    }

    /// Returns whether the statement checks with a word at the place, followed by one of `rests` where what is behind it does
    /// not continue the word.
    ///
    /// Mistakes that are there without the statement do not count.
    pub(crate) fn checks_with(&self, word: &str, rests: &[&str]) -> bool {
        let completes =
            |rest: &str, behind: &str| self.completes(&format!("{}{word}{rest}{behind}", self.before));
        match self.behind.trim() {
            // An end that is there already says nothing of what is still to be typed before it.
            "" | ";" => rests.iter().any(|rest| completes(rest, "")),
            behind => {
                let more = rests.iter().copied().filter(|rest| !rest.is_empty() && !continues(behind));
                std::iter::once("").chain(more).any(|rest| completes(rest, self.behind.trim_end()))
            }
        }
    }

    /// Returns whether a statement checks, once its brackets are closed and it has an end.
    fn completes(&self, statement: &str) -> bool {
        let statement = match self.end {
            "" => Cow::from(statement),
            end => {
                let open = statement.trim_end().trim_end_matches(';');
                Cow::from(format!("{open}{}{end}", closing(open)))
            }
        };
        ended(&statement).iter().any(|statement| self.checks(statement))
    }

    /// Returns whether a statement checks in the place of the one of the document.
    fn checks(&self, statement: &str) -> bool {
        let known = self.known.get_or_init(|| match self.without.as_str() {
            "" => self.errors(""),
            without => ended(without).iter().flat_map(|statement| self.errors(statement)).collect(),
        });
        self.errors(statement).is_subset(known)
    }

    /// Returns the messages of the errors, with those at their places, with a statement in the place of the one of the
    /// document.
    fn errors(&self, statement: &str) -> BTreeSet<String> {
        let analysis = self.analysed(format!("{}{statement}{}", self.head, self.tail));
        let errors = analysis.diagnostics.into_iter().filter(|said| said.severity == Severity::Error);
        let whole = |said: Diagnostic| {
            let label = said.primary.map_or_else(String::new, |label| label.text);
            format!("{}\n{label}", said.message)
        };
        errors.map(whole).collect()
    }

    /// Returns the layouts of the events that the statement is about.
    pub(crate) fn events(&self) -> Layouts {
        self.events_on(self.kernel)
    }

    /// Returns the layouts of the events that the statement is about, as a kernel has them.
    pub(crate) fn events_on(&self, kernel: &Remembered) -> Layouts {
        let all = self.events_of(kernel, &self.set);
        if self.having.is_empty() {
            return all;
        }
        let has_all =
            |layout: &&Arc<EventLayout>| self.having.iter().all(|field| layout.format.field(field).is_some());
        Rc::new(all.iter().filter(has_all).cloned().collect())
    }

    /// Returns the layouts of the events of a set, as a kernel has them.
    pub(crate) fn events_of(&self, kernel: &Remembered, set: &str) -> Layouts {
        if set.is_empty() {
            return Rc::default();
        }
        let text = format!("{}session events{} {{ trace {set}; }}", self.declarations, self.params);
        self.of.event_sets.get(self.of, kernel, text)
    }

    /// Returns the kernels that the document is for.
    pub(crate) fn kernels(&self) -> &'a [Remembered] {
        self.of.kernels
    }

    /// Returns whether what stands around the statement has a word.
    pub(crate) fn mentions(&self, word: &str) -> bool {
        self.head.contains(word) || self.tail.contains(word)
    }

    /// Returns the declarations of the text without its sessions, read with what they import.
    pub(crate) fn program(&self) -> Program {
        let name = self.of.document.name.clone();
        let source = SourceText { name, text: self.declarations.clone(), one_liner: false };
        load(&source, &self.of.imports(), self.kernel, &mut Diagnostics::default())
    }

    /// Calls a function with the constants that the text can name.
    pub(crate) fn with_constants<T>(&self, read: impl FnOnce(VisibleConstants<'_>) -> T) -> Option<T> {
        let analysis = self.analysed(format!("{}session constants {{ }}", self.declarations));
        let table = &analysis.module.constants;
        let own = analysis.module.definitions.first()?.constants;
        Some(read(VisibleConstants { own: &table[own], table }))
    }

    /// Returns the parameters of the session around the place.
    pub(crate) fn params(&self) -> Vec<SessionParam> {
        let parsed = parse(&format!("session params{} {{ }}", self.params));
        parsed.file.sessions().flat_map(|session| session.params.clone()).collect()
    }

    fn analysed(&self, text: String) -> Analysis {
        analysed(self.of, self.kernel, text)
    }
}

/// Analyses a text in the place of the document.
pub(crate) fn analysed(of: &Surroundings<'_>, kernel: &Remembered, text: String) -> Analysis {
    let source = SourceText { name: of.document.name.clone(), text, one_liner: false };
    let imports = of.imports();
    analyse_untried(Input { imports: &imports, ..Input::new(&source, kernel) }, Choice::All)
}

/// Returns a part of a session without its clauses about events. `depth` is the number of braces around its start.
fn without_events(part: &str, mut depth: usize) -> String {
    let mut kept = String::new();
    let (mut copied, mut is_first, mut dropped) = (0, true, None);
    let (mut previous, mut is_set) = ("", false);
    for token in tokens(part) {
        let Range { start, end } = token.span.range();
        let word = &part[start..end];
        if depth == 1 && is_first && matches!(word, "trace" | "on") {
            dropped = Some(start);
        }
        is_first = false;
        match word {
            "{" => {
                is_set |= depth == 1 && matches!(previous, "trace" | "on" | "except" | "in" | "~" | "!~");
                depth += 1;
            }
            "}" => depth = depth.saturating_sub(1),
            _ => {}
        }
        previous = word;
        // A set ends no clause.
        if depth == 1 && word == "}" && std::mem::take(&mut is_set) {
            continue;
        }
        if depth == 1 && matches!(word, "{" | "}" | ";") {
            is_first = true;
            if let Some(from) = dropped.take() {
                kept.push_str(&part[copied..from]);
                copied = end;
            }
        }
    }
    kept.push_str(&part[copied..dropped.unwrap_or(part.len())]);
    kept
}

/// Returns whether a declaration is a session with `recorder bpf`.
fn records_by_programs(declaration: &str) -> bool {
    let tokens = tokens(declaration);
    let word = |token: Option<&TextToken>| token.and_then(|token| declaration.get(token.span.range()));
    word(tokens.first()) == Some("session")
        && tokens
            .windows(2)
            .any(|pair| word(pair.first()) == Some("recorder") && word(pair.last()) == Some("bpf"))
}

/// Returns the part of a long statement that a word in its condition depends on: without the parts of the top-level `&&`
/// between the start of the condition and its end. `is_before` says on which side of the word the part stands.
fn shortened(text: &str, is_before: bool) -> String {
    if text.len() <= SHORT {
        return text.to_owned();
    }
    let (mut depth, mut lowest) = (0_i32, 0);
    let (mut begin, mut joints) = (None, Vec::new());
    for token in tokens(text) {
        let range = token.span.range();
        match text.get(range.clone()).unwrap_or_default() {
            "(" | "[" | "{" => depth += 1,
            ")" | "]" | "}" => depth -= 1,
            "if" | "filter" if depth == 0 && is_before => begin = begin.or(Some(range.end)),
            "&&" => joints.push((depth, range)),
            _ => {}
        }
        lowest = lowest.min(depth);
    }
    // Behind the word, brackets are closed that were opened before it.
    let joints: Vec<Range<usize>> =
        joints.into_iter().filter(|(depth, _)| *depth == lowest).map(|(_, range)| range).collect();
    let (Some(first), Some(last)) = (joints.first(), joints.last()) else { return text.to_owned() };
    // Before the word, all up to its own part goes; behind it, all but what ends the statement.
    let cut = match (is_before, begin) {
        (true, Some(begin)) => begin..last.end,
        (true, None) => return text.to_owned(),
        (false, _) => first.start..last.start,
    };
    format!("{} {}", text.get(..cut.start).unwrap_or_default(), text.get(cut.end..).unwrap_or_default())
}

/// Returns whether the text behind a place may continue the word there: it neither closes a bracket nor begins another part
/// of the statement.
fn continues(behind: &str) -> bool {
    const SIGNS: &[&str] = &["&&", "||", ")", "]", "}", "\"", ";", ",", "{"];
    const WORDS: &[&str] = &["if", "having", "except", "count", "once", "to"];
    let word = behind.split(|char: char| !char.is_ascii_alphanumeric() && char != '_').next();
    !SIGNS.iter().any(|sign| behind.starts_with(sign)) && word.is_none_or(|word| !WORDS.contains(&word))
}

/// Returns a statement with each end that it can have, its brackets closed.
fn ended(statement: &str) -> Vec<String> {
    let statement = format!("{statement}{}", closing(statement));
    let is_session = statement.starts_with("session");
    // A brace ends a block, or a set, behind which a semicolon has to follow. Parts of events end without one.
    let ends: &[&str] = match statement.chars().next_back() {
        Some(';') => &[""],
        Some('}') if is_session || statement.starts_with("event") => &[""],
        _ if is_session => &[" { }"],
        Some('}' | ')' | '`' | '"') => &[";", ""],
        _ => &[";"],
    };
    ends.iter().map(|end| format!("{statement}{end}")).collect()
}

/// Returns the brackets that close those of a text, and the quote of a template.
fn closing(text: &str) -> String {
    let mut open = Vec::new();
    for token in tokens(text).into_iter().filter(|token| token.class != TokenClass::Comment) {
        match text.get(token.span.range()).unwrap_or_default() {
            "(" => open.push(')'),
            "[" => open.push(']'),
            "{" => open.push('}'),
            "\"" if open.last() != Some(&'"') => open.push('"'),
            ")" | "]" | "}" | "\"" => _ = open.pop(),
            _ => {}
        }
    }
    open.into_iter().rev().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clauses_about_events_are_left_out_of_a_part_of_a_session() {
        let part = "session a { clock mono; trace {a:b, c:d} except {a:c} if x in {1}; ring;\n\
                    on a:b { trigger traceoff; } buffer 1MiB; trace a:b if ";
        assert_eq!(without_events(part, 0), "session a { clock mono;  ring;\n buffer 1MiB; ");
        assert_eq!(without_events("; option x; trace a:b { drop c; } } ", 1), "; option x;  } ");
    }

    #[test]
    fn brackets_are_closed_in_their_order() {
        for (text, expected) in [
            ("a", ""),
            ("if (a || !(b", "))"),
            ("in {1, (2", ")}"),
            ("(a)", ""),
            ("\"(\" // {", ""),
            ("print \"a {b", "}\""),
            ("print \"{a} b\"", ""),
        ] {
            assert_eq!(closing(text), expected, "{text}");
        }
    }

    #[test]
    fn long_conditions_keep_the_part_at_the_word() {
        let conjuncts = "pid != 1 && ".repeat(1000);
        let before = format!("trace a:b if {conjuncts}(x || y && ");
        assert_eq!(shortened(&before, true), "trace a:b if  (x || y && ");
        let behind = format!(" == 1) && {conjuncts}z;");
        assert_eq!(shortened(&behind, false), " == 1)  && z;");
        assert_eq!(shortened("a if b && c && ", true), "a if b && c && ");
    }
}
