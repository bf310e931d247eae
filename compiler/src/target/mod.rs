//! The targets: from a validated session to artifacts. There is one folder per target, and no target imports another.
//!
//! A target is an implementation of `Builder` in its folder, and an entry of [`TARGETS`]. It states which engines
//! decide its conditions, and how it supports each clause. Conditions are placed among its engines, and the
//! [validator](crate::validate) refuses unsupported clauses, so that a target may assume that a session has none. The
//! table of targets in the book is generated from these statements.
//!
//! A target of definitions is made of what a text defines, and not of a session: it implements `DefinitionBuilder`, and
//! is an entry of [`DEFINITION_TARGETS`].
//!
//! A target of records is made of all events that a text defines or that its sessions record, with the conditions under
//! which they do: it implements `DecoderBuilder`, and is an entry of [`DECODER_TARGETS`]. A decoder does not depend on how
//! a session is run, so that such a target has no clauses; the conditions are refused where its
//! [engine](Engine) cannot decide them.

pub mod bpf;
mod c;
#[cfg(test)]
mod fixture;
mod format;
#[cfg(feature = "host")]
pub mod host;
mod kernel_tree;
mod lower;
mod module;
pub mod plan;
pub mod report;
mod rust;
mod script;

use tracec_grammar::span::Span;
use tracec_grammar::syntax::Name;
use tracec_kernel::condition::realisation::Engine;
use tracec_kernel::plan::InstanceName;

use crate::decoder::{self, Decoder};
use crate::diagnostic::{Diagnostic, codes};
use crate::ir::definition::{ConstantTable, Definitions};
use crate::ir::{Module, Recorders, Session};
use crate::place::{Among, Engines, InKernel, PlacedSession};
use crate::source::{KernelSource, SourceMap};
use crate::validate::{Capabilities, Clause, Supported, Validated, validate};

/// All targets, in the order in which they are listed.
pub static TARGETS: &[Target] =
    &[Target::of::<plan::PlanTarget>(), Target::of::<script::Script>(), Target::of::<bpf::Bpf>()];

/// All targets of definitions, in the order in which they are listed.
pub static DEFINITION_TARGETS: &[DefinitionTarget] = &[
    DefinitionTarget::of::<format::Format>(),
    DefinitionTarget::of::<module::Module>(),
    DefinitionTarget::of::<kernel_tree::KernelTree>(),
];

/// All targets of records, in the order in which they are listed.
pub static DECODER_TARGETS: &[DecoderTarget] =
    &[DecoderTarget::of::<c::C>(), DecoderTarget::of::<rust::Rust>()];

/// A form that a session can be built as.
#[derive(Debug)]
pub struct Target {
    /// The name for `--target NAME`.
    pub name: &'static str,
    /// A description of the artifacts in one line.
    pub about: &'static str,
    /// What decides the conditions of its sessions.
    pub engines: Engines,
    /// The clauses that it supports.
    pub clauses: Supported,
    /// Validates a session for the target, and builds it.
    pub build: fn(PlacedSession<'_>, &Request<'_>) -> Built,
}

