//! Tests of the table of realisations, against lowering and evaluation.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::ops::Range;

use expect_test::expect_file;
use proptest::prelude::*;
use proptest::strategy::ValueTree;

use super::constructs::of_integer;
use super::*;
use crate::condition::context::Context;
use crate::condition::eval::eval;
use crate::condition::glob::Glob;
use crate::condition::ir::{Atom, Condition, Number, Text, TextTest};
use crate::condition::lower::{LowerError, Spelling, lower};
use crate::condition::ranges::Ranges;
use crate::filter::Model;
use crate::format::Field;
use crate::format::{EventFormat, parse_field};
use crate::record::Decoder;
use crate::tables::features as known_features;

const SIGNS: [Sign; 2] = [Sign::Unsigned, Sign::Signed];
const TYPES: [IntegerType; 8] = {
    const fn of(bytes: u32, signed: bool) -> IntegerType {
        IntegerType { bytes, signed }
    }
    [
        of(1, false),
        of(2, false),
        of(4, false),
        of(8, false),
        of(1, true),
        of(2, true),
        of(4, true),
        of(8, true),
    ]
};

/// Returns every construct, as the table lists them.
fn all() -> Vec<Construct> {
    use CompareOp::*;
    use Construct::*;
    let mut all = vec![Const, Not, And, Or, OddName, Hidden];
    for lies in [Lies::Aligned, Lies::Unaligned, Lies::Header] {
        all.extend(TYPES.map(|of| Integer { bytes: of.bytes, signed: of.signed, lies }));
    }
    all.push(Integer { bytes: 4, signed: true, lies: Lies::CommonPid });
    let arguments = TYPES.iter().filter(|of| of.bytes >= 2 && (of.bytes < 8 || of.signed));
    all.extend(arguments.map(|of| Argument { bytes: of.bytes, signed: of.signed }));
    all.extend([NotInteger, Cpu, Pid, Tgid]);
    all.extend([Eq, Ne, Lt, Le, Gt, Ge].map(CompareConstant));
    all.extend([ConstantOutside, TestBits, BitsOutside, TestCpuBits]);
    all.push(Solved);
    all.extend([false, true].map(|across| CompareNumbers { across }));
    all.extend([SetOfField, SetOfNumber, EmptySet]);
    {
        use NumberOp::*;
        for op in [Add, Sub, Mul, And, Or, Xor] {
            all.extend(SIGNS.map(|sign| Arithmetic { op, sign, total: true }));
        }
        for op in [Div, Rem, Shl, Shr] {
            for total in [true, false] {
                all.extend(SIGNS.map(|sign| Arithmetic { op, sign, total }));
            }
        }
    }
    all.extend(TYPES.map(|to| Cast { to }));
    let holders = [Holder::Fixed, Holder::Tail, Holder::Dynamic, Holder::Kernel, Holder::User, Holder::Comm];
    all.extend(holders.map(TextEquality));
    all.extend(holders.map(Pattern));
    all.extend([Bounded, InvertedClass, LooseInvertedClass, NotText]);
    {
        use super::LiteralClass::*;
        all.extend([Plain, Nul, BothQuotes, TooLong, NoRoom].map(Literal));
    }
    for relative in [false, true] {
        all.extend([MaskTest::Any, MaskTest::Equal, MaskTest::Differ].map(|test| Mask { test, relative }));
    }
    all.extend([NotMask, UserTextOfNumber, Function, NarrowAddress, OddFunction, NotAddress]);
    all
}

