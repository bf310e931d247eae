//! One session of a text to a plan, in one call.

use tracec_kernel::plan::{InstanceName, Plan};

use crate::analyse::analyse;
use crate::diagnostic::Diagnostic;
use crate::input::Input;
use crate::plan::ModuleFile;
use crate::resolve::session::Choice;
use crate::source::SourceMap;
use crate::target::plan::PlanTarget;
use crate::target::{self, Target};
use crate::{plan, validate};

/// The options of [`compile`], beside the input.
#[derive(Clone, Debug)]
pub struct Options {
    /// The session to compile where the file has several: `file.trc#NAME`.
    pub session: Option<String>,
    /// The instance of the session, if it names none itself.
    pub instance: InstanceName,
    /// The module that has the tracepoints that the text defines, which the session loads.
    pub module: Option<ModuleFile>,
    /// Whether BPF programs record, and not tracefs.
    pub programs: bool,
}

impl Options {
    /// Returns the options of a session that loads nothing.
    pub fn new(session: Option<String>, instance: InstanceName) -> Self {
        Options { session, instance, module: None, programs: false }
    }
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
    let target = if options.programs { &target::bpf::RECORDER } else { Target::recorder() };
    let input = Input { target, ..input };
    let analysis = analyse(input, Choice::One(options.session.as_deref()));
    let (plan, diagnostics) = analysis.make(|session| {
        let with = plan::With { instance: &options.instance, module: options.module.as_ref() };
        let own = analysis.target_of(session);
        if [&target::bpf::RECORDER, &target::bpf::BESIDE_TRACEFS].iter().any(|by| std::ptr::eq(*by, own)) {
            return target::bpf::plan(session, with, input.kernel, &analysis.sources);
        }
        let validated = validate::validate::<PlanTarget>(session, target::is_implemented)?;
        plan::plan(&validated, with, input.kernel, &analysis.sources)
    });
    Compilation { plan, sources: analysis.sources, diagnostics }
}