/// A form that the tracepoints of a text can be built as.
#[derive(Debug)]
pub struct DefinitionTarget {
    /// The name for `--target NAME`.
    pub name: &'static str,
    /// A description of the artifacts in one line.
    pub about: &'static str,
    /// Whether C files of the user become parts of it.
    pub takes_code: bool,
    /// Whether it is made for a kernel tree.
    pub needs_tree: bool,
    build: fn(&DefinitionRequest<'_>) -> Built,
    lines: fn(&DefinitionRequest<'_>) -> Option<Lines>,
    tag: fn(&DefinitionRequest<'_>) -> Option<Tag>,
}

/// A form that decoders of a text's records can be built as.
#[derive(Debug)]
pub struct DecoderTarget {
    /// The name for `--target NAME`.
    pub name: &'static str,
    /// A description of the artifacts in one line.
    pub about: &'static str,
    /// What the conditions are placed for before the decoder takes them. A decoder has no place to choose: its engine decides
    /// whole conditions, and says itself which it cannot.
    pub conditions: Target,
    /// What decides the conditions.
    pub engine: Engine,
    build: fn(&Decoder<'_>) -> Vec<File>,
}

/// Returns whether a target supports a clause. One that none does is not implemented yet.
///
/// A session that names a tracepoint of its text is one of events that the kernel has, once a module has been loaded for
/// it: the targets do not see that clause.
pub fn is_implemented(clause: Clause) -> bool {
    // A trigger of an event that tracefs does not have can never be.
    matches!(clause, Clause::DefinedTracepoint | Clause::TriggerBesideProgram) || is_in_any(TARGETS, clause)
}

fn is_in_any(targets: &[Target], clause: Clause) -> bool {
    targets.iter().any(|target| target.clauses.has(clause))
}

/// A type that stands for a target and builds the sessions that were validated for it.
trait Builder: Capabilities + Sized {
    /// A description of the artifacts in one line.
    const ABOUT: &'static str;

    /// Builds a session.
    fn build(session: &Validated<'_, Self>, request: &Request<'_>) -> Built;
}

/// A type that stands for a target of definitions.
trait DefinitionBuilder {
    /// The name of the target.
    const NAME: &'static str;

    /// A description of the artifacts in one line.
    const ABOUT: &'static str;

    /// Whether C files of the user become parts of it.
    const TAKES_CODE: bool = false;

    /// Whether it is made for a kernel tree.
    const NEEDS_TREE: bool = false;

    /// Builds the tracepoints of a text.
    fn build(request: &DefinitionRequest<'_>) -> Built;

    /// Returns which parts of the text the lines of a file are for that a compiler will read.
    fn lines(_: &DefinitionRequest<'_>) -> Option<Lines> {
        None
    }

    /// Returns the tag that what is built has.
    fn tag(_: &DefinitionRequest<'_>) -> Option<Tag> {
        None
    }
}

/// A tag in what was built, which is the same for all definitions of the same tracepoints, and for no others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tag {
    /// Its name.
    pub name: &'static str,
    /// Its value.
    pub value: String,
}

/// A file that a compiler reads, and the parts of the text that its lines are for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lines {
    /// The name of the file.
    pub file: String,
    lines: Vec<(usize, Span)>,
    /// The functions that the text names, and that another file has to have.
    functions: Vec<Name>,
    /// The tracepoints that the file defines.
    events: Vec<Name>,
}

impl Lines {
    /// Creates what is known of a file. The lines are in order.
    pub fn new(file: &str, lines: Vec<(usize, Span)>, functions: Vec<Name>, events: Vec<Name>) -> Self {
        Lines { file: file.to_owned(), lines, functions, events }
    }

    /// Returns where the text defines a tracepoint.
    pub fn event(&self, name: &str) -> Option<Span> {
        self.events.iter().find(|event| event.value == name).map(|event| event.span)
    }

    /// Returns the part that a line is for, counted from 1.
    pub fn part(&self, line: usize) -> Option<Span> {
        crate::c::part(&self.lines, line)
    }

    /// Returns where the text names a function that another file has to have.
    pub fn function(&self, name: &str) -> Option<Span> {
        self.functions.iter().find(|function| function.value == name).map(|function| function.span)
    }
}

/// A type that stands for a target of records.
trait DecoderBuilder {
    /// The name of the target.
    const NAME: &'static str;

    /// A description of the artifacts in one line.
    const ABOUT: &'static str;

    /// Its column in the table of [realisations](tracec_kernel::condition::realisation).
    const ENGINE: Engine;

    /// Writes a decoder.
    fn build(decoder: &Decoder<'_>) -> Vec<File>;
}

/// The input of a target of definitions.
#[derive(Clone, Copy)]
struct DefinitionRequest<'a> {
    /// What the text declares. It has a tracepoint.
    definitions: &'a Definitions,
    /// The constants and enumerations that the definitions refer to.
    constants: &'a ConstantTable,
    /// The name of the text.
    origin: &'a str,
    /// C files of the user that become parts of it.
    code: &'a [File],
    /// The kernel tree, for a target that is made for one.
    tree: Option<Tree<'a>>,
}

/// A directory of a kernel tree.
#[derive(Clone, Copy)]
pub struct Tree<'a> {
    /// The files of the tree, by their paths from its root.
    pub files: &'a dyn KernelSource,
    /// The path of the directory from the root.
    pub directory: &'a str,
}

/// What the definitions of a text are built with.
#[derive(Clone, Copy)]
pub struct Surroundings<'a> {
    /// The kernel to build for.
    pub kernel: &'a dyn KernelSource,
    /// The texts that spans refer to.
    pub sources: &'a SourceMap,
    /// C files of the user that become parts of what is built, for a target that takes them.
    pub code: &'a [File],
    /// The kernel tree, for a target that is made for one.
    pub tree: Option<Tree<'a>>,
}

/// The files that a target made, or the diagnostics that say why it cannot.
pub type Built = Result<Vec<File>, Vec<Diagnostic>>;

/// The input of a target besides the session.
#[derive(Clone, Copy)]
pub struct Request<'a> {
    /// The instance of the session, if the session does not name one.
    pub instance: &'a InstanceName,
    /// The kernel to build for.
    pub kernel: &'a dyn KernelSource,
    /// The texts that spans refer to.
    pub sources: &'a SourceMap,
}

