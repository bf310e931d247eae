//! What can stand at a place of a condition.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use gen_lsp_types::CompletionItemKind as Kind;
use tracec_compiler::check::{CURRENT, TaskProperty};
use tracec_compiler::ir::EventLayout;
use tracec_compiler::ir::definition::{ConstantLookup, EnumRef, Value};
use tracec_kernel::format::{Field, FieldKind};

use super::Candidate;
use super::candidates::{Found, word};
use super::declaration;
use crate::cursor::Cursor;
use crate::event_set::shared_fields;
use crate::facts;
use crate::fragment::Fragment;

/// What may follow an operand; one of them checks.
const COMPARISONS: &[&str] = &[" == 0", " == \"a\"", "", " in CPUS{0}", " & CPUS{0} != 0", " == CPUS{0}"];

/// What may follow a pointer to text, which has a modifier before it is compared.
const POINTER_COMPARISONS: &[&str] = &[".ustring == \"a\"", " == 0"];

/// What may follow a field that holds an address of a network.
const ADDRESS_COMPARISONS: &[&str] = &[" == 127.0.0.1", " == 0"];

/// What may follow an operator.
const VALUES: &[&str] = &[" 0", " 1", " \"a\"", " 1 == 0", " {0}", " {1}", " {\"a\"}", " CPUS{0}"];

/// What may follow an operator behind an address.
const ADDRESSES: &[&str] = &[" 127.0.0.1", " 0", " {127.0.0.1}"];

/// Values other than numbers, with what each is.
const LITERALS: &[(&str, &str)] = &[("\"\"", "a string"), ("CPUS{0}", "CPUs")];

/// What may follow a modifier.
const MODIFIED: &[&str] = &[" == \"a\"", " == vfs_read"];

/// The modifiers of fields.
const MODIFIERS: &[&str] = &["ustring", "function"];

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

/// What may follow a part of a computed number.
const COMPUTED: &[&str] = &["", " == 0"];

/// What may follow an operator of arithmetic.
const TERMS: &[&str] = &[" 1 == 0", " 1"];

/// Returns what can stand behind some words of a condition.
pub(super) fn at(words: &[&str], cursor: &Cursor<'_>, fragment: &Fragment<'_>) -> Found {
    match words {
        [] | [.., "&&" | "||" | "!" | "("] => operands(fragment).into(),
        [.., "current", "."] => {
            let names: Vec<&str> = CURRENT.iter().map(|property| property.name).collect();
            members(&names, "current", cursor)
        }
        [.., base, "."] => members(MODIFIERS, base, cursor),
        [.., "as", first, "::"] => declaration::types(&[first, "::"], &["", " == 0"], cursor, fragment),
        [.., "::"] => path(words, cursor, fragment),
        // Names of functions: there are too many, and a field would be read as one.
        [.., ".", "function", "==" | "!="] => Found::default(),
        [.., "==" | "!=" | "<" | "<=" | ">" | ">=" | "{" | "," | "..="] => {
            values(words, cursor, fragment).into()
        }
        [.., "+" | "-" | "*" | "/" | "%" | "<<" | ">>" | "&" | "|" | "^"] => {
            let mut all = values(words, cursor, fragment);
            if !is_compared(words) {
                // What is computed is still to be compared.
                all = all.into_iter().map(|candidate| candidate.rests(COMPUTED)).collect();
                all.sort_by_key(|candidate| candidate.kind != Kind::Field);
            }
            all.into()
        }
        [.., "as"] => declaration::types(&[], &["", " == 0"], cursor, fragment),
        [.., "~" | "!~"] => vec![Candidate::new("\"*\"", Kind::Value, "a pattern")].into(),
        [.., "in"] => Found::default(),
        [.., last] if is_operand_end(last) => operators(words, fragment).into(),
        _ => Found::default(),
    }
}

/// Returns the fields that all events of the statement have.
pub(super) fn shared(fragment: &Fragment<'_>) -> Vec<Candidate> {
    shared_as(fragment, of_field)
}

/// Returns the fields that all events of the statement have, each as `candidate` makes it.
fn shared_as(fragment: &Fragment<'_>, candidate: fn(&EventLayout, &Field) -> Candidate) -> Vec<Candidate> {
    on_each_kernel(fragment, &|layouts| {
        shared_fields(layouts).map(|(layout, field)| candidate(layout, field)).collect()
    })
}

