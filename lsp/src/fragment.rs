//! A statement of a text alone: the declarations of the text, the blocks around the statement, and the statement. What
//! concerns one statement is asked of this, since it takes far less time than the whole text. Of a short declaration the
//! other statements are there too, which one statement may contradict.

use std::collections::BTreeSet;
use std::ops::Range;

use tracec_compiler::ir::EventLayout;
use tracec_compiler::ir::definition::VisibleConstants;
use tracec_compiler::{Analysis, Choice, Input, Severity, SourceText, analyse_untried};
use tracec_grammar::parse;
use tracec_grammar::syntax::SessionParam;

use crate::answer::Surroundings;
use crate::cursor::{BlockKind, Cursor};

/// A statement of a text, with what it depends on.
pub(crate) struct Fragment<'a> {
    of: &'a Surroundings<'a>,
    /// The declarations of the text other than sessions, and the heads of the blocks around the statement.
    head: String,
    /// The declarations alone.
    declarations: String,
    /// The parameters of the session around the place, with their parentheses.
    params: String,
    /// The statement, before and behind the word at the place.
    before: &'a str,
    behind: &'a str,
    /// The closing braces, and what stands before them.
    tail: String,
    /// The errors that are there without the statement.
    known: BTreeSet<String>,
}

/// The length of a declaration, in bytes, whose other statements are there.
const SHORT: usize = 4096;

impl<'a> Fragment<'a> {
    /// Takes the statement at a place of the document.
    pub(crate) fn new(of: &'a Surroundings<'a>, cursor: &Cursor<'a>) -> Self {
        let text = &*of.document.text;
        let part = |range: Range<usize>| text.get(range).unwrap_or_default();
        let mut declarations = String::new();
        let mut around = None;
        let (before, behind) = (cursor.range_before(), cursor.range_behind());
        // From tokens: to parse the whole text would take longer than all the rest.
        for (word, range) in cursor.declarations() {
            let is_around = range.contains(&before.start);
            match word {
                _ if is_around => around = around.or((!cursor.blocks.is_empty()).then_some(range)),
                "session" => {}
                _ => {
                    declarations.push_str(part(range));
                    declarations.push('\n');
                }
            }
        }
        let mut head = declarations.clone();
        let mut tail = String::new();
        let is_inside = |range: &Range<usize>| range.start <= before.start && behind.end <= range.end;
        match around.filter(|range| range.len() <= SHORT && is_inside(range)) {
            Some(declaration) => {
                head.push_str(part(declaration.start..before.start));
                tail.push_str(part(behind.end..declaration.end));
            }
            None => {
                for block in cursor.blocks.iter().filter(|block| block.kind != BlockKind::Set) {
                    head.push_str(part(block.head.clone()));
                    head.push('\n');
                    tail.push_str("\n}");
                }
            }
        }
        let session = cursor.blocks.first().map_or("", |block| part(block.head.clone()));
        let params =
            session.find('(').zip(session.rfind(')')).and_then(|(open, close)| session.get(open..=close));
        let mut fragment = Fragment {
            of,
            head,
            declarations,
            params: params.unwrap_or_default().to_owned(),
            before: part(before),
            behind: part(behind),
            tail,
            known: BTreeSet::new(),
        };
        fragment.known = fragment.errors("");
        fragment
    }

    /// Returns whether the statement checks with a word at the place, followed by `rest` if nothing is behind it.
    ///
    /// Mistakes that are there without the statement do not count.
    pub(crate) fn checks_with(&self, word: &str, rest: &str) -> bool {
        let rest = if self.behind.trim().is_empty() { rest } else { "" };
        let statement = format!("{}{word}{rest}{}", self.before, self.behind.trim_end());
        // A brace ends a block, or a set, behind which a semicolon has to follow. Parts of events end without one.
        let ends: &[&str] = match statement.chars().next_back() {
            Some(';') => &[""],
            Some('}' | ')' | '`' | '"') => &[";", ""],
            _ => &[";"],
        };
        ends.iter().any(|end| self.checks(&format!("{statement}{end}")))
    }

    /// Returns whether a statement checks in the place of the one of the document.
    fn checks(&self, statement: &str) -> bool {
        self.errors(statement).is_subset(&self.known)
    }

    /// Returns the messages of the errors with a statement in the place of the one of the document.
    fn errors(&self, statement: &str) -> BTreeSet<String> {
        let analysis = self.analysed(format!("{}{statement}{}", self.head, self.tail));
        let errors = analysis.diagnostics.into_iter().filter(|said| said.severity == Severity::Error);
        errors.map(|said| said.message).collect()
    }

    /// Returns the layouts of the events of a set, as a text has it.
    pub(crate) fn events(&self, set: &str) -> Vec<EventLayout> {
        let text = format!("{}session events{} {{ trace {set}; }}", self.declarations, self.params);
        let analysis = self.analysed(text);
        let sessions = analysis.module.sessions.iter().flat_map(|session| &session.events);
        sessions.map(|event| analysis.module.catalogue.layout(event.id).clone()).collect()
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
        let source = SourceText { name: self.of.document.name.clone(), text, one_liner: false };
        let imports = self.of.imports();
        analyse_untried(Input { imports: &imports, ..Input::new(&source, self.of.kernel) }, Choice::All)
    }
}
