//! Texts with their syntax, and resolved texts, which refer to syntax.

use tracec_grammar::Parsed;
use tracec_grammar::span::FileId;
use tracec_grammar::syntax::{Clause, Session};

use super::form::{Change, Form, enums, listed, one_of, structs};
use super::random::Random;
use crate::diagnostic::Suggestions;
use crate::ir::definition::{ConstantTable, Constants, ConstantsId};
use crate::load::{Import, LoadedText, Program};
use crate::resolve::expand::Visible;
use crate::resolve::names::{Names, NamesId};
use crate::resolve::{Expanded, Precision, Resolved, ResolvedClause, ResolvedText};
use crate::source::{SourceMap, SourceText};

/// Texts of the same length that differ in one thing: a name, a number, an operator, a comment, a mistake.
const TEXTS: [&str; 8] = [
    "//! d\nsession s { trace a:b if x == 1; stop after 1s; } // c\nconst C: u8 = 2;",
    "//! d\nsession s { trace a:b if x == 1; stop after 1s; } // d\nconst C: u8 = 2;",
    "//! e\nsession s { trace a:b if x == 1; stop after 1s; } // c\nconst C: u8 = 2;",
    "//! d\nsession t { trace a:b if x == 1; stop after 1s; } // c\nconst C: u8 = 2;",
    "//! d\nsession s { trace a:b if x == 3; stop after 1s; } // c\nconst C: u8 = 2;",
    "//! d\nsession s { trace a:b if x != 1; stop after 1s; } // c\nconst C: u8 = 2;",
    "//! d\nsession s { trace a:b if x == 1; stop after 1s; } // c\nconst D: u8 = 2;",
    "//! d\nsession s { trace a:b if x == 1; stop after 1s; }}// c\nconst C: u8 = 2;",
];

listed! {
    Parsed: TEXTS.map(tracec_grammar::parse);
}

structs! {
    Program { sources, texts, constants, complete }
    LoadedText { name, parsed, std, imports, constants, suggestions }
    Import { name, file }
    SourceText { name, text, one_liner }
}

enums! {
    Precision { Pattern, Exact }
}

listed! {
    NamesId: [NamesId(0), NamesId(1)];
    Suggestions: [Suggestions::default()];
}

impl Form for SourceMap {
    fn any(random: &mut Random) -> Self {
        of_texts(SourceText::any(random), Form::any(random))
    }

    fn vary(&mut self, random: &mut Random) {
        let (mut main, mut rest) = (self.main().clone(), self.files()[1..].to_vec());
        if random.once_in(2) {
            main.vary(random)
        } else {
            rest.vary(random)
        }
        *self = of_texts(main, rest);
    }
}

fn of_texts(main: SourceText, rest: Vec<SourceText>) -> SourceMap {
    let mut sources = SourceMap::new(main);
    rest.into_iter().for_each(|text| {
        sources.add(text);
    });
    sources
}

type StaticText = ResolvedText<'static>;
type StaticSession = Resolved<'static>;
type StaticExpanded = Expanded<'static>;
type StaticVisible = Visible<'static>;
type StaticNames = Names<'static>;

structs! {
    StaticText { sessions, catalogue }
    StaticSession { expanded, clauses, stops, defined, complete }
    StaticExpanded { name, span, head, clauses, names, open, readable, complete }
    StaticVisible { clause, names }
    ResolvedClause { events, dropped, lacking, targets }
}

/// A text whose clauses are all different.
const POOL: &str = "\
session a { trace a:b if x == 1; on c:d { trigger traceoff; } clock mono; stop after 1s; }
session b { trace a:* having x except a:c; option overwrite off; marker \"m\"; }";

thread_local! {
    /// Texts of different names with the syntax to which resolved texts refer.
    static PROGRAM: &'static Program = Box::leak(Box::new(program()));
}

fn program() -> Program {
    let mut constants = ConstantTable::default();
    let texts = ["a.trc", "b.trc"].map(|name| loaded(name, constants.add(Constants::default())));
    let sources =
        SourceMap::new(SourceText { name: "a.trc".to_owned(), text: POOL.to_owned(), one_liner: false });
    Program { sources, texts: texts.into(), constants, complete: true }
}

fn loaded(name: &str, constants: ConstantsId) -> LoadedText {
    LoadedText {
        name: name.to_owned(),
        parsed: tracec_grammar::parse(POOL),
        std: false,
        imports: Vec::new(),
        constants,
        suggestions: Suggestions::default(),
    }
}

fn sessions() -> Vec<&'static Session> {
    let text: &'static LoadedText = PROGRAM.with(|program| &program[FileId::MAIN]);
    text.parsed.file.sessions().collect()
}

listed! {
    &'static Clause: sessions().iter().flat_map(|session| &session.clauses).collect::<Vec<_>>();
}

impl Form for StaticNames {
    fn any(random: &mut Random) -> Self {
        let mut names = Names::of(PROGRAM.with(|program| *program), Form::any(random));
        for _ in 0..random.below(3) {
            names.set(&String::any(random), Form::any(random));
        }
        names
    }
}
