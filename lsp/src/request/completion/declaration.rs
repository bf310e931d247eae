//! What can stand in declarations: types behind a colon, and the values of constants, parameters and arguments.

use gen_lsp_types::CompletionItemKind as Kind;
use tracec_compiler::check::definition;
use tracec_compiler::constant;
use tracec_compiler::ir::definition::VisibleConstants;
use tracec_kernel::tables::c_types;

use super::Candidate;
use super::candidates::{Found, word};
use super::condition;
use crate::cursor::Cursor;
use crate::fragment::Fragment;

/// The operators of arithmetic, with what each means.
pub(super) const OPERATORS: &[(&str, &str)] = &[
    ("+", "sum"),
    ("-", "difference"),
    ("*", "product"),
    ("/", "quotient"),
    ("%", "remainder"),
    ("<<", "shift to the left"),
    (">>", "shift to the right"),
    ("&", "bits in both"),
    ("|", "bits in one or both"),
    ("^", "bits in one of them"),
];

/// The types of integers that sessions and definitions use most.
const USUAL: &[&str] = &["u8", "u16", "u32", "u64", "s8", "s16", "s32", "s64", "int"];

/// What may follow an operator.
const OPERANDS: &[&str] = &[" 1", " 1KiB", " 1ms"];

/// The types of an argument or a field that are pointers or more than one word.
const COMPOUND: &[(&str, &str)] = &[
    ("*char", "a pointer to text"),
    ("*user char", "a pointer to text in user memory"),
    ("*void", "a pointer to anything"),
    ("user string", "text in user memory, copied into the record"),
];

/// `NAME: TYPE = VALUE`, of a constant or of a parameter of a session. `rests` may have to follow a type.
pub(super) fn constant(
    words: &[&str],
    rests: &'static [&'static str],
    cursor: &Cursor<'_>,
    fragment: &Fragment<'_>,
) -> Found {
    let (declared, value) = match words.iter().position(|word| *word == "=") {
        Some(at) => (words.get(..at), words.get(at + 1..)),
        None => (Some(words), None),
    };
    match (declared, value) {
        (Some([_, ":", ty @ ..]), Some(value)) => self::value(value, &ty.concat(), cursor, fragment),
        (_, Some(value)) => self::value(value, "", cursor, fragment),
        (Some([_, ":", ty @ ..]), None) => types(ty, rests, cursor, fragment),
        _ => Found::default(),
    }
}

/// Returns the types of constants that can stand behind some words of one.
pub(super) fn types(
    words: &[&str],
    rests: &'static [&'static str],
    cursor: &Cursor<'_>,
    fragment: &Fragment<'_>,
) -> Found {
    named_types(words, rests, cursor, fragment, |constants| constant::type_names(constants).collect())
}

/// `NAME: TYPE`, of an argument of a tracepoint or a function, or of a field.
pub(super) fn field(words: &[&str], cursor: &Cursor<'_>, fragment: &Fragment<'_>) -> Found {
    let [_, ":", ty @ ..] = words else { return Found::default() };
    let pointers = ty.iter().take_while(|word| matches!(**word, "*" | "user" | "const")).count();
    let behind = ty.get(pointers..).unwrap_or_default();
    let mut found =
        named_types(behind, &[""], cursor, fragment, |constants| definition::type_names(constants).collect());
    if ty.is_empty() {
        let compound =
            COMPOUND.iter().map(|(text, detail)| Candidate::new(*text, Kind::TypeParameter, *detail));
        found.candidates.splice(0..0, compound);
    }
    found
}

/// Returns what the block of a probe can record: the fields of its event, or the arguments of its function.
pub(super) fn recorded(cursor: &Cursor<'_>, fragment: &Fragment<'_>) -> Vec<Candidate> {
    let mut all = condition::shared(fragment);
    let arguments = cursor.probe_arguments();
    all.extend(arguments.into_iter().map(|name| Candidate::new(name, Kind::Field, "argument")));
    if !all.is_empty() {
        all.push(word("print", "the text of a record").rests(&[" \"text\""]));
    }
    all
}

/// Returns some types that can stand behind the words of a path.
fn named_types(
    words: &[&str],
    rests: &'static [&'static str],
    cursor: &Cursor<'_>,
    fragment: &Fragment<'_>,
    names: impl FnOnce(VisibleConstants<'_>) -> Vec<String>,
) -> Found {
    let start = match words {
        [] => None,
        [_, "::"] => cursor.token_before(1).map(|range| range.start),
        _ => return Found::default(),
    };
    let candidates = fragment.with_constants(|constants| {
        let is_enum = |name: &str| constants.find_enum(&name.split("::").collect::<Vec<_>>()).is_some();
        let mut names = names(constants);
        names.retain(|name| start.is_none() || name.contains("::"));
        // Not all of them may be tried in time: the usual ones come first.
        names.sort_by_key(|name| match c_types::find(name) {
            _ if is_enum(name) => 0,
            None => 1,
            Some(_) if USUAL.contains(&name.as_str()) => 2,
            Some(_) => 3,
        });
        let candidate = |name: String| {
            let (kind, detail) =
                if is_enum(&name) { (Kind::Enum, "enum") } else { (Kind::TypeParameter, "type") };
            Candidate::new(name, kind, detail).rests(rests)
        };
        names.into_iter().map(candidate).collect()
    });
    Found { candidates: candidates.unwrap_or_default(), start }
}

/// Returns what can stand behind some words of the value of a constant of a type.
pub(super) fn value(words: &[&str], ty: &str, cursor: &Cursor<'_>, fragment: &Fragment<'_>) -> Found {
    match words {
        [.., "as"] => {
            let mut found = types(&[], &[""], cursor, fragment);
            let units =
                constant::duration_units().map(|unit| Candidate::new(unit, Kind::Unit, "unit of time"));
            found.candidates.splice(0..0, units);
            found
        }
        [.., "as", first, "::"] => types(&[first, "::"], &[""], cursor, fragment),
        [.., "::"] => condition::path(words, cursor, fragment),
        [.., last] if condition::is_operand_end(last) => {
            let operators = OPERATORS
                .iter()
                .map(|(text, detail)| Candidate::new(*text, Kind::Operator, *detail).rests(OPERANDS));
            operators.chain([word("as", "another type").rests(&[" u64", " us"])]).collect::<Vec<_>>().into()
        }
        _ => {
            let members = fragment.with_constants(|constants| {
                let id = constants.find_enum(&ty.split("::").collect::<Vec<_>>())?;
                let members = constants.table[id].members().iter();
                let candidate = |name: &str| Candidate::new(name, Kind::EnumMember, ty);
                Some(members.map(|member| candidate(&member.name)).collect::<Vec<_>>())
            });
            let mut all = members.flatten().unwrap_or_default();
            all.extend(condition::constants(fragment));
            all.extend(["true", "false"].map(|truth| word(truth, "a truth")));
            all.into()
        }
    }
}
