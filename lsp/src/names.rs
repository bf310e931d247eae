//! The names of a text: what kind of thing each is, and which declaration it belongs to.

mod declared;
mod expected;
mod walk;

use std::ops::Range;

use tracec_compiler::load::{LoadedText, Program};
use tracec_compiler::{Analysis, SourceMap};
use tracec_grammar::syntax::{DeclarationKind, File};
use tracec_span::{FileId, Span};

use declared::Declared;
use walk::Walk;

/// Texts that were read, to look for names in: those of a program, or of its analysis.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ReadTexts<'t> {
    /// The texts themselves.
    pub(crate) sources: &'t SourceMap,
    syntax: &'t [LoadedText],
}

impl<'t> ReadTexts<'t> {
    /// Returns texts with their syntax.
    pub(crate) fn new(sources: &'t SourceMap, syntax: &'t [LoadedText]) -> Self {
        ReadTexts { sources, syntax }
    }

    /// Returns the syntax of every text with its id.
    pub(crate) fn iter(self) -> impl Iterator<Item = (FileId, &'t LoadedText)> {
        (0..).map(FileId).zip(self.syntax)
    }

    /// Returns what each text declares.
    fn declared(self) -> Vec<Declared> {
        self.iter().map(|(_, text)| Declared::of(text)).collect()
    }

    /// Returns the syntax of a text.
    pub(crate) fn text(self, file: FileId) -> &'t LoadedText {
        &self.syntax[file.index()]
    }
}

impl<'t> From<&'t Program> for ReadTexts<'t> {
    fn from(program: &'t Program) -> Self {
        ReadTexts { sources: &program.sources, syntax: &program.texts }
    }
}

impl<'t> From<&'t Analysis> for ReadTexts<'t> {
    fn from(analysis: &'t Analysis) -> Self {
        ReadTexts { sources: &analysis.sources, syntax: &analysis.texts }
    }
}

/// A name in a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Named {
    /// Where it stands.
    pub(crate) span: Span,
    /// What it is.
    pub(crate) role: Role,
    /// The declaration that it belongs to, if one of the texts declares it.
    pub(crate) key: Option<Key>,
    /// Whether it is that declaration.
    pub(crate) is_declaration: bool,
}

/// The kinds of names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// A session.
    Session,
    /// An event, or its system.
    Event,
    /// A class of events.
    Class,
    /// A field, a pseudo-field.
    Field,
    /// A constant.
    Constant,
    /// A type.
    Type,
    /// A member of an `enum` or of `flags`.
    Member,
    /// A parameter.
    Param,
    /// A module.
    Module,
    /// An option, a clock, a lint, a signal.
    Property,
    /// An action of a trigger, a function of the kernel.
    Function,
}

/// A declaration: its text, what it declares, and its name.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Key {
    /// The name of the text.
    pub(crate) text: String,
    /// What it declares.
    pub(crate) space: Space,
    /// The name.
    pub(crate) name: String,
}

/// The spaces of names: the same name in two of them is two things.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Space {
    Session,
    Event,
    Class,
    Subsystem,
    /// Constants and types.
    Value,
    /// Members of the type with this name.
    Member(String),
    /// Parameters of the session with this name.
    Param(String),
    /// Arguments and fields of an event or class. A field often has the name of the argument that it is made of: the two
    /// are one name.
    Field(Owner),
    /// What a `use` binds.
    Import,
}

/// What has arguments and fields, by its name.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Owner {
    Event(String),
    Class(String),
}

/// Returns the names of each text, in the order of the text.
pub(crate) fn of(texts: ReadTexts<'_>) -> Vec<(FileId, Vec<Named>)> {
    let declared = texts.declared();
    let each = texts.iter().map(|(id, text)| {
        let mut names = Walk::new(texts, &declared, id, text, Part::all()).names();
        names.sort_by_key(|named| named.span);
        names.dedup_by_key(|named| named.span);
        (id, names)
    });
    each.collect()
}

