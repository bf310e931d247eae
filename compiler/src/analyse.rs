//! Analysis of a text: every pass, in order.

use std::cell::Cell;
use std::ops::Add;

use rustc_hash::FxHashSet;
use tracec_span::{FileId, Span};

use crate::constant::Unread;
use crate::diagnostic::lints::Levels;
use crate::diagnostic::{add_in_order, add_warnings, keep_fixes_that_check};
use crate::dump::{self, Pass};
use crate::ir::{Module, Recorders};
use crate::place::{PlacedSession, Placement};
use crate::recheck::{Dependences, Found, Reading};
use crate::resolve::session::Choice;
use crate::resolve::{Finder, Inclusion};
use crate::target::{self, Target};
use crate::{
    Diagnostic, Diagnostics, Input, KernelSource, Severity, SourceMap, SourceText, check, load, place,
    resolve, simplify, validate,
};

/// The result of the analysis of a text, of which `check`, `plan`, `run`, `explain`, `build` and the editor show parts.
#[derive(Clone, Debug)]
pub struct Analysis {
    /// The texts that all spans point into.
    pub sources: SourceMap,
    /// The syntax of each text that is the main one or imported, by its id.
    pub texts: Vec<load::LoadedText>,
    /// The texts of the input: the main one, then its imports, except those of the library.
    pub inputs: Vec<FileId>,
    /// The module form of the text. Sessions that could not be typed are left out; one that lacks what was not found
    /// is there, and is not [complete](crate::ir::Session::complete).
    pub module: Module,
    /// The places of the conditions of its sessions, for the target of the input.
    pub placement: Placement,
    /// Errors and warnings in the order of the text.
    pub diagnostics: Vec<Diagnostic>,
    /// How many warnings are not among them, because there are too many.
    more_warnings: usize,
    /// What they depend on beside the text of their session.
    dependences: Dependences,
    /// The target of the input.
    target: &'static Target,
}

