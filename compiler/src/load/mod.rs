//! A text and everything it imports: each text once.
//!
//! `use std::errno;` names a module that comes with the language, `use "common.trc";` a file next to the one that names
//! it. The text of `-e` has no `use`: it may name the constants of the language's modules as they are. Texts that import
//! each other in a circle are refused: they have no order of evaluation.

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

/// Index of a module in its [`Program`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ModuleId(pub u32);

impl ModuleId {
    /// The main text.
    pub const MAIN: ModuleId = ModuleId(0);
}

/// The id of a session in its [`Program`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SessionId {
    /// The module whose text declares it.
    pub module: ModuleId,
    /// Its index among the sessions of that text.
    pub index: usize,
}

/// A text with all it imports.
#[derive(Debug, PartialEq)]
pub struct Program {
    /// The texts.
    pub sources: SourceMap,
    /// The modules. The first is that of the main text; a module comes before those that it imports.
    pub modules: Vec<Module>,
    /// The constants of the modules, and their enumerations.
    pub constants: ConstantTable,
    /// Whether everything outside of sessions could be read and all imports were found. The rest has been reported.
    pub complete: bool,
}

/// One text.
#[derive(Debug, PartialEq)]
pub struct Module {
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
#[derive(Debug, PartialEq)]
pub struct Import {
    /// The name in the importing text.
    pub name: Name,
    /// The module that it stands for.
    pub module: ModuleId,
}

impl std::ops::Index<ModuleId> for Program {
    type Output = Module;

    fn index(&self, id: ModuleId) -> &Module {
        &self.modules[id.0 as usize]
    }
}

impl Module {
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
    /// Returns every module with its id.
    pub fn iter(&self) -> impl Iterator<Item = (ModuleId, &Module)> {
        self.modules.iter().enumerate().map(|(index, module)| (ModuleId(index as u32), module))
    }

    /// Returns the constants that a module's text can name.
    pub fn constants_of(&self, module: &Module) -> VisibleConstants<'_> {
        VisibleConstants { own: &self.constants[module.constants], table: &self.constants }
    }

    /// Returns every session of a module's text with its id.
    pub fn sessions(&self, module: ModuleId) -> impl Iterator<Item = (SessionId, &Session)> {
        let sessions = self[module].parsed.file.sessions().enumerate();
        sessions.map(move |(index, session)| (SessionId { module, index }, session))
    }

    /// Returns every module once, each after those that it imports.
    pub fn imported_first(&self) -> Vec<ModuleId> {
        let mut seen = vec![false; self.modules.len()];
        let mut order = Vec::new();
        let mut open = vec![(ModuleId::MAIN, false)];
        while let Some((id, done)) = open.pop() {
            if done {
                order.push(id);
            } else if !std::mem::replace(&mut seen[id.0 as usize], true) {
                open.push((id, true));
                open.extend(self[id].imports.iter().map(|import| (import.module, false)));
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
    let (arch, release) = (kernel.arch(), kernel.release());
    let mut loader = follow::Loader {
        sources: SourceMap::new(main.clone()),
        modules: Vec::new(),
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
    loader.text(main, FileId::MAIN, follow::Key::File(main.name.clone()));
    let follow::Loader { sources, modules, mut constants, finished, prelude, mut complete, .. } = loader;
    for id in finished {
        let module = &modules[id.0 as usize];
        let imports = module
            .imports
            .iter()
            .map(|import| (import.name.value.clone(), modules[import.module.0 as usize].constants));
        let imports: BTreeMap<String, ConstantsId> = imports.collect();
        let (own, clean) = declare(&module.parsed, imports, &mut constants, diagnostics);
        constants[module.constants] = own;
        complete &= clean;
    }
    if !prelude.is_empty() {
        let of = |id: ModuleId| modules[id.0 as usize].constants;
        let named = prelude.into_iter().map(|import| (import.name.value, of(import.module)));
        let prelude = constants.add(Constants { modules: named.collect(), ..Constants::default() });
        constants[of(ModuleId::MAIN)].prelude = Some(prelude);
    }
    complete &= modules.iter().all(Module::is_read_outside_sessions);
    Program { sources, modules, constants, complete }
}
