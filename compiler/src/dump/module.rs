//! The module form: definitions, event layouts, conditions and sessions.

use tracec_kernel::condition::ir::Condition;

use super::catalogue::catalogue;
use super::lines::{Lines, one_line};
use super::session::session;
use crate::ir::definition::{ConstantTable, Definitions};
use crate::ir::{AtomSpan, Conditions, Conjunct, Module};

/// Prints the module form.
pub fn module(module: &Module) -> String {
    let mut lines = Lines::default();
    all(&mut lines, module);
    lines.finish()
}

/// Prints the same line by line, without the memory for all of it.
pub fn each_line_of_module(module: &Module, sink: &mut dyn FnMut(&str)) {
    all(&mut Lines::to(sink), module);
}

fn all(lines: &mut Lines<'_>, module: &Module) {
    let Module { constants, definitions, catalogue: layouts, conditions, sessions } = module;
    self::constants(lines, constants);
    definitions.iter().for_each(|definitions| self::definitions(lines, definitions));
    catalogue(lines, layouts);
    self::conditions(lines, conditions);
    sessions.iter().for_each(|each| session(lines, each, layouts));
}

/// Prints the constants and enumerations of all files.
pub(super) fn constants(lines: &mut Lines<'_>, constants: &ConstantTable) {
    for (id, of_file) in constants.files() {
        lines.field(&format!("{id:?}"), of_file);
    }
    for (id, ty) in constants.enums() {
        lines.field(&format!("{id:?}"), ty);
    }
}

fn definitions(lines: &mut Lines<'_>, definitions: &Definitions) {
    let Definitions { subsystem, headers, constants, classes, events, probes, exprs } = definitions;
    lines.block("definitions", |lines| {
        lines.spanned("subsystem", subsystem);
        lines.each("header", headers);
        lines.field("constants", constants);
        lines.each("class", classes);
        lines.each("event", events);
        lines.each("probe", probes);
        for (id, expr) in exprs.iter() {
            lines.field(&format!("{id:?}"), expr);
        }
    });
}

/// Returns a condition as the language writes it, on one line. Two conditions may look alike; their trees do not.
pub(super) fn shown(condition: &Condition) -> String {
    one_line(&condition.to_string())
}

fn conditions(lines: &mut Lines<'_>, conditions: &Conditions) {
    for (id, conjuncts) in conditions.iter() {
        lines.block(format!("condition {id:?}"), |lines| {
            for Conjunct { value, span, atoms } in conjuncts {
                lines.block(format!("{} at {span:?}", shown(value)), |lines| {
                    for AtomSpan { span, written } in atoms {
                        lines.line(format!("atom at {span:?} written at {written:?}"));
                    }
                    lines.field("exact", value);
                });
            }
        });
    }
}
