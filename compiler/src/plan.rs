//! The plan of a session: the steps in an instance of its own, and how its records are read.
//!
//! The order matters (kernel/trace/trace.c): the clock and the buffer's size empty the ring, so they come first;
//! filters and triggers come before an event is enabled, or its first records would pass unfiltered; recording is off
//! until everything is armed.

use std::fmt::Display;

use rustc_hash::FxHashSet;
use tracec_grammar::span::{Span, Spanned};
use tracec_grammar::syntax::Name;
use tracec_kernel::format::EventFormat;
use tracec_kernel::plan::{
    Action, DEFAULT_QUEUE, DumpFiles, FilePath, HostCondition, InstanceName, InvalidFilePath, KeptRing,
    LeftOut, Life, Location, ModuleName, NEW_TASKS, Output, Plan, PlanVersion, Programs, Reading,
    ReadingError, Rotation, ScopedTasks, Step, StopProcess, StopSignal, Then, Transaction, Watch,
    WithoutChildren,
};
use tracec_kernel::shown::ShownEvent;
use tracec_kernel::tables::options::OVERWRITE;
use tracec_kernel::tables::triggers::Slot;
use tracec_kernel::tables::{files, limits, signals};

use crate::diagnostic::{Diagnostic, codes};
use crate::ir::{self, EventId};
use crate::place::{InKernel, PlacedCondition, PlacedEvent, PlacedSession};
use crate::source::{KernelSource, SourceMap};
use crate::tracefs::trigger_command;
use crate::validate::{Capabilities, Clause, ClauseSupport, Supported, Validated};

/// The clauses that a plan has steps for, or its other parts. All others are lost in it.
pub const CLAUSES: Supported = Supported::new(&[
    (
        ClauseSupport::Yes,
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
            Clause::Instance,
            Clause::IncludingTracec,
            Clause::StopAfter,
            // Every session that has a command ends with it; `run` asks for one.
            Clause::StopWithCommand,
            Clause::StopOnSignal,
            Clause::StopWithProcess,
            Clause::StopOnEvent,
            Clause::Keep,
            Clause::Dump,
            Clause::StartPaused,
            Clause::Ring,
            Clause::Marker,
            Clause::Global,
            Clause::OutputText,
            Clause::OutputJsonLines,
            Clause::OutputTraceDat,
        ],
    ),
    (
        ClauseSupport::No,
        &[
            Clause::SnapshotBesideDump,
            Clause::TriggerBesideProgram,
            Clause::DefinedTracepoint,
            Clause::DefinedProbe,
            Clause::DefinedProbeBesideProgram,
            // Such a session has a plan of programs.
            Clause::RecorderPrograms,
            Clause::ScopeOfBoth,
            Clause::ScopeCgroup,
            Clause::TriggerWithoutChildren,
            Clause::NewTasksWithoutChildren,
            Clause::TraceDatWithoutChildren,
            Clause::TimeWithoutNanoseconds,
            Clause::RingOfOldest,
            Clause::MarkerWhilePaused,
            Clause::DumpWithoutChildren,
            Clause::KeepBesideDump,
        ],
    ),
]);

/// A kernel module that a session loads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModuleFile {
    /// Its name.
    pub name: ModuleName,
    /// The path of its file.
    pub path: String,
}

/// What a plan is made with besides its session.
#[derive(Clone, Copy, Debug)]
pub struct With<'a> {
    /// The instance of the session, if it names none itself.
    pub instance: &'a InstanceName,
    /// The module that the session loads first.
    pub module: Option<&'a ModuleFile>,
}

impl<'a> With<'a> {
    /// Returns what the plan of a session that loads nothing is made with.
    pub fn of(instance: &'a InstanceName) -> Self {
        With { instance, module: None }
    }
}

