//! The macros of a header that show values by their names.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use super::literal::{number, text};
use crate::ir::definition::{
    ConstantTable, Conversion, Definitions, EnumId, EnumMember, ExprKind, PrintPart, PrintTemplate,
};

/// The macros by their enums: `show_SYSTEM_NAME(value)`, of flags `show_SYSTEM_NAME(value, delimiter)`. A table stands
/// once in a header, whatever number of events print by it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Tables {
    names: BTreeMap<EnumId, String>,
}

impl Tables {
    /// Returns the macros that the templates of a text need. `system` is an identifier of C.
    pub(super) fn of(definitions: &Definitions, constants: &ConstantTable, system: &str) -> Self {
        let of_events = definitions.events.iter().filter_map(|event| event.print.as_ref());
        let templates = definitions.classes.iter().map(|class| &class.print).chain(of_events);
        let in_choices = definitions.exprs.iter().filter_map(|(_, expr)| match &expr.kind {
            ExprKind::Named { ty, .. } => Some(*ty),
            _ => None,
        });
        let shown: BTreeSet<EnumId> = templates.flat_map(named).chain(in_choices).collect();
        let mut names = BTreeMap::new();
        let mut taken = BTreeSet::new();
        for id in shown {
            let base = format!("show_{system}_{}", snake(&constants[id].name));
            let other = (2_u32..).map(|number| format!("{base}_{number}"));
            let free = std::iter::once(base.clone()).chain(other).find(|name| !taken.contains(name));
            let name = free.unwrap_or(base);
            taken.insert(name.clone());
            names.insert(id, name);
        }
        Tables { names }
    }

    /// Returns the macro of an enum.
    pub(super) fn name(&self, id: EnumId) -> &str {
        self.names.get(&id).map(String::as_str).unwrap_or_default()
    }

    /// Writes the definitions.
    pub(super) fn write(&self, header: &mut String, constants: &ConstantTable) {
        for (id, name) in &self.names {
            let ty = &constants[*id];
            let (parameters, helper) = match ty.flags {
                true => ("value, delimiter", "__print_flags"),
                false => ("value", "__print_symbolic"),
            };
            // Writing into a string does not fail.
            let _ =
                write!(header, "\n#undef {name}\n#define {name}({parameters})\t\\\n\t{helper}({parameters}");
            for member in ty.members() {
                let _ = write!(header, ",\t\\\n\t\t{}", entry(member, ty.flags));
            }
            header.push_str(")\n");
        }
    }
}

/// Returns the line of a member in a table of names.
pub(super) fn entry(member: &EnumMember, flags: bool) -> String {
    match flags {
        // A negative mask is one of `unsigned long` in the table.
        true => format!("{{ {:#x}, {} }}", member.value & i128::from(u64::MAX), text(member.label())),
        false => {
            let value = match i64::try_from(member.value) {
                Ok(value) if value != i64::MIN => value.to_string(),
                // As decimal numbers without a suffix, these are larger than any type of C.
                _ => number(member.value),
            };
            format!("{{ {value}, {} }}", text(member.label()))
        }
    }
}

/// Returns the enums by which a template shows values.
fn named(template: &PrintTemplate) -> impl Iterator<Item = EnumId> {
    template.parts.iter().filter_map(|part| match part {
        PrintPart::Field { conversion, .. } | PrintPart::Expr { conversion, .. } => match conversion {
            Conversion::Symbolic { ty, .. } | Conversion::Flags { ty, .. } => Some(*ty),
            _ => None,
        },
        PrintPart::Text(_) => None,
    })
}

/// Returns a name in the style of C: `HttpStatus` as `http_status`.
fn snake(name: &str) -> String {
    let mut snake = String::new();
    let mut last = '_';
    for c in name.chars() {
        if c.is_ascii_uppercase() && (last.is_ascii_lowercase() || last.is_ascii_digit()) {
            snake.push('_');
        }
        snake.push(c.to_ascii_lowercase());
        last = c;
    }
    snake
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_in_the_style_of_c() {
        for (name, expected) in
            [("Status", "status"), ("HttpStatus", "http_status"), ("GFP", "gfp"), ("a_b", "a_b")]
        {
            assert_eq!(snake(name), expected);
        }
    }
}
