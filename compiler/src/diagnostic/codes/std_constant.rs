//! T0225: std-constant. The page beside this file says what it means.

use tracec_grammar::span::Span;

use crate::diagnostic::{Applicability, Code, Diagnostic, Edit, Fix};
use crate::stdlib::Holder;

pub(crate) static CODE: Code = Code::error("T0225", "std-constant", include_str!("std_constant.md"));

/// Reports a word that the modules `holders` define. `import` is where a `use` can be written, in texts that have
/// them; `negative` if the word is an error number and the field is signed.
pub(crate) fn std_constant(
    span: Span,
    word: &str,
    holders: &[Holder],
    import: Option<Span>,
    negative: bool,
) -> Diagnostic {
    let modules: Vec<String> = holders.iter().map(|holder| format!("`std::{}`", holder.module)).collect();
    let modules = modules.join(" and ");
    let mut said = Diagnostic::error(&CODE, format!("`{word}` is a constant of {modules}"))
        .at(span, "not imported here");
    if negative {
        said = said.note("the kernel's errors are negative, the constants positive, as in C");
    }
    let sure = holders.len() == 1 && !negative;
    let applicability = if sure { Applicability::Always } else { Applicability::Maybe };
    let sign = if negative { "-" } else { "" };
    for holder in holders {
        match (import, holder.value) {
            (Some(at), _) => {
                let line = format!("use std::{};", holder.module);
                let title = match (negative, word.strip_prefix("std::")) {
                    (true, _) => format!("add `{line}` and write `-{word}`"),
                    (false, Some(path)) => format!("add `{line}` and write `{path}`"),
                    (false, None) => format!("add `{line}`"),
                };
                let mut edits = vec![Edit { span: at, text: format!("{line}\n") }];
                if negative {
                    edits.push(Edit { span, text: format!("-{word}") });
                } else if let Some(path) = word.strip_prefix("std::") {
                    // A path begins with the name that the `use` binds.
                    edits.push(Edit { span, text: path.to_owned() });
                }
                said = said.offer(Fix::several(applicability, title, edits));
            }
            (None, Some(value)) => {
                let number = format!("{sign}{value}");
                let title = format!("write its number, `{number}`");
                said = said.offer(Fix::new(applicability, title, span, number));
            }
            (None, None) => {}
        }
    }
    said
}
