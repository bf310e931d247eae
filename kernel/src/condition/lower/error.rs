//! Errors of lowering: the reasons why a condition is not expressible as a kernel filter.

use crate::grouped::Grouped;
use crate::tables::limits;

/// The atom of a condition that cannot be expressed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Leaf {
    /// The index of the atom, counted from 0 in the order they are written.
    pub index: usize,
    /// The operand's name in the kernel's filter.
    pub operand: String,
}

/// The reason why the kernel's filter cannot express a condition.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LowerError {
    /// The kernel's grammar accepts letters, digits and `_` in the name of a field.
    #[error("the kernel's filter cannot name the field `{}`", leaf.operand)]
    FieldName {
        /// The atom.
        leaf: Leaf,
    },
    /// Fields of the event have all names of a generic field: the kernel's filter would read those fields.
    #[error("fields of the event hide `{}`, and each other name of it, from the kernel's filter", leaf.operand)]
    Hidden {
        /// The atom.
        leaf: Leaf,
    },
    /// Neither the event's fields nor the header nor the generic fields hold the process id.
    #[error("the kernel's filter does not know the process id of the task")]
    ProcessId {
        /// The atom.
        leaf: Leaf,
    },
    /// The field is a structure, an array or an integer of odd size: the kernel accepts it and never matches.
    #[error("`{}` has the type `{type_text}`, on which the kernel's filter never matches", leaf.operand)]
    NotInteger {
        /// The atom.
        leaf: Leaf,
        /// The type, as the format file writes it.
        type_text: String,
    },
    /// A text test of a field that is not a text.
    #[error("`{}` is not a string", leaf.operand)]
    NotText {
        /// The atom.
        leaf: Leaf,
    },
    /// The kernel would truncate the number to the field's size and compare the rest.
    #[error("{value} is outside the values of `{}`, {min} to {max}", leaf.operand)]
    OutOfRange {
        /// The atom.
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
        /// The atom.
        leaf: Leaf,
    },
    /// A NUL would end the filter.
    #[error("the string for `{}` contains a NUL byte", leaf.operand)]
    Nul {
        /// The atom.
        leaf: Leaf,
    },
    /// The kernel's strings have no escapes.
    #[error("the string for `{}` contains both kinds of quotes, and the kernel's filter has no escapes", leaf.operand)]
    Quotes {
        /// The atom.
        leaf: Leaf,
    },
    /// The text is longer than the field.
    #[error("`{}` holds at most {} bytes, the string has {}", leaf.operand, Grouped(room), Grouped(length))]
    TextTooLong {
        /// The atom.
        leaf: Leaf,
        /// The number of bytes of the text, or of the shortest text that the pattern matches.
        length: usize,
        /// The number of bytes that the field can hold.
        room: usize,
    },
    /// The kernel's operands are limited.
    #[error(
        "the text for `{}` comes to {} bytes, the kernel's filter takes {}",
        leaf.operand, Grouped(length), limits::STRING_OPERAND_BYTES
    )]
    OperandTooLong {
        /// The atom.
        leaf: Leaf,
        /// The number of bytes of the text, rewritten for the kernel.
        length: usize,
    },
    /// The rewritten pattern has bytes that are not UTF-8.
    #[error("the pattern for `{}` has bytes that are not UTF-8", leaf.operand)]
    Bytes {
        /// The atom.
        leaf: Leaf,
    },
    /// The atom compares two fields, or computes a number that does not reduce to a few ranges of one field's values.
    #[error("the kernel's filter compares a field as it is with a constant, and computes nothing")]
    Computes {
        /// The atom.
        leaf: Leaf,
    },
    /// The kernel lacks a feature with which the filter could express the atom.
    #[error("`{}` takes a filter with the feature `{feature}`, which the kernel is not known to have", leaf.operand)]
    Feature {
        /// The atom.
        leaf: Leaf,
        /// The feature, in [`features`](crate::tables::features).
        feature: &'static str,
    },
    /// `[!a]` would match the end of the text, and the matcher would go on behind it.
    #[error(
        "an inverted class in the pattern for `{}` takes the end of the text for a byte where the kernel has the feature \
         `filter-class-takes-nul`",
        leaf.operand
    )]
    InvertedClass {
        /// The atom.
        leaf: Leaf,
    },
    /// The kernel compares sets of CPUs only with `__data_loc cpumask_t`.
    #[error("`{}` has the type `{type_text}`, which the kernel's filter does not accept as a mask of CPUs", leaf.operand)]
    NotMask {
        /// The atom.
        leaf: Leaf,
        /// The type, as the format file writes it.
        type_text: String,
    },
    /// `==` and `!=` on a mask compare the bits of CPUs that the machine can have, or some more (`cpumask_equal`,
    /// `do_filter_cpumask_scalar`), but not all bits of the record. The kernel does not define the others
    /// (`cpumask_bits` in include/linux/cpumask.h), and `cpu_all_mask` has them set.
    #[error("the kernel's filter compares a part of the mask `{}` alone", leaf.operand)]
    WholeMask {
        /// The atom.
        leaf: Leaf,
    },
    /// "Invalid cpulist": `bitmap_parselist` (lib/bitmap-str.c) reads as many CPUs as there can be. Without that CPU
    /// the list would have another meaning: a record may have its bit set, see [`WholeMask`](LowerError::WholeMask).
    #[error(
        "the kernel refuses the list of CPUs for `{}`: it names {cpu}, and there can be {count} of them",
        leaf.operand
    )]
    NoSuchCpu {
        /// The atom.
        leaf: Leaf,
        /// The last CPU of the list.
        cpu: i128,
        /// The number of CPUs that there can be.
        count: u32,
    },
    /// `.function` accepts fields of the size of a `long`.
    #[error("`{}` has {size} bytes, an address of the kernel has 8", leaf.operand)]
    NotAddress {
        /// The atom.
        leaf: Leaf,
        /// The number of bytes of the field.
        size: u32,
    },
    /// The kernel's grammar ends a name at white space, and looks for quotes and parentheses first.
    #[error("the kernel's filter cannot name the function `{name}`")]
    FunctionName {
        /// The atom.
        leaf: Leaf,
        /// The name.
        name: String,
    },
    /// `.ustring` accepts `char *` and `const char *`.
    #[error("`{}` has the type `{type_text}`, the kernel's filter follows `char *` alone", leaf.operand)]
    NotPointer {
        /// The atom.
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
        /// The number of bytes of the text.
        length: usize,
    },
}

impl LowerError {
    /// Returns the atom at fault; `None` where the whole text is too long.
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
