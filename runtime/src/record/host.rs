//! The host's conditions, those that kernel filters cannot express, decided on raw pages.
//!
//! Pages are filtered one by one, before the records of the CPUs are merged: a record that is dropped is neither copied
//! nor ordered.

mod followers;

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, OnceLock};

use tracec_kernel::condition::ir::Condition;
use tracec_kernel::format::EventFormat;
use tracec_kernel::page::{Entries, Entry, Lost, Page, PageError, PageLayout};
use tracec_kernel::plan::HostCondition;
use tracec_kernel::record::Decoder;
use tracec_kernel::selection::{
    Evaluator, Numbered, PageFilter, Selected, SelectedEvent, Selection, SelectionError,
};

use super::period::Period;

pub use followers::Stacks;
pub(super) use followers::is_stack;
use followers::{Followers, STACK};

/// A filter of the records of a session or a recording. The default keeps all.
///
/// A stack follows the record that it belongs to: it is dropped with it.
#[derive(Debug, Default)]
pub struct HostFilter {
    /// `None` keeps all.
    conditions: Option<Arc<Conditions>>,
    /// `None` where no stack may follow.
    followers: Option<Followers>,
    dropped: Dropped,
    /// `None` keeps the records of all times.
    period: Option<Period>,
    /// The records outside of the period.
    outside: u64,
}

/// The numbers of records that a filter has dropped.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Dropped {
    /// All of them.
    pub(crate) all: u64,
    /// Those that are stacks of others.
    pub(crate) stacks: u64,
}

impl Dropped {
    /// Returns the number of records without the stacks.
    pub(crate) fn records(self) -> u64 {
        self.all - self.stacks
    }
}

/// What decides which records of events with conditions are kept.
#[derive(Debug)]
struct Conditions {
    selection: Selection,
    /// It decides until there is code.
    evaluator: Evaluator,
    code: Code,
}

/// Whether the records of a page could be decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Walked {
    /// They are.
    Decided,
    /// Not yet: the lane has its first stack, and the pages before this one say which record it follows. They are given to
    /// [`remember`](HostFilter::remember).
    AsksForHistory,
}

/// Makes a faster filter of a selection, such as machine code; or returns the reason why it cannot.
pub type CompileFilter = Arc<dyn Fn(&Selection) -> Result<Box<dyn PageFilter>, String> + Send + Sync>;

/// The code of a filter, or the reason why there is none. Empty until one of them is known.
pub(crate) type Code = Arc<OnceLock<Result<Box<dyn PageFilter>, String>>>;

/// The task to make the code of a filter, for any thread and at any time.
#[derive(Debug)]
pub struct CodeTask {
    selection: Selection,
    code: Code,
}

/// The number of the condition of each event.
const KEPT: u32 = 0;

impl HostFilter {
    /// Creates a filter of pages with a layout from the host's conditions of a plan. Their fields must be those of
    /// `formats` ([`rebind`](tracec_kernel::condition::rebind::rebind)), the layouts that records are read with. An
    /// event without a layout has no records. `stacks` follow each record.
    ///
    /// # Errors
    /// [`SelectionError`] for a condition that cannot be decided by a record.
    pub fn new(
        formats: &[EventFormat],
        host: &[HostCondition],
        layout: &PageLayout,
        stacks: Stacks,
    ) -> Result<Self, SelectionError> {
        if host.is_empty() {
            return Ok(HostFilter::default());
        }
        let selection = Selection::new(*layout, events(formats, host))?.with_others();
        if stacks == Stacks::default() {
            return Ok(HostFilter::of(selection, None));
        }
        let decoder = Decoder::for_layout(formats.to_vec(), layout);
        // Nothing else asks for records that are dropped.
        Ok(HostFilter::of(selection.with_rejected(), Some(Followers::expected(stacks, decoder))))
    }