/// A file that was built. The same input yields the same bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct File {
    /// Its name, without a directory.
    pub name: String,
    /// The contents.
    pub content: Vec<u8>,
    /// Whether it can be executed.
    pub executable: bool,
}

impl Target {
    const fn of<T: Builder>() -> Target {
        Target {
            name: T::NAME,
            about: T::ABOUT,
            engines: T::ENGINES,
            clauses: T::CLAUSES,
            build: |session, request| T::build(&validate(session, is_implemented)?, request),
        }
    }

    /// Returns a target that conditions are placed for, and that makes nothing of a session itself.
    const fn without_files<T: Capabilities>(about: &'static str) -> Target {
        Target {
            name: T::NAME,
            about,
            engines: T::ENGINES,
            clauses: T::CLAUSES,
            build: |session, _| validate::<T>(session, is_implemented).map(|_| Vec::new()),
        }
    }

    /// Returns the target of `check`, `explain`, `plan` and `run`: the first.
    pub fn recorder() -> &'static Target {
        &TARGETS[0]
    }

    /// Returns the target of a session where this one is asked for: to run a session means to run it as its recorder does.
    pub fn for_session(&'static self, session: &Session) -> &'static Target {
        let runs = std::ptr::eq(self, Target::recorder());
        match session.recorders() {
            Recorders::Programs if runs => &bpf::RECORDER,
            Recorders::Both if runs => &bpf::BESIDE_TRACEFS,
            _ => self,
        }
    }

    /// Returns what decides the conditions of sessions where this target is asked for: each as [`for_session`] says.
    ///
    /// [`for_session`]: Target::for_session
    pub fn among(&'static self) -> Among {
        let runs = std::ptr::eq(self, Target::recorder());
        Among { own: self.engines, programs: runs.then_some(bpf::RECORDER.engines) }
    }

    /// Returns the target with this name.
    pub fn find(name: &str) -> Option<&'static Target> {
        TARGETS.iter().find(|target| target.name == name)
    }
}

impl DefinitionTarget {
    const fn of<T: DefinitionBuilder>() -> DefinitionTarget {
        DefinitionTarget {
            name: T::NAME,
            about: T::ABOUT,
            takes_code: T::TAKES_CODE,
            needs_tree: T::NEEDS_TREE,
            build: T::build,
            lines: T::lines,
            tag: T::tag,
        }
    }

    /// Returns the target of definitions with this name.
    pub fn find(name: &str) -> Option<&'static DefinitionTarget> {
        DEFINITION_TARGETS.iter().find(|target| target.name == name)
    }

    /// Builds the tracepoints that a text defines itself; those of its imports are built from the imports.
    ///
    /// # Errors
    /// A refusal of each part that the target cannot make, and of a text without tracepoints.
    pub fn build(&self, module: &Module, with: &Surroundings<'_>) -> Built {
        self.request(module, with, self.build)?
    }

    /// Returns which parts of the text the lines of a file are for that a compiler will read; `None` if the target has no
    /// such file.
    pub fn lines(&self, module: &Module, with: &Surroundings<'_>) -> Option<Lines> {
        self.request(module, with, self.lines).ok().flatten()
    }

    /// Returns the tag that what is built of a text's tracepoints has; `None` if the target makes none.
    pub fn tag(&self, module: &Module, with: &Surroundings<'_>) -> Option<Tag> {
        self.request(module, with, self.tag).ok().flatten()
    }

    /// Calls a function of the target with the tracepoints that a text defines itself.
    fn request<T>(
        &self,
        module: &Module,
        with: &Surroundings<'_>,
        call: fn(&DefinitionRequest<'_>) -> T,
    ) -> Result<T, Vec<Diagnostic>> {
        let own = module.definitions.first().filter(|own| !own.events.is_empty());
        let Some(definitions) = own else {
            return Err(vec![codes::not_by_target::no_tracepoint(self.name)]);
        };
        let Surroundings { kernel, sources, code, tree } = *with;
        let definitions = &lower::lowered(definitions, kernel)?;
        let (constants, origin) = (&module.constants, sources.main().name.as_str());
        Ok(call(&DefinitionRequest { definitions, constants, origin, code, tree }))
    }
}

