//! The realisation of each part of a condition by each engine.
//!
//! [`constructs`] splits a condition into constructs, [`way`] returns how an engine realises each construct. An engine
//! can decide a condition that has no [obstacle](obstacles): the engine refuses none of its constructs, and each
//! feature that it needs is available, and so is the context. Placement uses this table, and so does the validator of a
//! engine; the features that have to be known of a kernel are those that the ways [depend on](features). Two properties
//! do not depend on constructs and are counted when the text is written ([`lower`]): the length of the whole
//! ([`FILTER_BYTES`](crate::tables::limits::FILTER_BYTES)), and the CPUs that a machine can have ([`Model::cpus`]).
//!
//! Targets find the other properties of a condition here: the widths and signs of fields are [`Field::integer`], of
//! numbers [`Number::sign`]; the position of a field in its record, and whether it is aligned, is [`Field::offset`];
//! the number of bytes of a text that decide a test, so that no more need to be copied, is [`TextTest::reach`]; an atom
//! that may fault is not [total](Atom::is_total); the context is what a recording [lacks](Way::Lacks). Byte order and
//! the size of `long` are the same for all records of a kernel: they are arguments of the engine, not of the condition.
#![doc = ""]
#![doc = include_str!("realisation/table.md")]

mod constructs;
mod names;
mod obstacle;
#[cfg(test)]
mod tests;
mod ways;

#[cfg(doc)]
use crate::condition::ir::{Atom, Condition, Number, Text, TextStorage, TextTest};
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

/// An engine that a condition is compiled for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Engine {
    /// The text of a kernel's event filter.
    KernelFilter,
    /// A BPF program at the tracepoint. Static events and system calls can have one; probes and synthetic events cannot
    /// (`perf_event_set_bpf_prog` in kernel/events/core.c). That depends on the event and is not visible in a
    /// condition.
    Bpf,
    /// Machine code that reads records.
    Host,
    /// A decoder in C.
    C,
    /// A decoder in Rust.
    Rust,
}

impl Engine {
    /// All engines.
    pub const ALL: [Engine; 5] = [Engine::KernelFilter, Engine::Bpf, Engine::Host, Engine::C, Engine::Rust];
}

