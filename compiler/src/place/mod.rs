//! Where each condition runs, and the exact text it runs as.
//!
//! A condition is placed conjunct by conjunct: each part of its top-level `&&` goes wholly to one place. A record is
//! kept if both places let it through, so that their order does not matter.
//!
//! - The *kernel* decides when the event happens. What it drops is never written to the ring. With tracefs it takes
//!   what its event filter says exactly ([`lower`](tracec_kernel::condition::lower::lower)), as many conjuncts in the
//!   order of the text as it has [room](Engines::room) for. A BPF program has no such limit.
//! - The *host* takes the rest: it evaluates the same condition on the raw record, before the record is shown. It
//!   knows the record and the CPU whose ring the record came from, and nothing else of the moment.
//!
//! A conjunct that the filter says with many comparisons of one number's bits goes to the host where that can decide
//! it, and the filter has [few of them](tracec_kernel::condition::lower::FilterTree::fewer), which drop most records.
//!
//! A target states which of these [`Engines`] it has. The table of
//! [realisations](tracec_kernel::condition::realisation) says which of them can decide a conjunct.
//!
//! Conjuncts that only the kernel can decide, or that are demanded of it (`filter in kernel`), get their room in the
//! kernel's filter before the others. A trigger acts in the kernel, so all of its condition must run there.
//!
//! What the filter can say differs between kernels: each module is placed by the [`Model`] of its kernel. A feature of
//! the filter that is not known is taken to be missing, and a quirk that is not known to be present.
//!
//! A [`Placement`] is the result for the engines of one target. The module form knows no filter; a placement holds the
//! text of each, since the text of one conjunct decides whether another has room, and since lowering again for each who
//! shows or writes it would cost as much as the pass. How much room there is, and how much of it a trigger takes before
//! its condition, is known to the [description of the engines](Engines::room) alone. What the filter of an event calls
//! the CPU and the task follows from the layout of the event and is not a part of the placement.
//!
//! [`place`] decides and never fails; [`report`] reports the conditions without a place. `tracec explain` shows the
//! same decisions.

mod conjunct;
pub mod cost;
mod engines;
#[cfg(test)]
pub(crate) mod fixture;
mod pieces;
mod report;
mod room;

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Index;
use std::rc::Rc;

use rustc_hash::FxHashMap;
use tracec_grammar::span::Span;
use tracec_kernel::condition::lower::Lowered;
use tracec_kernel::condition::realisation::{Construct, Engine, Hindrance, Obstacle, features, obstacles};
use tracec_kernel::filter::Model;
use tracec_kernel::grouped::Grouped;
use tracec_kernel::tables::features::Support;
use tracec_kernel::tables::limits;

use crate::KernelSource;
use crate::ir::{self, ConditionId, Conjunct, Event, EventId, Module, Session, Trigger};
use crate::source::possible_cpus;
use conjunct::{Choices, Said, in_kernel};
use cost::Cost;
use pieces::{Pieces, SpellingId};

pub use engines::{Among, Engines, InKernel};
pub(crate) use report::refusal;
pub use report::report;

/// Where each condition of a module runs, or the reasons why it runs nowhere.
#[derive(Clone, Debug, PartialEq)]
pub struct Placement {
    /// The engines that conditions were distributed to.
    pub among: Among,
    /// What the kernel's filter can say.
    pub model: Model,
    /// The features of the filter that are not known, by name, with the reason.
    pub unknown: Unknown,
    /// The conditions that were placed, each once per purpose.
    pub(crate) conditions: Vec<PlacedCondition>,
    /// For each session of the module, one entry per entry of [`Session::events`].
    pub(crate) sessions: Vec<Vec<PlacedEvent>>,
}

/// The id of a condition in its [`Placement`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PlacedId(u32);

#[cfg(test)]
impl Placement {
    /// Returns the first condition, for tests that corrupt it.
    pub(crate) fn first_mut(&mut self) -> &mut PlacedCondition {
        &mut self.conditions[0]
    }
}

impl Index<PlacedId> for Placement {
    type Output = PlacedCondition;

    fn index(&self, id: PlacedId) -> &PlacedCondition {
        &self.conditions[id.0 as usize]
    }
}

/// A session of a module, and where its conditions run.
#[derive(Clone, Copy, Debug)]
pub struct PlacedSession<'a> {
    /// The module.
    pub(crate) module: &'a Module,
    /// The session.
    pub(crate) session: &'a Session,
    /// Where the module's conditions run.
    pub(crate) placement: &'a Placement,
    /// The ids of its conditions: one entry per entry of [`Session::events`].
    pub(crate) events: &'a [PlacedEvent],
}