impl DecoderTarget {
    const fn of<T: DecoderBuilder>() -> DecoderTarget {
        // Between them they decide all that an engine of records could.
        let engines = Engines { kernel: Some(InKernel::Program), host: true };
        let conditions = Target {
            name: T::NAME,
            about: T::ABOUT,
            engines,
            clauses: plan::PlanTarget::CLAUSES,
            build: |_, _| Ok(Vec::new()),
        };
        DecoderTarget { name: T::NAME, about: T::ABOUT, conditions, engine: T::ENGINE, build: T::build }
    }

    /// Returns the target of records with this name.
    pub fn find(name: &str) -> Option<&'static DecoderTarget> {
        DECODER_TARGETS.iter().find(|target| target.name == name)
    }

    /// Builds the decoder of the events that the sessions of a text record and of the tracepoints that it defines.
    ///
    /// # Errors
    /// A refusal of each part that the target cannot make, and of a text without an event.
    pub fn build(&self, module: &Module, sources: &SourceMap) -> Built {
        let request =
            decoder::Request { module, text: sources.main(), target: self.name, engine: self.engine };
        Ok((self.build)(&decoder::decoder(request)?))
    }
}

#[cfg(test)]
mod tests {
    use tracec_grammar::span::{Span, Spanned};
    use tracec_kernel::filter::Model;

    use super::*;
    use crate::ir::ScopeSubject;
    use crate::place::fixture::{Placed, plain, session};
    use crate::validate::{ClauseSupport, Implemented, unsupported};

