//! T0012: unexpected. The page beside this file says what it means.

use tracec_grammar::error::{SyntaxError, SyntaxErrorKind};
use tracec_grammar::span::Span;
use tracec_kernel::nearest::nearest;

use crate::diagnostic::{Code, Diagnostic};

pub(crate) static CODE: Code = Code::error("T0012", "unexpected", include_str!("unexpected.md"));

pub(crate) fn unexpected(error: &SyntaxError) -> Diagnostic {
    if is_surplus_semicolon(error) {
        // The grammar's hint says why; here it is the title of the fix.
        let title = error.hint().unwrap_or_else(|| "remove it".to_owned());
        return Diagnostic::error(&CODE, error.to_string()).at(error.span, "here").fix(title, error.span, "");
    }
    let said = Diagnostic::from_grammar(&CODE, error, "here");
    // A hint of the grammar knows better.
    if said.fixes.is_empty() && said.helps.is_empty() { said.suggest(error.span, near(error)) } else { said }
}

/// Returns the word that is nearest to the one found, where one of several is expected.
fn near(error: &SyntaxError) -> Vec<String> {
    let SyntaxErrorKind::Unexpected { found, expected } = &error.kind else { return Vec::new() };
    let word = |class: &str| {
        let word = class.strip_prefix('`')?.strip_suffix('`')?;
        word.starts_with(|c: char| c.is_ascii_alphabetic()).then(|| word.to_owned())
    };
    let Some(found) = word(found) else { return Vec::new() };
    let known: Vec<String> = expected.iter().filter_map(|class| word(class)).collect();
    nearest(&found, known.iter().map(String::as_str), 1).into_iter().map(str::to_owned).collect()
}

/// Reports that a condition is missing behind `connector`, which is at `at`.
pub(crate) fn dangling(error: &SyntaxError, connector: &str, at: Span) -> Diagnostic {
    Diagnostic::from_grammar(&CODE, error, "here")
        .and_at(at, format!("`{connector}` needs a condition on each side"))
}

/// Reports text behind the value of a parameter on the command line. It begins with the `;` that ends the value.
pub(crate) fn behind_value(rest: Span) -> Diagnostic {
    Diagnostic::error(&CODE, "expected the end of the value, found `;`")
        .at(rest, "a value is one expression")
        .help("give each parameter a `--set` of its own")
}

/// Returns whether a `;` is in the place of a clause: behind a block or another `;`.
fn is_surplus_semicolon(error: &SyntaxError) -> bool {
    matches!(&error.kind, SyntaxErrorKind::Unexpected { found, expected }
        if found == "`;`" && expected.iter().any(|class| matches!(*class, "a clause" | "an item" | "a session")))
}
