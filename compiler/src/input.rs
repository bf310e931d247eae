//! The input of the compiler: a text, what it imports, a kernel, and settings.

use std::cell::Cell;

use tracec_grammar::Parsed;

use crate::diagnostic::lints::Setting;
use crate::ir::KnownConditions;
use crate::source::{Imports, KernelSource, NoImports, SourceText};
use crate::target::Target;

/// The input of the compiler.
#[derive(Clone, Copy)]
pub struct Input<'a> {
    /// The text.
    pub source: &'a SourceText,
    /// The files that it imports.
    pub imports: &'a dyn Imports,
    /// The kernel that it is compiled for.
    pub kernel: &'a dyn KernelSource,
    /// The target that conditions are placed for.
    pub target: &'static Target,
    /// Values for the parameters of its session, by name, each in the language's syntax.
    pub set: &'a [(String, String)],
    /// The levels of lints that the command line sets.
    pub levels: &'a [Setting],
    /// Whether the tracepoints that the text defines are events of the kernel, which a module has: a session that names
    /// one means that event.
    pub loaded: bool,
    /// The syntax of the text, where it is known. The first analysis takes it; others parse the text.
    pub syntax: Option<&'a Cell<Option<Parsed>>>,
    /// The conditions of the text that are known from before an edit. The analysis leaves its own there.
    pub conditions: Option<&'a Cell<KnownConditions>>,
}

impl<'a> Input<'a> {
    /// Returns the input for a text alone: no imports, no parameters, every lint at its default level, to be run.
    pub fn new(source: &'a SourceText, kernel: &'a dyn KernelSource) -> Self {
        Input {
            source,
            imports: &NoImports,
            kernel,
            target: Target::recorder(),
            set: &[],
            levels: &[],
            loaded: false,
            syntax: None,
            conditions: None,
        }
    }
}
