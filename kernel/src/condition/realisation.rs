//! How each part of a condition is realised by each target.
//!
//! [`constructs`] takes a condition apart, [`way`] says for each construct what a target makes of it. A condition can
//! go where it has no [obstacle](obstacles): nothing of it is refused, each feature that it needs is there, and so is the
//! context. Placement decides by that, and so does the validator of a target that names one which can; what is asked of
//! a kernel is what the ways [depend on](features). Two things are no matter of constructs and counted when the text
//! is written ([`lower`]): the length of the whole ([`FILTER_BYTES`](crate::tables::limits::FILTER_BYTES)), and the CPUs
//! that a machine can have ([`Model::cpus`]).
//!
//! What targets ask of the form, and where it stands: widths and signs of fields are [`Field::integer`], of numbers
//! [`Number::sign`]; where a field lies in its record, and whether aligned, is [`Field::offset`]; how many bytes of a
//! text decide a test, so that no more need to be copied, is [`TextTest::reach`]; what faults is what is not
//! [total](Atom::is_total); the context is what a recording [lacks](Way::Lacks). Byte order and the size of `long` are
//! the same for all records of a kernel: they are the target's arguments, not the condition's.
#![doc = ""]
#![doc = include_str!("realisation/table.md")]

mod constructs;
mod names;
mod obstacle;
#[cfg(test)]
mod tests;
mod ways;

#[cfg(doc)]
use crate::condition::ir::{Atom, Condition, Number, Text, TextPlace, TextTest};
use crate::condition::ir::{CompareOp, MaskTest, NumberOp, Sign};
#[cfg(doc)]
use crate::condition::lower::lower;
#[cfg(doc)]
use crate::filter::Model;
#[cfg(doc)]
use crate::format::Field;
use crate::format::IntegerType;

pub use constructs::constructs;
pub use obstacle::{Obstacle, features, obstacles};

/// What a condition is compiled for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Target {
    /// The text of a kernel's event filter.
    KernelFilter,
    /// A BPF program at the tracepoint. Static events and system calls have one. Records of probes and synthetic events
    /// are read by no program (`perf_event_set_bpf_prog` in kernel/events/core.c): that is a matter of the event, and
    /// no condition tells.
    Bpf,
    /// Machine code that reads records.
    Host,
    /// A decoder in C.
    C,
    /// A decoder in Rust.
    Rust,
}

impl Target {
    /// All of them.
    pub const ALL: [Target; 5] = [Target::KernelFilter, Target::Bpf, Target::Host, Target::C, Target::Rust];
}

