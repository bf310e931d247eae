//! A place in a type by the names that lead to it: where it is in one kernel, and how it is found in another.
//!
//! A program that reads a member carries the names, and libbpf puts the offset of the kernel at hand into its
//! instructions (CO-RE: `struct bpf_core_relo` in include/uapi/linux/bpf.h, `bpf_core_calc_relo_insn` in
//! tools/lib/bpf/relo_core.c). Members are found by their names, also where they have moved into a member without one.

use std::fmt;

/// The bits that an access reads a number in.
const WORD_BITS: u32 = u64::BITS;

/// A place in a type, reached without a dereference.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Access {
    /// What kind of type it begins at.
    pub root: Root,
    /// The name of that type.
    pub name: String,
    /// The members and elements that lead to the place; the first is a member.
    pub steps: Vec<Step>,
    /// What is there.
    pub leaf: Leaf,
}

/// The kind of a type with a name and with members.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Root {
    /// `struct NAME`
    Struct,
    /// `union NAME`
    Union,
    /// A typedef of a struct or union that has no name of its own.
    Typedef,
}

/// A step to a part of a type.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Step {
    /// To a member.
    Member {
        /// Its name.
        name: String,
        /// Its offset in bits; members without a name that it lies in are passed over.
        bit_offset: u32,
        /// Its width in bits, where it is a bit field.
        bit_width: Option<u32>,
    },
    /// To an element of an array.
    Element {
        /// Its index.
        index: u32,
        /// The size of an element, bytes.
        bytes: u32,
    },
}

/// What a place holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Leaf {
    /// An integer. That of a bit field has the size of the type that the bits are declared with.
    Int {
        /// Its size, bytes.
        bytes: u32,
        /// Whether it is signed.
        signed: bool,
    },
    /// An enum.
    Enum {
        /// Its size, bytes.
        bytes: u32,
        /// Whether it is signed.
        signed: bool,
    },
    /// A pointer.
    Pointer,
    /// An array of so many `char`.
    Text(u32),
}

/// What an instruction takes from a place: `enum bpf_core_relo_kind`, by its numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Aspect {
    /// `BPF_CORE_FIELD_BYTE_OFFSET`: of the bytes to read.
    ByteOffset = 0,
    /// `BPF_CORE_FIELD_BYTE_SIZE`: how many they are.
    ByteSize = 1,
    /// `BPF_CORE_FIELD_LSHIFT_U64`: the shift to the left of the 64 bits that they were read into, which leaves the value
    /// uppermost.
    ShiftLeft = 4,
    /// `BPF_CORE_FIELD_RSHIFT_U64`: the shift to the right that follows, by the sign of the value.
    ShiftRight = 5,
}

impl Access {
    /// Returns an aspect of the place in the kernel whose offsets the steps have.
    pub fn value(&self, aspect: Aspect) -> u32 {
        let bits = self.bit_offset();
        let (bytes, offset) = self.bytes();
        let width = self.bit_width().unwrap_or(8 * bytes);
        match aspect {
            Aspect::ByteOffset => offset,
            Aspect::ByteSize => bytes,
            Aspect::ShiftLeft => WORD_BITS.saturating_sub(bits + width - 8 * offset),
            Aspect::ShiftRight => WORD_BITS.saturating_sub(width),
        }
    }

    /// Returns whether the value has a sign.
    pub fn is_signed(&self) -> bool {
        matches!(self.leaf, Leaf::Int { signed: true, .. } | Leaf::Enum { signed: true, .. })
    }

    /// Returns whether the place is an element of an array: it has no shifts then.
    pub fn is_element(&self) -> bool {
        matches!(self.steps.last(), Some(Step::Element { .. }))
    }

    /// Returns whether the place is a bit field.
    pub fn is_bit_field(&self) -> bool {
        self.bit_width().is_some()
    }

