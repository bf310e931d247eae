//! Checks of the clauses that are not about events: one file per kind.

mod buffer;
mod clock;
mod cmdlines;
mod dump;
mod global;
mod instance;
mod marker;
mod option;
mod output;
mod queue;
mod recorder;
mod rotate;
mod scope;
mod stop;
mod subbuffer;

pub use output::OUTPUT_FORMS;

use std::collections::hash_map::Entry;

use rustc_hash::FxHashMap;
use tracec_grammar::span::{Span, Spanned};
use tracec_grammar::syntax::{Clause, ClauseKind, ExprId, ExprKind, StopRule};

use crate::constant::is_constant;
use crate::diagnostic::{Diagnostic, Diagnostics, codes};
use crate::ir;
use crate::ir::definition::Value;
use crate::resolve::Resolved;
use crate::resolve::names::Names;
use crate::source::{KernelError, KernelSource};

/// Checks every clause that is not about an event, and returns the session with what they say. A clause with a mistake
/// is left out; the second value is whether there is none.
pub(super) fn check(
    resolved: &Resolved<'_>,
    kernel: &dyn KernelSource,
    diagnostics: &mut Diagnostics,
) -> (ir::Session, bool) {
    let expanded = &resolved.expanded;
    let mut session = ir::Session {
        complete: resolved.complete,
        head: expanded.head,
        defined: resolved.defined.clone(),
        ..ir::Session::new(expanded.name.to_owned(), expanded.span)
    };
    let mut complete = true;
    let (mut firsts, mut globals) = (Firsts::default(), Firsts::default());
    for visible in &expanded.clauses {
        if let Err(said) = firsts.once(visible.clause) {
            diagnostics.push(said);
            complete = false;
            continue;
        }
        let names = expanded.names_of(visible);
        let (diagnostics, globals) = (&mut *diagnostics, &mut globals);
        let mut settings = Settings { names, kernel, diagnostics, globals, complete: true };
        settings.clause(visible.clause, &mut session);
        complete &= settings.complete;
    }
    (session, complete)
}

/// The tracing state that a setting changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum TracingState {
    /// The session's instance.
    Session,
    /// The top-level state.
    Global,
}

/// The data that the checks of one clause need.
struct Settings<'a, 'd> {
    names: &'a Names<'a>,
    kernel: &'a dyn KernelSource,
    diagnostics: &'d mut Diagnostics,
    /// The clauses of all blocks `global`: they change one state.
    globals: &'d mut Firsts,
    /// Whether every clause is included; a clause with a mistake is left out.
    complete: bool,
}

impl Settings<'_, '_> {
    fn clause(&mut self, clause: &Clause, session: &mut ir::Session) {
        let span = clause.span;
        match &clause.kind {
            ClauseKind::Buffer { size, scope } => {
                session.buffer_kib = self.buffer(*size, scope.as_ref()).map(|kib| Spanned::new(kib, span));
            }
            ClauseKind::Queue(size) => {
                session.queue = self.queue(*size).map(|bytes| Spanned::new(bytes, span));
            }
            ClauseKind::Subbuffer(size) => {
                session.subbuffer_kib = self.subbuffer(*size, span).map(|kib| Spanned::new(kib, span));
            }
            ClauseKind::Cmdlines(number) => self.cmdlines_of_session(*number, span),
            ClauseKind::Rotate { size, max } => {
                session.rotate =
                    self.rotate(*size, max.as_ref()).map(|rotate| Spanned::new(rotate, span));
            }
            ClauseKind::Keep(time) => {
                session.keep = self.duration(*time, "keep 5s after;").map(|time| Spanned::new(time, span));
            }
            ClauseKind::Clock(name) => session.clock = self.clock(name).map(|clock| Spanned::new(clock, span)),
            ClauseKind::Recorder(name) => {
                session.recorder = self.recorder(name).map(|recorder| Spanned::new(recorder, span));
            }
            ClauseKind::Option { name, value } => {
                session.options.extend(self.option(name, value.as_ref(), span, TracingState::Session));
            }
            ClauseKind::Scope { subjects, children } => {
                session.scope.extend(subjects.iter().filter_map(|subject| self.subject(subject)));
                session.children = *children;
                self.children(subjects, *children);
            }
            ClauseKind::Instance(Some(name)) => {
                session.instance = self.text(*name).and_then(|name| self.instance(&name));
            }
            ClauseKind::Global { discarding, clauses } => {
                session.globals.push(self.global(*discarding, clauses, span));
            }
            ClauseKind::Ring { last } => {
                let time = last.map(|time| self.duration(time, "ring last 30s;"));
                if time != Some(None) {
                    session.ring = Some(Spanned::new(ir::Ring { last: time.flatten() }, span));
                }
            }
            ClauseKind::Dump(dump) => {
                session.dumps.extend(self.dump(dump).map(|dump| Spanned::new(dump, span)));
            }
            ClauseKind::IncludingTracec => session.including_tracec = Some(span),
            ClauseKind::StartPaused => session.start_paused = Some(span),
            ClauseKind::Marker(text) => {
                let text = self.text(*text);
                session.markers.extend(text.and_then(|text| self.marker(&text)));
            }
            ClauseKind::Stop(rule) => session.stops.extend(self.stop(rule).map(|stop| Spanned::new(stop, span))),
            ClauseKind::Output(path) => {
                session.output = self.text(*path).and_then(|path| self.output(&path));
            }
            ClauseKind::Trace(_)
            | ClauseKind::On(_)
            | ClauseKind::Instance(None)
            | ClauseKind::Stream
            | ClauseKind::Lint(_)
            // These clauses have been expanded already.
            | ClauseKind::Include { .. }
            | ClauseKind::When(_) => {}
        }
    }

