//! T0504: locked-down. The page beside this file says what it means.

use crate::diagnostic::{Code, Diagnostic};

pub(crate) static CODE: Code = Code::error("T0504", "locked-down", include_str!("locked_down.md"));

/// Returns the error for a file of tracefs that lockdown closes.
pub fn locked_down(path: &str) -> Diagnostic {
    Diagnostic::error(&CODE, format!("the kernel is locked down: not even root may use {path}"))
        .note("lockdown comes with Secure Boot or the boot parameter `lockdown=`; see /sys/kernel/security/lockdown")
}