/// Makes the plan of a session of these texts. A plan has filters, and loses what [`CLAUSES`] does not have: a target
/// that decides otherwise in the kernel, or supports another clause, does not compile here.
///
/// # Errors
/// An error if the kernel cannot be read, or if the records of two events could not be told apart.
pub fn plan<T: Capabilities>(
    validated: &Validated<'_, T>,
    with: With<'_>,
    kernel: &dyn KernelSource,
    sources: &SourceMap,
) -> Result<Plan, Vec<Diagnostic>> {
    const { assert!(matches!(T::ENGINES.kernel, Some(InKernel::Filter)), "a plan has no programs") };
    const { assert!(T::CLAUSES.is_within(&CLAUSES), "a plan loses a clause of the target") };
    of_session(validated.session(), with, kernel, sources, None).map_err(|refusal| vec![refusal])
}

/// What records in the place of tracefs, or beside it.
pub(crate) struct Recorded<'a> {
    /// The programs.
    pub(crate) programs: Programs,
    /// The clock of their records.
    pub(crate) clock: &'a str,
    /// The layouts of their events.
    pub(crate) formats: Vec<EventFormat>,
}

/// Makes the plan of a session of which programs record all events or a part. Where programs record all,
/// it has no instance, unless it loads a module: then the instance holds its name.
///
/// # Errors
/// An error if the kernel cannot be read.
pub(crate) fn of_programs(
    placed: PlacedSession<'_>,
    with: With<'_>,
    kernel: &dyn KernelSource,
    sources: &SourceMap,
    recorded: Recorded<'_>,
) -> Result<Plan, Diagnostic> {
    of_session(placed, with, kernel, sources, Some(recorded))
}

fn of_session(
    placed: PlacedSession<'_>,
    With { instance, module }: With<'_>,
    kernel: &dyn KernelSource,
    sources: &SourceMap,
    by_programs: Option<Recorded<'_>>,
) -> Result<Plan, Diagnostic> {
    let session = placed.session;
    let instance = session.instance.as_ref().map_or(instance, |named| &named.value);
    let has = |file: &str| kernel.read(file).map(|text| text.is_some()).map_err(unreadable);
    let has = Has {
        buffer_percent: has("buffer_percent")?,
        left_out: has(Action::LEFT_OUT)?,
        snapshot: !session.dumps.is_empty() && has("snapshot")?,
    };
    let clock = by_programs.as_ref().map_or_else(|| clock(session), |recorded| recorded.clock.to_owned());
    let by_tracefs = by_programs.is_none() || !of_tracefs(placed).is_empty();
    let mut steps = match by_tracefs {
        true => steps(placed, &clock, has).map_err(unreadable)?,
        false => module.iter().map(|_| Step::create(session.span)).collect(),
    };
    // A new instance takes its options from the top level, and was made before.
    let first = steps.iter().take_while(|step| is_of_a_new_instance(step)).count();
    steps.splice(first..first, globals(session, kernel)?);
    if let Some(ModuleFile { name, path }) = module {
        // The ids of tracec's tasks are found in a new instance, and every other step may name the module's events.
        let first = steps.iter().take_while(|step| is_of_a_new_instance(step)).count();
        steps.insert(first, Step::load(name.clone(), path.clone(), session.span));
    }
    let queue = session.queue.as_ref().map_or(DEFAULT_QUEUE, |queue| queue.value);
    let host = placed.events().flat_map(|(event, ids)| on_host(placed, event, ids)).collect();
    let watches = watches(placed, instance, (&clock, has), kernel)?;
    let formats = formats(placed, kernel, by_programs.as_ref().map(|recorded| recorded.formats.as_slice()))?;
    let shown = placed.session.events.iter().filter_map(|event| shown(placed, event)).collect();
    let reading = Reading::new(clock, queue, host, formats)
        .and_then(|reading| reading.showing(shown))
        .and_then(|reading| reading.without_children(without_children(placed)));
    Ok(Plan {
        version: PlanVersion,
        session: session.name.clone(),
        kernel: kernel.release(),
        files: sources.files().iter().map(|text| text.name.clone()).collect(),
        transaction: Transaction::new(instance.clone(), steps).map_err(unreadable)?,
        reading: reading.map_err(|error| not_readable(placed, &error))?,
        programs: by_programs.map(|recorded| recorded.programs),
        left_out: session.dropped.iter().map(|dropped| left_out(placed, dropped)).collect(),
        life: Life { snapshot: snapshot(placed), ..life(session) },
        watches,
        output: session.output.as_ref().map(output),
    })
}