    /// Returns the steps as indices into types with one member each, the address at the start included. In a union the first
    /// is to a struct without a name.
    pub fn path(&self) -> String {
        let mut path = if self.root == Root::Union { "0:0" } else { "0" }.to_owned();
        for step in &self.steps {
            match step {
                Step::Member { .. } => path.push_str(":0"),
                Step::Element { index, .. } => {
                    path.push(':');
                    path.push_str(&index.to_string());
                }
            }
        }
        path
    }

    /// Returns the offset of the value in bits.
    fn bit_offset(&self) -> u32 {
        let of_step = |step: &Step| match step {
            Step::Member { bit_offset, .. } => *bit_offset,
            Step::Element { index, bytes } => 8_u32.saturating_mul(*index).saturating_mul(*bytes),
        };
        self.steps.iter().map(of_step).fold(0, u32::saturating_add)
    }

    /// Returns the width of a bit field.
    fn bit_width(&self) -> Option<u32> {
        match self.steps.last() {
            Some(Step::Member { bit_width, .. }) => *bit_width,
            _ => None,
        }
    }

    /// Returns how many bytes are read, and the offset of the first: for a bit field the smallest aligned unit of its type
    /// or larger that holds it.
    fn bytes(&self) -> (u32, u32) {
        let bits = self.bit_offset();
        let mut bytes = self.leaf.bytes().max(1);
        let Some(width) = self.bit_width() else { return (bytes, bits / 8) };
        loop {
            let offset = bits / 8 / bytes * bytes;
            if bits + width <= 8 * (offset + bytes) || 8 * bytes >= WORD_BITS {
                return (bytes, offset);
            }
            bytes *= 2;
        }
    }
}

/// The names, as C has them: `task_struct.cpus_mask.bits[0]`.
impl fmt::Display for Access {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)?;
        self.steps.iter().try_for_each(|step| match step {
            Step::Member { name, .. } => write!(f, ".{name}"),
            Step::Element { index, .. } => write!(f, "[{index}]"),
        })
    }
}

/// What it is of a place, for people.
impl fmt::Display for Aspect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Aspect::ByteOffset => "offset",
            Aspect::ByteSize => "size",
            Aspect::ShiftLeft | Aspect::ShiftRight => "bits",
        })
    }
}

impl Leaf {
    /// Returns its size in bytes.
    pub fn bytes(self) -> u32 {
        match self {
            Leaf::Int { bytes, .. } | Leaf::Enum { bytes, .. } | Leaf::Text(bytes) => bytes,
            // Kernels with BPF programs have pointers of 8 bytes.
            Leaf::Pointer => size_of::<u64>() as u32,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn access(steps: Vec<Step>, bytes: u32) -> Access {
        Access {
            root: Root::Struct,
            name: "task".to_owned(),
            steps,
            leaf: Leaf::Int { bytes, signed: false },
        }
    }

    fn member(bit_offset: u32, bit_width: Option<u32>) -> Step {
        Step::Member { name: "m".to_owned(), bit_offset, bit_width }
    }

    fn values(access: &Access) -> [u32; 4] {
        [Aspect::ByteOffset, Aspect::ByteSize, Aspect::ShiftLeft, Aspect::ShiftRight]
            .map(|aspect| access.value(aspect))
    }

    #[test]
    fn values_lie_where_c_has_them() {
        // Bytes 12 to 15 of 8: to the top, and down again.
        assert_eq!(values(&access(vec![member(96, None)], 4)), [12, 4, 32, 32]);
        assert_eq!(values(&access(vec![member(96, None)], 8)), [12, 8, 0, 0]);
        // Bits 3 to 5 of the word at 4.
        assert_eq!(values(&access(vec![member(35, Some(3))], 4)), [4, 4, 58, 61]);
        // Bits that go over the end of their type's unit are read with the next larger one.
        assert_eq!(values(&access(vec![member(30, Some(4))], 4)), [0, 8, 30, 60]);
        let element = access(vec![member(64, None), Step::Element { index: 3, bytes: 2 }], 2);
        assert_eq!((element.value(Aspect::ByteOffset), element.value(Aspect::ByteSize)), (14, 2));
        assert_eq!((element.path().as_str(), element.is_element()), ("0:0:3", true));
    }
}
