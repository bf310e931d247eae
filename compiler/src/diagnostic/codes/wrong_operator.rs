//! T0019: wrong-operator. The page beside this file says what it means.

use tracec_grammar::error::{Remark, SyntaxError, SyntaxErrorKind};
use tracec_grammar::span::Span;

use crate::diagnostic::codes::regex_in_pattern::WIDER;
use crate::diagnostic::foreign::{self, NEAR, THREADS};
use crate::diagnostic::{Code, Diagnostic};

pub(crate) static CODE: Code = Code::error("T0019", "wrong-operator", include_str!("wrong_operator.md"));

pub(crate) fn wrong_operator(error: &SyntaxError) -> Diagnostic {
    // `when` of `stop when` is a word, and so is what stands for it.
    let is_word = |text: &str| text.bytes().all(|byte| byte.is_ascii_lowercase());
    let label = match &error.kind {
        SyntaxErrorKind::WrongOperator { instead, .. } if is_word(instead) => "word of another language",
        _ => "operator of another language",
    };
    Diagnostic::from_grammar(&CODE, error, label)
}

/// Reports a form of another tool or language.
pub(crate) fn foreign_form(error: &SyntaxError) -> Diagnostic {
    let SyntaxErrorKind::ForeignForm { found, remark, .. } = &error.kind else {
        return Diagnostic::from_grammar(&CODE, error, LABEL);
    };
    if let Some(said) = predicate(error, found) {
        return said;
    }
    let said = Diagnostic::from_grammar(&CODE, error, LABEL);
    match remark {
        Some(Remark::Thread) => said.note(THREADS),
        Some(Remark::Text) => said.note("the word is taken for a text, and not for a field"),
        Some(Remark::Turned { first, last }) => {
            said.note(format!("as written the range is empty: {first} is above {last}"))
        }
        Some(Remark::Inclusive) | None => said,
    }
}

const LABEL: &str = "syntax of another language";

/// Reports `a:b /pid == 1/`, whose names are those of bpftrace for the task that runs. `None` where it is no such form,
/// or names only fields.
fn predicate(error: &SyntaxError, found: &str) -> Option<Diagnostic> {
    let (event, text) = found.strip_suffix('/')?.split_once('/')?;
    let (event, text) = (event.trim_end(), text.trim());
    // `~ /bash/`
    if event.is_empty() {
        return None;
    }
    let translated = foreign::predicate(text, event.starts_with("syscalls:"));
    let condition = translated.condition.as_deref();
    if condition == Some(text) && translated.left_out.is_empty() {
        return None;
    }
    let instead = condition.map(|condition| format!("{event} if {condition}"));
    let written = instead.as_ref().filter(|_| translated.left_out.is_empty());
    let message = match written {
        Some(_) => format!("`{found}` cannot be used here"),
        None => format!("`/{text}/` is a predicate of bpftrace"),
    };
    let mut said = Diagnostic::error(&CODE, message).at(error.span, LABEL);
    if translated.names_process {
        said = said.note(THREADS);
    }
    for part in &translated.left_out {
        let why = foreign::why_left_out(part);
        said = said.note(format!("`{}` is left out: {why}", part.replace('`', "")));
    }
    Some(match (written, instead.as_ref()) {
        (Some(instead), _) if translated.names_process => {
            said.guess(format!("write `{instead}`"), error.span, instead)
        }
        (Some(instead), _) => said.fix(format!("write `{instead}`"), error.span, instead),
        (None, Some(near)) => said.help(format!("{NEAR} `{near}`")),
        (None, None) => said.help(format!(
            "{NEAR} `{event}`; `current.pid`, `current.comm` and `current.cpu` are what is known of the task"
        )),
    })
}

/// Reports `=~` and a string; `translated` is what both say in the language, with their span, `wider` whether that
/// matches more, and `as_pattern` what is meant if the string is a pattern.
pub(crate) fn regular_expression(
    error: &SyntaxError,
    translated: Option<&(Span, String)>,
    wider: bool,
    as_pattern: Option<&str>,
) -> Diagnostic {
    let label = "operator of another language";
    let Some((span, instead)) = translated else {
        return Diagnostic::from_grammar(&CODE, error, label);
    };
    let said = Diagnostic::error(&CODE, error.to_string()).at(error.span, label);
    let said = if wider { said.note(WIDER) } else { said };
    let said = said.guess(format!("write `{instead}`"), *span, instead.clone());
    match as_pattern.filter(|pattern| *pattern != instead) {
        Some(pattern) => said.guess(format!("for any text at `*`, write `{pattern}`"), *span, pattern),
        None => said,
    }
}

/// Reports `not`. `negated` is the span of the negated condition and its text with `!`, where they are known.
pub(crate) fn not(error: &SyntaxError, negated: Option<&(Span, String)>) -> Diagnostic {
    let diagnostic = Diagnostic::from_grammar(&CODE, error, "operator of another language");
    match negated {
        Some((span, instead)) => diagnostic.guess(format!("write `{instead}`"), *span, instead.clone()),
        None => diagnostic,
    }
}
