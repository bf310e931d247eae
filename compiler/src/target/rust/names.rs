//! The names of a module.

use crate::decoder::{Decoder, Identifiers, identifier};

/// The names of a module's types.
pub(super) struct Names {
    /// The type of each table.
    pub(super) tables: Vec<String>,
    /// The type of each record.
    pub(super) records: Vec<String>,
}

/// Names that the module itself uses: types without a path, and the functions of its last part.
const USED: &[&str] = &[
    "Iterator",
    "None",
    "Option",
    "Self",
    "Some",
    "any",
    "at",
    "bool",
    "class",
    "divide",
    "fixed",
    "glob",
    "has",
    "i128",
    "i16",
    "i32",
    "i64",
    "i8",
    "is_listed",
    "located",
    "members",
    "read",
    "remainder",
    "same",
    "shift_left",
    "shift_right",
    "str",
    "takes",
    "task_name",
    "u16",
    "u32",
    "u64",
    "u8",
    "until_nul",
    "usize",
];

impl Names {
    /// Returns the names of a decoder's tables and records.
    pub(super) fn of(decoder: &Decoder<'_>) -> Names {
        let mut taken = Identifiers::default();
        USED.iter().for_each(|name| {
            taken.take((*name).to_owned());
        });
        let tables = decoder.tables.iter().map(|table| {
            let is_declared = table.entries.iter().any(|entry| entry.constant.is_some());
            // A tuple struct whose name begins with a small letter could not be shadowed by a variable of that name.
            let is_type = table.name.starts_with(|c: char| c.is_ascii_uppercase());
            let name = if is_declared && is_type { table.name.clone() } else { camel(&table.name) };
            taken.take(identifier(&name))
        });
        let tables = tables.collect();
        let record = |record: &crate::decoder::Record<'_>| {
            let name = camel(&format!("{}_{}", record.format.system, record.format.name));
            taken.take(identifier(&name))
        };
        let records = decoder.records.iter().map(record).collect();
        Names { tables, records }
    }
}

/// Returns a name in the style of types: `sched_switch` as `SchedSwitch`.
fn camel(name: &str) -> String {
    let words = name.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    let capital = |word: &str| {
        let mut chars = word.chars();
        chars.next().map(|first| first.to_ascii_uppercase()).into_iter().chain(chars).collect::<String>()
    };
    let camel: String = words.map(capital).collect();
    if camel.is_empty() { "Table".to_owned() } else { camel }
}

/// The keywords of Rust up to the edition of 2024, and those that are reserved.
const KEYWORDS: &[&str] = &[
    "abstract", "as", "async", "await", "become", "box", "break", "const", "continue", "do", "dyn", "else",
    "enum", "extern", "false", "final", "fn", "for", "gen", "if", "impl", "in", "let", "loop", "macro",
    "match", "mod", "move", "mut", "override", "priv", "pub", "ref", "return", "static", "struct", "trait",
    "true", "try", "type", "typeof", "unsafe", "unsized", "use", "virtual", "where", "while", "yield",
];

/// The keywords that cannot be raw identifiers.
const PATHS: &[&str] = &["Self", "crate", "self", "super"];

/// Returns an identifier that may be a keyword as one that is not.
pub(super) fn word(name: String) -> String {
    match name.as_str() {
        keyword if KEYWORDS.contains(&keyword) => format!("r#{name}"),
        path if PATHS.contains(&path) => format!("{name}_"),
        _ => name,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_of_the_module_are_among_the_names_that_it_uses() {
        let functions = super::super::PRELUDE.lines().filter_map(|line| line.strip_prefix("fn "));
        for function in functions {
            let name = function.split(['(', '<']).next().unwrap_or_default();
            assert!(USED.contains(&name), "{name}");
        }
    }

    #[test]
    fn types_are_in_their_style() {
        for (name, expected) in [
            ("sched_sched_switch", "SchedSchedSwitch"),
            ("9p_9p_x-y", "9p9pXY"),
            ("_at", "At"),
            ("__", "Table"),
        ] {
            assert_eq!(camel(name), expected);
        }
    }

    #[test]
    fn keywords_are_escaped() {
        for (name, expected) in [("type", "r#type"), ("self", "self_"), ("pid", "pid"), ("gen", "r#gen")] {
            assert_eq!(word(name.to_owned()), expected);
        }
    }
}
