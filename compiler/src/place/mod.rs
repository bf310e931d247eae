//! Where each condition runs, and the exact text it runs as.
//!
//! A condition is placed conjunct by conjunct: each part of its top-level `&&` goes wholly to one place, so that what is
//! kept is what both places let through, whatever their order.
//!
//! - The *kernel* takes what its event filter says exactly ([`lower`]), as many conjuncts in the order of the text as its
//!   [`limits::FILTER_BYTES`] hold. What it drops is never written to the ring.
//! - The *host* takes the rest: it evaluates the same condition on the raw record, before the record is shown. It
//!   knows the record and the CPU whose ring the record came from, and nothing else of the moment.
//!
//! Which of them can decide a conjunct stands in the table of [realisations](tracec_kernel::condition::realisation), for
//! these two as for every other target.
//!
//! Conjuncts that only the kernel can decide, or that are demanded of it (`filter in kernel`), have their room in the
//! kernel's filter before the others. A trigger acts in the kernel, so all of its condition must run there.
//!
//! What the kernel's filter can say is the kernel's own matter: each session is placed by the [`Model`] of its kernel.
//! Of what nobody knows of a kernel its filter is taken to lack it, and to have every quirk.
//!
//! [`place`] decides and never fails; [`report`] says what has no place. `tracec explain` shows the same decisions.

mod apart;
mod conjunct;
pub mod cost;
#[cfg(test)]
pub(crate) mod fixture;
mod report;
mod room;

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use tracec_grammar::span::{Span, Spanned};
use tracec_kernel::condition::ir::Condition;
use tracec_kernel::condition::lower::{LowerError, Lowered, lower};
use tracec_kernel::condition::realisation::{Construct, Hindrance, Obstacle, Target, features, obstacles};
use tracec_kernel::filter::Model;
use tracec_kernel::grouped::Grouped;
use tracec_kernel::tables::features::Support;
use tracec_kernel::tables::limits;

use crate::KernelSource;
use crate::ir::shared::Same;
use crate::ir::{self, Conjuncts};
use crate::source::possible_cpus;
use cost::Cost;

pub use apart::Apart;
pub(crate) use report::refusal;
pub use report::report;

/// A session whose every condition was given a place, or the reasons why there is none.
#[derive(Clone, Debug)]
pub struct Placed {
    /// The session.
    pub session: ir::Session,
    /// What the kernel's filter can say.
    pub model: Model,
    /// What is not known of it, and why, by the feature's name.
    pub unknown: Unknown,
    /// One entry per entry of [`ir::Session::events`], in the same order.
    pub events: Vec<PlacedEvent>,
    /// Whether the session was read without an error. Else what it does not do it may have been meant to.
    pub is_whole: bool,
}

/// Features of which nobody knows whether the kernel has them, each with the reason.
pub type Unknown = BTreeMap<&'static str, String>;

/// The kernel that conditions are written for, as far as it is known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WrittenFor {
    /// Its filter; what is not known of it is as in [`Model::LEAST`].
    pub model: Model,
    /// What is not known of it, of what a condition depends on.
    pub unknown: Unknown,
}

impl From<Model> for WrittenFor {
    /// All is known.
    fn from(model: Model) -> Self {
        WrittenFor { model, unknown: Unknown::new() }
    }
}

/// The conditions of one event. Events that share a condition share what became of it.
#[derive(Clone, Debug)]
pub struct PlacedEvent {
    /// Which records are kept; `None` if no clause records the event.
    pub record: Option<Arc<PlacedCondition>>,
    /// One entry per entry of [`ir::Event::triggers`], in the same order.
    pub triggers: Vec<Arc<PlacedCondition>>,
}

/// A condition, taken apart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlacedCondition {
    /// Its conjuncts in the order of the text; none of them is every record.
    pub conjuncts: Vec<PlacedConjunct>,
    /// What all those come to that the kernel decides.
    pub kernel: Lowered,
    /// Bytes of what is written to the kernel's file: the filter, or a trigger's whole command.
    pub written: usize,
    /// Where the condition stands in the source, or the clause if there is none.
    pub span: Span,
}

impl PlacedCondition {
    /// Whether no record can meet it.
    pub fn is_never(&self) -> bool {
        self.kernel == Lowered::Nothing
    }

    /// Whether one of its conjuncts has no place.
    pub fn is_refused(&self) -> bool {
        self.conjuncts.iter().any(|conjunct| matches!(conjunct.place, Place::Refused { .. }))
    }

    /// The kernel's part of it; `None` where the kernel has nothing to decide.
    pub fn kernel_text(&self) -> Option<&str> {
        match &self.kernel {
            Lowered::Text(text) => Some(text),
            Lowered::Everything | Lowered::Nothing => None,
        }
    }

