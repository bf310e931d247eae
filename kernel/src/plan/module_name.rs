//! A checked name of a kernel module.

use serde::{Deserialize, Serialize};

use super::checked::checked_text;

/// The name of a kernel module as `/sys/module` has it: 1 to 55 characters of `[A-Za-z0-9_]`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct ModuleName(String);

/// An error for a text that cannot name a module.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{}` is not the name of a module: 1 to {} of `A-Z a-z 0-9 _`", .0.escape_debug(), ModuleName::LONGEST)]
pub struct InvalidModuleName(pub String);

impl ModuleName {
    /// The length of the longest name (`MODULE_NAME_LEN` in include/linux/moduleparam.h, with the NUL, on a 64-bit
    /// kernel).
    pub const LONGEST: usize = 55;

    /// The parameter by which a module says which session has loaded it. The modules that tracec builds have it; everybody
    /// can read it below `/sys/module`, and nobody can write it.
    pub const SESSION: &str = "tracec_session";

    /// Checks a name.
    ///
    /// # Errors
    /// [`InvalidModuleName`] for a text of another form, such as one with `/`.
    pub fn new(name: &str) -> Result<Self, InvalidModuleName> {
        let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
        match !name.is_empty() && name.len() <= Self::LONGEST && name.chars().all(is_part) {
            true => Ok(ModuleName(name.to_owned())),
            false => Err(InvalidModuleName(name.to_owned())),
        }
    }
}

checked_text!(ModuleName, InvalidModuleName);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn name_does_not_leave_its_directory() {
        assert!(ModuleName::new("storage_events").is_ok() && ModuleName::new(&"x".repeat(55)).is_ok());
        for name in ["", "..", "a/b", "a-b", "a b", "a\n", &"x".repeat(56)] {
            assert_eq!(ModuleName::new(name), Err(InvalidModuleName(name.to_owned())));
        }
    }
}