impl<'a> PlacedSession<'a> {
    /// Returns the sessions of a module that was placed.
    pub fn all(module: &'a Module, placement: &'a Placement) -> impl Iterator<Item = PlacedSession<'a>> {
        let sessions = module.sessions.iter().zip(&placement.sessions);
        sessions.map(move |(session, events)| PlacedSession { module, session, placement, events })
    }

    /// Returns the sessions that wait for what this one waits for, in the order of its clauses.
    pub fn watches(self) -> impl Iterator<Item = PlacedSession<'a>> {
        let all = PlacedSession::all(self.module, self.placement);
        let behind = all.skip_while(move |other| !std::ptr::eq(other.session, self.session)).skip(1);
        behind.take_while(|other| other.session.waits_for.is_some())
    }

    /// Returns whether all of its text was understood: see [`Session::complete`].
    pub fn is_complete(self) -> bool {
        self.session.complete
    }

    /// Returns the engines of an event.
    pub fn engines_of(self, event: EventId) -> Engines {
        self.placement.among.of(self.session, event)
    }

    /// Returns what records an event.
    pub fn recorder_of(self, event: EventId) -> ir::Recorder {
        match self.is_by_program(event) {
            true => ir::Recorder::Programs,
            false => ir::Recorder::Tracefs,
        }
    }

    /// Returns whether a program decides an event's conditions, and records it.
    pub fn is_by_program(self, event: EventId) -> bool {
        self.engines_of(event).kernel == Some(InKernel::Program)
    }

    /// Returns each event with the ids of its conditions.
    pub fn events(self) -> impl Iterator<Item = (&'a Event, &'a PlacedEvent)> {
        self.session.events.iter().zip(self.events)
    }

    /// Returns the condition under which an event is recorded; `None` if no clause records it.
    pub fn record(self, event: &PlacedEvent) -> Option<&'a PlacedCondition> {
        event.record.map(|id| &self.placement[id])
    }

    /// Returns the triggers of an event, each with its condition.
    pub fn triggers(
        self,
        event: &'a Event,
        placed: &'a PlacedEvent,
    ) -> impl Iterator<Item = (&'a Trigger, &'a PlacedCondition)> {
        event.triggers.iter().zip(placed.triggers.iter().map(move |id| &self.placement[*id]))
    }

    /// Returns the conjuncts of a condition in the order of the text, each with where it runs.
    pub fn conjuncts(
        self,
        condition: &'a PlacedCondition,
    ) -> impl Iterator<Item = (&'a Conjunct, &'a PlacedConjunct)> {
        self.module.conditions[condition.id].iter().zip(&condition.conjuncts)
    }

    /// Returns the conjuncts of a condition that the host decides.
    pub fn on_host(self, condition: &'a PlacedCondition) -> impl Iterator<Item = &'a Conjunct> {
        let placed = self.conjuncts(condition);
        placed.filter(|(_, placed)| matches!(placed.place, Place::Host { .. })).map(|(conjunct, _)| conjunct)
    }

    /// Returns all its conditions.
    pub fn conditions(self) -> impl Iterator<Item = &'a PlacedCondition> {
        let ids = self.events.iter().flat_map(|event| event.record.iter().chain(&event.triggers));
        ids.map(move |id| &self.placement[*id])
    }
}

/// Features that the kernel is not known to have or to lack, each with the reason.
pub type Unknown = BTreeMap<&'static str, String>;

/// The kernel that conditions are written for, as far as it is known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WrittenFor {
    /// The model of its filter; features that are not known are as in [`Model::LEAST`].
    pub model: Model,
    /// The features that are not known, among those that a condition depends on.
    pub unknown: Unknown,
}

impl From<Model> for WrittenFor {
    /// Returns a kernel whose features are all known.
    fn from(model: Model) -> Self {
        WrittenFor { model, unknown: Unknown::new() }
    }
}

/// The conditions of one event. Events that share a condition share its placement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlacedEvent {
    /// The condition under which it is recorded; `None` if no clause records the event.
    pub record: Option<PlacedId>,
    /// One entry per entry of [`Event::triggers`], in the same order.
    pub triggers: Vec<PlacedId>,
}

/// A condition, and where each of its conjuncts runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlacedCondition {
    /// The condition.
    pub id: ConditionId,
    /// One entry per conjunct, in the same order; without any, every record meets the condition.
    pub conjuncts: Vec<PlacedConjunct>,
    /// The lowered form of all conjuncts that the kernel decides.
    pub kernel: Lowered,
    /// Bytes of the [room](Engines::room) in the kernel that it takes, with those before it.
    pub written: usize,
    /// The span of the condition, or of the clause if it has no condition.
    pub span: Span,
}