/// Returns what the session waits for.
fn watches(
    placed: PlacedSession<'_>,
    instance: &InstanceName,
    (clock, has): (&str, Has),
    kernel: &dyn KernelSource,
) -> Result<Vec<Watch>, Diagnostic> {
    let keep = placed.session.keep.as_ref().map(|keep| keep.value);
    let stops = placed.session.stops.iter().filter_map(|stop| match stop.value {
        ir::Stop::On { events: _, count } => Some((count, Then::Stop { keep }, stop.span)),
        _ => None,
    });
    let dumps = placed.session.dumps.iter().map(|Spanned { value: dump, span }| {
        let files = DumpFiles { to: output(&dump.output), max: dump.max };
        (dump.count, Then::Dump(files), *span)
    });
    let watch =
        |(number, (watch, (count, then, origin))): (usize, (PlacedSession<'_>, (u64, Then, Span)))| {
            let name = instance.of_watch(number + 1).map_err(|error| {
                codes::invalid_instance_name::invalid_instance_name(instance.as_str(), &error.to_string())
                    .note("the session waits for events in an instance whose name is derived from it")
            })?;
            let steps = steps(watch, clock, has).map_err(unreadable)?;
            let host = watch.events().flat_map(|(event, ids)| on_host(watch, event, ids)).collect();
            // Children are left out there too.
            let reading = Reading::new(clock.to_owned(), DEFAULT_QUEUE, host, formats(watch, kernel, None)?)
                .and_then(|reading| reading.without_children(without_children(watch)));
            Ok(Watch {
                transaction: Transaction::new(name, steps).map_err(unreadable)?,
                reading: reading.map_err(|error| not_readable(watch, &error))?,
                count,
                then,
                origin,
            })
        };
    placed.watches().zip(stops.chain(dumps)).enumerate().map(watch).collect()
}

/// Returns the steps that change the top-level state, each with the value that it has now where the kernel is the running
/// one.
fn globals(session: &ir::Session, kernel: &dyn KernelSource) -> Result<Vec<Step>, Diagnostic> {
    let mut steps = Vec::new();
    let mut write = |file: &str, value: &str, span: Span| -> Result<(), Diagnostic> {
        let location = Location::Top(FilePath::new(file).map_err(unreadable)?);
        let shown = match kernel.is_running() {
            true => kernel.read(file).map_err(unreadable)?,
            false => None,
        };
        let old = shown.as_deref().map(|text| location.shown_value(text).to_owned());
        steps.push(Step::write(location, value, span).over(old.as_deref()));
        Ok(())
    };
    for ir::Global { discarding: _, buffer_kib, clock, cmdlines, options, span: _ } in &session.globals {
        if let Some(clock) = clock {
            write("trace_clock", &clock.value, clock.span)?;
        }
        if let Some(kib) = buffer_kib {
            write(files::BUFFER_SIZE, &kib.value.to_string(), kib.span)?;
        }
        if let Some(number) = cmdlines {
            write(files::CMDLINES_SIZE, &number.value.to_string(), number.span)?;
        }
        for option in options {
            let file = format!("options/{}", option.name.value);
            write(&file, if option.on { "1" } else { "0" }, option.clause)?;
        }
    }
    Ok(steps)
}

fn is_of_a_new_instance(step: &Step) -> bool {
    matches!(step.action, Action::Create | Action::LeaveOut)
}

fn unreadable(reason: impl Display) -> Diagnostic {
    codes::kernel_unreadable::kernel_unreadable(None, &reason.to_string())
}

/// Returns the error for layouts of the kernel by which records cannot be read, at the last clause that needs one of
/// them.
fn not_readable(placed: PlacedSession<'_>, error: &ReadingError) -> Diagnostic {
    let names = error.events();
    let catalogue = &placed.module.catalogue;
    let concerns = |id: EventId| names.contains(&catalogue[id].qualified_name().as_str());
    let clauses = placed.session.events.iter().flat_map(|event| {
        let recorded = event.record.iter().filter(|_| concerns(event.id)).map(|record| record.clause);
        let enabled = event.triggers.iter().filter(|trigger| trigger.event.is_some_and(concerns));
        recorded.chain(enabled.map(|trigger| trigger.span))
    });
    let span = clauses.last().unwrap_or(placed.session.span);
    codes::kernel_unreadable::kernel_unreadable(Some(span), &error.to_string())
}

/// The files that a kernel may lack.
#[derive(Clone, Copy, Debug)]
struct Has {
    buffer_percent: bool,
    /// [`Action::LEFT_OUT`].
    left_out: bool,
    /// `snapshot`, in a session that needs it.
    snapshot: bool,
}

/// Returns the steps.
fn steps(placed: PlacedSession<'_>, clock: &str, has: Has) -> Result<Vec<Step>, InvalidFilePath> {
    let session = placed.session;
    let mut steps = vec![Step::create(session.span)];
    if has.left_out && session.including_tracec.is_none() {
        // Before anything is set: the ids are found by means of the ring.
        steps.push(Step::leave_out(session.span));
    }
    steps.push(write("tracing_on", "0", session.span)?);
    settings(session, clock, &mut steps)?;
    limit_to_scope(session, &mut steps)?;
    if has.buffer_percent {
        // Readers are woken by the first record, not by a half-full ring.
        steps.push(write("buffer_percent", "0", session.span)?);
    }
    if let Some(dump) = session.dumps.first().filter(|_| has.snapshot) {
        // Allocated now: there may be no memory when the event comes.
        steps.push(write("snapshot", "1", dump.span)?);
    }
    for (event, ids) in of_tracefs(placed) {
        arm(placed, event, ids, &mut steps)?;
    }
    for step in placed.watches().flat_map(|watch| switches(placed, watch)) {
        steps.push(step?);
    }
    for (event, ids) in of_tracefs(placed) {
        if let Some(filter) = recorded(placed, ids) {
            let file = event_file(&placed.module.catalogue[event.id], "enable");
            steps.push(write(&file, "1", filter.span)?);
        }
    }
    if let Some(WithoutChildren { shows_new_tasks: false, origin }) = without_children(placed)
        && let Some((system, name)) = NEW_TASKS.split_once(':')
    {
        steps.push(write(&format!("events/{system}/{name}/enable"), "1", origin)?);
    }
    if session.start_paused.is_none() {
        steps.push(write("tracing_on", "1", session.span)?.over(Some("0")));
    }
    for marker in &session.markers {
        // One write is one record.
        steps.push(write(files::TRACE_MARKER, &marker.value, marker.span)?);
    }
    Ok(steps)
}

/// Adds the steps that limit a session to the tasks of its scope. New threads and children are listed by the kernel
/// before they run, so the option comes first: none is missed between the two.
fn limit_to_scope(session: &ir::Session, steps: &mut Vec<Step>) -> Result<(), InvalidFilePath> {
    let tasks: Vec<ScopedTasks> = session.scoped_tasks().collect();
    let Some(span) = session.scope_span().filter(|_| !tasks.is_empty()) else { return Ok(()) };
    if session.children.is_some() || session.leaves_out_children() {
        steps.push(write("options/event-fork", "1", session.children.unwrap_or(span))?.over(Some("0")));
    }
    steps.push(Step::scope(tasks, span));
    Ok(())
}

/// Returns how the records of children are left out; `None` unless the scope is of processes without their children.
fn without_children(placed: PlacedSession<'_>) -> Option<WithoutChildren> {
    let origin = placed.session.scope_span().filter(|_| placed.session.leaves_out_children())?;
    let is_recorded = |(event, ids): (&ir::Event, &PlacedEvent)| {
        recorded(placed, ids).is_some() && placed.module.catalogue[event.id].qualified_name() == NEW_TASKS
    };
    Some(WithoutChildren { shows_new_tasks: placed.events().any(is_recorded), origin })
}

/// Returns the events that tracefs records.
fn of_tracefs(placed: PlacedSession<'_>) -> Vec<(&ir::Event, &PlacedEvent)> {
    placed.events().filter(|(event, _)| !placed.is_by_program(event.id)).collect()
}

fn left_out(placed: PlacedSession<'_>, dropped: &ir::Dropped) -> LeftOut {
    let event = placed.module.catalogue[dropped.event].qualified_name();
    LeftOut { event, reason: format!("has no field {}", dropped.field), origin: dropped.span }
}

/// Returns the clock of the instance: the session's, or a new instance's default.
fn clock(session: &ir::Session) -> String {
    let own = files::find("trace_clock").and_then(|file| file.default).unwrap_or_default();
    session.clock.as_ref().map_or(own, |clock| &clock.value).to_owned()
}

/// Adds the steps for clock, size and options, before anything can be recorded.
fn settings(session: &ir::Session, clock: &str, steps: &mut Vec<Step>) -> Result<(), InvalidFilePath> {
    // A session of which programs record a part needs one that they can read, even if it names none.
    if session.clock.is_some() || clock != self::clock(session) {
        let span = session.clock.as_ref().map_or(session.span, |clock| clock.span);
        steps.push(write("trace_clock", clock, span)?);
    }
    if let Some(kib) = &session.subbuffer_kib {
        // The size of the ring is rounded up to whole ones.
        steps.push(write(files::SUBBUFFER_SIZE, &kib.value.to_string(), kib.span)?);
    }
    if let Some(kib) = &session.buffer_kib {
        steps.push(write(files::BUFFER_SIZE, &kib.value.to_string(), kib.span)?);
    }
    for option in &session.options {
        let text = |on| if on { "1" } else { "0" };
        let file = format!("options/{}", option.name.value);
        steps.push(write(&file, text(option.on), option.clause)?.over(option.old.map(text)));
    }
    if let Some(ring) = &session.ring
        && !session.options.iter().any(|option| option.name.value == OVERWRITE)
    {
        // A new instance has the options of the top level.
        steps.push(write(&format!("options/{OVERWRITE}"), "1", ring.span)?);
    }
    Ok(())
}

/// Returns the triggers that switch the recording off at the first event that ends a session: other CPUs then record
/// nothing more before the session is woken. Where the kernel's filter does not decide the whole condition, or the event
/// has a trigger of the kind, there is none: what is recorded past the event is left out when it is read.
fn switches<'p>(
    placed: PlacedSession<'p>,
    watch: PlacedSession<'p>,
) -> impl Iterator<Item = Result<Step, InvalidFilePath>> + 'p {
    let clause = watch.session.waits_for.unwrap_or(watch.session.span);
    let is_first = |stop: &&Spanned<ir::Stop>| {
        stop.span == clause && matches!(stop.value, ir::Stop::On { count: 1, .. })
    };
    let at_once = placed.session.keep.is_none() && placed.session.stops.iter().any(|stop| is_first(&stop));
    let is_switched = move |id: EventId| {
        let own = placed.session.events.iter().find(|event| event.id == id);
        own.is_some_and(|event| event.triggers.iter().any(|trigger| trigger.kind.value.slot == Slot::Tracing))
    };
    let decided = watch.events().filter(move |_| at_once && !placed.session.leaves_out_children());
    decided.filter_map(move |(event, ids)| {
        let condition = recorded(watch, ids)?;
        if is_switched(event.id) || watch.on_host(condition).next().is_some() {
            return None;
        }
        let text = condition.kernel_text().unwrap_or(OF_LISTED_TASKS);
        let command = format!("traceoff:1 if {text}");
        if command.len() > limits::FILTER_BYTES {
            return None;
        }
        let file = FilePath::new(event_file(&placed.module.catalogue[event.id], "trigger"));
        Some(file.map(|file| Step::append(file, command, clause)))
    })
}