    /// Creates a filter of the pages of a recording that keeps the records of some events for which one of their
    /// conditions holds, each with the stacks that follow it, and no others. `formats` are all layouts of the recording.
    ///
    /// # Errors
    /// [`SelectionError`] for a condition that cannot be decided by a record, and for an event that shares its id with
    /// another one of the recording: whose records these are is not certain.
    pub fn of_recorded(
        formats: &[EventFormat],
        events: Vec<SelectedEvent>,
        layout: &PageLayout,
    ) -> Result<Self, SelectionError> {
        for event in &events {
            if let Some(other) = formats.iter().find(|format| is_other(format, &event.format)) {
                let (first, second) = (event.format.qualified_name(), other.qualified_name());
                return Err(SelectionError::SharedId { id: event.format.id, first, second });
            }
        }
        let mut events: Vec<SelectedEvent> = events.into_iter().map(any).collect();
        if !formats.iter().any(is_stack) {
            return Ok(HostFilter::of(Selection::new(*layout, events)?, None));
        }
        for stack in formats.iter().filter(|format| is_stack(format)) {
            let every = Numbered { number: STACK, condition: Condition::Const(true) };
            match events.iter_mut().find(|event| event.format.id == stack.id) {
                Some(event) if event.conditions.iter().any(|one| one.number == STACK) => {}
                Some(event) => event.conditions.push(every),
                None => events.push(SelectedEvent { format: stack.clone(), conditions: vec![every] }),
            }
        }
        let decoder = Decoder::for_layout(formats.to_vec(), layout);
        Ok(HostFilter::of(Selection::new(*layout, events)?, Some(Followers::recorded(decoder))))
    }

    /// Returns a filter of other lanes with the same conditions and the same code.
    pub(crate) fn of_other_lanes(&self) -> HostFilter {
        let followers = self.followers.as_ref().map(Followers::others);
        HostFilter { conditions: self.conditions.clone(), followers, ..HostFilter::default() }
    }

    /// Forgets what it knows of the records of its lanes: the next page may be any.
    pub(crate) fn begin_anywhere(&mut self) {
        if let Some(followers) = &mut self.followers {
            *followers = followers.others();
        }
    }

    /// Returns whether it keeps all records.
    pub fn keeps_all(&self) -> bool {
        self.conditions.is_none()
    }

    /// Returns whether nothing is decided by a record, neither by its fields nor by its time.
    pub(crate) fn decides_nothing(&self) -> bool {
        self.conditions.is_none() && self.period.is_none()
    }

    fn of(selection: Selection, followers: Option<Followers>) -> Self {
        let evaluator = Evaluator::new(&selection);
        let conditions = Conditions { selection, evaluator, code: Code::default() };
        HostFilter { conditions: Some(Arc::new(conditions)), followers, ..HostFilter::default() }
    }

    /// Keeps the records of a period only.
    pub(crate) fn within(self, period: Period) -> Self {
        HostFilter { period: Some(period), ..self }
    }

    /// Returns the number of records outside of the period so far.
    pub(crate) fn outside(&self) -> u64 {
        self.outside
    }

    /// Returns the number of records that were dropped so far; `None` if there are no conditions.
    pub(crate) fn dropped(&self) -> Option<Dropped> {
        self.conditions.as_ref().map(|_| self.dropped)
    }

    /// Returns the task to make code of its conditions, which decides as soon as it is there; `None` if there are no
    /// conditions.
    pub fn task(&self) -> Option<CodeTask> {
        let conditions = self.conditions.as_ref()?;
        Some(CodeTask { selection: conditions.selection.clone(), code: Arc::clone(&conditions.code) })
    }

    /// Forgets which stacks may follow in a ring that has lost records, that of a lane.
    pub(crate) fn lost(&mut self, lane: usize) {
        self.followers.iter_mut().for_each(|followers| followers.lost(lane));
    }

    /// Walks over the entries of a page, or over a part of them, and sets `kept` to the records that are kept. The page
    /// is of the ring of a CPU; `lane` is what tells this ring from all others, since each buffer has one for each CPU.
    /// Afterwards the walk stands where a [`PageFilter`] leaves it.
    ///
    /// # Errors
    /// The error of the walk; the records before it are decided.
    pub(crate) fn keep(
        &mut self,
        entries: &mut Entries<'_>,
        ring: (usize, u32),
        kept: &mut Vec<Selected>,
    ) -> Result<(), PageError> {
        self.begin_history(ring.0);
        let walked = self.keep_page(entries, ring, kept).map(drop);
        if let Some(period) = self.period.as_ref().and_then(Period::bounds) {
            let all = kept.len();
            kept.retain(|record| period.contains(&record.timestamp));
            self.outside += (all - kept.len()) as u64;
        }
        walked
    }

