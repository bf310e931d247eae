//! Identifiers, each once in its scope.

use std::collections::BTreeSet;

/// Returns a name with the characters of an identifier, and not a digit in front.
pub(crate) fn identifier(name: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() { c } else { '_' };
    let digit = if name.starts_with(|c: char| c.is_ascii_digit()) { "n" } else { "" };
    let made: String = digit.chars().chain(name.chars().map(plain)).collect();
    // A lone `_` is a pattern in Rust.
    if made.chars().all(|c| c == '_') { format!("{made}x") } else { made }
}

/// The identifiers of a scope.
#[derive(Clone, Debug, Default)]
pub(crate) struct Identifiers {
    taken: BTreeSet<String>,
}

impl Identifiers {
    /// Takes an identifier that something else has, once or more often.
    pub(crate) fn reserve(&mut self, name: &str) {
        self.taken.insert(name.to_owned());
    }

    /// Returns this identifier, or another one if it is taken, and takes it.
    pub(crate) fn take(&mut self, wanted: String) -> String {
        let mut name = wanted.clone();
        let mut number = 2_usize;
        while !self.taken.insert(name.clone()) {
            name = format!("{wanted}_{number}");
            number += 1;
        }
        name
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_name_becomes_an_identifier() {
        for (name, expected) in
            [("9p", "n9p"), ("a-b", "a_b"), ("type", "type"), ("", "x"), ("_", "_x"), ("\u{e9}", "_x")]
        {
            assert_eq!(identifier(name), expected);
        }
    }

    #[test]
    fn identifier_is_given_once() {
        let mut names = Identifiers::default();
        let taken = ["a", "a", "a_2", "a"].map(|name| names.take(name.to_owned()));
        assert_eq!(taken, ["a", "a_2", "a_2_2", "a_3"]);
    }
}
