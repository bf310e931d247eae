//! Optional members of stored plans that have to be there: one that is misspelt or lost is not one without a value.

use serde::{Deserialize, Deserializer};

/// Reads an optional value. Serde takes a missing member for `None` only where no function reads it.
pub(super) fn option<'de, T: Deserialize<'de>, D: Deserializer<'de>>(from: D) -> Result<Option<T>, D::Error> {
    Option::deserialize(from)
}