/// Returns the fields that all events of the statement have, and those that every record has.
pub(super) fn fields(fragment: &Fragment<'_>) -> Vec<Candidate> {
    let layouts = fragment.events();
    let common = layouts
        .first()
        .into_iter()
        .flat_map(|layout| layout.format.common_fields().iter().map(move |field| of_field(layout, field)));
    shared(fragment).into_iter().chain(common).collect()
}

/// Returns the fields that one of the events of the statement has: those that lack it are left out by `having`.
pub(super) fn all_fields(fragment: &Fragment<'_>) -> Vec<Candidate> {
    on_each_kernel(fragment, &|layouts| {
        let mut seen = BTreeSet::new();
        let own = layouts
            .iter()
            .flat_map(|layout| layout.format.own_fields().iter().map(move |field| (layout, field)));
        let new = own.filter(|(_, field)| seen.insert(field.name.clone()));
        new.map(|(layout, field)| of_field(layout, field).certain()).collect()
    })
}

/// Returns what is listed of the events of the statement on each kernel: that of the kernel of the statement first, and
/// with each which kernels have it.
fn on_each_kernel(
    fragment: &Fragment<'_>,
    list: &dyn Fn(&[Arc<EventLayout>]) -> Vec<Candidate>,
) -> Vec<Candidate> {
    let mut all = list(&fragment.events());
    let kernels = fragment.kernels();
    if kernels.len() < 2 {
        return all;
    }
    let mut kernels_of: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for kernel in kernels {
        for candidate in list(&fragment.events_on(kernel)) {
            let labels = kernels_of.entry(candidate.text.clone()).or_default();
            if labels.is_empty() && all.iter().all(|known| known.text != candidate.text) {
                all.push(candidate);
            }
            labels.push(&kernel.label);
        }
    }
    let noted = |candidate: Candidate| match kernels_of.get(&candidate.text) {
        Some(labels) if labels.len() < kernels.len() => {
            candidate.only(labels.iter().map(|label| (*label).to_owned()).collect())
        }
        _ => candidate,
    };
    all.into_iter().map(noted).collect()
}

fn of_field(layout: &EventLayout, field: &Field) -> Candidate {
    Candidate::new(field.name.as_str(), Kind::Field, field.type_text.as_str())
        .doc(facts::of_field(&layout.format, field))
}

/// Returns a field with what makes a comparison of it.
fn compared_field(layout: &EventLayout, field: &Field) -> Candidate {
    let rests = match field.kind {
        FieldKind::CharPtr => POINTER_COMPARISONS,
        _ if holds_address(field) => ADDRESS_COMPARISONS,
        _ => COMPARISONS,
    };
    of_field(layout, field).rests(rests)
}

/// Returns whether a field holds an address of version 4.
fn holds_address(field: &Field) -> bool {
    field.packed().is_some() || field.size == 4 && field.type_text.ends_with("be32")
}

/// Returns what a comparison can begin with.
fn operands(fragment: &Fragment<'_>) -> Vec<Candidate> {
    let layouts = fragment.events();
    let mut all = shared_as(fragment, compared_field);
    let of = |name: &str, property: &TaskProperty| {
        Candidate::new(name, Kind::Variable, property.type_text).doc(property.doc).rests(COMPARISONS)
    };
    let pseudo = CURRENT.iter().filter(|property| property.is_pseudo_field);
    all.extend(pseudo.map(|property| of(property.name, property)));
    if let Some(layout) = layouts.first() {
        let common = layout.format.common_fields().iter();
        all.extend(common.map(|field| compared_field(layout, field)));
    }
    all.extend(CURRENT.iter().map(|property| of(&format!("current.{}", property.name), property)));
    // A field comes before a pseudo-field of its name.
    let mut seen = BTreeSet::new();
    all.retain(|candidate| seen.insert(candidate.text.clone()));
    all
}

