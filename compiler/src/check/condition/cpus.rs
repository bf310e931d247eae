//! Lists of CPUs: with a number that is one of them, or with a mask in the record.

use tracec_grammar::span::Span;
use tracec_grammar::syntax::BinaryOp;
use tracec_kernel::condition::ir::{Atom, Condition, MaskTest};
use tracec_kernel::condition::ranges::Ranges;

use crate::diagnostic::codes;

use super::Checker;
use super::compare::in_kernel;
use super::membership::within;
use super::operand::{Class, Operand, Target, range};

impl Checker<'_> {
    /// `cpu & CPUS{0-3}`: whether the number is one of the list. `cpus & CPUS{0-3}`: whether the mask has one of it.
    pub(super) fn on_cpus(&mut self, target: &Target, cpus: &[(u32, u32)], at: Span) -> Option<Condition> {
        self.possible_cpus(cpus, at);
        match target.class() {
            Class::Integer | Class::Cpu => {}
            Class::Cpumask => return self.mask(target, MaskTest::Any, cpus),
            Class::Nothing => return self.not_filterable(target),
            Class::Text | Class::Function => {
                return self.mismatch_with(target, target.class().wants(), "a list of CPUs", at);
            }
        }
        let (_, high) = range(&target.operand);
        if let Some((_, last)) = cpus.iter().find(|(_, last)| i128::from(*last) > high) {
            let last = i128::from(*last);
            let kernel = in_kernel(target, last);
            return self.say(codes::out_of_range::out_of_range(at, last, &target.name, (0, high), kernel));
        }
        Some(within(&target.operand, cpus.iter().map(|&(first, last)| (first.into(), last.into()))))
    }

    /// `cpu == CPUS{2}`; `cpus == CPUS{0-3}`. With two and more a number is never equal; the kernel takes that and says
    /// false whatever the CPU.
    pub(super) fn equals_cpus(
        &mut self,
        target: &Target,
        op: BinaryOp,
        op_span: Span,
        cpus: &[(u32, u32)],
        at: Span,
    ) -> Option<Condition> {
        if target.class() == Class::Cpumask {
            let test = match op {
                BinaryOp::Eq => MaskTest::Equal,
                BinaryOp::Ne => MaskTest::Differ,
                _ => return self.bad_operator(target, op, op_span),
            };
            self.possible_cpus(cpus, at);
            return self.mask(target, test, cpus);
        }
        let single = matches!(cpus, [(first, last)] if first == last);
        match op {
            BinaryOp::Eq if single => self.on_cpus(target, cpus, at),
            BinaryOp::Ne if single => self.on_cpus(target, cpus, at).map(Condition::not),
            _ => self.say(codes::cpu_list_operator::cpu_list_operator(at, op.symbol(), &target.name)),
        }
    }

    fn mask(&mut self, target: &Target, test: MaskTest, cpus: &[(u32, u32)]) -> Option<Condition> {
        let Operand::Field(field) = &target.operand else { return self.not_filterable(target) };
        let cpus = Ranges::new(cpus.iter().map(|&(first, last)| (first.into(), last.into())));
        Some(Condition::Atom(Atom::Mask { of: field.clone(), test, cpus }))
    }

    /// Reports CPUs that the machine can never have, where its source tells how many there are.
    fn possible_cpus(&mut self, cpus: &[(u32, u32)], at: Span) {
        let Some(&(_, last)) = cpus.last() else { return };
        if let Some(count) = self.subject.machine.cpus().filter(|count| last >= *count) {
            let kernel = self.subject.machine.kernel.describe();
            self.diagnostics.push(codes::no_such_cpu::no_such_cpu(at, last, &kernel, count));
        }
    }
}
