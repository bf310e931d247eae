//! Kinds of questions about a record, each of which has to occur with both answers.

use std::collections::BTreeSet;
use std::fmt::Display;

use tracec_kernel::condition::glob::{Glob, GlobToken};
use tracec_kernel::condition::ir::*;
use tracec_kernel::condition::lower::LowerError;
use tracec_kernel::filter::Model;

use crate::event::{self, Event, HIDING, PLAIN};
use crate::generate::conditions::OPS;

/// The subject of a question, and the question.
pub(crate) type Cell = (String, String);

/// Returns the cell of a condition of one atom, and whether it is negated.
pub(crate) fn of(condition: &Condition, event: &Event) -> Option<(Cell, bool)> {
    match condition {
        Condition::Atom(atom) => Some((atom_cell(atom, event)?, false)),
        Condition::Not(inner) => of(inner, event).map(|(cell, negated)| (cell, !negated)),
        _ => None,
    }
}

fn atom_cell(atom: &Atom, event: &Event) -> Option<Cell> {
    let (subject, question) = match atom {
        Atom::Compare { left: Number::Binary { op: NumberOp::And, left, .. }, op, .. } => {
            (subject(left, event)?, format!("& {op}"))
        }
        Atom::Compare { left, op, .. } => match operation(left) {
            Some(operation) => ("computed".to_owned(), format!("{operation} {op}")),
            None => (subject(left, event)?, op.to_string()),
        },
        Atom::In { of, .. } => match operation(of) {
            Some(operation) => ("computed".to_owned(), format!("{operation} in")),
            None => (subject(of, event)?, "in".to_owned()),
        },
        Atom::Text { of, test } => (text_name(of, event), test_kind(test).to_owned()),
        Atom::Mask { test, .. } => ("cpus".to_owned(), mask_op(*test).to_owned()),
        Atom::Function { of, .. } => (of.name.to_string(), ".function".to_owned()),
    };
    Some((subject, question))
}

/// Returns the outermost operation; `None` for a number that is not computed.
fn operation(number: &Number) -> Option<String> {
    match number {
        Number::Cast { .. } => Some("as".to_owned()),
        Number::Binary { op, .. } => Some(op.to_string()),
        _ => None,
    }
}

fn subject(number: &Number, event: &Event) -> Option<String> {
    match number {
        Number::Field(field) => Some(field.name.to_string()),
        Number::Cpu => Some(named(number, event.spelling.cpu)),
        Number::Pid => Some(named(number, event.spelling.pid)),
        _ => None,
    }
}

fn text_name(text: &Text, event: &Event) -> String {
    match text {
        Text::Field(field) => field.name.to_string(),
        Text::User(field) => format!("{}.ustring", field.name),
        Text::Comm => named(text, event.spelling.comm),
    }
}

/// Returns the cell's name for a number that is not a field of the event, with the name that the event's filter has for
/// it.
fn named(what: impl Display, name: Option<&str>) -> String {
    format!("{what} as {}", name.unwrap_or("nothing"))
}

fn test_kind(test: &TextTest) -> &'static str {
    match test {
        TextTest::Eq(_) => "==",
        TextTest::Ne(_) => "!=",
        TextTest::Glob(pattern) => shape(pattern),
    }
}

fn shape(pattern: &Glob) -> &'static str {
    let text = |tokens: &[GlobToken]| tokens.iter().all(|token| matches!(token, GlobToken::Byte(_)));
    match pattern.tokens() {
        tokens if tokens.iter().any(|token| matches!(token, GlobToken::Class(class) if class.negated)) => {
            "~ [!x]"
        }
        [GlobToken::Star] => "~ *",
        [GlobToken::Star, part @ .., GlobToken::Star] if text(part) => "~ *x*",
        [GlobToken::Star, suffix @ ..] if text(suffix) => "~ *x",
        [prefix @ .., GlobToken::Star] if text(prefix) => "~ x*",
        tokens if text(tokens) => "~ x",
        _ => "~ glob",
    }
}

fn mask_op(test: MaskTest) -> &'static str {
    match test {
        MaskTest::Any => "&",
        MaskTest::Equal => "==",
        MaskTest::Differ => "!=",
    }
}

/// Returns all questions that a kernel of this model can be asked.
pub(crate) fn expected(model: &Model) -> BTreeSet<Cell> {
    let mut all = BTreeSet::new();
    let mut add = |subject: &str, question: &str| {
        all.insert((subject.to_owned(), question.to_owned()));
    };
    let integers = |event: &'static Event| {
        let fields = event.vocabulary.integers.iter().cloned().map(Number::Field);
        let task = event.spelling.pid.map(|_| Number::Pid);
        fields.chain([Number::Cpu]).chain(task).map(move |number| (number, event))
    };
    for (number, event) in integers(&PLAIN).chain(integers(&HIDING)) {
        let name = subject(&number, event).expect("it has a name");
        for op in OPS {
            add(&name, &op.to_string());
        }
        add(&name, "in");
        if !matches!(number, Number::Cpu) {
            add(&name, "& ==");
            add(&name, "& !=");
        }
    }
    for operation in ["+", "-", "*", "/", "<<", ">>", "as"] {
        for op in OPS {
            add("computed", &format!("{operation} {op}"));
        }
        add("computed", &format!("{operation} in"));
    }
    let texts = [&PLAIN, &HIDING]
        .into_iter()
        .flat_map(|event| event.vocabulary.texts.iter().map(|text| text_name(text, event)));
    for name in texts.filter(|name| name != "rest" && (model.user_text || !name.ends_with(".ustring"))) {
        for question in ["==", "!=", "~ x", "~ x*"] {
            add(&name, question);
        }
        let has_nul = name.starts_with("text_at") || name.starts_with(event::COMM);
        if model.bounded_text || has_nul {
            for question in ["~ *x", "~ *x*", "~ glob", "~ [!x]"] {
                add(&name, question);
            }
        }
    }
    add("rest", "==");
    add("rest", "!=");
    if model.cpu_lists {
        add("cpus", "&");
    }
    if model.functions {
        for name in ["address", "u64", "text_at"] {
            add(name, ".function");
        }
    }
    all
}

/// Returns the kind of an error.
pub(crate) fn reason(error: &LowerError) -> String {
    let all = format!("{error:?}");
    let kind = all.split([' ', '{']).next().unwrap_or_default();
    match error {
        LowerError::Feature { feature, .. } => format!("{kind} {feature}"),
        _ => kind.to_owned(),
    }
}
