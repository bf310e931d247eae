//! What can stand at a place of a condition.

use std::collections::BTreeSet;
use std::sync::Arc;

use gen_lsp_types::CompletionItemKind as Kind;
use tracec_compiler::check::{CURRENT, TaskProperty};
use tracec_compiler::ir::EventLayout;
use tracec_kernel::format::Field;

use super::Candidate;
use super::candidates::{Found, word};
use super::declaration;
use crate::cursor::Cursor;
use crate::facts;
use crate::fragment::Fragment;

/// What may follow an operand; one of them checks.
const COMPARISONS: &[&str] = &[" == 0", " == \"a\"", "", " in CPUS{0}", " & CPUS{0} != 0", " == CPUS{0}"];

/// What may follow an operator.
const VALUES: &[&str] = &[" 0", " \"a\"", " 1 == 0", " {0}", " {\"a\"}", " CPUS{0}"];

/// Values other than numbers, with what each is.
const LITERALS: &[(&str, &str)] = &[("\"\"", "a string"), ("CPUS{0}", "CPUs")];

/// The operators between an operand and a value, with what each means.
const OPERATORS: &[(&str, &str)] = &[
    ("==", "equal"),
    ("!=", "not equal"),
    ("<", "less"),
    ("<=", "less or equal"),
    (">", "greater"),
    (">=", "greater or equal"),
    ("~", "matches a pattern"),
    ("!~", "does not match a pattern"),
    ("in", "is one of a set"),
    ("&", "bits in common"),
];

/// Returns what can stand behind some words of a condition about the events of a set.
pub(super) fn at(words: &[&str], cursor: &Cursor<'_>, fragment: &Fragment<'_>, set: &str) -> Found {
    match words {
        [] | [.., "&&" | "||" | "!" | "("] => operands(fragment, set).into(),
        [.., "current", "."] => {
            let names: Vec<&str> = CURRENT.iter().map(|property| property.name).collect();
            members(&names, "current", cursor)
        }
        [.., base, "."] => members(&["ustring", "function"], base, cursor),
        [.., first, "::"] => path(first, cursor, fragment),
        [.., "==" | "!=" | "<" | "<=" | ">" | ">=" | "&" | "-" | "|" | "{" | "," | "..="] => {
            values(words, fragment, set).into()
        }
        [.., "as"] => declaration::types(&[], &["", " == 0"], cursor, fragment),
        [.., "~" | "!~"] => vec![Candidate::new("\"*\"", Kind::Value, "a pattern")].into(),
        [.., "in"] => Found::default(),
        [.., last] if is_operand_end(last) => operators(words).into(),
        _ => Found::default(),
    }
}

/// Returns the fields of the events of a set.
pub(super) fn fields(fragment: &Fragment<'_>, set: &str) -> Vec<Candidate> {
    fields_of(&fragment.events(set))
}

fn fields_of(layouts: &[Arc<EventLayout>]) -> Vec<Candidate> {
    let mut seen = BTreeSet::new();
    let own =
        layouts.iter().flat_map(|layout| layout.format.own_fields().iter().map(move |field| (layout, field)));
    let new = own.filter(|(_, field)| seen.insert(field.name.clone()));
    new.map(|(layout, field)| of_field(layout, field)).collect()
}

fn of_field(layout: &EventLayout, field: &Field) -> Candidate {
    Candidate::new(field.name.as_str(), Kind::Field, field.type_text.as_str())
        .doc(facts::of_field(&layout.format, field))
}

/// Returns what a comparison can begin with.
fn operands(fragment: &Fragment<'_>, set: &str) -> Vec<Candidate> {
    let layouts = fragment.events(set);
    let mut all: Vec<Candidate> = fields_of(&layouts);
    let of = |name: &str, property: &TaskProperty| {
        Candidate::new(name, Kind::Variable, property.type_text).doc(property.doc)
    };
    let pseudo = CURRENT.iter().filter(|property| property.is_pseudo_field);
    all.extend(pseudo.map(|property| of(property.name, property)));
    all.extend(CURRENT.iter().map(|property| of(&format!("current.{}", property.name), property)));
    if let Some(layout) = layouts.first() {
        let common = layout.format.common_fields().iter();
        all.extend(common.map(|field| of_field(layout, field)));
    }
    // A field comes before a pseudo-field of its name.
    let mut seen = BTreeSet::new();
    all.retain(|candidate| seen.insert(candidate.text.clone()));
    all.into_iter().map(|candidate| candidate.rests(COMPARISONS)).collect()
}

