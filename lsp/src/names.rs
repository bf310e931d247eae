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
    /// Constants and types.
    Value,
    /// Members of the type with this name.
    Member(String),
    /// Parameters of the session with this name.
    Param(String),
    /// What a `use` binds.
    Import,
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

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use tracec_compiler::load::load;
    use tracec_compiler::{Diagnostics, KernelError, KernelSource, NoImports, SourceText};

    use super::*;

    /// A kernel without a file: names are found without one.
    struct Nothing;

    impl KernelSource for Nothing {
        fn read(&self, _path: &str) -> Result<Option<String>, KernelError> {
            Ok(None)
        }

        fn directories(&self, _path: &str) -> Result<Vec<String>, KernelError> {
            Ok(Vec::new())
        }

        fn describe(&self) -> String {
            "nothing".to_owned()
        }
    }

    /// Returns the time in which the names of a text with some sessions are found.
    fn time(sessions: usize) -> Duration {
        let one =
            |at| format!("session s{at} {{ trace sched:sched_switch if prev_prio > {at} && cpu == 1; }}\n");
        let text = (0..sessions).map(one).collect();
        let source = SourceText { name: "a.trc".to_owned(), text, one_liner: false };
        let program = load(&source, &NoImports, &Nothing, &mut Diagnostics::default());
        let times = (0..3).map(|_| {
            let begin = Instant::now();
            let all = of((&program).into());
            assert!(all[0].1.len() > sessions * 4);
            begin.elapsed()
        });
        times.min().expect("a time")
    }

    /// Each name is looked up in its own clause and session. With a look at all of them, eight times the text would take 64
    /// times as long.
    #[test]
    fn time_does_not_grow_with_the_square_of_a_text() {
        let (short, long) = (time(4000), time(32_000));
        assert!(long < short * 24, "{long:?} after {short:?}");
    }
}