fn members(names: &[&str], base: &str, cursor: &Cursor<'_>) -> Found {
    let start = cursor.token_before(1).map(|range| range.start);
    let rests = if base == "current" { COMPARISONS } else { MODIFIED };
    let candidate = |name: &&str| {
        let text = format!("{base}.{name}");
        Candidate::new(text, Kind::Property, "").rests(rests)
    };
    Found { candidates: names.iter().map(candidate).collect(), start }
}

/// Returns the constants below the path that some words end with: those of a module or of an enum.
pub(super) fn path(words: &[&str], cursor: &Cursor<'_>, fragment: &Fragment<'_>) -> Found {
    let count = words.rchunks_exact(2).take_while(|pair| pair.last() == Some(&"::")).count();
    let parts: Vec<&str> = words.iter().rev().skip(1).step_by(2).take(count).rev().copied().collect();
    let start =
        (2 * count).checked_sub(1).and_then(|back| cursor.token_before(back)).map(|range| range.start);
    let candidates = fragment.with_constants(|constants| {
        let names = constants.names_below(&parts).into_iter();
        let like = |name: &str| match constants.find(&name.split("::").collect::<Vec<_>>(), None) {
            ConstantLookup::Value(value) => member_of(&value),
            _ => None,
        };
        let candidate = |name: String| {
            let like = like(&name);
            Candidate::new(name, Kind::Constant, parts.join("::")).like(like)
        };
        names.map(candidate).collect()
    });
    Found { candidates: candidates.unwrap_or_default(), start }
}

/// Returns what the last operand can be compared with: the names of its own values, parameters, constants.
fn values(words: &[&str], cursor: &Cursor<'_>, fragment: &Fragment<'_>) -> Vec<Candidate> {
    let operand = operand(words).unwrap_or_default();
    let layouts = fragment.events();
    let mut all = named_values(operand, &layouts);
    // What has no names is written: an empty one of its kind.
    let field = layouts.iter().find_map(|layout| layout.format.field(operand));
    let ty = field.map(|field| &field.type_text);
    let is_cpu = compared(words).iter().any(|word| word.to_ascii_lowercase().contains("cpu"))
        || ty.is_some_and(|ty| ty.contains("cpumask"))
        || !cursor.typed().is_empty();
    let literals = LITERALS.iter().filter(|(text, _)| !text.starts_with("CPUS") || is_cpu);
    all.extend(literals.map(|(text, detail)| Candidate::new(*text, Kind::Value, *detail)));
    if field.is_some_and(holds_address) {
        all.push(Candidate::new("127.0.0.1", Kind::Value, "an address"));
    }
    for param in fragment.params() {
        all.push(Candidate::new(param.name.value, Kind::Variable, "parameter"));
    }
    let mut constants = constants(fragment);
    // The members of an enum that has the name of the operand: `sig` is a `Signal`.
    let begins = |one: &str, other: &str| one.to_ascii_lowercase().starts_with(&other.to_ascii_lowercase());
    let is_meant = |candidate: &Candidate| {
        let ty = candidate.text.rsplit("::").nth(1).unwrap_or_default();
        !operand.is_empty() && !ty.is_empty() && (begins(ty, operand) || begins(operand, ty))
    };
    constants.sort_by_key(|candidate| !is_meant(candidate));
    all.extend(constants);
    // Two fields of one event can be compared too.
    all.extend(fields(fragment).into_iter().filter(|candidate| candidate.text != operand));
    all
}

/// Returns the names of values that a field has in all events.
fn named_values(operand: &str, layouts: &[Arc<EventLayout>]) -> Vec<Candidate> {
    let mut shared: Option<Vec<(String, i128)>> = None;
    for layout in layouts {
        let names = layout.format.field(operand).map(|field| facts::names(&layout.format, field));
        let names = names.unwrap_or_default();
        shared = Some(match shared {
            Some(known) => known.into_iter().filter(|entry| names.contains(entry)).collect(),
            None => names,
        });
        if shared.as_ref().is_some_and(Vec::is_empty) {
            break;
        }
    }
    let mut seen = BTreeSet::new();
    let is_word = |name: &str| {
        name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
            && name.starts_with(|first: char| !first.is_ascii_digit())
    };
    let named = shared.into_iter().flatten().filter(|(name, _)| is_word(name) && seen.insert(name.clone()));
    let candidate = |(name, value): (String, i128)| {
        Candidate::new(name, Kind::EnumMember, format!("{value:#x} of {operand}"))
    };
    named.map(candidate).collect()
}