/// Returns the table in Markdown: constructs with the same row share a line, texts are notes below.
fn rendered() -> String {
    let mut notes: Vec<&str> = Vec::new();
    let mut note = |text: &'static str| {
        let at = notes.iter().position(|known| *known == text);
        at.unwrap_or_else(|| {
            notes.push(text);
            notes.len() - 1
        }) + 1
    };
    let mut cell = |way| match way {
        Way::Directly => "yes".to_owned(),
        Way::Rewritten(how) => format!("rewritten ({})", note(how)),
        Way::Either { feature, form } => format!("rewritten by `{feature}` ({})", note(form)),
        Way::Needs { feature, form } => format!("with `{feature}` ({})", note(form)),
        Way::Without { feature, why } => format!("without `{feature}` ({})", note(why)),
        Way::Refused(why) => format!("**no** ({})", note(why)),
        Way::Lacks(context) => format!("**no**, it lacks ({})", note(context)),
    };
    let mut lines: Vec<(Vec<String>, String)> = Vec::new();
    for construct in all() {
        let cells: Vec<String> = Engine::ALL.iter().map(|engine| cell(way(&construct, *engine))).collect();
        match lines.iter_mut().find(|(known, _)| *known == cells) {
            Some((_, names)) => write!(names, ", {construct}").unwrap(),
            None => lines.push((cells, construct.to_string())),
        }
    }
    let heads: Vec<String> = Engine::ALL.iter().map(Engine::to_string).collect();
    let mut text = format!("| construct | {} |\n|---|---|---|---|---|---|\n", heads.join(" | "));
    for (cells, names) in lines {
        // A bar would end the cell, even in code.
        let names = names.replace('|', "\\|");
        writeln!(text, "| {names} | {} |", cells.join(" | ")).unwrap();
    }
    text.push('\n');
    for (number, note) in (1..).zip(notes) {
        writeln!(text, "{number}. {note}").unwrap();
    }
    text
}

#[test]
fn rendered_table_matches_the_data() {
    expect_file!["table.md"].assert_eq(&rendered());
}

#[test]
fn features_are_those_of_the_table_of_features() {
    let mut needed = 0;
    for construct in all() {
        for engine in Engine::ALL {
            if let Some(feature) = way(&construct, engine).feature() {
                assert!(known_features::find(feature).is_some(), "{feature}");
                assert!(Model::LEAST.has(feature).is_some(), "{feature}");
                assert_eq!(engine, Engine::KernelFilter, "{construct}");
                needed += 1;
            }
        }
    }
    assert!(needed > 3, "{needed}");
}

