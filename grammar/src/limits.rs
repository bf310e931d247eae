//! The limits of a text.

/// The limit of the nesting of expressions.
pub const MAX_DEPTH: u32 = 256;

/// The limit of the length of a text, in bytes.
pub const MAX_SOURCE: usize = 8 << 20;

/// The limit of reported mistakes for one text, not counting the final
/// [`SyntaxErrorKind::TooManyErrors`](crate::error::SyntaxErrorKind::TooManyErrors).
pub const MAX_ERRORS: usize = 200;