/// Returns the constants that the text can name.
pub(super) fn constants(fragment: &Fragment<'_>) -> Vec<Candidate> {
    let constants = fragment.with_constants(|constants| {
        let named = constants.values().map(|(name, value)| {
            let detail = value.number().map_or_else(String::new, |number| number.to_string());
            Candidate::new(name, Kind::Constant, detail).like(member_of(&value))
        });
        named.collect()
    });
    constants.unwrap_or_default()
}

/// Returns the enum that a value is a member of, with the least number of bits that hold it: the members with the same ones
/// can be compared with the same fields.
fn member_of(value: &Value) -> Option<String> {
    let Value::Int { value, of: Some(EnumRef::Declared(id)) } = value else { return None };
    let (sign, bits) = if *value < 0 { ("-", (!value).leading_zeros()) } else { ("", value.leading_zeros()) };
    let widths = [7, 8, 15, 16, 31, 32, 63, 64];
    let width = widths.into_iter().find(|width| 128 - bits <= *width)?;
    Some(format!("{id:?} {sign}{width}"))
}

/// Returns the words of the last comparison.
fn compared<'a, 'w>(words: &'a [&'w str]) -> &'a [&'w str] {
    let from = words.iter().rposition(|word| matches!(*word, "&&" | "||" | "(" | "!")).map_or(0, |at| at + 1);
    words.get(from..).unwrap_or_default()
}

/// Returns the field that the last comparison is about.
fn operand<'w>(words: &[&'w str]) -> Option<&'w str> {
    compared(words).iter().copied().find(|word| is_name(word))
}

/// Returns whether a word is a name, and neither a literal nor a sign.
fn is_name(word: &str) -> bool {
    word.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_')
}

/// Returns whether the last comparison has its operator.
fn is_compared(words: &[&str]) -> bool {
    let is_comparison =
        |word: &&str| matches!(*word, "==" | "!=" | "<" | "<=" | ">" | ">=" | "~" | "!~" | "in");
    compared(words).iter().any(is_comparison)
}

/// Returns the operators that can stand behind an operand, and what joins comparisons.
fn operators(words: &[&str], fragment: &Fragment<'_>) -> Vec<Candidate> {
    let is_compared = is_compared(words);
    let layouts = fragment.events();
    // A member is not the field of its name.
    let field = match words {
        [.., ".", _] => None,
        [.., last] => layouts.iter().find_map(|layout| layout.format.field(last)),
        [] => None,
    };
    let values = if field.is_some_and(holds_address) { ADDRESSES } else { VALUES };
    let operator =
        |(text, detail): &(&str, &str)| Candidate::new(*text, Kind::Operator, *detail).rests(values);
    let mut all: Vec<Candidate> = Vec::new();
    if !is_compared {
        // An argument of a system call that is narrower than its register points to nothing.
        let may_point = |field: &Field| field.size == 8 && !field.is_argument();
        if field.is_some_and(may_point) {
            let modifier = |name: &&str| Candidate::new(format!(".{name}"), Kind::Property, "modifier");
            all.extend(MODIFIERS.iter().map(|name| modifier(name).rests(MODIFIED)));
        }
        all.extend(OPERATORS.iter().map(operator));
    }
    all.push(word("&&", "and").rests(&[" cpu == 0"]));
    all.push(word("||", "or").rests(&[" cpu == 0"]));
    // A literal is seldom computed with.
    if !is_compared || words.last().is_some_and(|last| is_name(last)) {
        all.push(word("as", "another type").rests(&[" u64 == 0", " u64", " s64"]));
        // `&` stands among the comparisons, since its result is a condition by itself.
        let new = declaration::OPERATORS.iter().filter(|(text, _)| is_compared || *text != "&");
        let operator =
            |(text, detail): &(&str, &str)| Candidate::new(*text, Kind::Operator, *detail).rests(TERMS);
        all.extend(new.map(operator));
    }
    all
}

pub(super) fn is_operand_end(word: &str) -> bool {
    let last = word.bytes().next_back().unwrap_or_default();
    last.is_ascii_alphanumeric() || b"_)}\"]".contains(&last)
}
