//! `use` declarations: the name that each binds, and where a text can have another.

use tracec_grammar::span::Span;
use tracec_grammar::syntax::{File, Imported, Use};

/// Returns the name that a `use` binds: its alias, the last part of its path, or the stem of its file. `None` if a
/// file's stem is not a name.
pub(crate) fn bound_name(import: &Use) -> Option<(&str, Span)> {
    if let Some(alias) = &import.alias {
        return Some((&alias.value, alias.span));
    }
    match &import.imported {
        Imported::Module(path) => path.last().map(|name| (name.value.as_str(), name.span)),
        Imported::File(path) => {
            let file = path.value.rsplit('/').next().unwrap_or(&path.value);
            let stem = file.strip_suffix(".trc").unwrap_or(file);
            is_name(stem).then_some((stem, path.span))
        }
    }
}

/// Returns where a text can have a further `use`: before its first declaration. `None` for a one-liner, which has no
/// imports.
pub(crate) fn import_span(file: &File) -> Option<Span> {
    if file.sessions().any(|session| session.name.is_none()) {
        return None;
    }
    let first = file.declarations.first()?;
    Some(first.doc.as_ref().map_or(first.span, |doc| doc.span).before())
}

fn is_name(text: &str) -> bool {
    !text.is_empty()
        && !text.starts_with(|c: char| c.is_ascii_digit())
        && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
        && !matches!(text, "if" | "struct" | "user")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stems_that_are_no_names_bind_nothing() {
        for (stem, expected) in [
            ("common", true),
            ("a_1", true),
            ("disk-stalls", false),
            ("9p", false),
            ("", false),
            ("if", false),
        ] {
            assert_eq!(is_name(stem), expected, "{stem:?}");
        }
    }
}
