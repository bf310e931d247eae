//! Page requests of Intel's IOMMU: drivers/iommu/intel/iommu.h.

use std::io::Write;

use super::{TextFunction, argument};
use crate::text::memory::{Memory, Value};

pub(super) const ALL: &[TextFunction] =
    &[TextFunction { name: "decode_prq_descriptor", arguments: 6, print: decode_prq_descriptor }];

/// Takes a buffer, its size, and the four words of the request.
fn decode_prq_descriptor(arguments: &[Value], _: &Memory<'_>, out: &mut Vec<u8>) {
    let word = |index: usize| argument(arguments, 2 + index).bits;
    let (first, second) = (word(0), word(1));
    let mark = |bit: u64, mark: char| if bit & 1 != 0 { mark } else { '-' };
    // Writing to a vector does not fail.
    let _ = write!(
        out,
        "rid=0x{:x} addr=0x{:x} {}{}{}{}{} pasid=0x{:x} index=0x{:x}",
        first >> 16 & 0xffff,
        second >> 12,
        mark(second, 'r'),
        mark(second >> 1, 'w'),
        mark(first >> 52, 'x'),
        mark(first >> 53, 'p'),
        mark(second >> 2, 'l'),
        first >> 32 & 0xf_ffff,
        second >> 3 & 0x1ff,
    );
    // The bit for private data.
    if first >> 9 & 1 != 0 {
        let _ = writeln!(out, " private=0x{:x}/0x{:x}", word(2), word(3));
    }
}