impl PlacedCondition {
    /// Returns whether no record can meet it.
    pub fn is_never(&self) -> bool {
        self.kernel == Lowered::Nothing
    }

    /// Returns whether one of its conjuncts has no place.
    pub fn is_refused(&self) -> bool {
        self.conjuncts.iter().any(|conjunct| matches!(conjunct.place, Place::Refused { .. }))
    }

    /// Returns the part that the kernel decides; `None` where the kernel has nothing to decide.
    pub fn kernel_text(&self) -> Option<&str> {
        self.kernel.text()
    }
}

/// The place of one conjunct.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlacedConjunct {
    /// Where it runs.
    pub place: Place,
    /// Its cost there.
    pub cost: Cost,
}

/// Where a conjunct runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// Nowhere: it has this value for every record.
    Constant(bool),
    /// In the kernel's filter.
    Kernel {
        /// Its text, where it stands alone.
        text: String,
    },
    /// In a BPF program at the event.
    Program,
    /// On the host.
    Host {
        /// Why the kernel does not decide it.
        kernel: NotInKernel,
    },
    /// Nowhere: neither the kernel nor the host can decide it.
    Refused {
        /// Why not in the kernel.
        kernel: NotInKernel,
        /// Why not on the host.
        host: NotOnHost,
    },
}

/// Why the kernel does not decide a conjunct.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NotInKernel {
    /// The target has nothing that decides in the kernel.
    NoEngine,
    /// Its filter, or a program, cannot say it.
    Unsayable {
        /// The part that it cannot say; `None` if that depends on the machine, which may lack a CPU that is named.
        obstacle: Option<Obstacle>,
        /// Why, a clause.
        reason: String,
        /// Why it is not known whether it can; `None` where that is known.
        unknown: Option<String>,
    },
    /// It can, with many comparisons. The filter drops what a few of them drop.
    Many {
        /// How many comparisons the whole conjunct takes.
        comparisons: usize,
        /// The text of a few of them: every record that meets the conjunct passes.
        few: String,
    },
    /// It does not fit after the conjuncts that come before.
    NoRoom {
        /// Bytes of its own text.
        length: usize,
    },
}

/// Why the host does not decide a conjunct.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NotOnHost {
    /// It is the condition of a trigger.
    Trigger,
    /// The target's records are not read by tracec.
    NoEngine,
    /// The session demands the kernel, with these words.
    Demanded(Span),
    /// It cannot, for these reasons: at least one.
    Cannot(Vec<Hindrance>),
}

impl std::fmt::Display for NotInKernel {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            NotInKernel::NoEngine => f.write_str("the target decides nothing in the kernel"),
            NotInKernel::Unsayable { reason, unknown: None, .. } => f.write_str(reason),
            NotInKernel::Unsayable { obstacle, reason, unknown: Some(unknown) } => {
                let between = match obstacle.map(|obstacle| obstacle.hindrance) {
                    // Its own sentence says that the feature is not known.
                    Some(Hindrance::NoFeature(_)) => ": ",
                    _ => "; whether it has is not known: ",
                };
                write!(f, "{reason}{between}{unknown}")
            }
            NotInKernel::Many { comparisons, few } => {
                write!(f, "all of it takes {comparisons} comparisons, of which the filter has `{few}`")
            }
            NotInKernel::NoRoom { length } => {
                let (own, most) = (Grouped(length), Grouped(limits::FILTER_BYTES));
                if *length > limits::FILTER_BYTES {
                    write!(f, "its text is {own} bytes long, the kernel's filter takes {most}")
                } else {
                    write!(
                        f,
                        "its {own} bytes do not fit beside the others into the {most} of the kernel's filter"
                    )
                }
            }
        }
    }
}

impl NotOnHost {
    /// Returns why the host cannot decide a condition with these [constructs](Construct), or must not: `kernel_only`.
    /// `None` if it can. The host reads records as they are, whatever the kernel's features.
    pub fn of(engines: Engines, parts: &[Construct], kernel_only: Option<NotOnHost>) -> Option<NotOnHost> {
        // A hindrance of the host says more than the clause that demands the kernel. The host never decides the
        // condition of a trigger.
        if kernel_only == Some(NotOnHost::Trigger) {
            return kernel_only;
        }
        let mut found: Vec<Hindrance> = Vec::new();
        for Obstacle { hindrance, .. } in obstacles(parts, Engine::Host, |_| true) {
            if !found.contains(&hindrance) {
                found.push(hindrance);
            }
        }
        match kernel_only {
            _ if !found.is_empty() => Some(NotOnHost::Cannot(found)),
            None if !engines.host => Some(NotOnHost::NoEngine),
            other => other,
        }
    }
}

