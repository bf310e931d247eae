//! Why a profile cannot be used.

use super::container::{MAGIC, VERSION};

/// Why a profile cannot be used, or be made.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ProfileError {
    /// It does not begin as a profile does.
    #[error("it is no kernel profile: it does not begin with `{}`", MAGIC.escape_ascii())]
    NotAProfile,
    /// It was made by a tracec that knew more.
    #[error("it has version {found} of the format; this tracec knows up to {VERSION}")]
    FutureVersion {
        /// The version that it has.
        found: u32,
    },
    /// Bytes are missing, too many, or not those that were written.
    #[error("it is damaged: {what}")]
    Damaged {
        /// What does not fit, one clause.
        what: String,
    },
    /// The file could not be read.
    #[error("{0}")]
    Read(String),
    /// A part was asked for that it was saved without.
    #[error("it was saved without {0}")]
    Without(&'static str),
    /// A kernel that cannot be saved.
    #[error("it cannot be saved: {what}")]
    Unsaveable {
        /// What is too large or not text, one clause.
        what: String,
    },
}

impl ProfileError {
    pub(super) fn damaged(what: impl Into<String>) -> Self {
        ProfileError::Damaged { what: what.into() }
    }
}
