//! A condition of each row of the table of realisations that programs have, alone and with others, and the largest ones.

use tracec_kernel::condition::glob::Glob;
use tracec_kernel::condition::ir::*;
use tracec_kernel::condition::ranges::Ranges;
use tracec_kernel::condition::realisation::{Engine, constructs, obstacles};
use tracec_kernel::format::{Field, FieldKind};

use crate::cases::cases;
use crate::event::PLAIN;
use crate::generate::random::Random;

/// How many terms a condition has.
const TERMS: [usize; 3] = [1, 8, 64];

/// Returns the conditions, each with what it shows.
pub(crate) fn conditions() -> Vec<(String, Condition)> {
    let mut all = Vec::new();
    let mut random = Random::new(7);
    // Of every kind of atom that is generated, one alone and as many different ones as a condition has terms.
    let atoms: Vec<Condition> = cases(Engine::Bpf, 400, 1, &mut random)
        .iter()
        .flat_map(|case| case.condition.atoms().into_iter().cloned().map(Condition::Atom).collect::<Vec<_>>())
        .filter(is_taken)
        .collect();
    for count in TERMS {
        for (index, part) in atoms.chunks(count).take(if count == 1 { 100 } else { 15 }).enumerate() {
            all.push((format!("{count} terms with &&, {index}"), Condition::all(part.to_vec())));
            all.push((format!("{count} terms with ||, {index}"), Condition::any(part.to_vec())));
        }
    }
    for field in PLAIN.format.own_fields() {
        if let Some(text) = text_of(field) {
            let part = |number: usize| {
                let test = TextTest::Glob(Glob::parse(&format!("*{number}*x*")).expect("a pattern"));
                Condition::Atom(Atom::Text { of: text.clone(), test })
            };
            for count in TERMS {
                all.push((
                    format!("{count} patterns on {}", field.name),
                    Condition::any((0..count).map(part).collect()),
                ));
            }
            all.extend(patterns(&text).map(|(name, test)| {
                let atom = Atom::Text { of: text.clone(), test };
                (format!("{name} on {}", field.name), Condition::Atom(atom))
            }));
        }
        if field.integer().is_some() {
            let of = Number::Field(field.clone());
            let (min, max) = of.range();
            let numbers = (0..200_i128).map(|at| (at * at * 7 % 4_000_000_007).clamp(min, max));
            let ranges = Ranges::new(numbers.map(|number| (number, number)));
            all.push((format!("a set of 200 on {}", field.name), Condition::Atom(Atom::In { of, ranges })));
        }
    }
    all.retain(|(_, condition)| is_taken(condition));
    all
}

fn is_taken(condition: &Condition) -> bool {
    let parts = constructs(condition, &PLAIN.spelling);
    condition.check().is_ok()
        && condition.check_fields(&PLAIN.format).is_ok()
        && obstacles(&parts, Engine::Bpf, |_| true).next().is_none()
}

fn text_of(field: &Field) -> Option<Text> {
    match field.kind {
        FieldKind::CharArray | FieldKind::DynString | FieldKind::RelString | FieldKind::CharPtr => {
            Some(Text::Field(field.clone()))
        }
        _ => None,
    }
}

/// Returns tests of a text: short, and as long as there can be.
fn patterns(text: &Text) -> impl Iterator<Item = (&'static str, TextTest)> {
    let room = match text.storage() {
        Some(TextStorage::Fixed { room }) => room,
        _ => 255,
    };
    let long: String = "abcdefghi".chars().cycle().take(room.min(255)).collect();
    // 255 bytes with eight stars.
    let starred: String = (0..255).map(|at| if at % 30 == 15 { '*' } else { 'x' }).collect();
    let classes = "[a-c]*[!d-f]?x*".to_owned();
    let glob = |pattern: &str| Glob::parse(pattern).ok().map(TextTest::Glob);
    [
        ("a text of the length of its room", Some(TextTest::Eq(long.clone()))),
        ("another text", Some(TextTest::Ne(long))),
        ("a prefix", glob("ab*")),
        ("a suffix", glob("*ab")),
        ("a part", glob("*ab*")),
        ("classes", glob(&classes)),
        ("a pattern of 255 bytes with eight stars", glob(&starred)),
    ]
    .into_iter()
    .filter_map(|(name, test)| Some((name, test?)))
}
