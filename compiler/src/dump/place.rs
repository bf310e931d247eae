//! The places of the conditions of a module.

use super::lines::Lines;
use super::module::shown;
use crate::ir::Module;
use crate::place::{NotInKernel, Place, PlacedCondition, PlacedConjunct, PlacedEvent, Placement};

/// Prints where the conditions of a module run.
pub fn placement(module: &Module, placement: &Placement) -> String {
    let Placement { among, model, unknown, conditions, sessions } = placement;
    let mut lines = Lines::default();
    lines.field("among", among);
    lines.field("model", model);
    lines.each("unknown", unknown);
    for (index, condition) in conditions.iter().enumerate() {
        self::condition(&mut lines, index, condition, module);
    }
    for (index, events) in sessions.iter().enumerate() {
        lines.block(format!("session {index}"), |lines| {
            for PlacedEvent { record, triggers } in events {
                lines.line(format!("record {record:?} triggers {triggers:?}"));
            }
        });
    }
    lines.finish()
}

fn condition(lines: &mut Lines<'_>, index: usize, condition: &PlacedCondition, module: &Module) {
    let PlacedCondition { id, conjuncts, kernel, written, span } = condition;
    lines.block(format!("condition {index}, of {id:?}, at {span:?}"), |lines| {
        lines.field("kernel", kernel);
        lines.field("written", written);
        // The conjuncts are those of the module form. They are shown for the reader.
        let shown = module.conditions[*id].iter().map(|conjunct| shown(&conjunct.value));
        let heads = shown.map(Some).chain(std::iter::repeat(None));
        for (head, PlacedConjunct { place, cost }) in heads.zip(conjuncts) {
            lines.block(head.unwrap_or_else(|| "a conjunct".to_owned()), |lines| {
                self::place(lines, place);
                lines.field("cost", cost);
            });
        }
    });
}

fn place(lines: &mut Lines<'_>, place: &Place) {
    match place {
        Place::Constant(value) => lines.line(format!("place: nowhere, it is {value}")),
        Place::Kernel { text } => lines.line(format!("place: kernel, {text:?}")),
        Place::Program => lines.line("place: program"),
        Place::Host { kernel } => lines.block("place: host", |lines| not_in_kernel(lines, kernel)),
        Place::Refused { kernel, host } => lines.block("place: refused", |lines| {
            not_in_kernel(lines, kernel);
            lines.field("not on host", host);
        }),
    }
}

fn not_in_kernel(lines: &mut Lines<'_>, reason: &NotInKernel) {
    match reason {
        NotInKernel::NoEngine => lines.line("not in kernel, no engine"),
        NotInKernel::Unsayable { obstacle, reason, unknown } => lines.block("not in kernel", |lines| {
            lines.field("obstacle", obstacle);
            lines.field("reason", reason);
            lines.field("unknown", unknown);
        }),
        NotInKernel::Many { comparisons, few } => {
            lines.line(format!("not in kernel, {comparisons} comparisons, of which a few: {few:?}"));
        }
        NotInKernel::NoRoom { length } => lines.line(format!("not in kernel, no room for {length}")),
    }
}
