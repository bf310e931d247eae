//! The names of a text: what kind of thing each is, and which declaration it belongs to.

mod declared;
mod expected;
mod walk;

use tracec_compiler::load::{LoadedText, Program};
use tracec_compiler::{Analysis, SourceMap};
use tracec_span::{FileId, Span};

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
    let declared: Vec<declared::Declared> =
        texts.iter().map(|(_, text)| declared::Declared::of(text)).collect();
    let each = texts.iter().map(|(id, text)| {
        let mut names = walk::Walk::new(texts, &declared, id, text).names();
        names.sort_by_key(|named| named.span);
        names.dedup_by_key(|named| named.span);
        (id, names)
    });
    each.collect()
}
