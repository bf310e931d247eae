//! Errors of profiles.

use super::signature::{MAGIC, VERSION};

/// The reason why a profile cannot be read or written.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ProfileError {
    /// It does not begin with the magic bytes of a profile.
    #[error("it is not a kernel profile: it does not begin with `{}`", MAGIC.escape_ascii())]
    NotAProfile,
    /// It was written by a later tracec.
    #[error("it has version {found} of the format; this tracec knows up to {VERSION}")]
    FutureVersion {
        /// Its version.
        found: u32,
    },
    /// Bytes are missing, added or changed.
    #[error("it is damaged: {what}")]
    Damaged {
        /// The mismatch, one clause.
        what: String,
    },
    /// The file could not be read.
    #[error("{0}")]
    Read(String),
    /// It was saved without this part.
    #[error("it was saved without {0}")]
    Without(&'static str),
    /// A kernel that cannot be saved.
    #[error("it cannot be saved: {what}")]
    Unsaveable {
        /// The part that is too large or not text, one clause.
        what: String,
    },
}

impl ProfileError {
    pub(super) fn damaged(what: impl Into<String>) -> Self {
        ProfileError::Damaged { what: what.into() }
    }
}
