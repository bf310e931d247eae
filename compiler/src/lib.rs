//! Compiler from `.trc` text and a kernel to artifacts. It does no I/O: it reads kernels through [`KernelSource`], and
//! returns every mistake as a [`diagnostic::Diagnostic`].
//!
//! [`analyse`] shows all passes in order. Each pass is one function from plain data to plain data.

#![cfg_attr(
    not(test),
    deny(clippy::disallowed_methods, clippy::disallowed_types, clippy::print_stderr, clippy::print_stdout)
)]

mod analyse;
pub mod check;
pub mod constant;
pub mod diagnostic;
pub mod dump;
pub mod explain;
pub mod ir;
pub mod load;
pub mod place;
pub mod plan;
pub mod resolve;
pub mod simplify;
pub mod source;
pub mod stdlib;
pub mod target;
pub mod validate;

pub use analyse::{Analysis, analyse, analyse_and_dump};
pub use diagnostic::{Diagnostic, Diagnostics, Severity};
pub use resolve::session::Choice;
pub use source::{Imports, KernelError, KernelSource, NoImports, SourceMap, SourceText};

use diagnostic::lints::Setting;
use tracec_kernel::plan::{InstanceName, Plan};

/// The input of the compiler.
#[derive(Clone, Copy)]
pub struct Input<'a> {
    /// The text.
    pub source: &'a SourceText,
    /// The files that it imports.
    pub imports: &'a dyn Imports,
    /// The kernel that it is compiled for.
    pub kernel: &'a dyn KernelSource,
    /// Values for the parameters of its session, by name, each in the language's syntax.
    pub set: &'a [(String, String)],
    /// The levels of lints that the command line sets.
    pub levels: &'a [Setting],
}

impl<'a> Input<'a> {
    /// Returns the input for a text alone: no imports, no parameters, every lint at its default level.
    pub fn new(source: &'a SourceText, kernel: &'a dyn KernelSource) -> Self {
        Input { source, imports: &NoImports, kernel, set: &[], levels: &[] }
    }
}

/// The options of [`compile`], beside the input.
#[derive(Clone, Debug)]
pub struct Options {
    /// The session to compile where the file has several: `file.trc#NAME`.
    pub session: Option<String>,
    /// The instance of the session, if it names none itself.
    pub instance: InstanceName,
}

/// The result of a compilation.
#[derive(Debug)]
pub struct Compilation {
    /// The plan; `None` if a diagnostic is an error, including a denied lint.
    pub plan: Option<Plan>,
    /// The texts that the diagnostics and the plan point into.
    pub sources: SourceMap,
    /// Errors and warnings in the order of the text.
    pub diagnostics: Vec<Diagnostic>,
}

/// Compiles one session of a text to a plan for tracefs.
pub fn compile(input: Input<'_>, options: &Options) -> Compilation {
    let analysis = analyse(input, Choice::One(options.session.as_deref()));
    let plan = analysis.sessions().next().map(|session| {
        let validated = validate::validate::<plan::Tracefs>(session)?;
        plan::plan(&validated, &options.instance, input.kernel)
    });
    let failed = analysis.has_errors();
    let Analysis { sources, mut diagnostics, .. } = analysis;
    let plan = match plan {
        Some(Ok(plan)) => Some(plan).filter(|_| !failed),
        Some(Err(refusals)) => {
            diagnostics.extend(refusals);
            diagnostics.sort_by_key(|said| said.primary.as_ref().map(|label| label.span));
            None
        }
        None => None,
    };
    Compilation { plan, sources, diagnostics }
}
