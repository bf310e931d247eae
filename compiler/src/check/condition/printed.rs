//! What events print, found out once for all conditions: a print format takes longer to parse than a condition to type.

use std::cell::RefCell;
use std::rc::Rc;

use rustc_hash::FxHashMap;
use smol_str::SmolStr;
use tracec_grammar::span::Span;
use tracec_kernel::format::print::{PrintFmt, TableKind};
use tracec_kernel::format::{EventFormat, Field};

use crate::ir::definition::{EnumMember, EnumType};

/// The print formats of events, by their system and name.
#[derive(Default)]
pub(super) struct Printed(RefCell<FxHashMap<(SmolStr, SmolStr), Rc<Print>>>);

/// The print format of an event.
pub(super) struct Print {
    /// `None` if it does not parse; records of the event are still printed in raw form.
    format: Option<PrintFmt>,
    /// The names of the values of its fields, by the name of the field.
    names: RefCell<FxHashMap<SmolStr, Option<Rc<EnumType>>>>,
}

impl Printed {
    /// Returns what an event prints. An analysis knows one layout of each event.
    pub(super) fn of(&self, event: &EventFormat) -> Rc<Print> {
        let key = (event.system.clone(), event.name.clone());
        let mut known = self.0.borrow_mut();
        let print = known
            .entry(key)
            .or_insert_with(|| Rc::new(Print { format: event.print().ok(), names: RefCell::default() }));
        Rc::clone(print)
    }
}

impl Print {
    /// Returns the names that the event prints a field's values with.
    pub(super) fn names(&self, field: &Field) -> Option<Rc<EnumType>> {
        if let Some(known) = self.names.borrow().get(&field.name) {
            return known.clone();
        }
        let found = self.enumeration(field).map(Rc::new);
        self.names.borrow_mut().insert(field.name.clone(), found.clone());
        found
    }

    fn enumeration(&self, field: &Field) -> Option<EnumType> {
        let carrier = field.integer()?;
        let tables = self.format.as_ref()?.names(field);
        let flags = tables.first()?.kind == TableKind::Flags;
        let mut names = EnumType::new(&field.name, flags, carrier, &field.type_text, Span::default());
        for entry in tables.iter().flat_map(|table| &table.entries) {
            let (name, value) = (entry.name.clone(), entry.value);
            names.push(EnumMember { name, value, text: None, doc: None, span: Span::default() });
        }
        Some(names)
    }

    /// Returns the unit of time that the event prints behind a field's value.
    pub(super) fn time_unit(&self, field: &Field) -> Option<&'static str> {
        self.format.as_ref()?.time_unit(field)
    }

    /// Returns the text that the event prints behind the names of a field where some bits are set, and the bits.
    pub(super) fn suffix(&self, field: &Field) -> Option<(String, i128)> {
        self.format.as_ref()?.suffix(field)
    }

    /// Returns the value of a field for which the event prints a name, where the name alone does not say which bits it
    /// stands for.
    pub(super) fn printed_as(&self, field: &Field, name: &str) -> Option<i128> {
        self.format.as_ref()?.printed_as(field, name)
    }
}
