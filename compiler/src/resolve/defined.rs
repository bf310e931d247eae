//! Events that the files of a program define, as a session names them.
//!
//! No target supports these events yet. Clauses that name them are checked all the same, with the layout that a kernel
//! would show for them, and [`crate::target`] refuses the clause.

use std::fmt::Write as _;

use rustc_hash::{FxHashMap, FxHashSet};
use tracec_grammar::span::{FileId, Span};
use tracec_grammar::syntax::{DeclarationKind, EventForm, File};
use tracec_kernel::format::EventFormat;
use tracec_kernel::tables::fetch_types::Fetches;
use tracec_kernel::tables::header_fields::{self, HeaderField};
use tracec_kernel::tables::limits::COMMON_HEADER_BYTES;
use tracec_kernel::tables::probe_kinds::{self, Realisation};

use crate::ir::definition::{
    Definitions, EventClass, EventDef, FetchedType, FieldLayout, ProbeDef, ProbeField,
};
use crate::ir::{Catalogue, EventId, EventLayout};

/// What is known of an event that a file defines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Known {
    /// An event with a layout, which the catalogue owns.
    Layout(EventId),
    /// An event with a field whose size only a C compiler knows: its conditions cannot be checked.
    NoLayout,
    /// Its definition has a mistake, which has been reported.
    Mistaken,
}

/// An event that a file defines.
#[derive(Clone, Debug)]
pub struct DefinedEvent {
    /// The subsystem of its file; for a probe in a file without one, the word of its kind.
    pub system: String,
    /// Its name.
    pub name: String,
    /// Whether it is a probe and not a tracepoint.
    pub is_probe: bool,
    /// Whether it is a probe that only a BPF program can be.
    pub is_program: bool,
    /// The span of its declaration.
    pub span: Span,
    /// What is known of it.
    pub known: Known,
}

/// The events of all files of a program. Event names are unique in the kernel, so that it does not matter which of the
/// files defines one.
#[derive(Clone, Debug, Default)]
pub struct Defined {
    events: Vec<DefinedEvent>,
    /// Indices of the events by name.
    by_name: FxHashMap<String, Vec<usize>>,
    /// Whether a file has a declaration that could not be read: it may have defined an event of any name.
    lost: bool,
}

impl Defined {
    /// Returns every event.
    pub fn iter(&self) -> impl Iterator<Item = &DefinedEvent> {
        self.events.iter()
    }

    /// Notes that a file has a declaration that could not be read.
    pub fn lose(&mut self) {
        self.lost = true;
    }

    /// Returns whether an event of an unknown name may have been defined.
    pub fn has_lost(&self) -> bool {
        self.lost
    }

    /// Returns the event of this name, in any system.
    pub fn bare(&self, name: &str) -> Option<&DefinedEvent> {
        self.named(name).next()
    }

    /// Returns the event of this system and name.
    pub fn find(&self, system: &str, name: &str) -> Option<&DefinedEvent> {
        self.named(name).find(|event| event.system == system)
    }

    fn named(&self, name: &str) -> impl Iterator<Item = &DefinedEvent> {
        self.by_name.get(name).into_iter().flatten().map(|&index| &self.events[index])
    }

    /// Adds the events of one file; `definitions` holds the tracepoints without a mistake. Its probes may be attached
    /// to these, so that they are typed later: until [`Defined::add_probes`], they are names without a layout. Those of
    /// the main file are left out if they are `loaded`: then the kernel has them.
    pub fn add(&mut self, file: &File, definitions: &Definitions, loaded: bool, catalogue: &mut Catalogue) {
        let mut seen: FxHashSet<&str> = FxHashSet::default();
        let tracepoints: FxHashMap<Span, &EventDef> =
            definitions.events.iter().map(|event| (event.span, event)).collect();
        for declaration in &file.declarations {
            let DeclarationKind::Event(event) = &declaration.kind else { continue };
            let is_kernels =
                loaded && !matches!(event.form, EventForm::At(_)) && declaration.span.file == FileId::MAIN;
            if is_kernels || !seen.insert(&event.name.value) {
                continue;
            }
            let name = event.name.value.as_str();
            let subsystem = definitions.subsystem.as_ref().map(|name| name.value.clone());
            let kind = match &event.form {
                EventForm::At(probe) => Some(&probe.kind.value),
                _ => None,
            };
            let system = subsystem.or_else(|| kind.cloned()).unwrap_or_default();
            let class = tracepoints.get(&declaration.span).and_then(|event| definitions.class_of(event));
            let known =
                class.map_or(Known::Mistaken, |class| known(&system, name, of_class(class), catalogue));
            let name = name.to_owned();
            self.by_name.entry(name.clone()).or_default().push(self.events.len());
            let (is_probe, span) = (kind.is_some(), declaration.span);
            let kind = kind.and_then(|kind| probe_kinds::find(kind));
            let is_program = kind.is_some_and(|kind| matches!(kind.realisation, Realisation::Bpf(_)));
            self.events.push(DefinedEvent { system, name, is_probe, is_program, span, known });
        }
    }