    /// The host's part of it.
    pub fn on_host(&self) -> impl Iterator<Item = &PlacedConjunct> {
        self.conjuncts.iter().filter(|conjunct| matches!(conjunct.place, Place::Host { .. }))
    }
}

/// One conjunct and its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlacedConjunct {
    /// What it asks, and where it stands.
    pub condition: Spanned<Condition>,
    /// Where it runs.
    pub place: Place,
    /// What it costs there.
    pub cost: Cost,
}

/// Where a conjunct runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// Nowhere: it is this for every record.
    Constant(bool),
    /// In the kernel's filter.
    Kernel {
        /// As this text, where it stands alone.
        text: String,
    },
    /// On the host.
    Host {
        /// Why the kernel does not decide it.
        kernel: NotInKernel,
    },
    /// There is no place.
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
    /// Its filter cannot say it.
    Unsayable {
        /// What of it; `None` if that is a matter of the machine, which may not have a CPU that is named.
        obstacle: Option<Obstacle>,
        /// Why, a clause.
        reason: String,
        /// Why nobody knows whether it can; `None` where that is known.
        unknown: Option<String>,
    },
    /// It has no room behind those that come before.
    NoRoom {
        /// Bytes of its own text.
        length: usize,
    },
}

/// Why the host does not decide a conjunct.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NotOnHost {
    /// It gates a trigger.
    Trigger,
    /// The session demands the kernel, with these words.
    Demanded(Span),
    /// It cannot, for these reasons: at least one.
    Cannot(Vec<Hindrance>),
}

impl std::fmt::Display for NotInKernel {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            NotInKernel::Unsayable { reason, unknown: None, .. } => f.write_str(reason),
            NotInKernel::Unsayable { obstacle, reason, unknown: Some(unknown) } => {
                let between = match obstacle.map(|obstacle| obstacle.hindrance) {
                    // Its own sentence says that it is not known.
                    Some(Hindrance::NoFeature(_)) => ": ",
                    _ => "; whether it has is not known: ",
                };
                write!(f, "{reason}{between}{unknown}")
            }
            NotInKernel::NoRoom { length } if *length > limits::FILTER_BYTES => write!(
                f,
                "its text is {} bytes long, the kernel's filter takes {}",
                Grouped(length),
                Grouped(limits::FILTER_BYTES)
            ),
            NotInKernel::NoRoom { length } => write!(
                f,
                "its {} bytes do not fit beside the others into the {} of the kernel's filter",
                Grouped(length),
                Grouped(limits::FILTER_BYTES)
            ),
        }
    }
}

impl NotOnHost {
    /// Why the host cannot decide a condition with these [constructs](Construct), or may not: `kernel_only`. `None` if it
    /// can. It reads records as they are, whatever the kernel has.
    pub fn of(parts: &[Construct], kernel_only: Option<NotOnHost>) -> Option<NotOnHost> {
        // What the host lacks says more than the clause that demands the kernel. A trigger is never its matter.
        if kernel_only == Some(NotOnHost::Trigger) {
            return kernel_only;
        }
        let mut found: Vec<Hindrance> = Vec::new();
        for Obstacle { hindrance, .. } in obstacles(parts, Target::Host, |_| true) {
            if !found.contains(&hindrance) {
                found.push(hindrance);
            }
        }
        if found.is_empty() { kernel_only } else { Some(NotOnHost::Cannot(found)) }
    }
}

impl std::fmt::Display for NotOnHost {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            NotOnHost::Trigger => {
                f.write_str("a trigger acts in the kernel, before the host sees the record")
            }
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

/// Why a kernel's filter cannot say a condition with these [constructs](Construct); `None` if it can.
pub(crate) fn obstacle_in_kernel(parts: &[Construct], model: &Model) -> Option<Obstacle> {
    obstacles(parts, Target::KernelFilter, |feature| model.has(feature).unwrap_or(false)).next()
}

/// The model of the filter that a session's conditions are written for. Its kernel is asked for the features that decide
/// how they are written and for no others: to find one out may cost more than all else. So with the number of its CPUs.
pub fn written_for(session: &Apart, kernel: &dyn KernelSource) -> WrittenFor {
    let mut asked: BTreeSet<&'static str> = BTreeSet::new();
    let mut lists = false;
    for parts in session.all() {
        asked.extend(features(parts, Target::KernelFilter));
        lists |= parts.iter().any(|part| matches!(part, Construct::Mask { .. }));
    }
    let known: BTreeMap<&'static str, Support> =
        asked.into_iter().map(|feature| (feature, kernel.feature(feature))).collect();
    let model = Model::careful(|feature| match known.get(feature) {
        Some(support) => support.clone(),
        None => Support::Unknown("no condition depends on it".to_owned()),
    });
    // A kernel that could not tell has been reported where the list stands.
    let model = Model { cpus: if lists { possible_cpus(kernel).ok().flatten() } else { None }, ..model };
    let unknown = known.into_iter().filter_map(|(feature, support)| match support {
        Support::Unknown(reason) => Some((feature, reason)),
        Support::Yes | Support::No => None,
    });
    WrittenFor { model, unknown: unknown.collect() }
}

/// Places every condition of a session, for a kernel that is known so far, or for a model of which all is known.
pub fn place(session: impl Into<Apart>, kernel: impl Into<WrittenFor>) -> Placed {
    let (apart, kernel) = (session.into(), kernel.into());
    let mut placer = Placer { apart: &apart, kernel: &kernel, placed: HashMap::new() };
    let events = apart.session.events.iter().map(|event| placer.event(event)).collect();
    Placed { session: apart.session, model: kernel.model, unknown: kernel.unknown, events, is_whole: true }
}

/// Places conditions, each once for events that share it.
struct Placer<'a> {
    apart: &'a Apart,
    kernel: &'a WrittenFor,
    placed: HashMap<Case, Arc<PlacedCondition>>,
}

