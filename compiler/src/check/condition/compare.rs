//! An operand compared with a constant: does the operator fit, does the constant.

use tracec_grammar::span::Span;
use tracec_grammar::syntax::{BinaryOp, ExprId};
use tracec_kernel::condition::glob::Glob;
use tracec_kernel::condition::ir::{Atom, CompareOp, Condition, Number, NumberOp, TextTest};
use tracec_kernel::condition::lower::lower;
use tracec_kernel::tables::limits;

use crate::check::quoted::quoted;
use crate::diagnostic::{Diagnostic, codes};
use crate::ir::definition::Value;

use super::operand::{Class, Operand, Target, range, room};
use super::{Checker, regex};

impl Checker<'_> {
    /// An operand with a constant.
    pub(super) fn compare(
        &mut self,
        target: Target,
        op: BinaryOp,
        op_span: Span,
        constant: ExprId,
    ) -> Option<Condition> {
        let at = self.exprs[constant].span;
        if let Some((cpus, at)) = self.cpus(constant) {
            return self.equals_cpus(&target, op, &cpus, at);
        }
        let value = self.comparand(constant, &target)?;
        let is_glob = matches!(op, BinaryOp::Match | BinaryOp::NotMatch);
        match (target.class(), value) {
            (_, Value::Address(address)) => self.compare_address(&target, op, op_span, address, at),
            (Class::Nothing | Class::Cpumask, _) => self.not_filterable(&target),
            (Class::Text, Value::Text(text)) => self.compare_text(target, op, op_span, text, at),
            (Class::Integer | Class::Cpu, Value::Text(_)) if is_glob => {
                self.bad_operator(&target, op, op_span)
            }
            (class, value) => match value.number().filter(|_| class != Class::Text) {
                Some(number) => {
                    self.named_value(&target, op, op_span, &value, at)?;
                    self.compare_number(target, op, op_span, number, at)
                }
                None => self.mismatch(&target, class.wants(), &value, at),
            },
        }
    }

    /// What is wrong or strange about a constant that has a name. `None` has been reported.
    fn named_value(
        &mut self,
        target: &Target,
        op: BinaryOp,
        op_span: Span,
        value: &Value,
        at: Span,
    ) -> Option<()> {
        let Value::Int { value: number, of: Some(of) } = value else { return Some(()) };
        if matches!(op, BinaryOp::Lt | BinaryOp::Le | BinaryOp::Gt | BinaryOp::Ge) {
            return self.say(codes::ordered_names::ordered_names(op_span, op.symbol(), of.word(), &of.name));
        }
        // The kernel returns errors as negative numbers; the constants are positive, as in C.
        if of.is_errno() && target.is_signed() && *number > 0 {
            self.diagnostics.push(codes::positive_errno::positive_errno(at, &target.name));
        }
        Some(())
    }

    fn compare_number(
        &mut self,
        target: Target,
        op: BinaryOp,
        op_span: Span,
        value: i128,
        at: Span,
    ) -> Option<Condition> {
        let Some(op) = compare_op(op) else { return self.bad_operator(&target, op, op_span) };
        let (low, high) = range(&target.operand);
        if value < low || value > high {
            return self.say(codes::out_of_range::out_of_range(at, value, &target.name, low, high));
        }
        Some(Condition::compare(target.operand.number(), op, value))
    }

    fn compare_text(
        &mut self,
        target: Target,
        op: BinaryOp,
        op_span: Span,
        text: String,
        at: Span,
    ) -> Option<Condition> {
        if matches!(op, BinaryOp::Eq | BinaryOp::Ne)
            && let Some(room) = room(&target.operand).filter(|room| text.len() > *room)
        {
            // The kernel cuts the names of tasks; a longer one is known by what is left of it.
            let cut =
                (room == limits::TASK_COMM_LEN - 1).then(|| quoted(&text[..text.floor_char_boundary(room)]));
            return self.say(codes::text_too_long::text_too_long(at, &target.name, text.len(), room, cut));
        }
        if matches!(op, BinaryOp::Match | BinaryOp::NotMatch)
            && let Some((part, glob)) = regex::as_glob(&text)
        {
            self.diagnostics.push(codes::regex_in_pattern::regex_in_pattern(at, part, &glob));
        }
        let test = match op {
            BinaryOp::Eq => TextTest::Eq(text),
            BinaryOp::Ne => TextTest::Ne(text),
            BinaryOp::Match | BinaryOp::NotMatch => match Glob::parse(&text) {
                Ok(glob) => TextTest::Glob(glob),
                Err(error) => {
                    let why = format!("the pattern for `{}` {error}", target.name);
                    let event = self.subject.event.qualified_name();
                    return self.say(codes::not_in_kernel::not_in_kernel(at, &event, &why));
                }
            },
            _ => return self.bad_operator(&target, op, op_span),
        };
        let leaf = Condition::Atom(Atom::Text { of: target.operand.text(), test });
        // Each text is tried on its own, so that every one that cannot be said is found, at its place.
        if let Err(error) = lower(&leaf) {
            let event = self.subject.event.qualified_name();
            return self.say(codes::not_in_kernel::not_in_kernel(at, &event, &error.to_string()));
        }
        Some(if op == BinaryOp::NotMatch { Condition::Not(Box::new(leaf)) } else { leaf })
    }

    /// `x & mask == value`, bit by bit: the kernel tests only whether any of the bits is set.
    pub(super) fn masked_compare(
        &mut self,
        target: &Target,
        mask: u64,
        op: BinaryOp,
        op_span: Span,
        constant: ExprId,
    ) -> Option<Condition> {
        let at = self.exprs[constant].span;
        let value = self.comparand(constant, target)?;
        let Some(number) = value.number() else { return self.mismatch(target, "a number", &value, at) };
        let Some(op) = compare_op(op).filter(|op| matches!(op, CompareOp::Eq | CompareOp::Ne)) else {
            return self.say(codes::bad_operator::bad_operator(
                op_span,
                op.symbol(),
                &target.name,
                "a bit test",
                "`==` and `!=`",
            ));
        };
        if !u64::try_from(number).is_ok_and(|value| value & !mask == 0) {
            let high = i128::from(mask);
            let text = render_mask(target, mask);
            return self.say(codes::out_of_range::out_of_range(at, number, &text, 0, high));
        }
        Some(masked(&target.operand, mask, op, number))
    }

    pub(super) fn mismatch<T>(&mut self, target: &Target, wants: &str, value: &Value, at: Span) -> Option<T> {
        let said = mismatch(target, wants, value.kind().describe(), at);
        self.say(match (target.class(), value) {
            (Class::Text, Value::Int { value, of: None }) => {
                let text = quoted(&value.to_string());
                said.guess(format!("write `{text}`"), at, text)
            }
            (Class::Integer | Class::Cpu, Value::Text(text)) => match number_in(text, target) {
                Some(value) => said.fix(format!("write `{value}`"), at, value.to_string()),
                None => said,
            },
            (Class::Integer, Value::Duration(_)) => said.help("count it in the field's unit: `10ms as us`"),
            _ => said,
        })
    }

    pub(super) fn mismatch_with<T>(
        &mut self,
        target: &Target,
        wants: &str,
        got: &str,
        at: Span,
    ) -> Option<T> {
        self.say(mismatch(target, wants, got, at))
    }

    pub(super) fn bad_operator<T>(&mut self, target: &Target, op: BinaryOp, span: Span) -> Option<T> {
        let class = target.class();
        self.say(codes::bad_operator::bad_operator(
            span,
            op.symbol(),
            &target.name,
            class.describe(),
            class.operators(),
        ))
    }

    pub(super) fn not_filterable<T>(&mut self, target: &Target) -> Option<T> {
        self.say(codes::not_filterable::not_filterable(target.span, &target.name, target.type_text()))
    }
}