/// A condition that holds for every record: a trigger without one fires before the kernel looks at the list of tasks
/// (`trace_trigger_soft_disabled`, include/linux/trace_events.h).
const OF_LISTED_TASKS: &str = "common_pid >= 0";

/// Adds the steps for the filter and the triggers of one event.
fn arm(
    placed: PlacedSession<'_>,
    event: &ir::Event,
    ids: &PlacedEvent,
    steps: &mut Vec<Step>,
) -> Result<(), InvalidFilePath> {
    let catalogue = &placed.module.catalogue;
    let format = &catalogue[event.id];
    let limited = placed.session.scoped_tasks().next().is_some();
    if let Some(filter) = recorded(placed, ids)
        && let Some(text) = filter.kernel_text()
    {
        steps.push(write(&event_file(format, "filter"), text, filter.span)?);
    }
    for (trigger, filter) in armed(placed, event, ids) {
        let file = FilePath::new(event_file(format, "trigger"))?;
        let text = filter.kernel_text().or(limited.then_some(OF_LISTED_TASKS));
        let command = trigger_command(trigger, catalogue, text);
        steps.push(Step::append(file, command, trigger.span));
    }
    Ok(())
}

/// Returns the condition under which an event is recorded; `None` if it never is.
fn recorded<'p>(placed: PlacedSession<'p>, ids: &PlacedEvent) -> Option<&'p PlacedCondition> {
    placed.record(ids).filter(|condition| !condition.is_never())
}