    /// Walks over the entries of a whole page as [`keep`](HostFilter::keep) does. Nothing is decided, and the walk stands
    /// where it stood, if the pages before it are asked for.
    ///
    /// # Errors
    /// As [`keep`](HostFilter::keep).
    pub(crate) fn keep_page(
        &mut self,
        entries: &mut Entries<'_>,
        (lane, cpu): (usize, u32),
        kept: &mut Vec<Selected>,
    ) -> Result<Walked, PageError> {
        kept.clear();
        let HostFilter { conditions, followers, dropped, .. } = self;
        let Some(conditions) = conditions else { return every(entries, kept).map(|()| Walked::Decided) };
        let begin = entries.clone();
        let walked = conditions.filter().select(entries, cpu, kept);
        if let Some(followers) = followers {
            let is_followed = followers.is_followed(lane);
            if !is_followed && kept.iter().any(|selected| selected.condition == STACK) {
                *entries = begin;
                kept.clear();
                return Ok(Walked::AsksForHistory);
            }
            if is_followed {
                dropped.stacks += followers.drop_from(kept, begin.clone(), lane);
            }
        }
        let records = match walked {
            Ok(records) => records,
            // The records before the error are decided, and a filter does not say how many they were.
            Err(_) => begin.take_while(Result::is_ok).count() as u64,
        };
        dropped.all += records - kept.len() as u64;
        walked.map(|_| Walked::Decided)
    }

    /// Looks at the records of a lane from here on, without those before.
    pub(crate) fn begin_history(&mut self, lane: usize) {
        self.followers.iter_mut().for_each(|followers| followers.follow(lane));
    }

    /// Takes a page of a lane that asked for history: the nearest first. Returns whether the one before it matters too.
    ///
    /// # Errors
    /// A page that is damaged.
    pub(crate) fn remember(&mut self, (lane, cpu): (usize, u32), page: &Page<'_>) -> Result<bool, PageError> {
        let HostFilter { conditions: Some(conditions), followers: Some(followers), .. } = self else {
            return Ok(false);
        };
        followers.follow(lane);
        let mut kept = Vec::new();
        conditions.filter().select(&mut page.entries(), cpu, &mut kept)?;
        let matters = followers.remember(lane, page.entries(), &mut kept);
        Ok(matters && page.lost() == Lost::None)
    }
}

impl Conditions {
    fn filter(&self) -> &dyn PageFilter {
        match self.code.get() {
            Some(Ok(code)) => &**code,
            Some(Err(_)) | None => &self.evaluator,
        }
    }
}

impl CodeTask {
    /// Makes the code.
    ///
    /// # Errors
    /// The reason why there is none. The conditions are evaluated without code then.
    pub fn run(self, compile: &CompileFilter) -> Result<(), String> {
        let made = self.code.get_or_init(|| compile(&self.selection));
        made.as_ref().map(drop).map_err(String::clone)
    }

    /// Returns the place for the code, or for the reason why there is none.
    pub(crate) fn code(&self) -> Code {
        Arc::clone(&self.code)
    }
}

/// Returns the events with conditions, each with the conjunction of its conditions.
fn events(formats: &[EventFormat], host: &[HostCondition]) -> Vec<SelectedEvent> {
    let known: HashMap<String, &EventFormat> =
        formats.iter().map(|format| (format.qualified_name(), format)).collect();
    // Where two layouts have one id, this kernel lacks the event of one of them.
    let mut conditions: BTreeMap<u16, (&EventFormat, Vec<Condition>)> = BTreeMap::new();
    for host in host {
        if let Some(&format) = known.get(&host.event) {
            conditions.entry(format.id).or_insert((format, Vec::new())).1.push(host.condition.clone());
        }
    }
    let event = |(format, conditions): (&EventFormat, _)| SelectedEvent {
        format: format.clone(),
        conditions: vec![Numbered { number: KEPT, condition: Condition::all(conditions) }],
    };
    conditions.into_values().map(event).collect()
}

/// Returns whether a layout is of another event, with the same id.
fn is_other(one: &EventFormat, other: &EventFormat) -> bool {
    one.id == other.id && (one.system != other.system || one.name != other.name)
}

/// Returns an event with one condition, which holds if one of its conditions does: a record is kept once.
fn any(event: SelectedEvent) -> SelectedEvent {
    let conditions = event.conditions.into_iter().map(|numbered| numbered.condition).collect();
    SelectedEvent {
        conditions: vec![Numbered { number: KEPT, condition: Condition::any(conditions) }],
        ..event
    }
}

/// Keeps every record.
fn every(entries: &mut Entries<'_>, kept: &mut Vec<Selected>) -> Result<(), PageError> {
    while let Some(entry) = entries.next() {
        let Entry { timestamp, data } = entry?;
        let length = data.len();
        // The next entry follows the record at a multiple of four.
        let offset = entries.offset() - length.next_multiple_of(4);
        let (offset, length) = (offset as u32, length as u32);
        kept.push(Selected { timestamp, offset, length, condition: Selected::OTHER });
    }
    Ok(())
}

#[cfg(test)]
mod tests;
