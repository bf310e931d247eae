//! A selection as the program that machine code is made of: what is decided before any instruction is written.
//!
//! Events whose records are decided alike share one group, so that there is one copy of their conditions. In a group
//! each distinct condition is decided once, however many numbers it has.

use std::collections::hash_map::Entry;

use rustc_hash::FxHashMap;
use tracec_kernel::condition::ir::{Condition, TextTest};
use tracec_kernel::format::{EventFormat, Field};
use tracec_kernel::selection::{SelectedEvent, Selection};

use crate::decoder::{Needs, Question, Step, Test, TextPlace};

/// The length of the longest record: a page commits less (`COMMIT_MASK`, libtraceevent kbuffer-parse.c).
const LONGEST: u64 = 1 << 27;

/// What machine code has to do for each record.
#[derive(Debug)]
pub(super) struct Program<'a> {
    /// The offset of the type in every record.
    pub(super) type_offset: u32,
    /// The index of the group of each event, by the event's id, in the order of the selection.
    pub(super) events: Vec<(u16, usize)>,
    /// The groups.
    pub(super) groups: Vec<Group<'a>>,
    /// Whether records of other events are selected.
    pub(super) others: bool,
    /// Whether records for which no condition holds are selected.
    pub(super) rejected: bool,
}

/// Events whose records are decided alike.
#[derive(Debug)]
pub(super) struct Group<'a> {
    /// The length of the common header.
    pub(super) header: u64,
    /// The distinct conditions.
    pub(super) conditions: Vec<Tree<'a>>,
    /// What is asked for each number, in the order in which they are selected.
    pub(super) slots: Vec<Slot>,
    /// The number of conditions whose results are kept.
    pub(super) results: usize,
    /// The numbers of each event of the group, one for each slot.
    pub(super) numbers: Vec<Vec<u32>>,
}

/// A question about a record, whose answer selects it by one number.
#[derive(Clone, Copy, Debug)]
pub(super) struct Slot {
    /// The index of the condition.
    pub(super) condition: usize,
    /// Where it is decided.
    pub(super) result: Decided,
}

/// Where a condition is decided: at its first number. Those of one with more numbers are kept in memory between the two,
/// each in a byte of its own, so that the code holds few values at once however many conditions there are.
#[derive(Clone, Copy, Debug)]
pub(super) enum Decided {
    /// Here; the result is kept in the byte with this index, if it is asked for again.
    Here(Option<usize>),
    /// Before; its result is in the byte with this index.
    Before(usize),
}

/// A condition whose constants are folded, with what has to be checked before its fields are read.
#[derive(Debug)]
pub(super) struct Tree<'a> {
    /// The condition.
    pub(super) node: Node<'a>,
    /// The length that a record has if it is true.
    pub(super) length: u64,
}

