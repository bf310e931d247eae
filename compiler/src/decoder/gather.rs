//! The decoder of a module: its events, their names, and the conditions of its sessions.

use std::collections::BTreeMap;
use std::path::Path;

use tracec_grammar::span::Span;
use tracec_kernel::condition::ir::Condition;
use tracec_kernel::condition::lower::Spelling;
use tracec_kernel::condition::realisation::{Engine, Hindrance, constructs, obstacles};
use tracec_kernel::format::{EventFormat, Field};

use super::{Decoder, Filter, Member, Record, Table, identifier};
use crate::c::unforeseen;
use crate::diagnostic::{Diagnostic, codes};
use crate::ir::definition::{EnumId, EventDef, TypeKind};
use crate::ir::{Conjunct, EventId, Module, Recording, Session, Shown};
use crate::source::SourceText;

/// What a decoder is made of.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Request<'a> {
    /// The module.
    pub(crate) module: &'a Module,
    /// The text that it was made of.
    pub(crate) text: &'a SourceText,
    /// The name of the target.
    pub(crate) target: &'static str,
    /// What decides the conditions of the target.
    pub(crate) engine: Engine,
}

/// Returns the decoder of a module.
///
/// # Errors
/// A refusal of each test that reads more than a record and the arguments of a filter, of each event whose layout is
/// not known or not that of a struct, and of a text that has no event.
pub(crate) fn decoder<'a>(request: Request<'a>) -> Result<Decoder<'a>, Vec<Diagnostic>> {
    let mut gathered = Gathered {
        request,
        records: Vec::new(),
        filters: Vec::new(),
        tables: Vec::new(),
        by_id: BTreeMap::new(),
        by_enum: BTreeMap::new(),
        refusals: Vec::new(),
    };
    gathered.declared();
    request.module.sessions.iter().for_each(|session| gathered.session(session));
    gathered.tracepoints();
    let Gathered { records, filters, tables, mut refusals, .. } = gathered;
    if records.is_empty() && refusals.is_empty() {
        refusals.push(codes::not_by_target::no_event(request.target));
    }
    if !refusals.is_empty() {
        return Err(refusals);
    }
    Ok(Decoder { origin: &request.text.name, stem: stem(request.text), tables, records, filters })
}

/// Returns the name of a text as an identifier; `session` where it has none of its own.
fn stem(text: &SourceText) -> String {
    let stem = Path::new(&text.name).file_stem().and_then(|stem| stem.to_str());
    identifier(stem.filter(|stem| !text.one_liner && *stem != "-").unwrap_or("session"))
}

struct Gathered<'a> {
    request: Request<'a>,
    records: Vec<Record<'a>>,
    filters: Vec<Filter<'a>>,
    tables: Vec<Table>,
    /// The indices of the records.
    by_id: BTreeMap<EventId, usize>,
    /// The indices of the tables of declared enumerations.
    by_enum: BTreeMap<EnumId, usize>,
    refusals: Vec<Diagnostic>,
}

impl<'a> Gathered<'a> {
    /// Adds the enumerations that the text itself declares.
    fn declared(&mut self) {
        let Module { constants, definitions, .. } = self.request.module;
        let own = definitions.first().map(|own| &constants[own.constants].enums);
        for id in own.into_iter().flat_map(BTreeMap::values) {
            self.enumeration(*id);
        }
    }

    fn enumeration(&mut self, id: EnumId) -> usize {
        let Gathered { request, tables, by_enum, .. } = self;
        *by_enum.entry(id).or_insert_with(|| {
            tables.push(Table::declared(&request.module.constants[id]));
            tables.len() - 1
        })
    }

    /// Adds what a session records.
    fn session(&mut self, session: &'a Session) {
        for event in &session.events {
            let Some(recording) = &event.record else { continue };
            self.shown(&recording.shown);
            if let Some(record) = self.record(event.id, recording.clause) {
                self.filter(session, record, recording);
            }
        }
        // What a session does with an event that only a C compiler can lay out is refused where it is named.
        for named in session.defined.iter().filter(|named| named.value.id.is_none()) {
            let what = format!("the event `{}`, whose layout only a C compiler knows", named.value.name);
            self.refuse(named.span, &what, "give each of its fields a type of a known size");
        }
    }

    /// Refuses what changes the text or the fields of records: a decoder reads whole records.
    fn shown(&mut self, Shown { print_fmt, left_out, blanked }: &Shown) {
        let print = print_fmt.iter().map(|print| (print.span, "`print`"));
        let dropped = left_out.iter().map(|field| (field.span, "`drop`"));
        let redacted = blanked.iter().map(|field| (field.span, "`redact`"));
        for (span, what) in print.chain(dropped).chain(redacted) {
            let instead = "leave it out, or run the session with `tracec run`: a decoder reads whole records";
            self.refuse(span, what, instead);
        }
    }

