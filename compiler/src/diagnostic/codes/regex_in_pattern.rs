//! T0223: regex-in-pattern. The page beside this file says what it means.

use tracec_grammar::ForeignPattern;
use tracec_grammar::span::{Span, Spanned};
use tracec_grammar::syntax::BinaryOp;

use crate::diagnostic::quoted::quoted;
use crate::diagnostic::{Applicability, Code, Diagnostic, Edit, Fix, Level};

pub(crate) static CODE: Code =
    Code::lint("T0223", "regex-in-pattern", Level::Warn, include_str!("regex_in_pattern.md"));

/// The remark on a pattern for an expression that repeats a part.
pub(crate) const WIDER: &str =
    "a pattern repeats no character: its `*` is any text, which is more than the expression says";

/// How a pattern is written.
pub(crate) struct Written<'a> {
    /// `~` or `!~`.
    pub(crate) op: &'a Spanned<BinaryOp>,
    /// Whether it is not one of a set.
    pub(crate) is_alone: bool,
    /// Whether it is a string, not the name of one.
    pub(crate) is_literal: bool,
}

/// Reports a pattern of another language.
pub(crate) fn regex_in_pattern(span: Span, foreign: &ForeignPattern, written: &Written<'_>) -> Diagnostic {
    let ForeignPattern { language, part, meaning } = foreign;
    let label = match *part {
        "[^" => "`^` is one of the characters of the class".to_owned(),
        "\\d" | "\\w" | "\\s" => format!("`{part}` matches `{}`", &part[1..]),
        part => format!("`{part}` matches only itself"),
    };
    let said = Diagnostic::lint(&CODE, format!("`{part}` belongs to {language}, and this is a glob pattern"))
        .at(span, label);
    let set = match meaning {
        Ok(set) => set,
        Err(why) => {
            return said.note(format!("the expression {why}, which no pattern says")).help(
                "write a pattern of `*` for any text, `?` for one character, and `[a-z]` for one of several",
            );
        }
    };
    let said = match set.wider {
        true => said.note(WIDER),
        false => said,
    };
    let texts: Vec<String> = set.patterns.iter().map(|pattern| quoted(pattern)).collect();
    let text = match texts.as_slice() {
        [only] => only.clone(),
        several if written.is_alone => format!("{{{}}}", several.join(", ")),
        several => several.join(", "),
    };
    if !written.is_literal {
        return said.help(format!("change the constant to `{text}`"));
    }
    if !written.is_alone || texts.len() > 1 || set.has_wildcard() {
        return said.guess(format!("write `{text}`"), span, text);
    }
    // Without a wildcard it is a text like any other.
    let symbol = if written.op.value == BinaryOp::Match { "==" } else { "!=" };
    let edits =
        vec![Edit { span: written.op.span, text: symbol.to_owned() }, Edit { span, text: text.clone() }];
    said.offer(Fix::several(Applicability::Maybe, format!("write `{symbol} {text}`"), edits))
}
