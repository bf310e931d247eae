//! A checked name of a sysctl.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::tables::sysctls;

/// A sysctl of [`sysctls::ALL`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "&'static str")]
pub struct Sysctl(&'static sysctls::Sysctl);

/// An error for a text that is not the name of such a sysctl.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{}` is not a sysctl that a session may set", .0.escape_debug())]
pub struct UnknownSysctl(pub String);

impl Sysctl {
    /// Finds a sysctl by its name in `/proc/sys/kernel`.
    ///
    /// # Errors
    /// [`UnknownSysctl`] if the table does not have it.
    pub fn new(name: &str) -> Result<Self, UnknownSysctl> {
        sysctls::find(name).map(Sysctl).ok_or_else(|| UnknownSysctl(name.to_owned()))
    }

    /// Returns its path below `/proc/sys`.
    pub fn path(self) -> String {
        format!("kernel/{}", self.0.name)
    }
}

impl TryFrom<String> for Sysctl {
    type Error = UnknownSysctl;

    fn try_from(name: String) -> Result<Self, Self::Error> {
        Sysctl::new(&name)
    }
}

impl From<Sysctl> for &'static str {
    fn from(sysctl: Sysctl) -> Self {
        sysctl.0.name
    }
}

impl fmt::Display for Sysctl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0.name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn name_that_is_not_in_the_table_is_refused() {
        for name in [
            "",
            "core_pattern",
            "ftrace_enabled",
            "../kernel/core_pattern",
            "ftrace_dump_on_oops/",
            "kernel/x",
        ] {
            assert_eq!(Sysctl::new(name), Err(UnknownSysctl(name.to_owned())));
        }
        assert_eq!(
            Sysctl::new("traceoff_on_warning").map(Sysctl::path),
            Ok("kernel/traceoff_on_warning".to_owned())
        );
    }
}