fn mismatch(target: &Target, wants: &str, got: &str, at: Span) -> Diagnostic {
    codes::type_mismatch::type_mismatch(
        target.span,
        &target.name,
        target.type_text(),
        target.class().describe(),
        wants,
        at,
        got,
    )
}

/// The decimal number that a text holds, if the operand can have it.
fn number_in(text: &str, target: &Target) -> Option<i128> {
    let value: i128 = text.trim().parse().ok()?;
    let (low, high) = range(&target.operand);
    (low..=high).contains(&value).then_some(value)
}

/// `operand & mask OP value`. The mask has bits of the operand's width only.
pub(super) fn masked(operand: &Operand, mask: u64, op: CompareOp, value: i128) -> Condition {
    let number = operand.number();
    // A signed number of 64 bits has its top bit as a negative one.
    let in_sign = |bits: i128| if number.range().0 < 0 { i128::from(bits as u64 as i64) } else { bits };
    let (mask, value) = (in_sign(mask.into()), in_sign(value));
    Condition::compare(Number::binary(NumberOp::And, number, Number::Const(mask)), op, value)
}

fn render_mask(target: &Target, mask: u64) -> String {
    format!("{} & {mask:#x}", target.name)
}

fn compare_op(op: BinaryOp) -> Option<CompareOp> {
    Some(match op {
        BinaryOp::Eq => CompareOp::Eq,
        BinaryOp::Ne => CompareOp::Ne,
        BinaryOp::Lt => CompareOp::Lt,
        BinaryOp::Le => CompareOp::Le,
        BinaryOp::Gt => CompareOp::Gt,
        BinaryOp::Ge => CompareOp::Ge,
        _ => return None,
    })
}

/// The operator that says the same with the sides turned round.
pub(super) fn flipped(op: BinaryOp) -> BinaryOp {
    match op {
        BinaryOp::Lt => BinaryOp::Gt,
        BinaryOp::Le => BinaryOp::Ge,
        BinaryOp::Gt => BinaryOp::Lt,
        BinaryOp::Ge => BinaryOp::Le,
        same => same,
    }
}