impl Analysis {
    /// Returns the sessions of the module form, each with the places of its conditions.
    pub fn sessions(&self) -> impl Iterator<Item = PlacedSession<'_>> {
        PlacedSession::all(&self.module, &self.placement)
    }

    /// Returns the target of a session: that of the input, or that which runs it by programs.
    pub fn target_of(&self, session: PlacedSession<'_>) -> &'static Target {
        self.target.for_session(session.session)
    }

    /// Returns a warning of each clause that the target of a session does not support, and of each of its events that
    /// programs cannot record, each with the span of the session.
    ///
    /// They are for commands that only look at sessions. One that builds a session [validates](crate::validate) it, and
    /// is refused these clauses.
    fn unsupported(&self, kernel: &dyn KernelSource) -> impl Iterator<Item = (Span, Diagnostic)> {
        let mut own = Span::default();
        let sessions = self.sessions().map(move |session| {
            if session.session.waits_for.is_none() {
                own = session.session.span;
            }
            (own, session)
        });
        let sessions: Vec<(Span, PlacedSession<'_>)> = sessions.collect();
        // What is refused of a session that waits is said of the clause.
        let own = sessions.clone().into_iter().filter(|(_, session)| session.session.waits_for.is_none());
        let clauses = own.flat_map(|(of, session)| {
            let Target { name, clauses, .. } = self.target_of(session);
            let all = validate::unsupported(session, name, clauses, target::is_implemented);
            all.map(move |refusal| (of, refusal))
        });
        let runs_programs = self.placement.among.programs.is_some();
        let by_programs = sessions
            .into_iter()
            .filter(move |(_, session)| {
                runs_programs && session.session.recorders() != Recorders::Tracefs && session.is_complete()
            })
            .flat_map(|(of, session)| {
                let all = target::bpf::refusals(session, kernel, &self.sources);
                all.into_iter().map(move |refusal| (of, refusal))
            });
        let refusals = clauses.chain(by_programs);
        refusals.map(|(of, refusal)| (of, Diagnostic { severity: Severity::Warning, ..refusal }))
    }

    /// Returns the diagnostics, and a warning of each clause that the target does not support, in the order of the
    /// text. There is a limit to all warnings together.
    pub fn foreseen(&self, kernel: &dyn KernelSource) -> Vec<Diagnostic> {
        self.found(kernel).diagnostics
    }

    /// Returns what was found, by which the text can be checked again in part.
    pub fn found(&self, kernel: &dyn KernelSource) -> Found {
        let mut dependences = self.dependences.clone();
        let mut diagnostics = self.diagnostics.clone();
        let elsewhere = &mut dependences.elsewhere;
        let unsupported = self.unsupported(kernel).map(|(session, warning)| {
            let place = warning.primary.as_ref().map(|label| label.span);
            elsewhere.extend(place.filter(|place| !session.holds(*place)).map(|place| (place, session)));
            warning
        });
        add_warnings(&mut diagnostics, unsupported, self.more_warnings);
        Found { diagnostics, dependences }
    }

    /// Makes something of the chosen session, unless a diagnostic is an error. Also returns the diagnostics, with the
    /// refusals of what makes it, in the order of the text.
    pub fn make<T>(
        &self,
        make: impl FnOnce(PlacedSession<'_>) -> Result<T, Vec<Diagnostic>>,
    ) -> (Option<T>, Vec<Diagnostic>) {
        let mut diagnostics = self.diagnostics.clone();
        let made = match self.sessions().next().map(make) {
            Some(Ok(made)) => Some(made).filter(|_| !self.has_errors()),
            Some(Err(refusals)) => {
                add_in_order(&mut diagnostics, refusals);
                None
            }
            None => None,
        };
        (made, diagnostics)
    }

    /// Makes something of what the text and its imports define, unless a diagnostic is an error. Also returns the
    /// diagnostics, with the refusals of what makes it, in the order of the text.
    pub fn make_of_definitions<T>(
        &self,
        make: impl FnOnce(&Module) -> Result<T, Vec<Diagnostic>>,
    ) -> (Option<T>, Vec<Diagnostic>) {
        let mut diagnostics = self.diagnostics.clone();
        // Definitions with a mistake were left out: what is said of the rest would be wrong.
        if self.has_errors() {
            return (None, diagnostics);
        }
        match make(&self.module) {
            Ok(made) => (Some(made), diagnostics),
            Err(refusals) => {
                add_in_order(&mut diagnostics, refusals);
                (None, diagnostics)
            }
        }
    }

    /// Returns whether one of the diagnostics is an error, including a denied lint.
    pub fn has_errors(&self) -> bool {
        self.diagnostics.iter().any(|diagnostic| diagnostic.severity == Severity::Error)
    }
}

/// Analyses the chosen sessions of a text, and everything that they depend on. Fixes are offered that lead to a text
/// without a new mistake.
pub fn analyse(input: Input<'_>, choice: Choice<'_>) -> Analysis {
    let mut analysis = passes(input, choice, &mut |_, _| {});
    let check = |source: &SourceText| {
        passes(Input { source, conditions: None, ..input }, choice, &mut |_, _| {}).diagnostics
    };
    keep_fixes_that_check(input.source, &mut analysis.diagnostics, &check);
    analysis
}

/// Analyses as [`analyse`] does, but does not try fixes, which takes an analysis each: what is offered may lead to a
/// mistake. It is for callers that look at the rest.
pub fn analyse_untried(input: Input<'_>, choice: Choice<'_>) -> Analysis {
    passes(input, choice, &mut |_, _| {})
}

/// Analyses as [`analyse`] does, and also returns the result of one pass as text.
pub fn analyse_and_dump(input: Input<'_>, choice: Choice<'_>, pass: Pass) -> (Analysis, String) {
    let mut dump = String::new();
    let analysis = analyse_and_print(input, choice, pass, &mut |lines| dump.push_str(lines));
    (analysis, dump)
}

/// Analyses as [`analyse_untried`] does, and passes the result of one pass on, some lines at a time.
pub fn analyse_and_print(
    input: Input<'_>,
    choice: Choice<'_>,
    pass: Pass,
    sink: &mut dyn FnMut(&str),
) -> Analysis {
    passes(input, choice, &mut |at, print| {
        if at == pass {
            print(sink);
        }
    })
}

/// The callback after each pass, which gets a function that prints the pass's result, some lines at a time.
type Watch<'w> = &'w mut dyn FnMut(Pass, &dyn Fn(&mut dyn FnMut(&str)));

/// Runs every pass, in order.
///
/// Declarations come before `resolve`: a session may record an event that the text defines. What they become is a part
/// of the module form that `check` returns. A pass returns its value. From `resolve` on each session in it says whether
/// it is complete; `place` places every condition that it is given. A pass reports mistakes to the sink of diagnostics,
/// which no pass reads.
fn passes(input: Input<'_>, choice: Choice<'_>, watch: Watch<'_>) -> Analysis {
    let Input { source, imports, kernel, target, set, levels, loaded, syntax, conditions } = input;
    let mut diagnostics = Diagnostics::with_levels(Levels::new(levels.to_vec()));
    let sink = &mut diagnostics;

    let mut program = load::load_parsed(source, syntax.and_then(Cell::take), imports, kernel, sink);
    let set = load::parameters(&mut program, set, sink);
    watch(Pass::Load, &|sink| sink(&dump::program(&program)));

    let mut finder = Finder::with_loaded(kernel, loaded);
    let declared = check::definition::declare(&program, &mut finder, sink);
    program.complete &= declared.complete;
    sink.set_whole(program.complete);
    let mut inclusion = Inclusion::new(&program);
    let resolved = resolve::resolve(&program, choice, &set, finder, &mut inclusion, sink);
    watch(Pass::Resolve, &|sink| sink(&dump::resolved(&resolved)));

    let open: Vec<Span> =
        resolved.sessions.iter().filter(|session| session.expanded.open).map(|it| it.expanded.span).collect();
    let all: Vec<Span> = resolved.sessions.iter().map(|session| session.expanded.span).collect();
    // If only a part of a text was analysed, the rest may need what that part does not.
    let rest = choice.rest().filter(|rest| open.is_empty() && !rest.is_open && !rest.has_errors);
    let included = inclusion.taken();
    // The resolved sessions refer to the constants of the program; the module form has its own.
    let constants = program.constants.clone();
    let mut known = conditions.map(Cell::take);
    let module = check::check(resolved, constants, declared.definitions, kernel, known.as_mut(), sink);
    conditions.zip(known).into_iter().for_each(|(conditions, known)| conditions.set(known));
    watch(Pass::Check, &|sink| dump::each_line_of_module(&module, sink));

    let (mut module, verdicts) = simplify::simplify(module, &program.sources, sink);
    watch(Pass::Simplify, &|sink| dump::each_line_of_module(&module, sink));

    let placement = place::place(&module, kernel, target.among());
    for session in PlacedSession::all(&module, &placement) {
        if session.session.waits_for.is_none() {
            sink.of_session(Some(session.session.span));
        }
        place::report(session, target.for_session(session.session).name, &verdicts, sink);
        // What programs cannot record is said only of a session that is complete.
        if session.session.recorders() != Recorders::Tracefs {
            sink.ask_for_whole();
        }
    }
    sink.of_session(None);
    let complete: FxHashSet<Span> =
        module.sessions.iter().filter(|session| session.complete).map(|session| session.span).collect();
    let incomplete = all.into_iter().filter(|session| !complete.contains(session)).collect();
    // What could not be read may belong to any session.
    module.sessions.iter_mut().for_each(|session| session.complete &= program.complete);
    watch(Pass::Place, &|sink| sink(&dump::placement(&module, &placement)));

    if let Some(rest) = rest {
        diagnostics.look_for_unused(&rest.lints);
    }
    let dependences = Dependences {
        reading: Reading {
            is_whole: program.complete,
            has_lost: Unread::of(&program[FileId::MAIN].parsed).lost,
            may_have_more: program.constants_of(&program[FileId::MAIN]).own.incomplete,
        },
        incomplete,
        asked_for_whole: diagnostics.asked_for_whole(),
        open,
        lints: diagnostics.uses_of_lints(),
        elsewhere: diagnostics.found_elsewhere(),
        searched: program.texts.iter().map(|text| text.suggestions.searched()).fold(<_>::default(), Add::add),
        included,
    };
    let (more_warnings, diagnostics) = (diagnostics.more_warnings(), diagnostics.finish());
    let inputs = program.iter().filter(|(_, text)| !text.std).map(|(file, _)| file).collect();
    let load::Program { sources, texts, .. } = program;
    Analysis { sources, texts, inputs, module, placement, diagnostics, more_warnings, dependences, target }
}
