//! The serialized form of conditions and numbers: a list of nodes, in which operands precede their operators.
//!
//! The language lets expressions nest deeper than JSON parsers accept, which stop at 128 levels; a list does not nest.

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::condition::ir::{Atom, Condition, DEPTH, Number, NumberOp, Sign};
use crate::condition::ranges::Ranges;
use crate::format::{Field, IntegerType};

/// A node of a [`Condition`].
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum ConditionNode {
    Const(bool),
    Atom(Atom),
    /// The negation of the preceding condition.
    Not,
    /// The conjunction of so many preceding conditions.
    And(usize),
    /// The disjunction of so many preceding conditions.
    Or(usize),
}

/// A node of a [`Number`].
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum NumberNode {
    Const(i128),
    Field(Field),
    Cpu,
    Pid,
    Tgid,
    /// A cast of the preceding number.
    Cast(IntegerType),
    /// An operation on the two preceding numbers.
    Binary(NumberOp, Sign),
}

/// The ranges of a set.
#[derive(Deserialize)]
struct RangeNodes(Vec<(i128, i128)>);

/// An error in a list of nodes.
#[derive(Debug, thiserror::Error)]
enum Malformed {
    #[error("the nodes do not make one {0}")]
    NotOne(&'static str),
    #[error("it nests deeper than {DEPTH} levels")]
    Deep,
    #[error("the number {0} has more than 64 bits")]
    Number(i128),
    #[error("there is no integer of {0} bytes")]
    Bytes(u32),
}

impl Serialize for Condition {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Vec::<ConditionNode>::from(self.clone()).serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Condition {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Vec::<ConditionNode>::deserialize(deserializer)?.try_into().map_err(D::Error::custom)
    }
}

impl Serialize for Number {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Vec::<NumberNode>::from(self.clone()).serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Number {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Vec::<NumberNode>::deserialize(deserializer)?.try_into().map_err(D::Error::custom)
    }
}

impl<'de> Deserialize<'de> for Ranges {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        RangeNodes::deserialize(deserializer)?.try_into().map_err(D::Error::custom)
    }
}

/// The operands that are not yet part of an operator, and how deep each nests.
struct Made<T>(Vec<(T, usize)>);

impl<T> Made<T> {
    /// Takes the last operands, and returns them with the depth of an operator over them.
    fn take(&mut self, count: usize) -> Option<(Vec<T>, usize)> {
        let parts = self.0.split_off(self.0.len().checked_sub(count)?);
        let depth = parts.iter().map(|(_, depth)| depth + 1).max().unwrap_or(0);
        Some((parts.into_iter().map(|(part, _)| part).collect(), depth))
    }

    fn push(&mut self, part: T, depth: usize) -> Result<(), Malformed> {
        if depth > DEPTH {
            return Err(Malformed::Deep);
        }
        self.0.push((part, depth));
        Ok(())
    }

    /// Returns the only operand.
    fn only(mut self) -> Option<T> {
        let (last, _) = self.0.pop()?;
        self.0.is_empty().then_some(last)
    }
}

fn constant(value: i128) -> Result<(), Malformed> {
    let (least, most) = Number::CONSTANTS;
    if (least..=most).contains(&value) { Ok(()) } else { Err(Malformed::Number(value)) }
}

fn width(of: IntegerType) -> Result<(), Malformed> {
    if matches!(of.bytes, 1 | 2 | 4 | 8) { Ok(()) } else { Err(Malformed::Bytes(of.bytes)) }
}

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
    type Error = Malformed;

    fn try_from(nodes: Vec<ConditionNode>) -> Result<Self, Malformed> {
        const NOT_ONE: Malformed = Malformed::NotOne("condition");
        let mut made = Made(Vec::new());
        for node in nodes {
            let (condition, depth) = match node {
                ConditionNode::Const(value) => (Condition::Const(value), 0),
                ConditionNode::Atom(atom) => (Condition::Atom(atom), 0),
                ConditionNode::Not => {
                    let (mut inner, depth) = made.take(1).ok_or(NOT_ONE)?;
                    (Condition::Not(Box::new(inner.pop().ok_or(NOT_ONE)?)), depth)
                }
                ConditionNode::And(count) => {
                    let (parts, depth) = made.take(count).ok_or(NOT_ONE)?;
                    (Condition::And(parts), depth)
                }
                ConditionNode::Or(count) => {
                    let (parts, depth) = made.take(count).ok_or(NOT_ONE)?;
                    (Condition::Or(parts), depth)
                }
            };
            made.push(condition, depth)?;
        }
        made.only().ok_or(NOT_ONE)
    }
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
        Number::Cpu => NumberNode::Cpu,
        Number::Pid => NumberNode::Pid,
        Number::Tgid => NumberNode::Tgid,
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