    /// Adds the tracepoints that the text itself defines.
    fn tracepoints(&mut self) {
        let Some(definitions) = self.request.module.definitions.first() else { return };
        let before = self.refusals.len();
        for field in definitions.classes.iter().flat_map(|class| &class.fields) {
            if let Some((what, instead)) = unforeseen(field) {
                self.refuse(field.ty.span, &what, instead);
            }
        }
        if self.refusals.len() > before {
            return;
        }
        let system = definitions.subsystem.as_ref().map(|name| name.value.as_str()).unwrap_or_default();
        for event in &definitions.events {
            match self.layout_of(system, event) {
                Some(id) => {
                    self.record(id, event.name.span);
                }
                None => {
                    let what = format!("the event `{}`, whose layout is not known", event.name.value);
                    self.refuse(event.name.span, &what, "give each of its fields a type of a known size");
                }
            }
        }
    }

    /// Returns the layout that is foreseen for a tracepoint. An event that a kernel has came with its text.
    fn layout_of(&self, system: &str, event: &EventDef) -> Option<EventId> {
        let mut defined = self.request.module.catalogue.iter().filter(|(_, layout)| layout.text.is_empty());
        let found = defined
            .find(|(_, layout)| layout.format.system == system && layout.format.name == event.name.value);
        found.map(|(id, _)| id)
    }

    /// Adds the record of an event, once, and returns its index; `None` if it was refused.
    fn record(&mut self, id: EventId, span: Span) -> Option<usize> {
        if let Some(index) = self.by_id.get(&id) {
            return Some(*index);
        }
        let format = &self.request.module.catalogue[id];
        let Some(mut record) = Record::of(format) else {
            let what = format!("the event `{}`, whose fields overlap", format.qualified_name());
            self.refuse(span, &what, "leave the event out");
            return None;
        };
        for member in &mut record.members {
            member.table = self.table_of(format, member);
        }
        self.records.push(record);
        self.by_id.insert(id, self.records.len() - 1);
        Some(self.records.len() - 1)
    }

    /// Returns the table with the names of a field's values, and adds it where it is new.
    fn table_of(&mut self, format: &EventFormat, member: &Member<'_>) -> Option<usize> {
        if let Some(id) = self.declared_type(format, member.field) {
            return Some(self.enumeration(id));
        }
        // A print format that cannot be read names nothing; the layout does not depend on it.
        let shown = format.print().ok()?.names(member.field);
        let event = format!("{}_{}", format.system, format.name);
        let table = shown.into_iter().find_map(|table| Table::shown(&event, member.field, table))?;
        self.tables.push(table);
        Some(self.tables.len() - 1)
    }

    /// Returns the enumeration of a field of an event that the text or an import defines.
    fn declared_type(&self, format: &EventFormat, field: &Field) -> Option<EnumId> {
        self.request.module.definitions.iter().find_map(|definitions| {
            let system = definitions.subsystem.as_ref().map(|name| name.value.as_str());
            let event = definitions.events.iter().find(|event| event.name.value == format.name)?;
            let class = definitions.class_of(event).filter(|_| system == Some(&format.system))?;
            match &class.field(&field.name)?.ty.kind {
                TypeKind::Enum { id, .. } => Some(*id),
                _ => None,
            }
        })
    }

    fn filter(&mut self, session: &'a Session, record: usize, recording: &Recording) {
        let format = self.records[record].format;
        let conjuncts = &self.request.module.conditions[recording.filter];
        let before = self.refusals.len();
        let spelling = Spelling::at(format);
        conjuncts.iter().for_each(|conjunct| self.conjunct(conjunct, format, &spelling));
        if self.refusals.len() > before {
            return;
        }
        match Filter::of(&session.name, record, conjuncts, format) {
            Some(filter) => self.filters.push(filter),
            // The table of realisations says that it can be decided.
            None => self.invalid(recording.clause, format, "it asks for more than a record holds"),
        }
    }

    /// Refuses the parts of a conjunct that the target cannot decide.
    fn conjunct(&mut self, conjunct: &Conjunct, format: &EventFormat, spelling: &Spelling) {
        let form = conjunct.check().and_then(|()| Ok(conjunct.value.check_fields(format)?));
        if let Err(reason) = form {
            return self.invalid(conjunct.span, format, &reason.to_string());
        }
        for (atom, written) in conjunct.value.atoms().into_iter().zip(&conjunct.atoms) {
            let parts = constructs(&Condition::Atom(atom.clone()), spelling);
            if let Some(obstacle) = obstacles(&parts, self.request.engine, |_| true).next() {
                let what = match obstacle.hindrance {
                    Hindrance::NoContext(context) => {
                        format!("a test that asks for {context}, which is not in the record")
                    }
                    other => format!("a test with {}: {other}", obstacle.construct),
                };
                self.refuse(written.span, &what, "run the session with `tracec run`, or leave the test out");
            }
        }
    }

    fn invalid(&mut self, span: Span, format: &EventFormat, reason: &str) {
        let name = format.qualified_name();
        self.add(codes::invalid_condition::invalid_condition(span, &name, reason));
    }

    fn refuse(&mut self, span: Span, what: &str, instead: &str) {
        self.add(codes::not_by_target::not_by_target(span, what, self.request.target, instead));
    }

    /// Adds a refusal, once: the events of a group share a condition.
    fn add(&mut self, refusal: Diagnostic) {
        if !self.refusals.contains(&refusal) {
            self.refusals.push(refusal);
        }
    }
}