/// A context that has only the CPU, and remembers which values it was asked for.
#[derive(Default)]
struct Asked(RefCell<BTreeSet<&'static str>>);

impl Asked {
    fn note<T>(&self, what: &'static str) -> Option<T> {
        self.0.borrow_mut().insert(what);
        None
    }
}

impl Context for Asked {
    fn cpu(&self) -> Option<u32> {
        Some(3)
    }

    fn tgid(&self) -> Option<i32> {
        self.note("the process id of the task that ran")
    }

    fn comm(&self) -> Option<&[u8]> {
        self.note("the name of the task that ran")
    }

    fn kernel_text(&self, _: u64) -> Option<&[u8]> {
        self.note("the kernel's memory behind a pointer")
    }

    fn user_text(&self, _: u64) -> Option<&[u8]> {
        self.note("the task's memory behind a pointer")
    }

    fn function(&self, _: &str) -> Option<Range<u64>> {
        self.note("where the kernel's functions lie")
    }
}

fn field(type_text: &str, name: &str, offset: u32, size: u32, signed: bool) -> Field {
    let signed = u8::from(signed);
    parse_field(&format!("\tfield:{type_text} {name};\toffset:{offset};\tsize:{size};\tsigned:{signed};"), 1)
        .unwrap()
}

fn fields() -> Vec<Field> {
    let mut fields = vec![
        field("u8", "byte", 8, 1, false),
        field("short", "half", 10, 2, true),
        field("u32", "word", 13, 4, false),
        field("s64", "deep", 16, 8, true),
        field("int", "common_pid", 4, 4, true),
        field("unsigned char", "common_flags", 2, 1, false),
        field("int", "dfd", 24, 8, false),
        field("unsigned int", "fd", 24, 8, false),
        field("umode_t", "mode", 24, 8, false),
        field("long", "wide", 24, 8, false),
        field("char[8]", "fixed", 32, 8, false),
        field("__data_loc char[]", "name", 40, 4, false),
        field("const char *", "text_at", 48, 8, false),
        field("__data_loc cpumask_t", "cpus", 56, 4, false),
        field("__rel_loc cpumask_t", "near", 60, 4, false),
        field("struct pair", "odd", 64, 16, false),
        field("char[]", "tail", 96, 0, false),
        field("unsigned char", "common_preempt_lazy_count", 8, 1, false),
        field("pid_t", "pid", 84, 4, true),
        field("int", "spaced", 80, 4, true),
    ];
    fields.last_mut().unwrap().name = "a b".into();
    fields
}

fn any_field() -> impl Strategy<Value = Field> {
    prop::sample::select(fields())
}

fn any_constant() -> impl Strategy<Value = i128> {
    prop_oneof![
        4 => 0..70i128,
        1 => -2..0i128,
        1 => Just(255),
        1 => Just(256),
        1 => Just(1 << 31),
        1 => Just(u64::MAX.into()),
        1 => Just(i64::MIN.into()),
    ]
}

fn any_context() -> impl Strategy<Value = Number> {
    prop::sample::select(vec![Number::Cpu, Number::Cpu, Number::Pid, Number::Tgid])
}

/// Returns spellings of events; most hide no name.
fn any_spelling() -> impl Strategy<Value = Spelling> {
    let hidden = Spelling { cpu: None, comm: None, pid: None };
    prop::sample::select(vec![Spelling::USUAL, Spelling::USUAL, Spelling::USUAL, hidden])
}

fn any_number() -> impl Strategy<Value = Number> {
    use NumberOp::*;
    let op = || prop::sample::select(vec![Add, Sub, Mul, Div, Rem, Shl, Shr, And, Or, Xor]);
    let leaf = prop_oneof![
        12 => any_field().prop_map(Number::Field),
        3 => any_context(),
        3 => any_constant().prop_map(Number::Const),
    ];
    let bits_of = prop_oneof![9 => any_field().prop_map(Number::Field), 1 => any_context()];
    let masked = (bits_of, any_constant(), any::<bool>()).prop_map(|(of, mask, turned)| {
        let mask = Number::Const(mask);
        if turned { Number::binary(And, mask, of) } else { Number::binary(And, of, mask) }
    });
    let leaf = prop_oneof![3 => leaf, 2 => masked];
    leaf.prop_recursive(2, 6, 2, move |inner| {
        prop_oneof![
            (prop::sample::select(&TYPES), inner.clone())
                .prop_map(|(to, of)| Number::Cast { to, of: Box::new(of) }),
            (op(), inner.clone(), inner).prop_map(|(op, left, right)| Number::binary(op, left, right)),
        ]
    })
}

fn any_text() -> impl Strategy<Value = String> {
    prop_oneof![
        6 => "[a-z1!'\" ]{0,9}",
        1 => Just("x".repeat(255)),
        1 => Just("x".repeat(256)),
        1 => Just("a\0b".to_owned()),
    ]
}

fn any_atom() -> impl Strategy<Value = Atom> {
    use CompareOp::*;
    let op = prop::sample::select(vec![Eq, Ne, Lt, Le, Gt, Ge]);
    let plain = prop_oneof![4 => any_field().prop_map(Number::Field), 1 => any_context(), 5 => any_number()];
    let right = prop_oneof![4 => any_constant().prop_map(Number::Const), 1 => any_number()];
    let ranges = prop::collection::vec((any_constant(), 0..3i128), 0..3)
        .prop_map(|runs| Ranges::new(runs.into_iter().map(|(first, more)| (first, first + more))));
    let text = prop_oneof![
        4 => any_field().prop_map(Text::Field),
        1 => any_field().prop_map(Text::User),
        2 => Just(Text::Comm),
    ];
    let pattern = "x{0,3}([a-zé1!?*'\"\\]-]|\\[!?[a-z!'\"]\\]){0,6}"
        .prop_filter_map("not a pattern", |pattern| Some(TextTest::Glob(Glob::parse(&pattern).ok()?)));
    let long =
        (250..256usize, prop::sample::select(vec!["", "'", "?", "[!a]", "\""])).prop_map(|(length, rest)| {
            TextTest::Glob(Glob::parse(&format!("{}{rest}*", "x".repeat(length))).expect("a pattern"))
        });
    let pattern = prop_oneof![9 => pattern, 1 => long];
    let test = prop_oneof![any_text().prop_map(TextTest::Eq), any_text().prop_map(TextTest::Ne), pattern];
    prop_oneof![
        4 => (plain.clone(), op, right).prop_map(|(left, op, right)| Atom::Compare { left, op, right }),
        2 => (plain, ranges).prop_map(|(of, ranges)| Atom::In { of, ranges }),
        4 => (text, test).prop_map(|(of, test)| Atom::Text { of, test }),
        1 => (any_field(), -1..2i128).prop_map(|(of, first)| {
            Atom::Mask { of, test: MaskTest::Any, cpus: Ranges::new([(first, 1)]) }
        }),
        1 => (any_field(), prop::sample::select(vec!["vfs_read", "vfs read"]))
            .prop_map(|(of, name)| Atom::Function { of, name: name.to_owned() }),
    ]
}

fn any_model() -> impl Strategy<Value = Model> {
    any::<[bool; 5]>().prop_map(|[user_text, functions, cpu_lists, bounded_text, class_takes_nul]| Model {
        user_text,
        functions,
        cpu_lists,
        bounded_text,
        class_takes_nul,
        ..Model::LINUX_6_18
    })
}

fn has(model: &Model) -> impl Fn(&str) -> bool {
    |feature| model.has(feature).unwrap()
}

/// Lowering does what the kernel's column says. Only lowering decides whether a number is solved and how a text is
/// spelled, and the table takes it from there: this test cannot see a needless refusal of these.
#[test]
fn lowering_refuses_what_the_table_refuses() {
    let (mut said, mut refused) = (BTreeMap::new(), BTreeMap::new());
    let config = ProptestConfig { failure_persistence: None, ..ProptestConfig::default() };
    // As many cases as show each cell, or as are asked for.
    let cases = config.cases.max(60_000);
    let mut runner = proptest::test_runner::TestRunner::new(config);
    for _ in 0..cases {
        let atom = any_atom().new_tree(&mut runner).unwrap().current();
        let model = any_model().new_tree(&mut runner).unwrap().current();
        let spelling = any_spelling().new_tree(&mut runner).unwrap().current();
        let condition = Condition::Not(Box::new(Condition::Atom(atom)));
        let found = constructs(&condition, &spelling);
        let decisive = obstacles(&found, Engine::KernelFilter, has(&model)).next();
        let lowered = lower(&condition, &spelling, &model);
        assert_eq!(lowered.is_err(), decisive.is_some(), "{condition}\n{found:?}\n{model:?}\n{lowered:?}");
        for construct in &found {
            assert!(all().contains(construct), "{construct:?} is not in the table");
            if lowered.is_ok() {
                *said.entry(construct.to_string()).or_insert(0) += 1;
            }
        }
        if let Some(decisive) = decisive {
            *refused.entry(decisive.construct.to_string()).or_insert(0) += 1;
        }
    }
    // Each cell has been seen: a construct that can be refused decided at least once, one that can be expressed was
    // expressed at least once.
    let missing: Vec<String> = all()
        .into_iter()
        .filter(|construct| !matches!(construct, Construct::Const | Construct::And | Construct::Or))
        .filter(|construct| !unseen(construct))
        .filter(|construct| {
            let hindered = |has: bool| way(construct, Engine::KernelFilter).hindrance(|_| has).is_some();
            let known = |map: &BTreeMap<String, i32>| map.contains_key(&construct.to_string());
            let (always, never) = (hindered(true) && hindered(false), !hindered(true) && !hindered(false));
            !always && !known(&said) || !never && !known(&refused)
        })
        .map(|construct| construct.to_string())
        .collect();
    assert_eq!(missing, [""; 0], "these were never decisive");
}

/// Returns whether a construct does not decide any condition here: widths that no field has, and parts of an atom that
/// is refused already.
fn unseen(construct: &Construct) -> bool {
    match construct {
        Construct::Integer { bytes, signed, lies } => !fields()
            .iter()
            .map(of_integer)
            .any(|known| known == Construct::Integer { bytes: *bytes, signed: *signed, lies: *lies }),
        // The arguments of system calls never have this type.
        Construct::Argument { bytes: 2, signed: true } => true,
        Construct::Arithmetic { .. } | Construct::Cast { .. } => true,
        Construct::Mask { test, .. } => *test != MaskTest::Any,
        _ => false,
    }
}

#[test]
fn a_part_is_found_at_any_depth() {
    let rest = Number::binary(NumberOp::Rem, Number::Cpu, Number::Const(8));
    let condition = Condition::And(vec![
        Condition::Or(vec![Condition::Const(true), Condition::compare(rest, CompareOp::Lt, 3)]),
        Condition::Not(Box::new(Condition::compare(Number::Cpu, CompareOp::Eq, 1))),
    ]);
    let found: Vec<String> =
        constructs(&condition, &Spelling::USUAL).iter().map(Construct::to_string).collect();
    assert_eq!(
        found,
        [
            "`&&`",
            "`||`",
            "`true`, `false`",
            "the CPU",
            "unsigned `%` by a constant",
            "any numbers compared",
            "`!`",
            "the CPU",
            "field `==` constant",
        ]
    );
    assert!(matches!(
        lower(&condition, &Spelling::USUAL, &Model::LINUX_6_18),
        Err(LowerError::Computes { .. })
    ));
}

proptest! {
    /// Where the features that the table names are the same, other features do not change the text.
    #[test]
    fn only_features_of_the_table_change_the_text(atom in any_atom(), one in any_model(), other in any_model()) {
        let condition = Condition::Atom(atom);
        let asked = features(&constructs(&condition, &Spelling::USUAL), Engine::KernelFilter);
        let mixed = Model::careful(|feature| {
            let model = if asked.contains(&feature) { &one } else { &other };
            model.has(feature).unwrap().into()
        });
        let written = |model| lower(&condition, &Spelling::USUAL, model);
        prop_assert_eq!(written(&one), written(&mixed), "{:?}", asked);
    }

    /// The evaluator asks its context only for values that a recording lacks, and for the CPU, which it has. A number
    /// without a value for another reason is not computed to its end.
    #[test]
    fn recordings_lack_the_context(atom in any_atom(), bytes in prop::collection::vec(any::<u8>(), 96)) {
        let condition = Condition::Atom(atom);
        let format = "name: e\nID: 1\nformat:\n\
            \tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n\
            \tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\nprint fmt: \"\"\n";
        let decoder = Decoder::new(vec![EventFormat::parse("s", format).unwrap()]);
        let record = [&1u16.to_ne_bytes()[..], &bytes].concat();
        let asked = Asked::default();
        eval(&condition, &decoder.record(&record).unwrap(), &asked);
        let asked = asked.0.into_inner();
        let parts = constructs(&condition, &Spelling::USUAL);
        // A test with an empty set need not read its operand. About one atom in 16 is one: rejected, they would exceed
        // what proptest allows in a long run.
        if parts.contains(&Construct::EmptySet) {
            return Ok(());
        }
        let whole = match &condition {
            Condition::Atom(atom @ (Atom::Compare { .. } | Atom::In { .. })) => atom.is_total(),
            _ => true,
        };
        for engine in [Engine::Host, Engine::C, Engine::Rust] {
            // A function in C or Rust takes what is known of the task as arguments.
            let of_task = ["the process id of the task that ran", "the name of the task that ran"];
            let is_argument = |context: &&str| engine != Engine::Host && of_task.contains(context);
            let asked: BTreeSet<&str> = asked.iter().copied().filter(|context| !is_argument(context)).collect();
            let lacking = |obstacle: Obstacle| match obstacle.hindrance {
                Hindrance::NoContext(context) => context,
                other => panic!("{other:?}"),
            };
            let lacking: BTreeSet<&str> = obstacles(&parts, engine, |_| true).map(lacking).collect();
            prop_assert!(asked.is_subset(&lacking), "{:?}, {:?}", &asked, &lacking);
            prop_assert!(!whole || asked == lacking, "{:?}, {:?}", &asked, &lacking);
        }
    }

    /// The first bytes of a text, up to [`TextTest::reach`], decide a test.
    #[test]
    fn bytes_beyond_reach_do_not_change_a_text_test(
        pattern in "[ab?]{0,4}\\*?", text in "[ab]{0,6}", which in 0..3
    ) {
        let test = match which {
            0 => TextTest::Eq(pattern.replace(['?', '*'], "a")),
            1 => TextTest::Ne(pattern.replace(['?', '*'], "a")),
            _ => TextTest::Glob(Glob::parse(&pattern).unwrap()),
        };
        let holds = |text: &[u8]| match &test {
            TextTest::Eq(other) => text == other.as_bytes(),
            TextTest::Ne(other) => text != other.as_bytes(),
            TextTest::Glob(pattern) => pattern.matches(text),
        };
        if let Some(reach) = test.reach() {
            prop_assert_eq!(holds(&text.as_bytes()[..text.len().min(reach)]), holds(text.as_bytes()));
        }
    }
}