/// Returns the triggers that can fire.
fn armed<'p>(
    placed: PlacedSession<'p>,
    event: &'p ir::Event,
    ids: &'p PlacedEvent,
) -> impl Iterator<Item = (&'p ir::Trigger, &'p PlacedCondition)> {
    placed.triggers(event, ids).filter(|(_, condition)| !condition.is_never())
}

/// Returns the part of an event's condition that the reader of its records decides.
fn on_host(placed: PlacedSession<'_>, event: &ir::Event, ids: &PlacedEvent) -> Vec<HostCondition> {
    let conjuncts = recorded(placed, ids).into_iter().flat_map(|condition| placed.on_host(condition));
    let condition = |conjunct: &ir::Conjunct| HostCondition {
        event: placed.module.catalogue[event.id].qualified_name(),
        condition: conjunct.value.clone(),
        origin: conjunct.span,
    };
    conjuncts.map(condition).collect()
}

/// Returns what is shown of the records of an event; `None` for all, and for an event that is never recorded.
pub(crate) fn shown(placed: PlacedSession<'_>, event: &ir::Event) -> Option<ShownEvent> {
    let recording = event.record.as_ref().filter(|recording| !recording.shown.is_all())?;
    let ir::Shown { print_fmt, left_out, blanked } = &recording.shown;
    let names = |fields: &[Name]| fields.iter().map(|field| field.value.clone()).collect();
    Some(ShownEvent {
        event: placed.module.catalogue[event.id].qualified_name(),
        print_fmt: print_fmt.as_ref().map(|print| print.value.clone()),
        left_out: names(left_out),
        blanked: names(blanked),
    })
}