fn members(names: &[&str], base: &str, cursor: &Cursor<'_>) -> Found {
    let start = cursor.token_before(1).map(|range| range.start);
    let candidate = |name: &&str| {
        let text = format!("{base}.{name}");
        Candidate::new(text, Kind::Property, "").rests(COMPARISONS)
    };
    Found { candidates: names.iter().map(candidate).collect(), start }
}

/// Returns the constants of a module or of an enum, as paths.
pub(super) fn path(first: &str, cursor: &Cursor<'_>, fragment: &Fragment<'_>) -> Found {
    let start = cursor.token_before(1).map(|range| range.start);
    let candidates = fragment.with_constants(|constants| {
        let names = constants.names_below(first).into_iter();
        names.map(|name| Candidate::new(name, Kind::Constant, first)).collect()
    });
    Found { candidates: candidates.unwrap_or_default(), start }
}

/// Returns what the last operand can be compared with: the names of its own values, parameters, constants.
fn values(words: &[&str], fragment: &Fragment<'_>, set: &str) -> Vec<Candidate> {
    let layouts = fragment.events(set);
    let mut all = Vec::new();
    if let Some(operand) = operand(words) {
        let mut seen = BTreeSet::new();
        for layout in &layouts {
            let Some(field) = layout.format.field(operand) else { continue };
            for (name, value) in facts::names(&layout.format, field) {
                let is_word = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
                    && !name.starts_with(|first: char| first.is_ascii_digit());
                if is_word && !name.is_empty() && seen.insert(name.clone()) {
                    let detail = format!("{value:#x} of {operand}");
                    all.push(Candidate::new(name, Kind::EnumMember, detail));
                }
            }
        }
    }
    // What has no names is written: an empty one of its kind.
    all.extend(LITERALS.iter().map(|(text, detail)| Candidate::new(*text, Kind::Value, *detail)));
    for param in fragment.params() {
        all.push(Candidate::new(param.name.value, Kind::Variable, "parameter"));
    }
    all.extend(constants(fragment));
    all
}

/// Returns the constants that the text can name.
pub(super) fn constants(fragment: &Fragment<'_>) -> Vec<Candidate> {
    let constants = fragment.with_constants(|constants| {
        let named = constants.values().map(|(name, value)| {
            let detail = value.number().map_or_else(String::new, |number| number.to_string());
            Candidate::new(name, Kind::Constant, detail)
        });
        named.collect()
    });
    constants.unwrap_or_default()
}

/// Returns the field that the last comparison is about.
fn operand<'w>(words: &[&'w str]) -> Option<&'w str> {
    let from = words.iter().rposition(|word| matches!(*word, "&&" | "||" | "(" | "!")).map_or(0, |at| at + 1);
    words
        .get(from..)?
        .iter()
        .copied()
        .find(|word| word.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_'))
}

/// Returns the operators that can stand behind an operand, and what joins comparisons.
fn operators(words: &[&str]) -> Vec<Candidate> {
    let from = words.iter().rposition(|word| matches!(*word, "&&" | "||" | "(" | "!")).map_or(0, |at| at + 1);
    let is_compared = words
        .get(from..)
        .unwrap_or_default()
        .iter()
        .any(|word| matches!(*word, "==" | "!=" | "<" | "<=" | ">" | ">=" | "~" | "!~" | "in"));
    let operator =
        |(text, detail): &(&str, &str)| Candidate::new(*text, Kind::Operator, *detail).rests(VALUES);
    let mut all: Vec<Candidate> =
        if is_compared { Vec::new() } else { OPERATORS.iter().map(operator).collect() };
    all.push(word("&&", "and").rests(&[" cpu == 0"]));
    all.push(word("||", "or").rests(&[" cpu == 0"]));
    all
}

pub(super) fn is_operand_end(word: &str) -> bool {
    let last = word.bytes().next_back().unwrap_or_default();
    last.is_ascii_alphanumeric() || b"_)}\"]".contains(&last)
}
