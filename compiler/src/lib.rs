//! From `.trc` text and a kernel to artifacts. Nothing here does I/O: what a kernel is comes through
//! [`KernelSource`], and everything that is found wrong goes out as a [`diagnostic::Diagnostic`].
//!
//! [`compile`] shows all passes in order. Each pass is one function from plain data to plain data.

pub mod check;
pub mod diagnostic;
pub mod explain;
pub mod ir;
pub mod load;
pub mod place;
pub mod resolve;
pub mod simplify;
pub mod source;
pub mod stdlib;
pub mod target;
pub mod traps;

pub use diagnostic::{Diagnostic, Diagnostics, Severity};
pub use source::{Imports, KernelError, KernelSource, NoImports, SourceMap, SourceText};

use diagnostic::lints::{Levels, Setting};
use load::Program;
use resolve::{Arguments, Finder, Inclusion};
use tracec_grammar::syntax::Session;
use tracec_kernel::plan::{InstanceName, Plan};

/// What the compiler works on.
#[derive(Clone, Copy)]
pub struct Input<'a> {
    /// The text.
    pub source: &'a SourceText,
    /// Where the files come from that it imports.
    pub imports: &'a dyn Imports,
    /// The kernel that it is for.
    pub kernel: &'a dyn KernelSource,
    /// Values for the parameters of its session, by name, each as the language writes it.
    pub set: &'a [(String, String)],
    /// The levels of lints that the command line sets.
    pub levels: &'a [Setting],
}

impl<'a> Input<'a> {
    /// A text alone: no imports, no parameters, every lint at its own level.
    pub fn new(source: &'a SourceText, kernel: &'a dyn KernelSource) -> Self {
        Input { source, imports: &NoImports, kernel, set: &[], levels: &[] }
    }
}

/// What the caller of [`compile`] decides, beside the input.
#[derive(Clone, Debug)]
pub struct Options {
    /// The session to compile where the file holds several: `file.trc#NAME`.
    pub session: Option<String>,
    /// The instance the session will live in, if it names none itself.
    pub instance: InstanceName,
}

/// What became of a text.
#[derive(Debug)]
pub struct Compilation {
    /// The plan; `None` if a diagnostic is an error, a denied lint among them.
    pub plan: Option<Plan>,
    /// The texts that the diagnostics and the plan point into.
    pub sources: SourceMap,
    /// Errors and warnings in the order of the text.
    pub diagnostics: Vec<Diagnostic>,
}

/// What was found in a text.
#[derive(Debug)]
pub struct Checked {
    /// The texts that the diagnostics point into.
    pub sources: SourceMap,
    /// Errors and warnings in the order of the text.
    pub diagnostics: Vec<Diagnostic>,
}

/// Compiles one session of a text to a plan for tracefs.
pub fn compile(input: Input<'_>, options: &Options) -> Compilation {
    let mut diagnostics = Diagnostics::with_levels(Levels::new(input.levels.to_vec()));
    let mut program = load::load(input.source, input.imports, input.kernel, &mut diagnostics);
    let plan = passes(&mut program, input, options, &mut diagnostics);
    let diagnostics = diagnostics.finish();
    let failed = diagnostics.iter().any(|diagnostic| diagnostic.severity == Severity::Error);
    Compilation { plan: plan.filter(|_| !failed), sources: program.sources, diagnostics }
}

/// Checks every session of a text. A session may have parameters that nobody gives a value: others include it.
pub fn check(input: Input<'_>) -> Checked {
    check_session(input, None)
}

/// Checks one session of a text, which has to be complete, or all of them.
pub fn check_session(input: Input<'_>, session: Option<&str>) -> Checked {
    let mut diagnostics = Diagnostics::with_levels(Levels::new(input.levels.to_vec()));
    let mut program = load::load(input.source, input.imports, input.kernel, &mut diagnostics);
    let set = load::parameters(&mut program, input.set, &mut diagnostics);
    let defined = declarations(&program, input.kernel, &mut diagnostics);
    let main = &program[load::ModuleId::MAIN].parsed.file;
    if main.declarations.is_empty() && diagnostics.is_empty() {
        diagnostics.push(diagnostic::codes::no_session::no_session());
    }
    let mut inclusion = Inclusion::new(&program).with_defined(defined);
    // Of a text that was not looked at as a whole nobody knows what of it is not needed.
    let mut whole = session.is_none();
    if session.is_some() {
        if let Some(session) = resolve::session::select(main, session, &mut diagnostics) {
            let arguments = Arguments { set, open: false };
            check_passes(session, &program, &arguments, &mut inclusion, input.kernel, &mut diagnostics);
        }
    } else {
        for (session, arguments) in resolve::session::all(main, &set, &mut diagnostics) {
            let open =
                check_passes(session, &program, &arguments, &mut inclusion, input.kernel, &mut diagnostics);
            whole &= !open;
        }
    }
    if whole {
        diagnostics.push_unused_allows();
    }
    Checked { diagnostics: diagnostics.finish(), sources: program.sources }
}