/// The kinds of conditions.
#[derive(Debug)]
pub(super) enum Node<'a> {
    /// A constant; only a whole condition is one.
    Constant(bool),
    /// A test.
    Question(Question<'a>),
    /// The opposite.
    Not(Box<Tree<'a>>),
    /// All of them; two or more.
    All(Vec<Tree<'a>>),
    /// At least one of them; two or more.
    Any(Vec<Tree<'a>>),
}

/// What makes two events decide alike: the length of the header, the field of the thread id, the conditions in order.
type Alike<'a> = (u32, Option<&'a Field>, Vec<&'a Condition>);

impl<'a> Program<'a> {
    /// Returns the program of a selection.
    pub(super) fn of(selection: &'a Selection) -> Program<'a> {
        let mut program = Program {
            type_offset: selection.type_offset(),
            events: Vec::new(),
            groups: Vec::new(),
            others: selection.others(),
            rejected: selection.rejected(),
        };
        let mut known: FxHashMap<Alike<'a>, usize> = FxHashMap::default();
        for event in selection.events() {
            let format = &event.format;
            let conditions = event.conditions.iter().map(|numbered| &numbered.condition).collect();
            let alike = (format.header_size(), format.task_pid(), conditions);
            let group = *known.entry(alike).or_insert_with(|| {
                program.groups.push(Group::of(event));
                program.groups.len() - 1
            });
            program.groups[group].numbers.push(event.conditions.iter().map(|one| one.number).collect());
            program.events.push((format.id, group));
        }
        program
    }

    /// Returns whether a record that ends within the header of its event has to be told from others: not where it is not
    /// selected in either case.
    pub(super) fn tells_short(&self, group: &Group<'_>) -> bool {
        self.others || self.rejected || group.conditions.iter().any(|tree| tree.length < group.header)
    }

    /// Returns how often one record can be selected.
    pub(super) fn most(&self) -> usize {
        self.groups.iter().map(|group| group.slots.len()).max().unwrap_or(0).max(1)
    }

    /// Returns the number of results that are kept at once.
    pub(super) fn results(&self) -> usize {
        self.groups.iter().map(|group| group.results).max().unwrap_or(0)
    }

    /// Returns what the program asks of a compiler, before any instruction is written.
    pub(super) fn work(&self) -> Work {
        let mut work = Work::default();
        for group in &self.groups {
            group.conditions.iter().for_each(|tree| tree.add_work(&mut work));
            work.instructions += 4 * group.numbers.len() + 12 * group.slots.len();
        }
        work
    }
}

/// What a program asks of a compiler.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Work {
    /// About how many instructions there will be, without those that each function has.
    pub(super) instructions: usize,
    /// The tokens of the longest text or pattern.
    pub(super) longest: usize,
}

impl<'a> Group<'a> {
    fn of(event: &'a SelectedEvent) -> Group<'a> {
        let mut group = Group {
            header: u64::from(event.format.header_size()),
            conditions: Vec::new(),
            slots: Vec::new(),
            results: 0,
            numbers: Vec::new(),
        };
        // The first slot of each condition.
        let mut known: FxHashMap<&Condition, usize> = FxHashMap::default();
        for numbered in &event.conditions {
            let slot = match known.entry(&numbered.condition) {
                Entry::Vacant(vacant) => {
                    vacant.insert(group.slots.len());
                    group.conditions.push(Tree::of(&numbered.condition, &event.format));
                    Slot { condition: group.conditions.len() - 1, result: Decided::Here(None) }
                }
                Entry::Occupied(first) => {
                    let first = &mut group.slots[*first.get()];
                    let cell = match first.result {
                        Decided::Here(Some(cell)) | Decided::Before(cell) => cell,
                        Decided::Here(None) => {
                            group.results += 1;
                            group.results - 1
                        }
                    };
                    first.result = Decided::Here(Some(cell));
                    Slot { condition: first.condition, result: Decided::Before(cell) }
                }
            };
            group.slots.push(slot);
        }
        group
    }
}

impl<'a> Tree<'a> {
    fn of(condition: &'a Condition, format: &EventFormat) -> Tree<'a> {
        match condition {
            Condition::Const(value) => Tree::constant(*value),
            Condition::Atom(atom) => match Test::of(atom, format) {
                Some(test) => Tree::question(test.question, test.needs),
                // What a record lacks cannot be evaluated.
                None => Tree::constant(false),
            },
            Condition::Not(inner) => match Tree::of(inner, format) {
                Tree { node: Node::Constant(value), .. } => Tree::constant(!value),
                // A test that cannot be evaluated is false, so its negation holds for records of any length.
                inner => Tree { node: Node::Not(Box::new(inner)), length: 0 },
            },
            Condition::And(parts) => {
                let parts = Tree::parts(parts, format, true);
                parts.map_or(Tree::constant(false), |mut parts| match parts.len() {
                    0 => Tree::constant(true),
                    1 => parts.remove(0),
                    _ => {
                        let length = parts.iter().map(|part| part.length).max().unwrap_or(0);
                        Tree { node: Node::All(parts), length }
                    }
                })
            }
            Condition::Or(parts) => {
                let parts = Tree::parts(parts, format, false);
                parts.map_or(Tree::constant(true), |mut parts| match parts.len() {
                    0 => Tree::constant(false),
                    1 => parts.remove(0),
                    _ => {
                        let length = parts.iter().map(|part| part.length).min().unwrap_or(0);
                        Tree { node: Node::Any(parts), length }
                    }
                })
            }
        }
    }

    /// Returns the parts that are not constant; `None` if one is the constant that decides the whole.
    fn parts(parts: &'a [Condition], format: &EventFormat, neutral: bool) -> Option<Vec<Tree<'a>>> {
        let mut all = Vec::new();
        for part in parts {
            match Tree::of(part, format) {
                Tree { node: Node::Constant(value), .. } if value == neutral => {}
                Tree { node: Node::Constant(_), .. } => return None,
                part => all.push(part),
            }
        }
        Some(all)
    }

    /// Adds the work to decide it.
    fn add_work(&self, work: &mut Work) {
        let (tokens, instructions) = match &self.node {
            Node::Not(inner) => return inner.add_work(work),
            Node::All(parts) | Node::Any(parts) => {
                return parts.iter().for_each(|part| part.add_work(work));
            }
            Node::Constant(_) | Node::Question(Question::Never | Question::Pointed { .. }) => (0, 1),
            Node::Question(Question::Number { steps, .. }) => (0, 3 * steps.len() + 4),
            Node::Question(Question::Mask { .. }) => (0, 80),
            Node::Question(Question::Text { test, .. }) => match test {
                // Eight bytes are compared at once.
                TextTest::Eq(text) | TextTest::Ne(text) => (text.len(), text.len() / 2 + 16),
                TextTest::Glob(pattern) => (pattern.tokens().len(), 4 * pattern.tokens().len() + 32),
            },
        };
        work.longest = work.longest.max(tokens);
        work.instructions += instructions;
    }

    fn constant(value: bool) -> Tree<'a> {
        Tree { node: Node::Constant(value), length: 0 }
    }

    fn question(question: Question<'a>, needs: Needs) -> Tree<'a> {
        let length = length(&question);
        // The context of a record that is read is the CPU.
        if matches!(question, Question::Never) || needs.tgid || needs.comm || needs.memory || length > LONGEST
        {
            return Tree::constant(false);
        }
        Tree { node: Node::Question(question), length }
    }
}

/// Returns the length of a record whose fixed part has all that a question reads of it.
fn length(question: &Question<'_>) -> u64 {
    let end = |offset: u32, size: u32| u64::from(offset) + u64::from(size);
    match question {
        Question::Never | Question::Pointed { .. } => 0,
        Question::Number { steps, .. } => {
            let read = |step: &Step| match step {
                Step::Read { offset, size, .. } => end(*offset, *size),
                _ => 0,
            };
            steps.iter().map(read).max().unwrap_or(0)
        }
        Question::Text { place, .. } => match place {
            TextPlace::Fixed { offset, size } => end(*offset, *size),
            TextPlace::Located { word, .. } => end(*word, 4),
            TextPlace::Comm => 0,
        },
        Question::Mask { word, .. } => end(*word, 4),
    }
}