fn event_file(format: &EventFormat, file: &str) -> String {
    format!("events/{}/{}/{file}", format.system, format.name)
}

/// Returns the step that overwrites a new instance's value, as the table of control files describes it.
fn write(file: &str, value: &str, span: Span) -> Result<Step, InvalidFilePath> {
    let old = files::of_path(file).and_then(|file| file.default);
    Ok(Step::write(Location::Instance(FilePath::new(file)?), value, span).over(old))
}

/// Returns the trigger that takes a snapshot, if it can fire.
fn snapshot(placed: PlacedSession<'_>) -> Option<Span> {
    let triggers = placed.events().flat_map(|(event, ids)| armed(placed, event, ids));
    let mut snapshots = triggers.filter(|(trigger, _)| trigger.kind.value.slot == Slot::Snapshot);
    snapshots.next().map(|(trigger, _)| trigger.span)
}

fn life(session: &ir::Session) -> Life {
    let ring = session.ring.as_ref().map(|ring| KeptRing { last: ring.value.last, origin: ring.span });
    let rotate = session.rotate.as_ref().map(|Spanned { value: ir::Rotate { bytes, max }, span }| Rotation {
        bytes: *bytes,
        max: *max,
        origin: *span,
    });
    let mut life = Life { ring, rotate, start_paused: session.start_paused, ..Life::default() };
    for stop in &session.stops {
        let origin = stop.span;
        match &stop.value {
            ir::Stop::After(time) => life.stop_after = Some(*time),
            ir::Stop::Command => life.stop_with_command = Some(origin),
            ir::Stop::Process(id) => life.stop_with_processes.push(StopProcess { id: *id, origin }),
            ir::Stop::Signal(name) => {
                let number = signals::find(name).map(|signal| signal.number);
                life.stop_on_signals.extend(number.map(|number| StopSignal { number, origin }));
            }
            // It has a plan of its own.
            ir::Stop::On { .. } => {}
        }
    }
    life
}

