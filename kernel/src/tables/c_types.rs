//! The integer types that kernel headers use in trace events, on the machines that this crate knows (LP64).
//!
//! `format` files give a field's size and sign; those of the type itself are needed for the elements of arrays and for
//! the arguments of system calls, which all take eight unsigned bytes. Sources: include/linux/types.h,
//! include/uapi/asm-generic/posix_types.h, include/asm-generic/int-ll64.h, include/linux/blk_types.h, mm_types_task.h.

use serde::{Deserialize, Serialize};

/// The size and sign of an integer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct IntegerType {
    /// Size in bytes: 1, 2, 4 or 8.
    pub bytes: u32,
    /// Whether it has negative values.
    pub signed: bool,
}

impl IntegerType {
    /// Returns the smallest value.
    pub fn min(self) -> i128 {
        if self.signed { -(1 << (self.bits() - 1)) } else { 0 }
    }

    /// Returns the largest value.
    pub fn max(self) -> i128 {
        let bits = if self.signed { self.bits() - 1 } else { self.bits() };
        (1 << bits) - 1
    }

    /// Returns the number with all bits set.
    pub fn mask(self) -> u64 {
        u64::MAX >> (64 - self.bits())
    }

    fn bits(self) -> u32 {
        8 * self.bytes.clamp(1, 8)
    }
}

/// An integer type of C as the kernel uses it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CType {
    /// Its name, in the spelling that [`find`] normalises to.
    pub name: &'static str,
    /// Bytes on a 64-bit machine.
    pub size: u32,
    /// Whether it is signed.
    pub signed: bool,
}

impl CType {
    /// Returns its alignment in a struct, which is its size on 64-bit machines.
    pub fn align(&self) -> u32 {
        self.size
    }

    /// Returns its size and sign.
    pub fn integer(&self) -> IntegerType {
        IntegerType { bytes: self.size, signed: self.signed }
    }
}

const fn signed(name: &'static str, size: u32) -> CType {
    CType { name, size, signed: true }
}

const fn unsigned(name: &'static str, size: u32) -> CType {
    CType { name, size, signed: false }
}

/// All of them. Plain `char` is unsigned, as it is since 6.2 (`-funsigned-char`); a `format` file says the sign of a field, and
/// definitions ask the kernel that they are for.
pub const ALL: &[CType] = &[
    unsigned("bool", 1),
    unsigned("char", 1),
    signed("signed char", 1),
    unsigned("unsigned char", 1),
    signed("short", 2),
    unsigned("unsigned short", 2),
    signed("int", 4),
    unsigned("unsigned", 4),
    unsigned("unsigned int", 4),
    unsigned("uint", 4),
    signed("long", 8),
    signed("long int", 8),
    unsigned("unsigned long", 8),
    unsigned("unsigned long int", 8),
    unsigned("ulong", 8),
    signed("long long", 8),
    signed("long long int", 8),
    unsigned("unsigned long long", 8),
    signed("s8", 1),
    signed("s16", 2),
    signed("s32", 4),
    signed("s64", 8),
    unsigned("u8", 1),
    unsigned("u16", 2),
    unsigned("u32", 4),
    unsigned("u64", 8),
    signed("__s8", 1),
    signed("__s16", 2),
    signed("__s32", 4),
    signed("__s64", 8),
    unsigned("__u8", 1),
    unsigned("__u16", 2),
    unsigned("__u32", 4),
    unsigned("__u64", 8),
    unsigned("__le16", 2),
    unsigned("__le32", 4),
    unsigned("__le64", 8),
    unsigned("__be16", 2),
    unsigned("__be32", 4),
    unsigned("__be64", 8),
    signed("int8_t", 1),
    signed("int16_t", 2),
    signed("int32_t", 4),
    signed("int64_t", 8),
    unsigned("uint8_t", 1),
    unsigned("uint16_t", 2),
    unsigned("uint32_t", 4),
    unsigned("uint64_t", 8),
    signed("pid_t", 4),
    signed("clockid_t", 4),
    signed("key_t", 4),
    signed("key_serial_t", 4),
    signed("mqd_t", 4),
    signed("timer_t", 4),
    signed("qid_t", 4),
    signed("rwf_t", 4),
    unsigned("uid_t", 4),
    unsigned("gid_t", 4),
    unsigned("dev_t", 4),
    unsigned("gfp_t", 4),
    unsigned("fmode_t", 4),
    unsigned("blk_opf_t", 4),
    signed("__kernel_rwf_t", 4),
    unsigned("umode_t", 2),
    signed("ssize_t", 8),
    unsigned("size_t", 8),
    signed("loff_t", 8),
    signed("off_t", 8),
    signed("time64_t", 8),
    unsigned("sector_t", 8),
    unsigned("dma_addr_t", 8),
    unsigned("phys_addr_t", 8),
    unsigned("resource_size_t", 8),
    unsigned("ino_t", 8),
    unsigned("aio_context_t", 8),
    signed("short int", 2),
    unsigned("unsigned short int", 2),
    unsigned("unsigned long long int", 8),
    unsigned("ushort", 2),
    unsigned("u_char", 1),
    unsigned("u_short", 2),
    unsigned("u_int", 4),
    unsigned("u_long", 8),
    unsigned("__le8", 1),
    unsigned("__sum16", 2),
    unsigned("__wsum", 4),
    unsigned("__poll_t", 4),
    unsigned("uintptr_t", 8),
    unsigned("mode_t", 4),
    unsigned("nlink_t", 4),
    unsigned("sa_family_t", 2),
    unsigned("blk_mq_req_flags_t", 4),
    unsigned("blk_status_t", 1),
    unsigned("blk_qc_t", 4),
    unsigned("vm_fault_t", 4),
    unsigned("isolate_mode_t", 4),
    unsigned("pgoff_t", 8),
    signed("ktime_t", 8),
    unsigned("netdev_features_t", 8),
    unsigned("errseq_t", 4),
    // The one enum that a system call takes; none of its values is negative (include/uapi/linux/landlock.h).
    unsigned("enum landlock_rule_type", 4),
];

/// Returns the type of this spelling, without qualifiers: `const clockid_t` is `clockid_t`.
pub fn find(text: &str) -> Option<&'static CType> {
    let words = text.split_whitespace().filter(|word| !matches!(*word, "const" | "volatile"));
    let name = words.collect::<Vec<_>>().join(" ");
    ALL.iter().find(|c| c.name == name)
}
