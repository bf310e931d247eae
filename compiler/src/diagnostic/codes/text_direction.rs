//! T0040: text-direction. The page beside this file says what it means.

use tracec_grammar::{DirectionMark, Holder};

use crate::diagnostic::{Code, Diagnostic, Level};

pub(crate) static CODE: Code =
    Code::lint("T0040", "text-direction", Level::Warn, include_str!("text_direction.md"));

pub(crate) fn text_direction(mark: DirectionMark) -> Diagnostic {
    let DirectionMark { character, span, holder } = mark;
    let escape = character.escape_unicode().to_string();
    let context = match holder {
        Holder::Comment => "comment",
        Holder::String | Holder::Raw => "string",
    };
    let message = format!("`{escape}` in a {context} changes the direction of the text behind it");
    let said = Diagnostic::lint(&CODE, message).at(span, "an invisible character");
    match holder {
        Holder::Comment => said.guess("remove it", span, ""),
        Holder::String => said.fix(format!("write `{escape}`"), span, escape),
        Holder::Raw => said.help(format!("remove it, or write `{escape}` in a string with escapes")),
    }
}
