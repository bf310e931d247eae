//! The options of a hex dump: `hexdump("skb: ", offset, row 32, group 4, ascii)`.

use tracec_grammar::span::{Span, Spanned};

use crate::diagnostic::{Diagnostic, codes};
use crate::ir::definition::HexDump;

/// A dump without options: lines of 16 bytes, each byte by itself.
pub(super) const PLAIN: HexDump =
    HexDump { prefix: String::new(), offset: false, row: 16, group: 1, ascii: false };

/// Returns the options between the parentheses of `hexdump(..)`; `None` for another format.
pub(super) fn options(format: &Spanned<String>) -> Option<Spanned<&str>> {
    const WORD: &str = "hexdump(";
    let inner = format.value.strip_prefix(WORD)?.strip_suffix(')')?;
    let start = format.span.start.saturating_add(WORD.len() as u32);
    Some(Spanned::new(inner, Span { start, end: start.saturating_add(inner.len() as u32), ..format.span }))
}

/// Reads the options, in any order.
pub(super) fn read(options: &Spanned<&str>) -> Result<HexDump, Diagnostic> {
    let mut dump = PLAIN;
    for (at, option) in split(options.value) {
        let trimmed = option.trim();
        let start = options.span.start + (at + option.len() - option.trim_start().len()) as u32;
        let span = Span { start, end: start + trimmed.len() as u32, ..options.span };
        if !apply(trimmed, &mut dump) {
            let span = if trimmed.is_empty() { options.span } else { span };
            return Err(codes::bad_format::hex_dump(span, trimmed));
        }
    }
    Ok(dump)
}

/// Returns the parts between the commas outside of quotes, with their places.
fn split(text: &str) -> Vec<(usize, &str)> {
    let (mut parts, mut start, mut quoted) = (Vec::new(), 0, false);
    for (at, c) in text.char_indices() {
        match c {
            '"' => quoted = !quoted,
            ',' if !quoted => {
                parts.push((start, &text[start..at]));
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push((start, &text[start..]));
    parts
}

/// Applies an option, and returns whether it is one. The numbers are those that lib/hexdump.c does not replace.
fn apply(option: &str, dump: &mut HexDump) -> bool {
    let number = |word: &str| option.strip_prefix(word).and_then(|rest| rest.trim().parse::<u32>().ok());
    if let Some(prefix) = option.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')) {
        dump.prefix = prefix.to_owned();
        // It becomes a C string.
        return !prefix.contains(['"', '\\']);
    }
    if let Some(row) = number("row ") {
        dump.row = row;
        return matches!(row, 16 | 32);
    }
    if let Some(group) = number("group ") {
        dump.group = group;
        return matches!(group, 1 | 2 | 4 | 8);
    }
    match option {
        "offset" => dump.offset = true,
        "ascii" => dump.ascii = true,
        _ => return false,
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Result<HexDump, (String, u32, u32)> {
        let format = Spanned::new(text.to_owned(), Span::new(10, 10 + text.len()));
        let options = options(&format).expect("a dump");
        read(&options).map_err(|mistake| {
            let span = mistake.primary.expect("a place").span;
            (mistake.message, span.start - 10, span.end - 10)
        })
    }

    #[test]
    fn options_stand_in_any_order() {
        let all = HexDump { prefix: "a, b: ".to_owned(), offset: true, row: 32, group: 4, ascii: true };
        assert_eq!(found("hexdump(\"a, b: \", offset, row 32, group 4, ascii)"), Ok(all.clone()));
        assert_eq!(found("hexdump( ascii,group  4,row 32 ,offset,\"a, b: \")"), Ok(all));
        assert_eq!(found("hexdump(ascii)"), Ok(HexDump { ascii: true, ..PLAIN }));
    }

    #[test]
    fn option_that_the_kernel_would_replace_is_refused_at_its_place() {
        for (text, wrong) in [
            ("hexdump(ascii, row 8)", "row 8"),
            ("hexdump(group 3)", "group 3"),
            ("hexdump(address)", "address"),
            ("hexdump(\"a)", "\"a"),
        ] {
            let start = text.find(wrong).expect("it is there") as u32;
            let message = format!("`{wrong}` is not an option of `hexdump`");
            assert_eq!(found(text), Err((message, start, start + wrong.len() as u32)), "{text}");
        }
        assert!(found("hexdump()").is_err() && found("hexdump(ascii,)").is_err());
    }
}
