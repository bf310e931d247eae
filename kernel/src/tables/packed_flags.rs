//! Arguments of system calls in which a number stands beside flags, so that a test of either has to leave the other
//! out.

/// A number and flags in one argument, by the names that the standard library has for them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PackedFlags {
    /// The flags.
    pub flags: &'static str,
    /// The enum of the number.
    pub number: &'static str,
    /// The constant that masks the number.
    pub mask: &'static str,
}

/// All such arguments: include/uapi/asm-generic/fcntl.h.
pub const ALL: &[PackedFlags] =
    &[PackedFlags { flags: "OpenFlags", number: "AccessMode", mask: "O_ACCMODE" }];

/// Returns the entry whose flags or number have this type.
pub fn find(name: &str) -> Option<&'static PackedFlags> {
    ALL.iter().find(|entry| entry.flags == name || entry.number == name)
}

/// Returns the names of all flags.
pub fn names() -> impl Iterator<Item = &'static str> {
    ALL.iter().map(|entry| entry.flags)
}
