//! The options of `tracec check` beside its text and its kernel.

use clap::Args;

use crate::print::Format;

/// How mistakes are shown and mended.
#[derive(Debug, Args)]
pub(crate) struct Options {
    /// The form of diagnostics.
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: Format,
    /// Mend what can only have been meant in one way, and check again. The text of -e or of standard input is written
    /// to standard output.
    #[arg(long)]
    pub(crate) fix: bool,
    /// With --fix: mend also by guesses, such as the nearest name.
    #[arg(long, requires = "fix")]
    pub(crate) guess: bool,
    /// With --fix: write nothing, show what would change. Exit status 1 if something would.
    #[arg(long, requires = "fix")]
    pub(crate) diff: bool,
}