impl std::fmt::Display for NotOnHost {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            NotOnHost::Trigger => {
                f.write_str("a trigger acts in the kernel, before the host sees the record")
            }
            NotOnHost::NoEngine => f.write_str("the target reads no records"),
            NotOnHost::Demanded(_) => f.write_str("`in kernel` demands the kernel"),
            NotOnHost::Cannot(hindrances) => {
                for (index, hindrance) in hindrances.iter().enumerate() {
                    match hindrance {
                        Hindrance::NoContext(context) if index > 0 => write!(f, ", nor {context}")?,
                        Hindrance::NoContext(context) => write!(f, "a record does not hold {context}")?,
                        hindrance if index > 0 => write!(f, ", and {hindrance}")?,
                        hindrance => write!(f, "{hindrance}")?,
                    }
                }
                Ok(())
            }
        }
    }
}

/// Returns why a kernel's filter or program cannot say a condition with these [constructs](Construct); `None` if it
/// can.
pub(crate) fn obstacle_in_kernel(
    in_kernel: InKernel,
    parts: &[Construct],
    model: &Model,
) -> Option<Obstacle> {
    // The process id comes first: no other way to write the condition helps where it is asked for.
    obstacles(parts, in_kernel.engine(), |feature| model.has(feature).unwrap_or(false))
        .min_by_key(|obstacle| obstacle.construct != Construct::Tgid)
}

/// Returns how many bytes are written for a filter with so many bytes before it.
pub(crate) fn written(before: usize, filter: &Lowered) -> usize {
    before + filter.text().map_or(0, str::len)
}

/// Places every condition of a module for its kernel, among the engines of a target.
pub fn place(module: &Module, kernel: &dyn KernelSource, among: impl Into<Among>) -> Placement {
    let among = among.into();
    let pieces = Pieces::of(module);
    // Nothing is asked of the kernel for programs that no session has.
    let recorders = || module.sessions.iter().map(Session::recorders);
    let among = match recorders().all(|recorders| recorders == ir::Recorders::Tracefs) {
        true => Among::from(among.own),
        false => among,
    };
    let written_for = written_for(&pieces, kernel, among);
    place_for(module, &pieces, among, written_for)
}

/// Places every condition of a module for a model whose features are all known.
#[cfg(test)]
fn place_by_model(module: &Module, engines: Engines, model: Model) -> Placement {
    place_for(module, &Pieces::of(module), engines.into(), model.into())
}

fn place_for(module: &Module, pieces: &Pieces<'_>, among: Among, kernel: WrittenFor) -> Placement {
    let said = |engines| pieces.all.iter().map(|piece| in_kernel(piece, engines, &kernel)).collect();
    let said: FxHashMap<Engines, Vec<_>> = among.all().map(|engines| (engines, said(engines))).collect();
    let (conditions, placed) = (Vec::new(), FxHashMap::default());
    let mut placer = Placer { module, pieces, said: &said, conditions, placed, last: None };
    let mut sessions = Vec::new();
    for session in &module.sessions {
        let event = |event: &Event| placer.event(event, among.of(session, event.id));
        sessions.push(session.events.iter().map(event).collect());
    }
    let conditions = placer.conditions;
    Placement { among, model: kernel.model, unknown: kernel.unknown, conditions, sessions }
}

/// Returns the model of the filter that conditions are written for. The kernel is asked only for the features that the
/// conditions depend on, and for the number of its CPUs only if a condition names CPUs: a single question may take
/// longer than everything else.
fn written_for(pieces: &Pieces<'_>, kernel: &dyn KernelSource, among: Among) -> WrittenFor {
    let mut asked: BTreeSet<&'static str> = BTreeSet::new();
    let mut lists = false;
    for piece in &pieces.all {
        for own in among.all().filter_map(|engines| engines.kernel) {
            asked.extend(features(&piece.constructs, own.engine()));
            lists |= own == InKernel::Filter
                && piece.constructs.iter().any(|part| matches!(part, Construct::Mask { .. }));
        }
    }
    let known: BTreeMap<&'static str, Support> =
        asked.into_iter().map(|feature| (feature, kernel.feature(feature))).collect();
    let model = Model::careful(|feature| match known.get(feature) {
        Some(support) => support.clone(),
        None => Support::Unknown("no condition depends on it".to_owned()),
    });
    // A failure to read the number of CPUs was reported with the list of CPUs.
    let model = Model { cpus: if lists { possible_cpus(kernel).ok().flatten() } else { None }, ..model };
    let unknown = known.into_iter().filter_map(|(feature, support)| match support {
        Support::Unknown(reason) => Some((feature, reason)),
        Support::Yes | Support::No => None,
    });
    WrittenFor { model, unknown: unknown.collect() }
}

