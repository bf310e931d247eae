//! What could not be read of recordings, where all else was.

use super::TraceDatError;

/// How many of the damaged places are kept for messages.
const KEPT: usize = 10;

/// The damaged places of recordings.
#[derive(Debug, Default)]
pub struct Damage {
    /// The first ones, each with the index of its file.
    first: Vec<(usize, TraceDatError)>,
    count: u64,
}

impl Damage {
    /// Adds a place of the file at an index.
    pub fn add(&mut self, file: usize, error: TraceDatError) {
        self.count += 1;
        if self.first.len() < KEPT {
            self.first.push((file, error));
        }
    }

    /// Adds those of another part of the same files.
    pub(crate) fn append(&mut self, other: Damage) {
        self.count += other.count;
        self.first.extend(other.first);
        self.first.truncate(KEPT);
    }

    /// Returns whether all was read.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Returns the number of places.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// Returns the first places, each with the index of its file.
    pub fn first(&self) -> &[(usize, TraceDatError)] {
        &self.first
    }
}

impl std::fmt::Display for Damage {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let errors: Vec<String> = self.first.iter().map(|(_, error)| error.to_string()).collect();
        f.write_str(&errors.join("; "))?;
        match self.count.saturating_sub(self.first.len() as u64) {
            0 => Ok(()),
            1 => f.write_str("; and 1 more damaged place"),
            more => write!(f, "; and {more} more damaged places"),
        }
    }
}
