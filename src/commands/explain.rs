//! `tracec explain CODE`: the page of a diagnostic.

use std::io::Write;
use std::process::ExitCode;

use tracec_compiler::diagnostic::{Code, codes};
use tracec_kernel::nearest::nearest;

use super::Failure;

/// Prints a code's page, or the list of all codes.
pub(crate) fn explain(code: Option<&str>) -> Result<ExitCode, Failure> {
    let mut out = std::io::stdout().lock();
    let Some(wanted) = code else {
        for code in codes::ALL {
            writeln!(out, "{}  {}", code.id, code.name)?;
        }
        return Ok(ExitCode::SUCCESS);
    };
    match Code::find(wanted) {
        Some(code) => {
            out.write_all(code.page.as_bytes())?;
            Ok(ExitCode::SUCCESS)
        }
        None => {
            let near = nearest(wanted, codes::ALL.iter().flat_map(|code| [code.id, code.name]), 3);
            let near: Vec<String> = near.into_iter().map(str::to_owned).collect();
            Err(codes::unknown_code::unknown_code(wanted, &near).into())
        }
    }
}