/// Returns the name at a place of the main text, as [`of`] does. Only the names of its clause or declaration are made.
pub(crate) fn at(texts: ReadTexts<'_>, place: &Range<usize>) -> Option<Named> {
    let text = texts.text(FileId::MAIN);
    let part = Part::around(&text.parsed.file, place);
    let names = Walk::new(texts, &texts.declared(), FileId::MAIN, text, part).names();
    names.into_iter().find(|named| named.span.range() == *place)
}

/// A part of a text in which names are found: clauses and declarations.
#[derive(Clone, Copy, Debug)]
struct Part {
    start: u32,
    end: u32,
}

impl Part {
    fn all() -> Self {
        Part { start: 0, end: u32::MAX }
    }

    /// Returns the clause or the declaration that holds a place; what stands between two, if they could not be read there.
    fn around(file: &File, place: &Range<usize>) -> Self {
        let (part, holding) = Part::all().holder(&file.declarations, |declaration| declaration.span, place);
        match holding.map(|declaration| &declaration.kind) {
            Some(DeclarationKind::Session(session)) => {
                part.holder(&session.clauses, |clause| clause.span, place).0
            }
            _ => part,
        }
    }

    /// Returns the one that holds a place; what stands between two, and none of them, where none does.
    fn holder<'a, T>(
        mut self,
        all: &'a [T],
        span: impl Fn(&T) -> Span,
        place: &Range<usize>,
    ) -> (Self, Option<&'a T>) {
        for one in all {
            let span = span(one);
            let Range { start, end } = span.range();
            if start <= place.start && place.end <= end {
                return (Part { start: span.start, end: span.end }, Some(one));
            }
            if end <= place.start {
                self.start = span.end;
            } else {
                self.end = span.start;
                break;
            }
        }
        (self, None)
    }

    /// Returns the bytes.
    fn range(&self) -> Range<u32> {
        self.start..self.end
    }

    /// Returns those that the part touches.
    fn touched<'a, T>(&self, all: &'a [T], span: impl Fn(&T) -> Span) -> impl Iterator<Item = &'a T> {
        all.iter().filter(move |one| span(one).start <= self.end && self.start <= span(one).end)
    }
}

#[cfg(test)]
mod tests {
    use tracec_compiler::load::load;
    use tracec_compiler::source::NoImports;
    use tracec_compiler::{Diagnostics, KernelError, KernelSource, SourceText};

    use super::*;

    struct NoKernel;

    impl KernelSource for NoKernel {
        fn read(&self, _: &str) -> Result<Option<String>, KernelError> {
            Ok(None)
        }

        fn directories(&self, _: &str) -> Result<Vec<String>, KernelError> {
            Ok(Vec::new())
        }

        fn describe(&self) -> String {
            "no kernel".to_owned()
        }
    }

    #[test]
    fn a_name_at_a_place_is_that_among_all() {
        let text = "
            use std::errno;
            const LOW: u32 = 10;
            enum Level { Low = LOW, High }
            subsystem own;
            class pair { proto(a: u32, b: Level) entry { a: u32; b: Level; } print \"{a} {b}\"; }
            event one: pair;
            /// Documented.
            session all(level: Level = Low) {
                clock mono;
                when has event sched:sched_switch { trace own:one if b == High && (a) > LOW { drop a; } }
                trace { own:one, sched:sched_waking } if comm == \"a\" || a in { LOW..20 } { print \"{a + LOW}\"; }
                stop on own:one if b as Level == Low;
                trace own:one if a == 1 a == 2;
            }
            session other { include all(level = High); lint allow unused; trace one if ret == errno::EIO; }
            const B = LOW LOW;
        ";
        let source = SourceText { name: "a.trc".to_owned(), text: text.to_owned(), one_liner: false };
        let program = load(&source, &NoImports, &NoKernel, &mut Diagnostics::default());
        let texts = ReadTexts::from(&program);
        let (_, all) = of(texts).into_iter().find(|(id, _)| *id == FileId::MAIN).expect("the text itself");
        assert!(all.len() > 40, "{all:?}");
        for named in &all {
            assert_eq!(at(texts, &named.span.range()).as_ref(), Some(named));
        }
        assert_eq!(at(texts, &(0..1)), None);
    }
}