    #[test]
    fn target_names_are_lowercase_and_distinct() {
        let of_definitions = DEFINITION_TARGETS.iter().map(|target| target.name);
        let of_records = DECODER_TARGETS.iter().map(|target| target.name);
        let of_sessions = TARGETS.iter().map(|target| target.name);
        let mut names: Vec<&str> = of_sessions.chain(of_definitions).chain(of_records).collect();
        assert!(names.iter().all(|name| name.chars().all(|c| c.is_ascii_lowercase() || c == '-')));
        // `--target list` lists them.
        assert!(!names.contains(&"list"));
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), TARGETS.len() + DEFINITION_TARGETS.len() + DECODER_TARGETS.len());
        assert!(DecoderTarget::find("c").is_some() && DecoderTarget::find("format").is_none());
        assert!(DefinitionTarget::find("format").is_some() && DefinitionTarget::find("plan").is_none());
        assert!(Target::find("plan").is_some() && Target::find("pla").is_none());
        assert_eq!(Target::recorder().name, plan::PlanTarget::NAME);
    }

    /// What is said of a clause follows from the targets, whatever they support.
    #[test]
    fn clause_without_support_of_a_target_has_an_alternative() {
        for target in TARGETS {
            for &clause in Clause::ALL {
                if target.clauses.of(clause) == ClauseSupport::No {
                    assert!(clause.alternative().is_some(), "{}: {clause:?}", target.name);
                }
            }
        }
    }

    /// A target that supports just what the others do not.
    struct Rest;

    impl Capabilities for Rest {
        const NAME: &'static str = "rest";
        const ENGINES: Engines = plan::PlanTarget::ENGINES;
        const CLAUSES: Supported = Supported::new(&[
            (ClauseSupport::Yes, &[Clause::ScopeCgroup, Clause::StartPaused, Clause::MarkerWhilePaused]),
            (
                ClauseSupport::Instead("build it with `--target plan`"),
                &[
                    Clause::Record,
                    Clause::Print,
                    Clause::Drop,
                    Clause::Redact,
                    Clause::TriggerTracing,
                    Clause::TriggerSnapshot,
                    Clause::TriggerStacktrace,
                    Clause::TriggerEvent,
                    Clause::Buffer,
                    Clause::Subbuffer,
                    Clause::Queue,
                    Clause::Rotate,
                    Clause::Clock,
                    Clause::RecorderTracefs,
                    Clause::Option,
                    Clause::ScopeConditions,
                    Clause::ScopeTasks,
                    Clause::IncludingTracec,
                    Clause::Instance,
                    Clause::StopAfter,
                    Clause::StopWithCommand,
                    Clause::StopOnSignal,
                    Clause::StopWithProcess,
                    Clause::StopOnEvent,
                    Clause::Keep,
                    Clause::Dump,
                    Clause::Marker,
                    Clause::Ring,
                    Clause::Global,
                    Clause::OutputText,
                    Clause::OutputJsonLines,
                    Clause::OutputTraceDat,
                ],
            ),
            (
                ClauseSupport::No,
                &[
                    Clause::TriggerBesideProgram,
                    Clause::DefinedTracepoint,
                    Clause::DefinedProbe,
                    Clause::DefinedProbeBesideProgram,
                    Clause::RecorderPrograms,
                    Clause::ScopeOfBoth,
                    Clause::TriggerWithoutChildren,
                    Clause::NewTasksWithoutChildren,
                    Clause::TraceDatWithoutChildren,
                    Clause::DumpWithoutChildren,
                    Clause::KeepBesideDump,
                    Clause::SnapshotBesideDump,
                    Clause::TimeWithoutNanoseconds,
                    Clause::RingOfOldest,
                ],
            ),
        ]);
    }

    impl Builder for Rest {
        const ABOUT: &'static str = "nothing";

        fn build(_: &Validated<'_, Self>, _: &Request<'_>) -> Built {
            Ok(Vec::new())
        }
    }

    /// Returns the code and the message of each refusal of a session with a scope of a group and a text that it writes while
    /// it is paused.
    fn refused(target: &Target, implemented: Implemented) -> Vec<(&'static str, String)> {
        let mut module = session(&[plain(1)], None, true);
        module.sessions[0].events[0].triggers.clear();
        let group = ScopeSubject::Cgroup("a".to_owned());
        module.sessions[0].scope.push(Spanned::new(group, Span::new(30, 34)));
        module.sessions[0].start_paused = Some(Span::new(35, 36));
        module.sessions[0].markers.push(Spanned::new("a".to_owned(), Span::new(37, 38)));
        let placed = Placed::new(module, Model::LINUX_6_18);
        let said = unsupported(placed.session(), target.name, &target.clauses, implemented);
        said.map(|said| (said.code.id, said.message)).collect()
    }

    /// Adding a target changes its own statement and the list of targets: what the others say of its clauses follows.
    #[test]
    fn clause_of_a_new_target_is_implemented() {
        static MORE: [Target; 3] =
            [Target::of::<plan::PlanTarget>(), Target::of::<script::Script>(), Target::of::<Rest>()];
        for target in TARGETS {
            let codes: Vec<_> = refused(target, is_implemented).into_iter().map(|(code, _)| code).collect();
            let of_start = if target.clauses.has(Clause::StartPaused) { None } else { Some("T0408") };
            let expected: Vec<_> = ["T0403"].into_iter().chain(of_start).chain(["T0403"]).collect();
            assert_eq!(codes, expected);
            let with_more = refused(target, |clause| is_in_any(&MORE, clause));
            let of_start =
                if target.clauses.has(Clause::StartPaused) { None } else { Some("`start paused`") };
            let clauses = ["`scope cgroup`"].into_iter().chain(of_start);
            let expected: Vec<_> = clauses
                .chain(["`marker` in a session that starts paused"])
                .map(|clause| ("T0408", format!("the target `{}` does not support {clause}", target.name)))
                .collect();
            assert_eq!(with_more, expected);
        }
        assert_eq!(refused(&MORE[2], |clause| is_in_any(&MORE, clause)), []);
    }

    /// `plan` makes a plan for a target only if it has a part for each clause that the target supports.
    #[test]
    fn target_with_a_clause_that_plans_lose_is_not_within_them() {
        assert!(script::Script::CLAUSES.is_within(&crate::plan::CLAUSES));
        assert!(!Rest::CLAUSES.is_within(&crate::plan::CLAUSES));
    }
}
