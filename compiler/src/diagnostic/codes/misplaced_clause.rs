//! T0014: misplaced-clause. The page beside this file says what it means.

use crate::diagnostic::Code;

pub(crate) static CODE: Code = Code::error("T0014", "misplaced-clause", include_str!("misplaced_clause.md"));
