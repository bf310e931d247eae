//! T0027: misplaced-choice. The page beside this file says what it means.

use crate::diagnostic::Code;

pub(crate) static CODE: Code = Code::error("T0027", "misplaced-choice", include_str!("misplaced_choice.md"));
