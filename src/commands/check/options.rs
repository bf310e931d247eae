//! The options of `tracec check` besides its text and its kernel.

use clap::Args;

use crate::print::Format;

/// How mistakes are shown and fixed.
#[derive(Debug, Args)]
pub(crate) struct Options {
    /// The format of diagnostics.
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: Format,
    /// Apply all fixes that are certain, and check again. The text of -e or of standard input is written to standard
    /// output.
    #[arg(long)]
    pub(crate) fix: bool,
    /// With --fix: also apply guesses, such as the nearest name.
    #[arg(long, requires = "fix")]
    pub(crate) guess: bool,
    /// With --fix: write nothing, show the changes as a diff. Exit status 1 if there are any.
    #[arg(long, requires = "fix")]
    pub(crate) diff: bool,
}