/// A condition and all that its place depends on.
#[derive(PartialEq, Eq, Hash)]
struct Case {
    conjuncts: Same<[ir::Conjunct]>,
    clause: Span,
    purpose: Purpose,
}

/// What a condition decides.
#[derive(PartialEq, Eq, Hash)]
enum Purpose {
    /// What is recorded, where the kernel may be demanded.
    Record(Vec<ir::Demand>),
    /// When a trigger acts. The kernel takes the whole command in one write: so many bytes stand before its condition.
    Trigger { before: usize },
}

impl Purpose {
    /// How many bytes stand before the condition in what is written.
    fn before(&self) -> usize {
        match self {
            Purpose::Record(_) => 0,
            Purpose::Trigger { before } => *before,
        }
    }
}

impl Placer<'_> {
    fn event(&mut self, event: &ir::Event) -> PlacedEvent {
        let record = event.record.as_ref().map(|recording| {
            let demanded = |index| recording.demand(index).map(NotOnHost::Demanded);
            let purpose = Purpose::Record(recording.demands.clone());
            self.condition(&recording.filter, recording.clause, purpose, demanded)
        });
        let trigger = |trigger: &ir::Trigger| {
            let purpose = Purpose::Trigger { before: trigger.command(Some("")).len() };
            self.condition(&trigger.condition, trigger.span, purpose, |_| Some(NotOnHost::Trigger))
        };
        PlacedEvent { record, triggers: event.triggers.iter().map(trigger).collect() }
    }

    /// Places one condition. `kernel_only` says whether the conjunct of an index must not go to the host; it hangs on
    /// the purpose alone.
    fn condition(
        &mut self,
        conjuncts: &Conjuncts,
        clause: Span,
        purpose: Purpose,
        kernel_only: impl Fn(usize) -> Option<NotOnHost>,
    ) -> Arc<PlacedCondition> {
        let case = Case { conjuncts: Same::of(conjuncts), clause, purpose };
        if let Some(placed) = self.placed.get(&case) {
            return Arc::clone(placed);
        }
        let target = self.kernel;
        let before = case.purpose.before();
        let each = conjuncts.iter().zip(self.apart.of(conjuncts)).enumerate();
        let choices: Vec<_> = each
            .map(|(index, (each, parts))| conjunct::choices(&each.value, parts, kernel_only(index), target))
            .collect();
        let room = limits::FILTER_BYTES.saturating_sub(before);
        let kernel = room::share(conjuncts, &choices, room, &target.model);
        let written = match &kernel.filter {
            Lowered::Text(text) => before + text.len(),
            Lowered::Everything | Lowered::Nothing => before,
        };
        let placed = conjuncts.iter().zip(choices).zip(&kernel.takes).map(|((condition, choices), takes)| {
            let place = choices.decide(*takes);
            let cost = cost::of(&condition.value, &place, &target.model);
            PlacedConjunct { condition: Spanned::new(condition.value.clone(), condition.span), place, cost }
        });
        let placed = Arc::new(PlacedCondition {
            conjuncts: placed.collect(),
            kernel: kernel.filter,
            written,
            span: ir::extent(conjuncts).unwrap_or(clause),
        });
        self.placed.insert(case, Arc::clone(&placed));
        placed
    }
}

/// What the kernel makes of several conditions together.
fn lower_all<'c>(
    conditions: impl Iterator<Item = &'c Condition>,
    model: &Model,
) -> Result<Lowered, LowerError> {
    lower(&Condition::all(conditions.cloned().collect()), model)
}

#[cfg(test)]
mod tests;