    /// Adds what is known of the probes of a file whose events were added: those without a mistake.
    pub fn add_probes(&mut self, probes: &[ProbeDef], catalogue: &mut Catalogue) {
        for probe in probes {
            let named = self.by_name.get(&probe.name.value).map(Vec::as_slice).unwrap_or_default();
            // Of two declarations with one name, the second is not an event.
            if let Some(index) = named.iter().find(|index| self.events[**index].span == probe.span) {
                let event = &mut self.events[*index];
                event.known = known(&event.system, &event.name, of_probe(probe), catalogue);
            }
        }
    }
}

/// Returns what is known of an event whose fields are these lines of a `format` file: `None` where the size of one is
/// not known.
fn known(system: &str, name: &str, fields: Option<String>, catalogue: &mut Catalogue) -> Known {
    match fields.and_then(|fields| layout(system, name, &fields)) {
        // The kernel writes the text when the event exists.
        Some(format) => Known::Layout(catalogue.add(EventLayout { format, text: String::new() })),
        None => Known::NoLayout,
    }
}

/// Returns the layout of an event whose fields are these lines of a `format` file.
fn layout(system: &str, name: &str, fields: &str) -> Option<EventFormat> {
    // An event of a kernel never has the id 0.
    let mut common = String::new();
    head(&mut common, 0, header_fields::COMMON);
    let text = format!("name: {name}\nID: 0\nformat:\n{common}\n{fields}\nprint fmt: \"\"\n");
    EventFormat::parse(system, &text).ok()
}

fn line(text: &mut String, shown: &str, name: &str, at: FieldLayout) {
    let FieldLayout { offset, size, signed } = at;
    let signed = u8::from(signed);
    let _ = writeln!(text, "\tfield:{shown} {name};\toffset:{offset};\tsize:{size};\tsigned:{signed};");
}

/// Writes the fields that the kernel puts at an offset, and returns the offset of their end.
fn head(text: &mut String, mut offset: u32, fields: &[HeaderField]) -> u32 {
    for &HeaderField { type_text, name, size, signed } in fields {
        line(text, type_text, name, FieldLayout { offset, size, signed });
        offset += size;
    }
    offset
}

/// Returns the fields of a tracepoint; `None` where the size of one is not known.
fn of_class(class: &EventClass) -> Option<String> {
    let mut text = String::new();
    for field in &class.fields {
        line(&mut text, &field.shown, &field.name.value, field.layout?);
    }
    Some(text)
}

/// Returns the fields of a probe. Where no target defines their layout, as for a BPF program, they are packed as the
/// kernel packs those of its own probes: the validity of a condition depends on types alone.
fn of_probe(probe: &ProbeDef) -> Option<String> {
    let mut text = String::new();
    let mut end = head(&mut text, COMMON_HEADER_BYTES, probe.kind.head(probe.result.is_some()));
    for (index, field) in probe.fields.iter().enumerate() {
        // The kernel's name for a field without one (`traceprobe_parse_probe_arg` in kernel/trace/trace_probe.c).
        let name = field.name.clone().unwrap_or_else(|| format!("arg{}", index + 1));
        let (shown, size, signed) = recorded(field)?;
        let at = field.layout.unwrap_or(FieldLayout { offset: end, size, signed });
        end = at.offset.checked_add(at.size)?;
        line(&mut text, &shown, &name, at);
    }
    Some(text)
}

/// Returns the shown type of a probe's field, its size in bytes and whether it is signed. `None` for a type that only
/// the kernel knows.
fn recorded(field: &ProbeField) -> Option<(String, u32, bool)> {
    let FetchedType { element, count } = field.fetch_type?;
    let ty = element.recorded()?;
    let shown = match count {
        Some(count) => format!("{}[{count}]", ty.shown),
        None => ty.shown.to_owned(),
    };
    let signed = matches!(ty.fetches, Fetches::Integer { signed: true });
    let elements = u32::try_from(count.unwrap_or(1)).ok()?;
    Some((shown, ty.size.checked_mul(elements)?, signed))
}
