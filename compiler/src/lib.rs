//! From `.trc` text and a kernel to artifacts. Nothing here does I/O: what a kernel is comes through
//! [`KernelSource`], and everything that is found wrong goes out as a [`diagnostic::Diagnostic`].
//!
//! [`compile`] shows all passes in order. Each pass is one function from plain data to plain data.

pub mod check;
pub mod diagnostic;
pub mod ir;
pub mod place;
pub mod resolve;
pub mod source;
pub mod target;

pub use diagnostic::{Diagnostic, Diagnostics, Severity};
pub use source::{KernelError, KernelSource, SourceMap, SourceText};

use diagnostic::lints::Levels;
use tracec_grammar::Parsed;
use tracec_grammar::span::Span;
use tracec_kernel::plan::{InstanceName, Plan};

/// What the caller decides, beside the text and the kernel.
#[derive(Clone, Debug)]
pub struct Options {
    /// The session to compile where the file holds several: `file.trc#NAME`.
    pub session: Option<String>,
    /// The instance the session will live in.
    pub instance: InstanceName,
}

/// What became of a text.
#[derive(Debug)]
pub struct Compilation {
    /// The plan; `None` if a diagnostic is an error, a denied lint among them.
    pub plan: Option<Plan>,
    /// Errors and warnings in the order of the text.
    pub diagnostics: Vec<Diagnostic>,
}

/// Compiles one session of a text to a plan for tracefs.
pub fn compile(source: &SourceText, kernel: &dyn KernelSource, options: &Options) -> Compilation {
    let mut diagnostics = Diagnostics::default();
    let plan = passes(source, kernel, options, &mut diagnostics);
    let diagnostics = diagnostics.finish();
    let failed = diagnostics.iter().any(|diagnostic| diagnostic.severity == Severity::Error);
    Compilation { plan: plan.filter(|_| !failed), diagnostics }
}

/// Checks every session of a text.
pub fn check(source: &SourceText, kernel: &dyn KernelSource) -> Vec<Diagnostic> {
    check_at(source, kernel, Levels::default())
}

/// Checks every session of a text, with lints at the levels of a command line.
pub fn check_at(source: &SourceText, kernel: &dyn KernelSource, levels: Levels) -> Vec<Diagnostic> {
    let mut diagnostics = Diagnostics::with_levels(levels);
    let parsed = parse(source, &mut diagnostics);
    check::unique_sessions(&parsed.file, &mut diagnostics);
    if parsed.file.sessions().next().is_none() && diagnostics.is_empty() {
        diagnostics.push(diagnostic::codes::no_session::no_session());
    }
    for session in parsed.file.sessions() {
        check_session(session, &parsed, kernel, &mut diagnostics);
    }
    diagnostics.push_unused_allows();
    diagnostics.finish()
}

/// Every pass from text to plan, in order.
fn passes(
    source: &SourceText,
    kernel: &dyn KernelSource,
    options: &Options,
    diagnostics: &mut Diagnostics,
) -> Option<Plan> {
    let parsed = parse(source, diagnostics);
    check::unique_sessions(&parsed.file, diagnostics);
    let session = resolve::session::select(&parsed.file, options.session.as_deref(), diagnostics)?;
    let placed = check_session(session, &parsed, kernel, diagnostics)?;
    target::tracefs::emit(&placed, &options.instance, kernel, diagnostics)
}

/// The passes of one session up to the validated, placed form.
fn check_session(
    session: &tracec_grammar::syntax::Session,
    parsed: &Parsed,
    kernel: &dyn KernelSource,
    diagnostics: &mut Diagnostics,
) -> Option<place::Placed> {
    let resolved = resolve::resolve(session, kernel, diagnostics);
    let ir = check::check(&resolved, &parsed.file.exprs, kernel, diagnostics)?;
    place::place(ir, diagnostics)
}

fn parse(source: &SourceText, diagnostics: &mut Diagnostics) -> Parsed {
    let parsed = if source.one_liner {
        tracec_grammar::parse_one_liner(&source.text)
    } else {
        tracec_grammar::parse(&source.text)
    };
    for error in &parsed.errors {
        diagnostics.push(diagnostic::syntax::from_syntax_error(error, &source.text));
    }
    for wrong in diagnostics.levels_mut().declare(&parsed.file, Span::new(0, source.text.len())) {
        diagnostics.push(wrong);
    }
    parsed
}
