//! The signature of a profile: its first bytes, and the version of its format.

/// The first bytes of every profile. The last of them does not occur in text.
pub(super) const MAGIC: &[u8; 8] = b"TRCPROF\0";

/// The version of the format that is written.
pub const VERSION: u32 = 1;
