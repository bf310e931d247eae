//! T0136: shell-variable. The page beside this file says what it means.

use crate::diagnostic::Code;

pub(crate) static CODE: Code = Code::error("T0136", "shell-variable", include_str!("shell_variable.md"));
