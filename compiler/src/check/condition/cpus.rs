//! Lists of CPUs, compared with a CPU number or with a mask in the record.

use tracec_grammar::span::{Span, Spanned};
use tracec_grammar::syntax::{BinaryOp, ExprId, ExprKind};
use tracec_kernel::condition::ir::{Atom, CompareOp, Condition, MaskTest, Number, NumberOp};
use tracec_kernel::condition::ranges::Ranges;
use tracec_kernel::condition::simplify::reach;

use crate::diagnostic::codes;

use super::Checker;
use super::compare::in_kernel;
use super::membership::within;
use super::operand::{Class, Computed, NamedOperand, Operand, Side, range};
use super::render::render;

impl Checker<'_> {
    /// Types `cpu & CPUS{0-3}`: whether the number is in the list; and `cpus & CPUS{0-3}`: whether mask and list
    /// intersect.
    pub(super) fn on_cpus(
        &mut self,
        named: &NamedOperand,
        cpus: &[(u32, u32)],
        at: Span,
    ) -> Option<Condition> {
        self.possible_cpus(cpus, at)?;
        match named.class() {
            Class::Integer | Class::Cpu => {}
            Class::Cpumask => return self.mask(named, MaskTest::Any, cpus),
            Class::Nothing => return self.not_filterable(named),
            Class::Text | Class::Function => {
                return self.mismatch_with(named, named.class().wants(), "a list of CPUs", at);
            }
        }
        let (low, high) = range(&named.operand);
        if let Some((_, last)) = cpus.iter().find(|(_, last)| i128::from(*last) > high) {
            let last = i128::from(*last);
            let kernel = in_kernel(named, last);
            return self.say(codes::out_of_range::out_of_range(at, last, &named.name, (low, high), kernel));
        }
        Some(within(&named.operand, cpus.iter().map(|&(first, last)| (first.into(), last.into()))))
    }

    /// Types `cpu == CPUS{2}` and `cpus == CPUS{0-3}`. A number never equals a list of two or more CPUs; the kernel
    /// accepts that and it is false for every CPU.
    pub(super) fn equals_cpus(
        &mut self,
        named: &NamedOperand,
        op: &Spanned<BinaryOp>,
        cpus: &[(u32, u32)],
        at: Span,
    ) -> Option<Condition> {
        if named.class() == Class::Cpumask {
            let test = match op.value {
                BinaryOp::Eq => MaskTest::Equal,
                BinaryOp::Ne => MaskTest::Differ,
                _ => return self.bad_operator(named, op),
            };
            self.possible_cpus(cpus, at)?;
            return self.mask(named, test, cpus);
        }
        let test = match op.value {
            BinaryOp::Eq => Some(CompareOp::Eq),
            BinaryOp::Ne => Some(CompareOp::Ne),
            _ => None,
        };
        let single = if let [(first, last)] = cpus { (first == last).then_some(*first) } else { None };
        let Some((test, cpu)) = test.zip(single) else {
            return self.say(codes::cpu_list_operator::cpu_list_operator(at, op.value.symbol(), &named.name));
        };
        self.on_cpus(named, cpus, at)?;
        // As with a number: a mask that cannot be read does not differ from the list.
        Some(Condition::compare(named.operand.number(), test, cpu.into()))
    }

    /// Refuses `cpu & 3` where a condition is expected. It would test a bit of the number; but its author may mean a
    /// mask of CPUs, which the kernel's filter does not support either (`CPU & N` is accepted and never matches).
    /// Compared with a number it is a number like any other. `None` if a mistake was reported.
    pub(super) fn not_bits_of_cpu(&mut self, id: ExprId, side: &Side) -> Option<()> {
        let exprs = self.exprs;
        let ExprKind::Binary { op, left, right } = &exprs[id].kind else { return Some(()) };
        let Side::Operand(NamedOperand { operand: Operand::Computed(Computed { number, .. }), name, .. }) =
            side
        else {
            return Some(());
        };
        let Number::Binary { op: NumberOp::And, left: a, right: b, .. } = number else { return Some(()) };
        let (cpu, bits) = match (&**a, &**b) {
            // The constant has been moved to the right.
            (Number::Cpu, bits) => (if self.mentions_operand(*left) { left } else { right }, bits),
            (bits, Number::Cpu) => (right, bits),
            _ => return Some(()),
        };
        let bits = if let Number::Const(bits) = bits { u64::try_from(*bits).ok() } else { None };
        let cpu = render(&exprs[*cpu], exprs);
        let possible = reach(number) != Some((0, 0));
        self.say(codes::bad_operator::bits_of_cpu(op.span, name, &cpu, bits, possible))
    }

    fn mask(&mut self, named: &NamedOperand, test: MaskTest, cpus: &[(u32, u32)]) -> Option<Condition> {
        let Operand::Field(field) = &named.operand else { return self.not_filterable(named) };
        let cpus = Ranges::new(cpus.iter().map(|&(first, last)| (first.into(), last.into())));
        Some(Condition::Atom(Atom::Mask { of: field.clone(), test, cpus }))
    }

    /// Reports CPUs that the machine can never have, where its source lists its CPUs.
    fn possible_cpus(&mut self, cpus: &[(u32, u32)], at: Span) -> Option<()> {
        let Some(&(_, last)) = cpus.last() else { return Some(()) };
        let machine = self.context.group.machine;
        match machine.cpus() {
            Ok(numbers) => {
                let beyond = numbers.filter(|numbers| last >= *numbers);
                let kernel = || machine.kernel.describe();
                let said =
                    beyond.map(|numbers| codes::no_such_cpu::no_such_cpu(at, last, &kernel(), numbers));
                self.found.extend(said);
                Some(())
            }
            Err(error) => self.say(codes::kernel_unreadable::kernel_unreadable(Some(at), &error.to_string())),
        }
    }
}