/// What a target makes of a construct. The texts are clauses without their subject, for a table or a diagnostic.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// It says it as it is.
    Directly,
    /// It says something else with the same meaning.
    Rewritten(&'static str),
    /// In one of two ways with the same meaning, by whether the kernel has a feature.
    Either {
        /// The feature, of [`tables::features`](crate::tables::features).
        feature: &'static str,
        /// How it is said with it, and without.
        form: &'static str,
    },
    /// Where the kernel has a feature.
    Needs {
        /// The feature, of [`tables::features`](crate::tables::features).
        feature: &'static str,
        /// How it is said then.
        form: &'static str,
    },
    /// Where the kernel does not have a feature, which is a quirk.
    Without {
        /// The feature, of [`tables::features`](crate::tables::features).
        feature: &'static str,
        /// What it would do with it.
        why: &'static str,
    },
    /// It does not, for this reason.
    Refused(&'static str),
    /// It has no such context; a noun.
    Lacks(&'static str),
}

impl Way {
    /// The feature that it depends on.
    pub fn feature(self) -> Option<&'static str> {
        match self {
            Way::Either { feature, .. } | Way::Needs { feature, .. } | Way::Without { feature, .. } => {
                Some(feature)
            }
            Way::Directly | Way::Rewritten(_) | Way::Refused(_) | Way::Lacks(_) => None,
        }
    }

    /// Why it leads nowhere on a kernel of which `has` tells the features; `None` if it does.
    pub fn hindrance(self, has: impl Fn(&str) -> bool) -> Option<Hindrance> {
        match self {
            Way::Directly | Way::Rewritten(_) | Way::Either { .. } => None,
            Way::Needs { feature, .. } => (!has(feature)).then_some(Hindrance::NoFeature(feature)),
            Way::Without { feature, why } => has(feature).then_some(Hindrance::Quirk { feature, why }),
            Way::Refused(why) => Some(Hindrance::Refused(why)),
            Way::Lacks(context) => Some(Hindrance::NoContext(context)),
        }
    }
}

/// Why a target does not realise a construct.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hindrance {
    /// [`Way::Needs`] this feature.
    NoFeature(&'static str),
    /// [`Way::Without`].
    Quirk {
        /// The feature.
        feature: &'static str,
        /// What the kernel would do.
        why: &'static str,
    },
    /// [`Way::Refused`] for this reason.
    Refused(&'static str),
    /// [`Way::Lacks`] this.
    NoContext(&'static str),
}

impl Hindrance {
    /// The feature that decides; `None` where no kernel's would help.
    pub fn feature(self) -> Option<&'static str> {
        match self {
            Hindrance::NoFeature(feature) | Hindrance::Quirk { feature, .. } => Some(feature),
            Hindrance::Refused(_) | Hindrance::NoContext(_) => None,
        }
    }
}

/// A part of a condition, as far as targets differ in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Construct {
    /// [`Condition::Const`].
    Const,
    /// [`Condition::Not`].
    Not,
    /// [`Condition::And`].
    And,
    /// [`Condition::Or`].
    Or,
    /// A field whose name has other characters than letters, digits and `_`.
    OddName,
    /// The CPU, the task's name or its thread id at an event with fields that have all of its
    /// [names](crate::condition::lower::Spelling).
    Hidden,
    /// An integer field.
    Integer {
        /// 1, 2, 4 or 8.
        bytes: u32,
        /// Its sign.
        signed: bool,
        /// Where it lies.
        lies: Lies,
    },
    /// An argument of a system call, in eight unsigned bytes, whose C type is another: see [`Field::integer`].
    Argument {
        /// Those of the C type: 2, 4 or, with a sign, 8.
        bytes: u32,
        /// Its sign.
        signed: bool,
    },
    /// A number is asked of a field that is none.
    NotInteger,
    /// [`Number::Cpu`].
    Cpu,
    /// [`Number::Pid`].
    Pid,
    /// [`Number::Tgid`].
    Tgid,
    /// A field or the CPU as it is, with a constant.
    CompareConstant(CompareOp),
    /// A constant beside the values of the field that it is compared with.
    ConstantOutside,
    /// `field & constant`, equal to a constant or not.
    TestBits,
    /// Bits that the field of such a test does not have.
    BitsOutside,
    /// The same of the CPU.
    TestCpuBits,
    /// A number that is computed from a field, or the CPU, and constants, with a constant or a set of them, where that
    /// comes to a few runs of values, or some bits, of the field.
    Solved,
    /// Any other comparison.
    CompareNumbers {
        /// Of a signed with an unsigned number.
        across: bool,
    },
    /// [`Atom::In`] of a field or the CPU.
    SetOfField,
    /// [`Atom::In`] of a number that is not [solved](Construct::Solved).
    SetOfNumber,
    /// [`Atom::In`] of no values.
    EmptySet,
    /// [`Number::Binary`].
    Arithmetic {
        /// The operation.
        op: NumberOp,
        /// In which sign.
        sign: Sign,
        /// It has a value whatever its operands are: a divisor or a count that could fail is a constant that does not.
        total: bool,
    },
    /// [`Number::Cast`].
    Cast {
        /// The type.
        to: IntegerType,
    },
    /// [`TextTest::Eq`], [`TextTest::Ne`].
    TextEquality(Holder),
    /// [`TextTest::Glob`].
    Pattern(Holder),
    /// A text test of which only a matcher that ends where the field does tells the answer.
    Bounded,
    /// An inverted class in a pattern.
    InvertedClass,
    /// One whose byte has no fixed place in the text, or that begins with `!`.
    LooseInvertedClass,
    /// A text is asked of a field that has none.
    NotText,
    /// The text, or pattern, that a text is compared with.
    Literal(Literal),
    /// [`Atom::Mask`].
    Mask {
        /// How.
        test: MaskTest,
        /// The field is a `__rel_loc`.
        relative: bool,
    },
    /// A mask is asked of a field that is none.
    NotMask,
    /// [`Text::User`] of a field that is no `char *`.
    UserTextOfNumber,
    /// [`Atom::Function`].
    Function,
    /// A function is asked of an integer that is no `long`.
    NarrowAddress,
    /// A function whose name has other characters than symbols have.
    OddFunction,
    /// A function is asked of a field that holds no address.
    NotAddress,
}

/// Where an integer field lies in its record.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Lies {
    /// Among the event's own fields, at a multiple of its size.
    Aligned,
    /// Among them, elsewhere: structures that the kernel packs, and probes.
    Unaligned,
    /// It is `common_pid`.
    CommonPid,
    /// It is another common field, or begins in the first eight bytes.
    Header,
}

/// What holds a text: [`TextPlace`], with the task's name by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Holder {
    /// `char[N]` in the record.
    Fixed,
    /// `char[]` of no size at the end of the layout: it goes on to the end of the record.
    Tail,
    /// `__data_loc` or `__rel_loc`.
    Dynamic,
    /// The kernel's memory.
    Kernel,
    /// The task's memory.
    User,
    /// The task's name.
    Comm,
}

/// Texts, by whether the kernel's filter can spell them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Literal {
    /// It can.
    Plain,
    /// Holds a NUL.
    Nul,
    /// Holds both kinds of quotes.
    BothQuotes,
    /// Longer than the filter's operands, after rewriting.
    TooLong,
    /// Longer than what the field has room for.
    NoRoom,
}

/// A row of the table.
struct Row {
    kernel_filter: Way,
    bpf: Way,
    host: Way,
    c: Way,
    rust: Way,
}

/// What a target makes of a construct.
pub fn way(construct: &Construct, target: Target) -> Way {
    let row = ways::row(construct);
    match target {
        Target::KernelFilter => row.kernel_filter,
        Target::Bpf => row.bpf,
        Target::Host => row.host,
        Target::C => row.c,
        Target::Rust => row.rust,
    }
}
