//! Conditions and numbers as they are serialized: a list of nodes, operands before what they are operands of.
//!
//! The language lets expressions nest deeper than readers of JSON follow, which stop at 128 levels; a list has none.

use serde::{Deserialize, Serialize};

use crate::condition::ir::{Atom, Condition, Number, NumberOp, Sign};
use crate::condition::spelling::Spelling;
use crate::format::{Field, IntegerType};

/// A node of a [`Condition`].
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum ConditionNode {
    Const(bool),
    Atom(Atom),
    /// Of the condition before it.
    Not,
    /// Of as many conditions before it.
    And(usize),
    /// Of as many conditions before it.
    Or(usize),
}

/// A node of a [`Number`].
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum NumberNode {
    Const(i128),
    Field(Field),
    Cpu(Spelling),
    /// Of the number before it.
    Cast(IntegerType),
    /// Of the two numbers before it.
    Binary(NumberOp, Sign),
}

/// A list of nodes that is no tree.
#[derive(Debug, thiserror::Error)]
#[error("the nodes do not make one {0}")]
pub(super) struct NotOne(&'static str);

impl From<Condition> for Vec<ConditionNode> {
    fn from(condition: Condition) -> Self {
        let mut nodes = Vec::new();
        list_condition(condition, &mut nodes);
        nodes
    }
}

fn list_condition(condition: Condition, nodes: &mut Vec<ConditionNode>) {
    let parts = |parts: Vec<Condition>, nodes: &mut Vec<ConditionNode>| {
        let count = parts.len();
        parts.into_iter().for_each(|part| list_condition(part, nodes));
        count
    };
    let node = match condition {
        Condition::Const(value) => ConditionNode::Const(value),
        Condition::Atom(atom) => ConditionNode::Atom(atom),
        Condition::Not(inner) => {
            list_condition(*inner, nodes);
            ConditionNode::Not
        }
        Condition::And(all) => ConditionNode::And(parts(all, nodes)),
        Condition::Or(any) => ConditionNode::Or(parts(any, nodes)),
    };
    nodes.push(node);
}

impl TryFrom<Vec<ConditionNode>> for Condition {
    type Error = NotOne;

    fn try_from(nodes: Vec<ConditionNode>) -> Result<Self, NotOne> {
        let mut made: Vec<Condition> = Vec::new();
        for node in nodes {
            let condition = match node {
                ConditionNode::Const(value) => Some(Condition::Const(value)),
                ConditionNode::Atom(atom) => Some(Condition::Atom(atom)),
                ConditionNode::Not => made.pop().map(|inner| Condition::Not(Box::new(inner))),
                ConditionNode::And(count) => take(&mut made, count).map(Condition::And),
                ConditionNode::Or(count) => take(&mut made, count).map(Condition::Or),
            };
            made.push(condition.ok_or(NotOne("condition"))?);
        }
        only(made).ok_or(NotOne("condition"))
    }
}

/// The last ones.
fn take<T>(made: &mut Vec<T>, count: usize) -> Option<Vec<T>> {
    Some(made.split_off(made.len().checked_sub(count)?))
}

fn only<T>(mut made: Vec<T>) -> Option<T> {
    let last = made.pop()?;
    made.is_empty().then_some(last)
}

impl From<Number> for Vec<NumberNode> {
    fn from(number: Number) -> Self {
        let mut nodes = Vec::new();
        list_number(number, &mut nodes);
        nodes
    }
}

fn list_number(number: Number, nodes: &mut Vec<NumberNode>) {
    let node = match number {
        Number::Const(value) => NumberNode::Const(value),
        Number::Field(field) => NumberNode::Field(field),
        Number::Cpu(spelling) => NumberNode::Cpu(spelling),
        Number::Cast { to, of } => {
            list_number(*of, nodes);
            NumberNode::Cast(to)
        }
        Number::Binary { op, sign, left, right } => {
            list_number(*left, nodes);
            list_number(*right, nodes);
            NumberNode::Binary(op, sign)
        }
    };
    nodes.push(node);
}

impl TryFrom<Vec<NumberNode>> for Number {
    type Error = NotOne;

    fn try_from(nodes: Vec<NumberNode>) -> Result<Self, NotOne> {
        let mut made: Vec<Number> = Vec::new();
        for node in nodes {
            let number = match node {
                NumberNode::Const(value) => Some(Number::Const(value)),
                NumberNode::Field(field) => Some(Number::Field(field)),
                NumberNode::Cpu(spelling) => Some(Number::Cpu(spelling)),
                NumberNode::Cast(to) => made.pop().map(|of| Number::Cast { to, of: Box::new(of) }),
                NumberNode::Binary(op, sign) => {
                    let right = made.pop().map(Box::new);
                    let left = made.pop().map(Box::new);
                    left.zip(right).map(|(left, right)| Number::Binary { op, sign, left, right })
                }
            };
            made.push(number.ok_or(NotOne("number"))?);
        }
        only(made).ok_or(NotOne("number"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::condition::glob::Glob;
    use crate::condition::ir::{CompareOp, MaskTest, Text, TextTest};
    use crate::condition::ranges::Ranges;
    use crate::format::parse_field;

    fn field(name: &str) -> Field {
        parse_field(&format!("\tfield:int {name};\toffset:8;\tsize:4;\tsigned:1;"), 1).unwrap()
    }

    #[track_caller]
    fn survives(condition: &Condition) {
        let text = serde_json::to_string(condition).unwrap();
        assert_eq!(&serde_json::from_str::<Condition>(&text).unwrap(), condition, "{text}");
        let value = serde_json::to_value(condition).unwrap();
        assert_eq!(&serde_json::from_value::<Condition>(value).unwrap(), condition, "{text}");
    }

    #[test]
    fn every_node_survives_json() {
        let of = Number::Field(field("a"));
        let (least, most) = (i128::from(i64::MIN), i128::from(u64::MAX));
        let compare = |op, left: &Number, value| Condition::compare(left.clone(), op, value);
        let sum = Number::binary(NumberOp::Shr, of.clone(), Number::CPU);
        let cast = Number::Cast { to: IntegerType { bytes: 2, signed: true }, of: Box::new(sum) };
        let ranges = Ranges::new([(least, least), (5, most)]);
        let mask = Atom::Mask { of: field("m"), test: MaskTest::Differ, cpus: Ranges::new([(0, 3)]) };
        let text = |of, test| Condition::Atom(Atom::Text { of, test });
        let glob = TextTest::Glob(Glob::parse(r"a\*[!b]?*").unwrap());
        survives(&Condition::Or(vec![
            Condition::And(vec![compare(CompareOp::Eq, &of, most), compare(CompareOp::Ge, &of, least)]),
            Condition::Not(Box::new(Condition::Const(true))),
            Condition::Atom(Atom::Compare { left: cast.clone(), op: CompareOp::Ne, right: of }),
            Condition::Atom(Atom::In { of: cast, ranges }),
            Condition::Atom(mask),
            Condition::Atom(Atom::Function { of: field("ip"), name: "vfs_read".to_owned() }),
            text(Text::COMM, TextTest::Eq("\"\\\n".to_owned())),
            text(Text::Comm(Spelling::HIDDEN), TextTest::Eq("a".to_owned())),
            text(Text::User(field("p")), TextTest::Ne(String::new())),
            text(Text::Field(field("t")), glob),
        ]));
    }

    #[test]
    fn what_nests_deeper_than_json_survives_it() {
        let mut number = Number::Field(field("a"));
        for _ in 0..300 {
            number = Number::binary(NumberOp::Add, number, Number::Const(1));
        }
        let mut condition = Condition::compare(number, CompareOp::Lt, 5);
        for level in 0..300 {
            let parts = vec![Condition::Const(true), condition];
            condition = if level % 2 == 0 { Condition::And(parts) } else { Condition::Or(parts) };
        }
        survives(&condition);
    }

    #[test]
    fn what_is_no_tree_is_refused() {
        for text in [
            "[]",
            r#"["not"]"#,
            r#"[{"const":true},{"and":2}]"#,
            r#"[{"const":true},{"const":true}]"#,
            r#"[{"atom":{"in":{"of":[{"cast":{"bytes":1,"signed":false}}],"ranges":[]}}}]"#,
            r#"[{"atom":{"text":{"of":{"comm":"COMM"},"test":{"glob":"[a"}}}}]"#,
            r#"[{"atom":{"text":{"of":{"comm":"pid"},"test":{"glob":"a"}}}}]"#,
            r#"[{"atom":{"text":{"of":{"comm":"common_comm"},"test":{"glob":"a"}}}}]"#,
        ] {
            let error = serde_json::from_str::<Condition>(text).unwrap_err().to_string();
            let reasons = [
                "do not make one",
                "not closed",
                "`pid` is no generic field of filters",
                "`common_comm` is no generic",
            ];
            assert!(reasons.iter().any(|reason| error.contains(reason)), "{text}: {error}");
        }
    }
}
