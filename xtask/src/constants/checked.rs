//! The result of the check of the constants.

/// The result of the check.
#[derive(Debug, Default)]
pub struct Checked {
    /// The number of constants that gcc compared with a header, in one configuration of one source each.
    pub asserted: u64,
    /// The number of files that are byte for byte as the generator writes them.
    pub identical: u64,
    /// Differences that are not mistakes.
    pub notes: Vec<String>,
    /// Mistakes.
    pub failures: Vec<String>,
}
