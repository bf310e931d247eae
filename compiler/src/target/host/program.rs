//! A selection as the program that machine code is made of: what is decided before any instruction is written.
//!
//! Events whose records are decided alike share one group, so that there is one copy of their conditions. In a group
//! each distinct condition is decided once, however many numbers it has.

use rustc_hash::FxHashMap;
use tracec_kernel::condition::ir::Condition;
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
    /// The condition of each number, in the order in which they are selected.
    pub(super) slots: Vec<usize>,
    /// The last slot of each condition.
    pub(super) last: Vec<usize>,
    /// The numbers of each event of the group, one for each slot.
    pub(super) numbers: Vec<Vec<u32>>,
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
}

impl<'a> Group<'a> {
    fn of(event: &'a SelectedEvent) -> Group<'a> {
        let mut group = Group {
            header: u64::from(event.format.header_size()),
            conditions: Vec::new(),
            slots: Vec::new(),
            last: Vec::new(),
            numbers: Vec::new(),
        };
        let mut known = FxHashMap::default();
        for numbered in &event.conditions {
            let index = *known.entry(&numbered.condition).or_insert_with(|| {
                group.conditions.push(Tree::of(&numbered.condition, &event.format));
                group.last.push(0);
                group.conditions.len() - 1
            });
            group.last[index] = group.slots.len();
            group.slots.push(index);
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

    fn constant(value: bool) -> Tree<'a> {
        Tree { node: Node::Constant(value), length: 0 }
    }

    fn question(question: Question<'a>, needs: Needs) -> Tree<'a> {
        let length = length(&question);
        // The context of a record that is read is the CPU.
        if matches!(question, Question::Never) || needs.tgid || needs.comm || needs.memory || length > LONGEST {
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