/// The numbers of a set are in the range of constants.
impl TryFrom<RangeNodes> for Ranges {
    type Error = Malformed;

    fn try_from(RangeNodes(ranges): RangeNodes) -> Result<Self, Malformed> {
        ranges.iter().flat_map(|(first, last)| [first, last]).try_for_each(|number| constant(*number))?;
        Ok(Ranges::new(ranges))
    }
}

impl TryFrom<Vec<NumberNode>> for Number {
    type Error = Malformed;

    fn try_from(nodes: Vec<NumberNode>) -> Result<Self, Malformed> {
        const NOT_ONE: Malformed = Malformed::NotOne("number");
        let mut made = Made(Vec::new());
        for node in nodes {
            let (number, depth) = match node {
                NumberNode::Const(value) => {
                    constant(value)?;
                    (Number::Const(value), 0)
                }
                NumberNode::Field(field) => (Number::Field(field), 0),
                NumberNode::Cpu => (Number::Cpu, 0),
                NumberNode::Pid => (Number::Pid, 0),
                NumberNode::Tgid => (Number::Tgid, 0),
                NumberNode::Cast(to) => {
                    width(to)?;
                    let (mut of, depth) = made.take(1).ok_or(NOT_ONE)?;
                    (Number::Cast { to, of: Box::new(of.pop().ok_or(NOT_ONE)?) }, depth)
                }
                NumberNode::Binary(op, sign) => {
                    let (operands, depth) = made.take(2).ok_or(NOT_ONE)?;
                    let [left, right] = <[Number; 2]>::try_from(operands).map_err(|_| NOT_ONE)?.map(Box::new);
                    (Number::Binary { op, sign, left, right }, depth)
                }
            };
            made.push(number, depth)?;
        }
        made.only().ok_or(NOT_ONE)
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
        let task = Number::binary(NumberOp::Add, Number::Pid, Number::Tgid);
        let count = Number::binary(NumberOp::Add, Number::Cpu, task);
        let sum = Number::binary(NumberOp::Shr, of.clone(), count);
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
            text(Text::Comm, TextTest::Eq("\"\\\n".to_owned())),
            text(Text::User(field("p")), TextTest::Ne(String::new())),
            text(Text::Field(field("t")), glob),
        ]));
    }

    #[test]
    fn condition_deeper_than_json_allows_survives_serialization() {
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

    fn refused(text: &str) -> String {
        serde_json::from_str::<Condition>(text).unwrap_err().to_string()
    }

    /// Code that computes with 64-bit numbers, or walks a condition, need not check them first.
    #[test]
    fn nodes_that_violate_an_invariant_are_refused() {
        let within = |number: &str| format!(r#"[{{"atom":{{"in":{{"of":[{number}],"ranges":[[0,1]]}}}}}}]"#);
        for number in ["-9223372036854775809", "18446744073709551616", &i128::MIN.to_string()] {
            let error = refused(&within(&format!(r#"{{"const":{number}}}"#)));
            assert!(error.contains(&format!("the number {number} has more than 64 bits")), "{error}");
            let error = refused(&within(r#"{"const":0}"#).replace("[0,1]", &format!("[{number},{number}]")));
            assert!(error.contains("has more than 64 bits"), "{error}");
        }
        for bytes in [0, 3, 16, u32::MAX] {
            let cast = format!(r#"{{"const":0}},{{"cast":{{"bytes":{bytes},"signed":false}}}}"#);
            assert!(refused(&within(&cast)).contains(&format!("no integer of {bytes} bytes")));
        }
        let nots = |count: usize| format!(r#"[{{"const":true}}{}]"#, r#","not""#.repeat(count));
        survives(&serde_json::from_str(&nots(DEPTH)).unwrap());
        assert!(refused(&nots(DEPTH + 1)).contains("deeper"));
        let cast = r#",{"cast":{"bytes":8,"signed":false}}"#;
        let casts = |count: usize| within(&format!(r#"{{"const":0}}{}"#, cast.repeat(count)));
        survives(&serde_json::from_str(&casts(DEPTH)).unwrap());
        assert!(refused(&casts(DEPTH + 1)).contains("deeper"));
    }

    #[test]
    fn list_of_nodes_that_is_not_a_tree_is_refused() {
        for text in [
            "[]",
            r#"["not"]"#,
            r#"[{"const":true},{"and":2}]"#,
            r#"[{"const":true},{"const":true}]"#,
            r#"[{"atom":{"in":{"of":[{"cast":{"bytes":1,"signed":false}}],"ranges":[]}}}]"#,
            r#"[{"atom":{"text":{"of":"comm","test":{"glob":"[a"}}}}]"#,
        ] {
            let error = refused(text);
            let reasons = ["do not make one", "not closed"];
            assert!(reasons.iter().any(|reason| error.contains(reason)), "{text}: {error}");
        }
    }
}
