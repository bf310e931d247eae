//! Laws for the layout of every text that has no mistakes.

use tracec_grammar::syntax::File;
use tracec_grammar::{decode, format as lay_out, parse};

use super::spans;

/// Formats a text: the result is a fixed point, has the same meaning, and keeps the comments.
///
/// # Panics
/// If one of these does not hold.
pub fn format(data: &[u8]) {
    let Ok(text) = decode(data) else { return };
    let parsed = parse(text);
    let formatted = match lay_out(text) {
        Ok(formatted) => formatted,
        Err(errors) => return assert_eq!(errors, parsed.errors, "refused for what the parser does not say"),
    };
    assert!(parsed.errors.is_empty(), "what has mistakes was formatted");
    let again = parse(&formatted);
    assert!(again.errors.is_empty(), "its layout has mistakes: {:?}\n{formatted}", again.errors);
    assert_eq!(lay_out(&formatted).as_ref(), Ok(&formatted), "its layout has another layout");
    assert_eq!(meaning(&again.file), meaning(&parsed.file), "its layout says something else\n{formatted}");
    assert_eq!(again.comments.len(), parsed.comments.len(), "a comment is lost or new\n{formatted}");
}

/// Returns the meaning of a file, with the expressions it refers to. The depth of an expression counts parentheses too,
/// and the formatter removes unnecessary ones.
fn meaning(file: &File) -> (String, Vec<String>) {
    let exprs = file.exprs.iter().map(|(_, expr)| spans::erased(&expr.kind));
    (spans::erased(&file.declarations), exprs.collect())
}