/// Places conditions, each once for events that share it and its spelling.
struct Placer<'a> {
    module: &'a Module,
    pieces: &'a Pieces<'a>,
    /// Each piece in the kernel, for each engines that a session may have.
    said: &'a FxHashMap<Engines, Vec<Result<Said, NotInKernel>>>,
    conditions: Vec<PlacedCondition>,
    placed: FxHashMap<Rc<Case>, PlacedId>,
    /// The case that was asked for last: the events of a group come one after the other.
    last: Option<(Rc<Case>, PlacedId)>,
}

/// A condition and everything that its place depends on.
#[derive(PartialEq, Eq, Hash)]
struct Case {
    condition: ConditionId,
    clause: Span,
    purpose: Purpose,
    spelling: SpellingId,
    engines: Engines,
}

/// The purpose of a condition.
#[derive(PartialEq, Eq, Hash)]
enum Purpose {
    /// Whether an event is recorded, where the kernel may be demanded.
    Record(Vec<ir::Demand>),
    /// When a trigger fires: so many bytes of the room in the kernel are taken before its condition.
    Trigger { before: usize },
}

impl Purpose {
    /// Returns how many bytes of the room are taken before the condition.
    fn before(&self) -> usize {
        match self {
            Purpose::Record(_) => 0,
            Purpose::Trigger { before } => *before,
        }
    }
}

impl Placer<'_> {
    fn event(&mut self, event: &Event, engines: Engines) -> PlacedEvent {
        let spelling = self.pieces.spelling_at(event.id);
        let record = event.record.as_ref().map(|recording| {
            let demanded = |index| recording.demand(index).map(NotOnHost::Demanded);
            let purpose = Purpose::Record(recording.demands.clone());
            let (condition, clause) = (recording.filter, recording.clause);
            self.condition(Case { condition, clause, purpose, spelling, engines }, demanded)
        });
        let trigger = |trigger: &ir::Trigger| {
            let purpose = Purpose::Trigger { before: engines.before(trigger, &self.module.catalogue) };
            let (condition, clause) = (trigger.condition, trigger.span);
            let case = Case { condition, clause, purpose, spelling, engines };
            self.condition(case, |_| Some(NotOnHost::Trigger))
        };
        PlacedEvent { record, triggers: event.triggers.iter().map(trigger).collect() }
    }

    /// Places one condition. `kernel_only` says whether the conjunct of an index must not go to the host; it depends on
    /// the purpose alone.
    fn condition(&mut self, case: Case, kernel_only: impl Fn(usize) -> Option<NotOnHost>) -> PlacedId {
        if let Some((last, placed)) = &self.last
            && **last == case
        {
            return *placed;
        }
        if let Some((case, placed)) = self.placed.get_key_value(&case) {
            self.last = Some((Rc::clone(case), *placed));
            return *placed;
        }
        let (before, engines) = (case.purpose.before(), case.engines);
        let pieces = self.pieces.of_condition(case.condition, case.spelling);
        let each =
            pieces.iter().map(|index| (&self.said[&engines][*index], &self.pieces.all[*index])).enumerate();
        let choices: Vec<Choices<'_>> = each
            .map(|(index, (said, piece))| {
                Choices::new(said, NotOnHost::of(engines, &piece.constructs, kernel_only(index)))
            })
            .collect();
        let kernel = room::share(&choices, engines.room().saturating_sub(before));
        let written = written(before, &kernel.filter);
        let placed = choices.into_iter().zip(&kernel.takes).map(|(choices, takes)| {
            let work = choices.kernel.as_ref().ok().and_then(Said::work);
            let place = choices.decide(*takes);
            let cost = cost::of(&place, work);
            PlacedConjunct { place, cost }
        });
        self.conditions.push(PlacedCondition {
            id: case.condition,
            conjuncts: placed.collect(),
            kernel: kernel.filter,
            written,
            span: ir::extent(&self.module.conditions[case.condition]).unwrap_or(case.clause),
        });
        let placed = PlacedId(self.conditions.len() as u32 - 1);
        let case = Rc::new(case);
        self.last = Some((Rc::clone(&case), placed));
        self.placed.insert(case, placed);
        placed
    }
}

#[cfg(test)]
mod tests;
