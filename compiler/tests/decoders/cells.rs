//! The constructs of conditions, each of which has to be seen true and false.

use std::collections::BTreeMap;

use tracec_kernel::condition::eval::eval;
use tracec_kernel::condition::ir::*;
use tracec_kernel::condition::realisation::{Construct, Engine, Hindrance, constructs, way};
use tracec_kernel::record::Record;

use crate::cases::{Asked, Case};

/// How often each construct was false, and how often it was true.
#[derive(Debug, Default)]
pub(crate) struct Cells(pub(crate) BTreeMap<String, [u64; 2]>);

impl Cells {
    /// Counts the constructs of a condition by the truth of the part that has them.
    pub(crate) fn count(&mut self, case: &Case, record: &Record<'_>, asked: &Asked) {
        self.node(&case.condition, case, record, asked);
    }

    fn node(&mut self, condition: &Condition, case: &Case, record: &Record<'_>, asked: &Asked) {
        let holds = eval(condition, record, asked);
        match condition {
            Condition::Const(value) => self.add(format!("{value}"), holds),
            Condition::Atom(atom) => {
                for construct in constructs(condition, &case.event.spelling) {
                    self.add(construct.to_string(), holds);
                }
                self.add(detail(atom), holds);
            }
            Condition::Not(inner) => {
                self.add("!".to_owned(), holds);
                self.node(inner, case, record, asked);
            }
            Condition::And(parts) => {
                self.add("&&".to_owned(), holds);
                parts.iter().for_each(|part| self.node(part, case, record, asked));
            }
            Condition::Or(parts) => {
                self.add("||".to_owned(), holds);
                parts.iter().for_each(|part| self.node(part, case, record, asked));
            }
        }
    }

    fn add(&mut self, cell: String, holds: bool) {
        self.0.entry(cell).or_default()[usize::from(holds)] += 1;
    }

    /// Returns the cells that were not seen both true and false, and that an engine can be asked.
    pub(crate) fn missing(&self, engine: Engine) -> Vec<String> {
        let is_seen = |cell: &String| self.0.get(cell).is_some_and(|seen| !seen.contains(&0));
        expected(engine).into_iter().filter(|cell| !is_seen(cell)).collect()
    }
}

/// Returns how an atom differs from others with the same constructs.
fn detail(atom: &Atom) -> String {
    match atom {
        Atom::Compare { left, op, right } => {
            let sides = match right {
                Number::Const(_) => "constant".to_owned(),
                _ => format!("{:?}", right.sign()),
            };
            format!("{:?} {op} {sides}", left.sign())
        }
        Atom::In { of, .. } => format!("{:?} in", of.sign()),
        Atom::Text { of, test } => {
            let place = match of {
                Text::Comm => "comm".to_owned(),
                Text::Field(field) | Text::User(field) => format!("{:?}", field.kind),
            };
            match test {
                TextTest::Eq(_) => format!("{place} =="),
                TextTest::Ne(_) => format!("{place} !="),
                TextTest::Glob(_) => format!("{place} ~"),
            }
        }
        Atom::Mask { of, test, .. } => format!("{:?} {test:?}", of.kind),
        Atom::Function { .. } => "function".to_owned(),
    }
}

/// Returns every cell that an engine can be asked.
fn expected(engine: Engine) -> Vec<String> {
    use tracec_kernel::condition::realisation::{Holder, Lies};
    use tracec_kernel::format::{FieldKind, IntegerType};
    let mut all: Vec<Construct> = vec![Construct::Cpu, Construct::Pid, Construct::Tgid];
    let types =
        [1, 2, 4, 8].into_iter().flat_map(|bytes| [false, true].map(|signed| IntegerType { bytes, signed }));
    for IntegerType { bytes, signed } in types.clone() {
        all.push(Construct::Integer { bytes, signed, lies: Lies::Aligned });
    }
    all.push(Construct::Integer { bytes: 4, signed: false, lies: Lies::Unaligned });
    all.push(Construct::Integer { bytes: 1, signed: false, lies: Lies::Header });
    all.push(Construct::Integer { bytes: 4, signed: true, lies: Lies::CommonPid });
    for (bytes, signed) in [(2, false), (4, true), (4, false), (8, true)] {
        all.push(Construct::Argument { bytes, signed });
    }
    let ops = [CompareOp::Eq, CompareOp::Ne, CompareOp::Lt, CompareOp::Le, CompareOp::Gt, CompareOp::Ge];
    all.extend(ops.map(Construct::CompareConstant));
    all.extend([Construct::TestBits, Construct::BitsOutside, Construct::TestCpuBits, Construct::Solved]);
    all.push(Construct::ConstantOutside);
    all.extend([false, true].map(|across| Construct::CompareNumbers { across }));
    all.extend([Construct::SetOfField, Construct::SetOfNumber]);
    for sign in [Sign::Unsigned, Sign::Signed] {
        use NumberOp::*;
        all.extend([Add, Sub, Mul, And, Or, Xor].map(|op| Construct::Arithmetic { op, sign, total: true }));
        for op in [Div, Rem, Shl, Shr] {
            all.extend([false, true].map(|total| Construct::Arithmetic { op, sign, total }));
        }
    }
    all.extend(types.map(|to| Construct::Cast { to }));
    for holder in [Holder::Fixed, Holder::Tail, Holder::Dynamic, Holder::Comm] {
        all.extend([Construct::TextEquality(holder), Construct::Pattern(holder)]);
    }
    all.extend([Construct::Bounded, Construct::InvertedClass, Construct::LooseInvertedClass]);
    for relative in [false, true] {
        let tests = [MaskTest::Any, MaskTest::Equal, MaskTest::Differ];
        all.extend(tests.map(|test| Construct::Mask { test, relative }));
    }
    let is_taken = |construct: &Construct| {
        let hindrance = way(construct, engine).hindrance(|_| true);
        !matches!(hindrance, Some(Hindrance::Refused(_) | Hindrance::NoContext(_)))
    };
    let has_name = is_taken(&Construct::TextEquality(Holder::Comm));
    all.retain(is_taken);
    let mut cells: Vec<String> = all.iter().map(Construct::to_string).collect();
    cells.extend(["!", "&&", "||"].map(str::to_owned));
    for (left, right) in [
        ("Signed", "constant"),
        ("Unsigned", "constant"),
        ("Signed", "Signed"),
        ("Unsigned", "Unsigned"),
        ("Signed", "Unsigned"),
        ("Unsigned", "Signed"),
    ] {
        cells.extend(ops.map(|op| format!("{left} {op} {right}")));
    }
    cells.extend(["Signed in", "Unsigned in"].map(str::to_owned));
    let kinds =
        [FieldKind::CharArray, FieldKind::DynString, FieldKind::RelString].map(|kind| format!("{kind:?}"));
    for place in kinds.into_iter().chain(has_name.then(|| "comm".to_owned())) {
        cells.extend(["==", "!=", "~"].map(|test| format!("{place} {test}")));
    }
    cells
}
