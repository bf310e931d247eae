//! The values of a running text, and the memory that their addresses are in.

use crate::bytes::ByteOrder;
use crate::record::until_nul;

/// A number, or an address with the memory that it is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Value {
    /// The number, extended to 64 bits by its type; of an address the offset in its memory.
    pub(super) bits: u64,
    pub(super) space: Space,
}

/// The memory that an address is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Space {
    /// That of the kernel, which is not there; numbers too are in it.
    Kernel,
    /// The record.
    Record,
    /// The constants of the program.
    Data,
    /// None: the number or address is not known.
    Unknown,
}

impl Value {
    pub(super) const ZERO: Value = Value::number(0);

    pub(super) const UNKNOWN: Value = Value { bits: 0, space: Space::Unknown };

    pub(super) const fn number(bits: u64) -> Self {
        Value { bits, space: Space::Kernel }
    }

    pub(super) fn truth(truth: bool) -> Self {
        Value::number(u64::from(truth))
    }

    pub(super) fn is_true(self) -> bool {
        // No place in the record or in the constants is a null pointer.
        self.bits != 0 || self.space != Space::Kernel
    }

    /// Returns the address so many bytes behind it.
    pub(super) fn behind(self, bytes: usize) -> Self {
        Value { bits: self.bits.wrapping_add(bytes as u64), ..self }
    }

    /// Returns what `check_pointer_msg` (lib/vsprintf.c) prints for an address that cannot be read.
    pub(super) fn fault(self) -> &'static [u8] {
        match self.space {
            Space::Unknown => b"?",
            Space::Kernel if self.bits == 0 => b"(null)",
            _ => b"(efault)",
        }
    }
}

/// What addresses can be read from.
#[derive(Clone, Copy, Debug)]
pub(super) struct Memory<'a> {
    pub(super) record: &'a [u8],
    pub(super) data: &'a [u8],
    pub(super) order: ByteOrder,
}

impl<'a> Memory<'a> {
    /// Returns the bytes from an address to the end of its memory.
    pub(super) fn tail(&self, address: Value) -> Option<&'a [u8]> {
        let memory = match address.space {
            Space::Record => self.record,
            Space::Data => self.data,
            Space::Kernel | Space::Unknown => return None,
        };
        memory.get(usize::try_from(address.bits).ok()?..)
    }

    /// Returns so many bytes at an address.
    pub(super) fn bytes(&self, address: Value, count: usize) -> Option<&'a [u8]> {
        self.tail(address)?.get(..count)
    }

    /// Returns the unsigned integer of 1, 2, 4 or 8 bytes at an address.
    pub(super) fn uint(&self, address: Value, bytes: usize) -> Option<u64> {
        self.order.uint(self.tail(address)?, 0, bytes)
    }

    /// Returns the string at an address, up to its NUL or the end of the memory.
    pub(super) fn string(&self, address: Value) -> Option<&'a [u8]> {
        // An empty rest is outside: a string has at least its NUL.
        self.tail(address).filter(|tail| !tail.is_empty()).map(until_nul)
    }
}
