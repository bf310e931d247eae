//! The modules of the library whose constants a one-liner names: it has no `use`.

use tracec_grammar::span::Span;
use tracec_grammar::syntax::{ExprKind, File, TypeBase};

use crate::stdlib;

/// Returns the modules that may declare a name of an expression, each with its span. A word is searched in the library
/// only if it is written like a constant or a type, so that the names of fields cost nothing.
pub(super) fn named_modules(file: &File) -> Vec<(&'static str, Span)> {
    let mut found = Vec::new();
    for (_, expr) in file.exprs.iter() {
        let modules = match &expr.kind {
            ExprKind::Name(word) if is_like_constant(word) => of_constant(word),
            ExprKind::Path(path) => {
                let path: Vec<&str> = path.iter().map(|part| part.value.as_str()).collect();
                let path = path.strip_prefix(&["std"]).unwrap_or(&path);
                path.first().map_or_else(Vec::new, |first| of_path(first))
            }
            ExprKind::Cast { ty, .. } => match &ty.base {
                TypeBase::Words(words) => match words.as_slice() {
                    [word] => stdlib::declaring(&word.value),
                    _ => Vec::new(),
                },
                _ => Vec::new(),
            },
            _ => continue,
        };
        found.extend(modules.into_iter().map(|module| (module, expr.span)));
    }
    found
}

/// Returns the modules that a path begins with: the module itself, or those of an enum.
fn of_path(first: &str) -> Vec<&'static str> {
    match stdlib::modules().iter().find(|module| module.name == first) {
        Some(module) => vec![module.name],
        None => stdlib::declaring(first),
    }
}

fn of_constant(word: &str) -> Vec<&'static str> {
    stdlib::holders(word).into_iter().map(|holder| holder.module).collect()
}

/// Returns whether a word is written like most constants of C: capitals, digits and `_`.
fn is_like_constant(word: &str) -> bool {
    word.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_')
        && word.bytes().any(|byte| byte.is_ascii_uppercase())
}
