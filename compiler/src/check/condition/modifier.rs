//! Modifiers behind a dot: `current.comm`, `filename.ustring`, `call_site.function`.

use tracec_grammar::span::Span;
use tracec_grammar::syntax::{ExprId, ExprKind, Name};
use tracec_kernel::format::FieldKind;

use crate::diagnostic::codes;

use super::operand::{Class, NamedOperand, Operand, Side};
use super::render::render;
use super::words::{TaskWord, task_word};
use super::{Checker, MODIFIERS};

/// A property of the task that runs, behind `current.`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TaskProperty {
    /// Its name.
    pub name: &'static str,
    /// Its type in C.
    pub type_text: &'static str,
    /// What it is, without a full stop.
    pub doc: &'static str,
    /// Whether the name alone means it in a condition, unless a field has the name.
    pub is_pseudo_field: bool,
}

/// The names behind `current.`, each with its meaning. No filter and no record has `tgid`.
pub const CURRENT: [TaskProperty; 4] = [
    TaskProperty {
        name: "comm",
        type_text: "char[16]",
        doc: "the name of the task that runs",
        is_pseudo_field: true,
    },
    TaskProperty {
        name: "pid",
        type_text: "int",
        doc: "the thread id of the task that runs",
        is_pseudo_field: false,
    },
    TaskProperty {
        name: "tgid",
        type_text: "int",
        doc: "the process id of the task that runs",
        is_pseudo_field: false,
    },
    TaskProperty {
        name: "cpu",
        type_text: "int",
        doc: "the CPU that writes the record",
        is_pseudo_field: true,
    },
];

impl Checker<'_> {
    /// Types `base.member`. `None` if a mistake was reported.
    pub(super) fn member(&mut self, id: ExprId, base: ExprId, member: &Name) -> Option<Side> {
        if self.is_args(base) {
            return self.args_member(self.exprs[base].span.to(member.span), member);
        }
        let exprs = self.exprs;
        let (whole, base_expr) = (&exprs[id], &exprs[base]);
        let named = match &base_expr.kind {
            ExprKind::Name(name) if name == "current" => {
                return self.current(base_expr.span, member);
            }
            // In `a.b`, the mistake is an unknown `a`.
            ExprKind::Name(name) if !self.is_operand(name) => return self.unknown(name, base_expr.span),
            ExprKind::Name(_) | ExprKind::Member { .. } => match self.side(base)? {
                Side::Operand(named) => named,
                _ => return None,
            },
            _ => return self.no_member(member, &render(base_expr, exprs), &[]),
        };
        let Operand::Field(field) = &named.operand else {
            return self.no_member(member, &named.name, &[]);
        };
        let operand = match member.value.as_str() {
            "ustring" if field.kind == FieldKind::CharPtr => Operand::User(field.clone()),
            "function" if field.integer().is_some() && field.size == 8 => Operand::Function(field.clone()),
            "ustring" | "function" => return self.wrong_modifier(&named, member),
            _ => return self.no_member(member, &named.name, &MODIFIERS),
        };
        let name = render(whole, exprs);
        Some(Side::Operand(NamedOperand { operand, name, span: whole.span }))
    }

    /// Returns a property of the task that runs: [`CURRENT`].
    fn current(&mut self, base: Span, member: &Name) -> Option<Side> {
        let operand = match member.value.as_str() {
            "comm" => Operand::Comm,
            "pid" => Operand::Pid,
            "tgid" => Operand::Tgid,
            "cpu" => Operand::Cpu,
            word if let Some(TaskWord { has, what, .. }) = task_word(word) => {
                let has = has.and_then(|has| has.strip_prefix("current."));
                return self.say(codes::unknown_member::of_task(member.span, word, has, what));
            }
            _ => return self.no_member(member, "current", &CURRENT.map(|property| property.name)),
        };
        let name = format!("current.{}", member.value);
        Some(Side::Operand(NamedOperand { operand, name, span: base.to(member.span) }))
    }

    fn no_member<T>(&mut self, member: &Name, base: &str, known: &[&'static str]) -> Option<T> {
        self.say(codes::unknown_member::unknown_member(member.span, base, &member.value, known))
    }

    /// Reports `.ustring` and `.function` at a field that does not support them.
    fn wrong_modifier<T>(&mut self, named: &NamedOperand, member: &Name) -> Option<T> {
        let in_record = named.class() == Class::Text && member.value == "ustring";
        let behind_name = named.span.behind().to(member.span);
        self.say(codes::wrong_modifier::wrong_modifier(
            member.span,
            &member.value,
            &named.name,
            named.type_text(),
            in_record.then_some(behind_name),
        ))
    }
}
