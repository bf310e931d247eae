//! The rows of the table.

/// A mistake in three languages.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Mistake {
    /// Its name: unique, words with dashes.
    pub(crate) name: &'static str,
    /// The intention of its author.
    pub(crate) meant: &'static str,
    /// The text of `tracec check -e`.
    pub(crate) tracec: &'static str,
    /// The program of `bpftrace -d -e`.
    pub(crate) bpftrace: Said<&'static str>,
    /// The arguments after `trace-cmd start -B INSTANCE`.
    pub(crate) trace_cmd: Said<&'static [&'static str]>,
}

/// The same mistake in another tool's words.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Said<T> {
    /// It is a mistake there too.
    Wrong(T),
    /// It is valid there and means what was intended; the reason is a clause.
    Right(T, &'static str),
    /// It cannot be written there; the reason is a clause.
    Never(&'static str),
}

impl<T: Copy> Said<T> {
    /// Returns the words to give to the tool.
    pub(crate) fn words(&self) -> Option<T> {
        match *self {
            Said::Wrong(words) | Said::Right(words, _) => Some(words),
            Said::Never(_) => None,
        }
    }
}

/// A mistake of users of another tool or language, of which tracec alone is asked.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Further {
    /// Its name: unique, words with dashes.
    pub(crate) name: &'static str,
    /// The intention of its author.
    pub(crate) meant: &'static str,
    /// The text of `tracec check`.
    pub(crate) tracec: &'static str,
    /// The text that says what was meant, as far as a session can.
    pub(crate) right: &'static str,
    /// Whether both are texts of a file, and not of `-e`.
    pub(crate) in_file: bool,
}

/// Returns a mistake in a text of `-e`.
pub(crate) const fn row(
    name: &'static str,
    meant: &'static str,
    tracec: &'static str,
    right: &'static str,
) -> Further {
    Further { name, meant, tracec, right, in_file: false }
}

/// Returns a mistake in a text of a file.
pub(crate) const fn in_file(
    name: &'static str,
    meant: &'static str,
    tracec: &'static str,
    right: &'static str,
) -> Further {
    Further { in_file: true, ..row(name, meant, tracec, right) }
}

/// Mistakes of one kind.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Group {
    /// A heading.
    pub(crate) title: &'static str,
    /// Its rows.
    pub(crate) mistakes: &'static [Mistake],
}