/// Shows how the sessions of a text are carried out: `session`, or all of them.
pub fn explain(input: Input<'_>, session: Option<&str>) -> explain::Explained {
    let mut diagnostics = Diagnostics::with_levels(Levels::new(input.levels.to_vec()));
    let mut program = load::load(input.source, input.imports, input.kernel, &mut diagnostics);
    let set = load::parameters(&mut program, input.set, &mut diagnostics);
    let defined = declarations(&program, input.kernel, &mut diagnostics);
    let main = &program[load::ModuleId::MAIN].parsed.file;
    let complete = |session| (session, Arguments { set: set.clone(), open: false });
    let chosen: Vec<(&Session, Arguments)> = match session {
        None if main.sessions().next().is_some() => resolve::session::all(main, &set, &mut diagnostics),
        _ => resolve::session::select(main, session, &mut diagnostics).into_iter().map(complete).collect(),
    };
    let mut inclusion = Inclusion::new(&program).with_defined(defined);
    let mut sessions = Vec::new();
    for (session, arguments) in chosen {
        let before = diagnostics.errors();
        let passed = placement(session, &program, &arguments, &mut inclusion, input.kernel, &mut diagnostics);
        let clean = diagnostics.errors() == before && !diagnostics.has_error_in(session.span);
        sessions.extend(passed.placed.filter(|_| clean));
    }
    // Any session may rest on what stands outside of all.
    if has_error_outside_sessions(&program, &diagnostics) {
        sessions.clear();
    }
    // What has no place is no mistake of a session that can be shown, hence told when all others are known.
    for placed in &sessions {
        place::report(placed, &mut diagnostics);
    }
    explain::Explained { sessions, diagnostics: diagnostics.finish(), sources: program.sources }
}

/// Every pass from text to plan, in order.
fn passes(
    program: &mut Program,
    input: Input<'_>,
    options: &Options,
    diagnostics: &mut Diagnostics,
) -> Option<Plan> {
    let set = load::parameters(program, input.set, diagnostics);
    let defined = declarations(program, input.kernel, diagnostics);
    let main = &program[load::ModuleId::MAIN].parsed.file;
    let session = resolve::session::select(main, options.session.as_deref(), diagnostics)?;
    let arguments = Arguments { set, open: false };
    let mut inclusion = Inclusion::new(program).with_defined(defined);
    let passed = placement(session, program, &arguments, &mut inclusion, input.kernel, diagnostics);
    target::tracefs::emit(&passed.placed?, &options.instance, input.kernel, diagnostics)
}

/// What a file declares besides what its sessions do: the events that sessions can name.
fn declarations(
    program: &Program,
    kernel: &dyn KernelSource,
    diagnostics: &mut Diagnostics,
) -> resolve::Defined {
    check::unique_sessions(&program[load::ModuleId::MAIN].parsed.file, diagnostics);
    check::definition::check_program(program, kernel, diagnostics)
}

/// What became of one session.
struct Passed {
    /// The placed form; `None` if it has mistakes.
    placed: Option<place::Placed>,
    /// A parameter has no value, so that not all of it could be checked.
    open: bool,
}

/// The passes of one session that is checked and goes no further. Whether a parameter has no value, so that not all of it
/// could be.
fn check_passes<'p>(
    session: &'p Session,
    program: &'p Program,
    arguments: &Arguments,
    inclusion: &mut Inclusion<'p>,
    kernel: &dyn KernelSource,
    diagnostics: &mut Diagnostics,
) -> bool {
    let passed = placement(session, program, arguments, inclusion, kernel, diagnostics);
    if let Some(placed) = &passed.placed {
        place::report(placed, diagnostics);
    }
    passed.open
}

/// The passes of one session up to the placed form, in which conditions may still be without a place.
fn placement<'p>(
    session: &'p Session,
    program: &'p Program,
    arguments: &Arguments,
    inclusion: &mut Inclusion<'p>,
    kernel: &dyn KernelSource,
    diagnostics: &mut Diagnostics,
) -> Passed {
    let errors = diagnostics.errors();
    let mut finder = Finder::new(kernel).with_defined(&inclusion.defined);
    let expanded = resolve::expand(session, program, arguments, inclusion, &mut finder, diagnostics);
    let (open, includes) = (expanded.open, expanded.includes);
    // After a syntax error a condition is not what was written: it must be neither judged nor shown. What is included
    // stands elsewhere, and its mistakes are told once; of a text with errors it is not trusted.
    let recovered = diagnostics.has_error_in(session.span) || includes && diagnostics.errors() > 0;
    let resolved = resolve::resolve(expanded, finder, diagnostics);
    let ir = check::check(&resolved, kernel, diagnostics);
    // What rests on an open parameter is missing in it: where the rest runs says nothing.
    let ir = ir.filter(|_| !open && !recovered);
    let ir = ir.map(|ir| simplify::session(ir, &program.sources, diagnostics));
    let placed = ir.map(|ir| {
        let apart = place::Apart::from(ir);
        let model = place::written_for(&apart, kernel);
        // What it names may be mistaken where it is defined.
        let is_whole = diagnostics.errors() == errors && !has_error_outside_sessions(program, diagnostics);
        place::Placed { is_whole, ..place::place(apart, model) }
    });
    Passed { placed, open }
}

/// Whether there is a mistake in what the sessions of a text may rest on.
fn has_error_outside_sessions(program: &Program, diagnostics: &Diagnostics) -> bool {
    let sessions = || program[load::ModuleId::MAIN].parsed.file.sessions();
    diagnostics.errors() > 0
        && diagnostics.has_error_outside(&sessions().map(|session| session.span).collect::<Vec<_>>())
}
