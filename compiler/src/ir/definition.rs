//! What a file declares besides its sessions, typed: constants, enums and flags.

mod constants;
mod value;

pub use constants::{Constants, Found};
pub use value::{EnumMember, EnumType, Value, ValueKind};
