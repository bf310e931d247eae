//! Texts of small events.