    fn value(&mut self, expr: ExprId) -> Option<Value> {
        let value = self.names.value(expr, self.diagnostics);
        self.complete &= value.is_some();
        value
    }

    /// Returns a string, which may be that of a parameter or a constant. `None` if a mistake was reported.
    fn text(&mut self, expr: ExprId) -> Option<Spanned<String>> {
        let span = self.names.exprs()[expr].span;
        if let ExprKind::Name(word) = &self.names.exprs()[expr].kind
            && !is_constant(expr, self.names.exprs(), &self.names.scope(None))
        {
            return self.say(codes::missing_quotes::of_clause(span, word));
        }
        match self.value(expr)? {
            Value::Text(text) => Some(Spanned::new(text, span)),
            other => self.say(codes::constant_mismatch::not_a_string(span, other.kind().describe())),
        }
    }

    /// Returns a file of the kernel; `Some(None)` if there is none. `None` if a mistake was reported.
    fn read(&mut self, path: &str, span: Span) -> Option<Option<String>> {
        self.known(span, self.kernel.read(path))
    }

    /// Returns the kernel's answer to a question about a span. `None` if a mistake was reported.
    fn known<T>(&mut self, span: Span, answer: Result<T, KernelError>) -> Option<T> {
        match answer {
            Ok(text) => Some(text),
            Err(error) => {
                self.say(codes::kernel_unreadable::kernel_unreadable(Some(span), &error.to_string()))
            }
        }
    }

    /// Reports an error.
    fn mistake(&mut self, diagnostic: Diagnostic) {
        self.diagnostics.push(diagnostic);
        self.complete = false;
    }

    fn say<T>(&mut self, diagnostic: Diagnostic) -> Option<T> {
        self.mistake(diagnostic);
        None
    }
}

/// The first places of the clauses that may stand only once.
#[derive(Default)]
struct Firsts(FxHashMap<String, Span>);

impl Firsts {
    fn once(&mut self, clause: &Clause) -> Result<(), Diagnostic> {
        let what = match &clause.kind {
            ClauseKind::Option { .. }
            | ClauseKind::Buffer { .. }
            | ClauseKind::Queue(_)
            | ClauseKind::Subbuffer(_)
            | ClauseKind::Cmdlines(_)
            | ClauseKind::Rotate { .. }
            | ClauseKind::Keep(_)
            | ClauseKind::Clock(_)
            | ClauseKind::Recorder(_)
            | ClauseKind::Scope { .. }
            | ClauseKind::Instance(_)
            | ClauseKind::Stream
            | ClauseKind::Ring { .. }
            | ClauseKind::IncludingTracec
            | ClauseKind::StartPaused
            | ClauseKind::Stop(StopRule::After(_) | StopRule::With { process: None })
            | ClauseKind::Output(_) => word(&clause.kind),
            ClauseKind::Trace(_)
            | ClauseKind::On(_)
            | ClauseKind::Dump(_)
            | ClauseKind::Global { .. }
            | ClauseKind::Stop(
                StopRule::On { .. } | StopRule::Signal(_) | StopRule::With { process: Some(_) },
            )
            | ClauseKind::Marker(_)
            | ClauseKind::Include { .. }
            | ClauseKind::When(_)
            | ClauseKind::Lint(_) => return Ok(()),
        };
        // A session streams or is a ring: only one of the two words may stand, once.
        let key = if matches!(clause.kind, ClauseKind::Stream) { "`ring`".to_owned() } else { what.clone() };
        match self.0.entry(key) {
            Entry::Occupied(first) => {
                Err(codes::duplicate_clause::duplicate_clause(clause.span, *first.get(), &what))
            }
            Entry::Vacant(place) => {
                place.insert(clause.span);
                Ok(())
            }
        }
    }
}

/// Returns the words of a clause, as diagnostics name it.
fn word(kind: &ClauseKind) -> String {
    let word = match kind {
        ClauseKind::Option { name, .. } => return format!("`option {}`", name.value),
        ClauseKind::Trace(_) => "`trace`",
        ClauseKind::On(_) => "`on`",
        ClauseKind::Buffer { .. } => "`buffer`",
        ClauseKind::Queue(_) => "`queue`",
        ClauseKind::Subbuffer(_) => "`subbuffer`",
        ClauseKind::Cmdlines(_) => "`cmdlines`",
        ClauseKind::Rotate { .. } => "`rotate`",
        ClauseKind::Keep(_) => "`keep`",
        ClauseKind::Dump(_) => "`dump`",
        ClauseKind::Clock(_) => "`clock`",
        ClauseKind::Recorder(_) => "`recorder`",
        ClauseKind::Scope { .. } => "`scope`",
        ClauseKind::Instance(_) => "`instance`",
        ClauseKind::Global { .. } => "`global`",
        ClauseKind::Stream => "`stream`",
        ClauseKind::Ring { .. } => "`ring`",
        ClauseKind::Stop(StopRule::After(_)) => "`stop after`",
        ClauseKind::Stop(StopRule::On { .. }) => "`stop on EVENT`",
        ClauseKind::Stop(StopRule::Signal(_)) => "`stop on signal`",
        ClauseKind::Stop(StopRule::With { .. }) => "`stop with`",
        ClauseKind::IncludingTracec => "`scope including tracec`",
        ClauseKind::StartPaused => "`start paused`",
        ClauseKind::Marker(_) => "`marker`",
        ClauseKind::Output(_) => "`output`",
        ClauseKind::Include { .. } => "`include`",
        ClauseKind::When(_) => "`when`",
        ClauseKind::Lint(_) => "`lint`",
    };
    word.to_owned()
}