fn output(output: &ir::Output) -> Output {
    Output { path: output.path.value.clone(), form: output.form.name().to_owned(), origin: output.path.span }
}

/// Returns the layouts of all records that the buffer can hold: recorded events, and the stacks that a trigger or
/// option adds.
fn formats(
    placed: PlacedSession<'_>,
    kernel: &dyn KernelSource,
    by_programs: Option<&[EventFormat]>,
) -> Result<Vec<EventFormat>, Diagnostic> {
    let mut formats = by_programs.unwrap_or_default().to_vec();
    formats.extend(of_events(placed));
    let hidden = without_children(placed).filter(|without| !without.shows_new_tasks);
    let new_tasks = hidden.and_then(|_| NEW_TASKS.split_once(':'));
    let of_ftrace = |name| ("ftrace", name);
    let stacks = ["kernel_stack", "user_stack"].map(of_ftrace);
    let marker = placed.session.markers.first().map(|_| of_ftrace("print"));
    for (system, name) in stacks.into_iter().chain(marker).chain(new_tasks) {
        let path = format!("events/{system}/{name}/format");
        if let Some(text) = kernel.read(&path).map_err(unreadable)? {
            let format = EventFormat::parse(system, &text);
            formats.push(format.map_err(|error| unreadable(format_args!("{path}: {error}")))?);
        }
    }
    Ok(formats)
}

/// Returns the layouts of the events that tracefs records, or that a trigger enables.
fn of_events(placed: PlacedSession<'_>) -> Vec<EventFormat> {
    let by_tracefs = of_tracefs(placed);
    let kept = by_tracefs.iter().filter(|(_, ids)| recorded(placed, ids).is_some());
    let mut ids: Vec<EventId> = kept.map(|(event, _)| event.id).collect();
    let mut known: FxHashSet<EventId> = ids.iter().copied().collect();
    let targets = by_tracefs
        .iter()
        .flat_map(|(event, ids)| armed(placed, event, ids).filter_map(|(trigger, _)| trigger.event));
    ids.extend(targets.filter(|target| known.insert(*target)));
    ids.into_iter().map(|id| placed.module.catalogue[id].clone()).collect()
}
