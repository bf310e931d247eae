//! The condition's intermediate form: what a session asks of one record.
//!
//! The checker makes it, every target reads it, and one meaning holds for all of them:
//!
//! - **A condition is true or false.** An atom that cannot be evaluated (the text behind a pointer that faults) is
//!   false, and [`Condition::Not`] negates that. Hence `x != v` and `!(x == v)` differ, and no pass may swap them.
//!   There is no order of evaluation: atoms have no effects.
//! - **Width and sign.** An operand is the number its type can hold, extended by its own sign. The type of a field is
//!   [`Field::integer`]: the record's, but for an argument of a system call that is signed in C, which is that C type.
//!   Constants are in the range of that type; comparing with others is the checker's mistake to report.
//! - **Bits.** [`Condition::AnyBit`] looks at the operand's own bits, without extension. No bits in common is false, so
//!   a mask of 0 is.
//! - **Text** is the bytes up to the NUL, or to the end of what the field holds. Equality is of all bytes, with case.
//!   A glob matches the whole text; its `?` and its brackets take one byte, and only `*`, `?`, `[` and `\` are special.
//! - **Fields** are those of one event: the same text gives one condition per event of a group.

use crate::format::Field;

/// A typed condition over the record of one event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Condition {
    /// Always this.
    Const(bool),
    /// Logical not.
    Not(Box<Condition>),
    /// All of them; two or more.
    And(Vec<Condition>),
    /// Any of them; two or more.
    Or(Vec<Condition>),
    /// An integer compared with a constant.
    Compare {
        /// What is compared.
        operand: Operand,
        /// How.
        op: CompareOp,
        /// The constant, in the range of the operand's type.
        value: i128,
    },
    /// `operand & mask`: any bit in common.
    AnyBit {
        /// What is tested.
        operand: Operand,
        /// The bits, in the operand's width.
        mask: u64,
    },
    /// Text equal to a constant.
    TextEq {
        /// What is compared.
        operand: Operand,
        /// The constant; holds no NUL.
        text: String,
    },
    /// Text different from a constant. Not the negation of [`Condition::TextEq`]: where the text cannot be read (a
    /// fault behind a `char *`), both are false, in the language as in the kernel (`filter_pred_pchar`).
    TextNe {
        /// What is compared.
        operand: Operand,
        /// The constant; holds no NUL.
        text: String,
    },
    /// Text matched by a glob of the language: `*`, `?`, `[a-z]`, `[!a-z]`, `\c`.
    Glob {
        /// What is matched.
        operand: Operand,
        /// The pattern.
        pattern: String,
    },
}

/// A leaf that a record or its context gives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Operand {
    /// A field of the event, common ones included.
    Field(Field),
    /// The CPU that recorded it.
    Cpu,
    /// The name of the task that ran.
    Comm,
}

/// Comparisons of integers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CompareOp {
    /// `==`
    Eq,
    /// `!=`
    Ne,
    /// `<`
    Lt,
    /// `<=`
    Le,
    /// `>`
    Gt,
    /// `>=`
    Ge,
}
