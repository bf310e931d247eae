//! A text and everything it imports: each text once.
//!
//! `use std::errno;` names a module that comes with the language, `use "common.trc";` a file beside the one that names
//! it. Texts that import each other in a circle are refused: which of them would be first?

mod follow;
mod parameter;

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

pub use parameter::{Parameter, parameters};
use tracec_grammar::Parsed;
use tracec_grammar::span::{FileId, Span};
use tracec_grammar::syntax::Name;

use crate::constant::declare;
use crate::diagnostic::{Diagnostics, Suggestions};
use crate::ir::definition::Constants;
use crate::source::{Imports, KernelSource, SourceMap, SourceText};
use crate::stdlib::Target;

/// Index of a module in its [`Program`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ModuleId(pub u32);

impl ModuleId {
    /// The text that was asked for.
    pub const MAIN: ModuleId = ModuleId(0);
}

/// A text with all it imports.
#[derive(Debug)]
pub struct Program {
    /// The texts.
    pub sources: SourceMap,
    /// What they say. The first is the text that was asked for; what a module imports comes behind it.
    pub modules: Vec<Module>,
    /// Whether all that they say outside of sessions could be read, and what they import found. What could not has been
    /// reported.
    pub complete: bool,
}

/// One text.
#[derive(Debug)]
pub struct Module {
    /// How diagnostics call it.
    pub name: String,
    /// What it says, and what of it does not read.
    pub parsed: Parsed,
    /// It comes with the language.
    pub std: bool,
    /// What it imports, by the names it uses for it.
    pub imports: Vec<Import>,
    /// Its constants, and those of what it imports.
    pub constants: Arc<Constants>,
    /// What the unknown names in its expressions may have meant.
    pub suggestions: Suggestions,
}

/// What a `use` binds.
#[derive(Debug)]
pub struct Import {
    /// The name in the text that imports.
    pub name: Name,
    /// What it stands for.
    pub module: ModuleId,
}

impl std::ops::Index<ModuleId> for Program {
    type Output = Module;

    fn index(&self, id: ModuleId) -> &Module {
        &self.modules[id.0 as usize]
    }
}

impl Module {
    /// Whether all that stands outside of sessions could be read.
    fn is_read_outside_sessions(&self) -> bool {
        let sessions = || self.parsed.file.sessions().map(|session| session.span);
        self.parsed.errors.iter().all(|error| sessions().any(|session| session.holds(error.span)))
    }

    /// Whether something in this place could not be read.
    pub fn has_unread(&self, place: Span) -> bool {
        self.parsed.errors.iter().any(|error| place.holds(error.span))
    }
}

impl Program {
    /// Every module with its id.
    pub fn iter(&self) -> impl Iterator<Item = (ModuleId, &Module)> {
        self.modules.iter().enumerate().map(|(index, module)| (ModuleId(index as u32), module))
    }

    /// Every module once, each behind those that it imports.
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

/// Reads a text and everything it imports. What cannot be read is reported and left out.
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
        known: HashMap::new(),
        open: Vec::new(),
        finished: Vec::new(),
        imports,
        target: Target { arch: &arch, release: &release },
        complete: true,
        diagnostics,
    };
    loader.text(main, FileId::MAIN, follow::Key::File(main.name.clone()));
    let follow::Loader { sources, mut modules, finished, mut complete, .. } = loader;
    for id in finished {
        let module = &modules[id.0 as usize];
        let imports = module.imports.iter().map(|import| {
            (import.name.value.clone(), Arc::clone(&modules[import.module.0 as usize].constants))
        });
        let imports: BTreeMap<String, Arc<Constants>> = imports.collect();
        let (constants, clean) = declare(&module.parsed, &imports, diagnostics);
        modules[id.0 as usize].constants = Arc::new(constants);
        complete &= clean;
    }
    complete &= modules.iter().all(Module::is_read_outside_sessions);
    Program { sources, modules, complete }
}
