//! A text and everything it imports: each text once.
//!
//! `use std::errno;` names a module that comes with the language, `use "common.trc";` a file next to the one that names
//! it. The text of `-e` has no `use`: it may name the constants of the language's modules as they are. Texts that
//! import each other in a circle are refused: they have no order of evaluation.

mod follow;
mod parameter;
mod prelude;

use std::collections::BTreeMap;

pub use parameter::{Parameter, parameters};
use rustc_hash::FxHashMap;
use tracec_grammar::Parsed;
use tracec_grammar::span::{FileId, Span};
use tracec_grammar::syntax::{Name, Session};

use crate::constant::declare;
use crate::diagnostic::{Diagnostics, Suggestions};
use crate::ir::definition::{ConstantTable, Constants, ConstantsId, VisibleConstants};
use crate::source::{Imports, KernelSource, SourceMap, SourceText};
use crate::stdlib::Uname;

/// The id of a session in its [`Program`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SessionId {
    /// The text that declares it.
    pub file: FileId,
    /// Its index among the sessions of that text.
    pub index: usize,
}

/// A text with all it imports.
#[derive(Debug, PartialEq)]
pub struct Program {
    /// The texts.
    pub sources: SourceMap,
    /// The syntax of each text that is the main one or imported, by its id in `sources`: the main text first, and each
    /// before those that it imports. `sources` may hold more behind them: the values of the command line.
    pub texts: Vec<LoadedText>,
    /// The constants of the texts, and their enumerations.
    pub constants: ConstantTable,
    /// Whether everything outside of sessions could be read and all imports were found. The rest has been reported.
    pub complete: bool,
}

/// A text that was read, with its imports found.
#[derive(Clone, Debug, PartialEq)]
pub struct LoadedText {
    /// Its name in diagnostics.
    pub name: String,
    /// Its syntax, and the parts that could not be read.
    pub parsed: Parsed,
    /// Whether it comes with the language.
    pub std: bool,
    /// Its imports, by the names that it uses for them.
    pub imports: Vec<Import>,
    /// Its constants, and those of what it imports.
    pub constants: ConstantsId,
    /// Suggestions for the unknown names in its expressions.
    pub suggestions: Suggestions,
}

/// The binding of a `use`.
#[derive(Clone, Debug, PartialEq)]
pub struct Import {
    /// The name in the importing text.
    pub name: Name,
    /// The text that it stands for.
    pub file: FileId,
}

impl std::ops::Index<FileId> for Program {
    type Output = LoadedText;

    fn index(&self, id: FileId) -> &LoadedText {
        &self.texts[id.index()]
    }
}

impl LoadedText {
    /// Returns whether everything outside of sessions could be read.
    fn is_read_outside_sessions(&self) -> bool {
        let sessions = || self.parsed.file.sessions().map(|session| session.span);
        self.parsed.errors.iter().all(|error| sessions().any(|session| session.holds(error.span)))
    }

    /// Returns whether something in this span could not be read.
    pub fn has_unread(&self, span: Span) -> bool {
        self.parsed.errors.iter().any(|error| span.holds(error.span))
    }
}

impl Program {
    /// Returns every text with its id.
    pub fn iter(&self) -> impl Iterator<Item = (FileId, &LoadedText)> {
        (0..).map(FileId).zip(&self.texts)
    }

    /// Returns the constants that a text can name.
    pub fn constants_of(&self, text: &LoadedText) -> VisibleConstants<'_> {
        VisibleConstants { own: &self.constants[text.constants], table: &self.constants }
    }

    /// Returns every session of a text with its id.
    pub fn sessions(&self, file: FileId) -> impl Iterator<Item = (SessionId, &Session)> {
        let sessions = self[file].parsed.file.sessions().enumerate();
        sessions.map(move |(index, session)| (SessionId { file, index }, session))
    }

    /// Returns every text once, each after those that it imports.
    pub fn imported_first(&self) -> Vec<FileId> {
        let mut seen = vec![false; self.texts.len()];
        let mut order = Vec::new();
        let mut open = vec![(FileId::MAIN, false)];
        while let Some((id, done)) = open.pop() {
            if done {
                order.push(id);
            } else if !std::mem::replace(&mut seen[id.index()], true) {
                open.push((id, true));
                open.extend(self[id].imports.iter().map(|import| (import.file, false)));
            }
        }
        order
    }
}

/// Reads a text and everything it imports. Parts that cannot be read are reported and left out.
pub fn load(
    main: &SourceText,
    imports: &dyn Imports,
    kernel: &dyn KernelSource,
    diagnostics: &mut Diagnostics,
) -> Program {
    load_parsed(main, None, imports, kernel, diagnostics)
}

/// Works as [`load`] does, on a text whose syntax may be known.
pub(crate) fn load_parsed(
    main: &SourceText,
    syntax: Option<Parsed>,
    imports: &dyn Imports,
    kernel: &dyn KernelSource,
    diagnostics: &mut Diagnostics,
) -> Program {
    let (arch, release) = (kernel.arch(), kernel.release());
    let mut loader = follow::Loader {
        sources: SourceMap::new(main.clone()),
        texts: Vec::new(),
        constants: ConstantTable::default(),
        known: FxHashMap::default(),
        open: Vec::new(),
        finished: Vec::new(),
        prelude: Vec::new(),
        imports,
        uname: Uname { arch: &arch, release: &release },
        complete: true,
        diagnostics,
    };
    loader.text(main, syntax, FileId::MAIN, follow::Key::File(main.name.clone()));
    let follow::Loader { sources, texts, mut constants, finished, prelude, mut complete, .. } = loader;
    for id in finished {
        let text = &texts[id.index()];
        let imports = text
            .imports
            .iter()
            .map(|import| (import.name.value.clone(), texts[import.file.index()].constants));
        let imports: BTreeMap<String, ConstantsId> = imports.collect();
        let (own, clean) = declare(&text.parsed, imports, &mut constants, diagnostics);
        constants[text.constants] = own;
        complete &= clean;
    }
    if !prelude.is_empty() {
        let of = |id: FileId| texts[id.index()].constants;
        let named = prelude.into_iter().map(|import| (import.name.value, of(import.file)));
        let prelude = constants.add(Constants { modules: named.collect(), ..Constants::default() });
        constants[of(FileId::MAIN)].prelude = Some(prelude);
    }
    complete &= texts.iter().all(LoadedText::is_read_outside_sessions);
    Program { sources, texts, constants, complete }
}