/// The realisation of a construct by an engine. The texts are clauses without their subject, for a table or a
/// diagnostic.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// The engine has the same construct.
    Directly,
    /// The engine expresses it with other constructs of the same meaning.
    Rewritten(&'static str),
    /// One of two forms with the same meaning, which depends on a feature of the kernel.
    Either {
        /// The feature, of [`tables::features`](crate::tables::features).
        feature: &'static str,
        /// The form with the feature, and without it.
        form: &'static str,
    },
    /// The engine realises it where the kernel has a feature.
    Needs {
        /// The feature, of [`tables::features`](crate::tables::features).
        feature: &'static str,
        /// The form.
        form: &'static str,
    },
    /// The engine realises it where the kernel does not have a feature, which is a quirk.
    Without {
        /// The feature, of [`tables::features`](crate::tables::features).
        feature: &'static str,
        /// The effect of the quirk.
        why: &'static str,
    },
    /// The engine refuses it, for this reason.
    Refused(&'static str),
    /// The engine lacks this context; a noun.
    Lacks(&'static str),
}

impl Way {
    /// Returns the feature that the way depends on.
    pub fn feature(self) -> Option<&'static str> {
        match self {
            Way::Either { feature, .. } | Way::Needs { feature, .. } | Way::Without { feature, .. } => {
                Some(feature)
            }
            Way::Directly | Way::Rewritten(_) | Way::Refused(_) | Way::Lacks(_) => None,
        }
    }

    /// Returns why the engine cannot realise the construct on a kernel with the features that `has` reports; `None` if
    /// it can.
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

/// The reason why an engine does not realise a construct.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hindrance {
    /// The kernel lacks a feature: [`Way::Needs`].
    NoFeature(&'static str),
    /// The kernel has a quirk: [`Way::Without`].
    Quirk {
        /// The feature.
        feature: &'static str,
        /// The effect of the quirk.
        why: &'static str,
    },
    /// [`Way::Refused`], with its reason.
    Refused(&'static str),
    /// [`Way::Lacks`], with the missing context.
    NoContext(&'static str),
}

impl Hindrance {
    /// Returns the feature that decides; `None` where it is the same on every kernel.
    pub fn feature(self) -> Option<&'static str> {
        match self {
            Hindrance::NoFeature(feature) | Hindrance::Quirk { feature, .. } => Some(feature),
            Hindrance::Refused(_) | Hindrance::NoContext(_) => None,
        }
    }
}

/// A part of a condition, as far as engines differ in its realisation.
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
        /// The size: 1, 2, 4 or 8.
        bytes: u32,
        /// Whether it is signed.
        signed: bool,
        /// Its position.
        lies: Lies,
    },
    /// An argument of a system call in eight unsigned bytes, whose C type differs: see [`Field::integer`].
    Argument {
        /// The size of the C type: 2, 4 or, if it is signed, 8.
        bytes: u32,
        /// Whether it is signed.
        signed: bool,
    },
    /// A number test of a field that is not a number.
    NotInteger,
    /// [`Number::Cpu`].
    Cpu,
    /// [`Number::Pid`].
    Pid,
    /// [`Number::Tgid`].
    Tgid,
    /// A comparison of a field or the CPU, without arithmetic, with a constant.
    CompareConstant(CompareOp),
    /// A constant outside of the values of the field that it is compared with.
    ConstantOutside,
    /// `field & constant`, compared with a constant for equality.
    TestBits,
    /// Bits outside of the field of such a test.
    BitsOutside,
    /// A test of bits of the CPU.
    TestCpuBits,
    /// A number that is computed from a field, or the CPU, and constants, and is compared with a constant or a set,
    /// where that reduces to a few ranges of values, or some bits, of the field.
    Solved,
    /// Any other comparison.
    CompareNumbers {
        /// Whether one number is signed and the other unsigned.
        across: bool,
    },
    /// [`Atom::In`] of a field or the CPU.
    SetOfField,
    /// [`Atom::In`] of a number that is not [solved](Construct::Solved).
    SetOfNumber,
    /// [`Atom::In`] with an empty set.
    EmptySet,
    /// [`Number::Binary`].
    Arithmetic {
        /// The operation.
        op: NumberOp,
        /// The sign of the operation.
        sign: Sign,
        /// Whether it has a value for all operands: a divisor or a count that could fail is a valid constant.
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
    /// A text test that only a matcher which ends at the end of the field can decide.
    Bounded,
    /// An inverted class in a pattern.
    InvertedClass,
    /// An inverted class whose byte has no fixed place in the text, or that begins with `!`.
    LooseInvertedClass,
    /// A text test of a field that is not a text.
    NotText,
    /// The text, or pattern, that a text is compared with.
    Literal(LiteralClass),
    /// [`Atom::Mask`].
    Mask {
        /// The test.
        test: MaskTest,
        /// Whether the field is a `__rel_loc`.
        relative: bool,
    },
    /// A mask test of a field that is not a mask.
    NotMask,
    /// [`Text::User`] of a field that is not a `char *`.
    UserTextOfNumber,
    /// [`Atom::Function`].
    Function,
    /// A function test of an integer that is not a `long`.
    NarrowAddress,
    /// A function whose name has characters that symbols do not have.
    OddFunction,
    /// A function test of a field that does not hold an address.
    NotAddress,
}

/// The position of an integer field in its record.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Lies {
    /// Among the event's own fields, at a multiple of its size.
    Aligned,
    /// Among the event's own fields, at another offset: structures that the kernel packs, and probes.
    Unaligned,
    /// It is `common_pid`.
    CommonPid,
    /// Another common field, or one that begins in the first eight bytes.
    Header,
}

/// The storage of a text: [`TextStorage`], with the task's name as a case of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Holder {
    /// `char[N]` in the record.
    Fixed,
    /// `char[]` without a size at the end of the layout: it extends to the end of the record.
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

/// The class of a text by whether the kernel's filter can express it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LiteralClass {
    /// A text that the filter can express.
    Plain,
    /// A text with a NUL.
    Nul,
    /// A text with both kinds of quotes.
    BothQuotes,
    /// A text longer than the filter's operands, after rewriting.
    TooLong,
    /// A text longer than the field.
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

/// Returns the realisation of a construct by an engine.
pub fn way(construct: &Construct, engine: Engine) -> Way {
    let row = ways::row(construct);
    match engine {
        Engine::KernelFilter => row.kernel_filter,
        Engine::Bpf => row.bpf,
        Engine::Host => row.host,
        Engine::C => row.c,
        Engine::Rust => row.rust,
    }
}
