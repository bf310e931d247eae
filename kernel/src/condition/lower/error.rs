//! Why a condition is no kernel filter.

use crate::grouped::Grouped;
use crate::tables::limits;

/// The atom of a condition that cannot be said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Leaf {
    /// Which one: atoms counted from 0 in the order they are written.
    pub index: usize,
    /// The operand's name in the kernel's filter.
    pub operand: String,
}

/// Why the kernel's filter cannot say a condition.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LowerError {
    /// The kernel's grammar takes letters, digits and `_` for a field.
    #[error("the kernel's filter cannot name the field `{}`", leaf.operand)]
    FieldName {
        /// Where.
        leaf: Leaf,
    },
    /// Fields of the event's own have every name of a generic field: the kernel's filter would read those.
    #[error("fields of the event hide `{}`, and each other name of it, from the kernel's filter", leaf.operand)]
    Hidden {
        /// Where.
        leaf: Leaf,
    },
    /// Neither the event's fields nor the header nor the generic fields hold the process id.
    #[error("the kernel's filter does not know the process id of the task")]
    ProcessId {
        /// Where.
        leaf: Leaf,
    },
    /// A structure, an array or an integer of odd size: the kernel accepts it and never matches.
    #[error("`{}` has the type `{type_text}`, on which the kernel's filter never matches", leaf.operand)]
    NotInteger {
        /// Where.
        leaf: Leaf,
        /// The type, as the format file writes it.
        type_text: String,
    },
    /// Text is asked of something else.
    #[error("`{}` is no text", leaf.operand)]
    NotText {
        /// Where.
        leaf: Leaf,
    },
    /// The kernel would cut the number to the field's size and compare with what is left.
    #[error("{value} is outside the values of `{}`, {min} to {max}", leaf.operand)]
    OutOfRange {
        /// Where.
        leaf: Leaf,
        /// The constant.
        value: i128,
        /// The smallest value.
        min: i128,
        /// The largest value.
        max: i128,
    },
    /// `CPU & 1` is accepted and never matches.
    #[error("the kernel's filter cannot test bits of the CPU number")]
    BitsOfCpu {
        /// Where.
        leaf: Leaf,
    },
    /// A NUL would end the filter.
    #[error("the text for `{}` holds a NUL", leaf.operand)]
    Nul {
        /// Where.
        leaf: Leaf,
    },
    /// There are no escapes in the kernel's strings.
    #[error("the text for `{}` holds both kinds of quotes, and the kernel's filter knows no escapes", leaf.operand)]
    Quotes {
        /// Where.
        leaf: Leaf,
    },
    /// The text can never be in the field.
    #[error("`{}` holds at most {} bytes, the text has {}", leaf.operand, Grouped(room), Grouped(length))]
    TextTooLong {
        /// Where.
        leaf: Leaf,
        /// Bytes of the text, or of the shortest that the pattern matches.
        length: usize,
        /// Bytes that the field has room for.
        room: usize,
    },
    /// The kernel's operands are limited.
    #[error(
        "the text for `{}` comes to {} bytes, the kernel's filter takes {}",
        leaf.operand, Grouped(length), limits::STRING_OPERAND_BYTES
    )]
    OperandTooLong {
        /// Where.
        leaf: Leaf,
        /// Bytes of the text, rewritten for the kernel.
        length: usize,
    },
    /// A pattern that falls apart into bytes which are no text.
    #[error("the pattern for `{}` has bytes that are no text", leaf.operand)]
    Bytes {
        /// Where.
        leaf: Leaf,
    },
    /// Two fields, or arithmetic that comes to no few runs of one field's values.
    #[error("the kernel's filter compares a field as it is with a constant, and computes nothing")]
    Computes {
        /// Where.
        leaf: Leaf,
    },
    /// Another kernel could say it.
    #[error("`{}` takes a filter with the feature `{feature}`, which the kernel is not known to have", leaf.operand)]
    Feature {
        /// Where.
        leaf: Leaf,
        /// The feature, of [`features`](crate::tables::features).
        feature: &'static str,
    },
    /// `[!a]` would match where the text is at its end, and look for the rest behind it.
    #[error(
        "an inverted class in the pattern for `{}` takes the end of the text for a byte where the kernel has the feature \
         `filter-class-takes-nul`",
        leaf.operand
    )]
    InvertedClass {
        /// Where.
        leaf: Leaf,
    },
    /// The kernel compares sets of CPUs with `__data_loc cpumask_t` alone.
    #[error("`{}` has the type `{type_text}`, which the kernel's filter takes for no mask of CPUs", leaf.operand)]
    NotMask {
        /// Where.
        leaf: Leaf,
        /// The type, as the format file writes it.
        type_text: String,
    },
    /// `==` and `!=` on a mask look at the bits of CPUs that the machine can have, or at some more (`cpumask_equal`,
    /// `do_filter_cpumask_scalar`), and not at all that the record holds. Of the others nothing is promised
    /// (`cpumask_bits` in include/linux/cpumask.h), and `cpu_all_mask` has them set.
    #[error("the kernel's filter compares a part of the mask `{}` alone", leaf.operand)]
    WholeMask {
        /// Where.
        leaf: Leaf,
    },
    /// "Invalid cpulist": `bitmap_parselist` (lib/bitmap-str.c) reads as many CPUs as there can be. Without that CPU the
    /// list would say something else: a record may have its bit set, see [`WholeMask`](LowerError::WholeMask).
    #[error(
        "the kernel refuses the list of CPUs for `{}`: it names {cpu}, and there can be {count} of them",
        leaf.operand
    )]
    NoSuchCpu {
        /// Where.
        leaf: Leaf,
        /// The last CPU of the list.
        cpu: i128,
        /// How many there can be, counted from 0.
        count: u32,
    },
    /// `.function` takes fields of the size of a `long`.
    #[error("`{}` has {size} bytes, an address of the kernel has 8", leaf.operand)]
    NotAddress {
        /// Where.
        leaf: Leaf,
        /// Those of the field.
        size: u32,
    },
    /// The kernel's grammar ends a name at white space, and looks for quotes and parentheses first.
    #[error("the kernel's filter cannot name the function `{name}`")]
    FunctionName {
        /// Where.
        leaf: Leaf,
        /// The name.
        name: String,
    },
    /// `.ustring` follows `char *` and `const char *`.
    #[error("`{}` has the type `{type_text}`, the kernel's filter follows `char *` alone", leaf.operand)]
    NotPointer {
        /// Where.
        leaf: Leaf,
        /// The type, as the format file writes it.
        type_text: String,
    },
    /// The whole text does not fit into one write.
    #[error(
        "the filter is {} bytes long, the kernel takes {}",
        Grouped(length),
        Grouped(limits::FILTER_BYTES)
    )]
    TooLong {
        /// Bytes of the text.
        length: usize,
    },
}

impl LowerError {
    /// The leaf at fault; `None` where the whole is too long.
    pub fn leaf(&self) -> Option<&Leaf> {
        match self {
            LowerError::FieldName { leaf }
            | LowerError::Hidden { leaf }
            | LowerError::ProcessId { leaf }
            | LowerError::NotInteger { leaf, .. }
            | LowerError::NotText { leaf }
            | LowerError::OutOfRange { leaf, .. }
            | LowerError::BitsOfCpu { leaf }
            | LowerError::Nul { leaf }
            | LowerError::Quotes { leaf }
            | LowerError::TextTooLong { leaf, .. }
            | LowerError::OperandTooLong { leaf, .. }
            | LowerError::Bytes { leaf }
            | LowerError::Computes { leaf }
            | LowerError::Feature { leaf, .. }
            | LowerError::InvertedClass { leaf }
            | LowerError::NotMask { leaf, .. }
            | LowerError::WholeMask { leaf }
            | LowerError::NoSuchCpu { leaf, .. }
            | LowerError::NotAddress { leaf, .. }
            | LowerError::FunctionName { leaf, .. }
            | LowerError::NotPointer { leaf, .. } => Some(leaf),
            LowerError::TooLong { .. } => None,
        }
    }
}
