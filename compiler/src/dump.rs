//! The result of each pass as text: `tracec build --dump PASS`.
//!
//! The text is for developers who look for the pass that went wrong, and for goldens. It prints the whole form: two
//! dumps are equal exactly if the forms are. Every struct of the session form is destructured by name, so that a new
//! field does not compile here until it is printed.

use std::fmt::{Debug, Write as _};

use tracec_kernel::format::EventFormat;

use crate::ir::definition::Definitions;
use crate::ir::{
    Catalogue, Conditions, Conjunct, Demand, Dropped, Event, EventId, Layout, Module, OptionSetting, Output,
    Recording, Session, Trigger,
};
use crate::load::Program;
use crate::place::{PlacedCondition, PlacedConjunct, PlacedEvent, Placement};
use crate::resolve::{Resolved, ResolvedClause, ResolvedText};

/// The passes, in their order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pass {
    /// A text and its imports, as syntax.
    Load,
    /// Sessions as lists of clauses, with their events found.
    Resolve,
    /// Sessions typed.
    Check,
    /// Conditions made shorter.
    Simplify,
    /// Where each condition runs.
    Place,
}

impl Pass {
    /// Every pass.
    pub const ALL: [Pass; 5] = [Pass::Load, Pass::Resolve, Pass::Check, Pass::Simplify, Pass::Place];

    /// Returns the word for it.
    pub fn word(self) -> &'static str {
        match self {
            Pass::Load => "load",
            Pass::Resolve => "resolve",
            Pass::Check => "check",
            Pass::Simplify => "simplify",
            Pass::Place => "place",
        }
    }
}

/// A text in lines, each indented by its depth.
#[derive(Default)]
struct Lines {
    out: String,
    depth: usize,
}

impl Lines {
    /// Writes a line. Data from outside is printed as `Debug`, without line ends.
    fn line(&mut self, text: impl AsRef<str>) {
        let _ = writeln!(self.out, "{:1$}{2}", "", 2 * self.depth, text.as_ref());
    }

    /// Writes `name: value`.
    fn field(&mut self, name: &str, value: impl Debug) {
        self.line(format!("{name}: {value:?}"));
    }

    /// Writes a head, and its body indented below it.
    fn block(&mut self, head: impl AsRef<str>, body: impl FnOnce(&mut Self)) {
        self.line(head);
        self.depth += 1;
        body(self);
        self.depth -= 1;
    }

    /// Writes a text verbatim, each of its lines after a bar.
    fn text(&mut self, text: &str) {
        for line in text.split_inclusive('\n') {
            match line.strip_suffix('\n') {
                Some(line) => self.line(format!("| {line}")),
                None => self.line(format!("| {line}\n\\ no line end")),
            }
        }
    }
}

/// Prints a text and its imports.
pub fn program(program: &Program) -> String {
    let Program { sources, modules, complete } = program;
    let mut lines = Lines::default();
    lines.field("complete", complete);
    for (index, source) in sources.files().iter().enumerate() {
        lines.block(format!("text {index} {:?}", source.name), |lines| {
            lines.field("one_liner", source.one_liner);
            lines.text(&source.text);
        });
    }
    for (index, module) in modules.iter().enumerate() {
        lines.block(format!("module {index} {:?}", module.name), |lines| {
            lines.field("std", module.std);
            module.imports.iter().for_each(|import| lines.field("import", import));
            lines.field("doc", &module.parsed.file.doc);
            for declaration in &module.parsed.file.declarations {
                lines.field("declaration", declaration);
            }
            lines.field("expressions", &module.parsed.file.exprs);
            lines.field("comments", &module.parsed.comments);
            module.parsed.errors.iter().for_each(|error| lines.field("error", error));
            lines.field("constants", &module.constants);
        });
    }
    lines.out
}

/// Prints sessions as lists of clauses.
pub fn resolved(text: &ResolvedText<'_>) -> String {
    let ResolvedText { sessions, catalogue } = text;
    let mut lines = Lines::default();
    self::catalogue(&mut lines, catalogue);
    for Resolved { expanded, clauses, stops, defined, complete } in sessions {
        let name = expanded.session.name.as_ref().map_or("-e", |name| &name.value);
        lines.block(format!("session {name:?}"), |lines| {
            lines.field("complete", complete);
            lines.field("readable", expanded.readable);
            lines.field("open", expanded.open);
            for (index, names) in expanded.names.iter().enumerate() {
                lines.field(&format!("names {index}"), names.own());
            }
            for visible in &expanded.clauses {
                lines.field(&format!("clause, names {}", visible.names.0), visible.clause);
            }
            clauses.iter().for_each(|clause| resolved_clause(lines, clause, catalogue));
            lines.field("stops", stops);
            lines.field("defined", defined);
        });
    }
    lines.out
}

fn resolved_clause(lines: &mut Lines, clause: &ResolvedClause<'_>, catalogue: &Catalogue) {
    let ResolvedClause { clause, content: _, records, names, events, dropped, lacking, targets } = clause;
    lines.block(format!("events of the clause at {:?}", clause.span), |lines| {
        lines.field("records", records);
        lines.field("names", names);
        for (id, precision) in events {
            lines.line(format!("{} {precision:?}", event(catalogue, *id)));
        }
        for (id, field) in dropped {
            lines.line(format!("{} dropped, lacks {field:?}", event(catalogue, *id)));
        }
        lines.field("lacking", lacking);
        for (item, id) in targets {
            lines.line(format!("item {item} acts on {}", event(catalogue, *id)));
        }
    });
}

/// Prints the module form.
pub fn module(module: &Module) -> String {
    let Module { definitions, catalogue, conditions, sessions } = module;
    let mut lines = Lines::default();
    definitions.iter().for_each(|definitions| self::definitions(&mut lines, definitions));
    self::catalogue(&mut lines, catalogue);
    self::conditions(&mut lines, conditions);
    sessions.iter().for_each(|session| self::session(&mut lines, session, catalogue));
    lines.out
}

/// Prints where the conditions of a module run.
pub fn placement(module: &Module, placement: &Placement) -> String {
    let Placement { model, unknown, conditions, sessions } = placement;
    let mut lines = Lines::default();
    lines.field("model", model);
    lines.field("unknown", unknown);
    for (index, condition) in conditions.iter().enumerate() {
        let PlacedCondition { id, conjuncts, kernel, written, span, spelling } = condition;
        lines.block(format!("condition {index}, of {id:?}, at {span:?}"), |lines| {
            lines.field("kernel", kernel);
            lines.field("written", written);
            lines.field("spelling", spelling);
            for (of, PlacedConjunct { place, cost }) in module.conditions[*id].iter().zip(conjuncts) {
                lines.block(format!("{} at {:?}", of.value, of.span), |lines| {
                    lines.field("place", place);
                    lines.field("cost", cost);
                });
            }
        });
    }
    for (index, events) in sessions.iter().enumerate() {
        lines.block(format!("session {index}"), |lines| {
            for PlacedEvent { record, triggers } in events {
                lines.line(format!("record {record:?} triggers {triggers:?}"));
            }
        });
    }
    lines.out
}

fn definitions(lines: &mut Lines, definitions: &Definitions) {
    let Definitions { subsystem, headers, constants, classes, events, probes, exprs } = definitions;
    lines.block("definitions", |lines| {
        lines.field("subsystem", subsystem);
        headers.iter().for_each(|header| lines.field("header", header));
        lines.field("constants", constants);
        classes.iter().for_each(|class| lines.field("class", class));
        events.iter().for_each(|event| lines.field("event", event));
        probes.iter().for_each(|probe| lines.field("probe", probe));
        exprs.iter().for_each(|(id, expr)| lines.field(&format!("{id:?}"), expr));
    });
}

fn event(catalogue: &Catalogue, id: EventId) -> String {
    format!("{id:?} {:?}", catalogue[id].qualified_name())
}

fn catalogue(lines: &mut Lines, catalogue: &Catalogue) {
    for (id, Layout { format, text }) in catalogue.iter() {
        let EventFormat { system, name, id: number, fields, common, print_fmt } = format;
        lines.block(format!("event {id:?} {system:?} {name:?}"), |lines| {
            lines.field("number", number);
            lines.field("common", common);
            fields.iter().for_each(|field| lines.field("field", field));
            lines.field("print", print_fmt);
            lines.text(text);
        });
    }
}

fn conditions(lines: &mut Lines, conditions: &Conditions) {
    for (id, conjuncts) in conditions.iter() {
        lines.block(format!("condition {id:?}"), |lines| {
            for Conjunct { value, span, atoms } in conjuncts {
                lines.block(format!("{value} at {span:?}"), |lines| {
                    lines.field("atoms", atoms);
                    lines.field("exact", value);
                });
            }
        });
    }
}

fn session(lines: &mut Lines, session: &Session, catalogue: &Catalogue) {
    let Session {
        name,
        span,
        complete,
        events,
        dropped,
        defined,
        buffer_kib,
        clock,
        options,
        scope,
        children,
        instance,
        globals,
        ring,
        start_paused,
        markers,
        stops,
        output,
    } = session;
    lines.block(format!("session {name:?} at {span:?}"), |lines| {
        lines.field("complete", complete);
        events.iter().for_each(|event| self::session_event(lines, event, catalogue));
        for Dropped { event, field, span } in dropped {
            lines.line(format!("dropped {event:?}, lacks {field:?}, at {span:?}"));
        }
        lines.field("defined", defined);
        lines.field("buffer_kib", buffer_kib);
        lines.field("clock", clock);
        for OptionSetting { name, on, old, clause } in options {
            lines.line(format!("option {name:?} {on}, {old:?} before, at {clause:?}"));
        }
        lines.field("scope", scope);
        lines.field("children", children);
        lines.field("instance", instance);
        lines.field("globals", globals);
        lines.field("ring", ring);
        lines.field("start_paused", start_paused);
        lines.field("markers", markers);
        lines.field("stops", stops);
        if let Some(Output { path, form }) = output {
            lines.line(format!("output {path:?} as {form:?}"));
        }
    });
}

fn session_event(lines: &mut Lines, event: &Event, catalogue: &Catalogue) {
    let Event { id, record, triggers } = event;
    lines.block(self::event(catalogue, *id), |lines| {
        if let Some(Recording { filter, demands, clause }) = record {
            lines.line(format!("record {filter:?} at {clause:?}"));
            for Demand { words, conjuncts } in demands {
                lines.line(format!("demands {conjuncts:?} at {words:?}"));
            }
        }
        for Trigger { kind, target, count, condition, span } in triggers {
            let target = target.map(|id| self::event(catalogue, id));
            lines.line(format!(
                "trigger {} {condition:?} on {target:?} count {count:?} at {span:?}",
                kind.name
            ));
        }
    });
}

#[cfg(test)]
mod tests {
    use tracec_grammar::span::{Span, Spanned};
    use tracec_kernel::plan::InstanceName;

    use super::*;
    use crate::ir::{ConditionId, Global, OutputForm, Ring, ScopeSubject, Stop};
    use crate::place::fixture;

    /// A change of one thing in a module.
    type Change = (&'static str, fn(&mut Module));

    fn event(module: &mut Module) -> &mut Event {
        &mut module.sessions[0].events[0]
    }

    fn recording(module: &mut Module) -> &mut Recording {
        event(module).record.as_mut().expect("recorded")
    }

    fn trigger(module: &mut Module) -> &mut Trigger {
        &mut event(module).triggers[0]
    }

    /// Returns a module with something in most places.
    fn full() -> Module {
        let mut module = fixture::session(&[fixture::plain(1), fixture::computed()], Some(0), false);
        let armed = fixture::session(&[fixture::plain(1)], None, true);
        let session = &mut module.sessions[0];
        session.events[0].triggers = armed.sessions[0].events[0].triggers.clone();
        session.output = Some(Output { path: Spanned::new("x".to_owned(), SPAN), form: OutputForm::Text });
        session.dropped = vec![Dropped { event: "a:b".to_owned(), field: "f".to_owned(), span: SPAN }];
        let name = Spanned::new("overwrite".to_owned(), SPAN);
        session.options = vec![OptionSetting { name, on: true, old: None, clause: SPAN }];
        module
    }

    const SPAN: Span = Span::new(3, 9);
    const CHANGES: &[Change] = &[
        ("name", |m| m.sessions[0].name = "t".to_owned()),
        ("name with a line end", |m| m.sessions[0].name = "s\n".to_owned()),
        ("name with its escape", |m| m.sessions[0].name = "s\\n".to_owned()),
        ("span", |m| m.sessions[0].span = SPAN),
        ("complete", |m| m.sessions[0].complete = false),
        ("events", |m| m.sessions[0].events.clear()),
        ("record", |m| event(m).record = None),
        ("filter", |m| recording(m).filter = ConditionId::ALWAYS),
        ("demands", |m| recording(m).demands.clear()),
        ("demand words", |m| recording(m).demands[0].words = SPAN),
        ("demand conjuncts", |m| recording(m).demands[0].conjuncts = 0..2),
        ("recording clause", |m| recording(m).clause = SPAN),
        ("triggers", |m| event(m).triggers.clear()),
        ("trigger kind", |m| trigger(m).kind = &tracec_kernel::tables::triggers::ALL[0]),
        ("trigger target", |m| {
            let id = event(m).id;
            trigger(m).target = Some(id);
        }),
        ("trigger count", |m| trigger(m).count = Some(9)),
        ("trigger condition", |m| trigger(m).condition = ConditionId::ALWAYS),
        ("trigger span", |m| trigger(m).span = SPAN),
        ("dropped", |m| m.sessions[0].dropped.clear()),
        ("dropped event", |m| m.sessions[0].dropped[0].event = "a:c".to_owned()),
        ("dropped field", |m| m.sessions[0].dropped[0].field = "g".to_owned()),
        ("dropped span", |m| m.sessions[0].dropped[0].span = Span::new(4, 9)),
        ("defined", |m| m.sessions[0].defined.push(Spanned::new("e".to_owned(), SPAN))),
        ("buffer", |m| m.sessions[0].buffer_kib = Some(Spanned::new(7, SPAN))),
        ("clock", |m| m.sessions[0].clock = Some(Spanned::new("mono".to_owned(), SPAN))),
        ("options", |m| m.sessions[0].options.clear()),
        ("option name", |m| m.sessions[0].options[0].name.value = "markers".to_owned()),
        ("option on", |m| m.sessions[0].options[0].on = false),
        ("option old", |m| m.sessions[0].options[0].old = Some(true)),
        ("option clause", |m| m.sessions[0].options[0].clause = Span::new(4, 9)),
        ("scope", |m| m.sessions[0].scope.push(Spanned::new(ScopeSubject::Process(1), SPAN))),
        ("scope of a thread", |m| m.sessions[0].scope.push(Spanned::new(ScopeSubject::Thread(1), SPAN))),
        ("children", |m| m.sessions[0].children = Some(SPAN)),
        ("instance", |m| {
            let name = InstanceName::new("x").expect("a name");
            m.sessions[0].instance = Some(Spanned::new(name, SPAN));
        }),
        ("globals", |m| {
            let (buffer_kib, clock, options) = (None, None, Vec::new());
            m.sessions[0].globals.push(Global { discarding: false, buffer_kib, clock, options, span: SPAN });
        }),
        ("ring", |m| m.sessions[0].ring = Some(Spanned::new(Ring { last: None }, SPAN))),
        ("start paused", |m| m.sessions[0].start_paused = Some(SPAN)),
        ("markers", |m| m.sessions[0].markers.push(Spanned::new("x".to_owned(), SPAN))),
        ("stops", |m| m.sessions[0].stops.push(Spanned::new(Stop::Command, SPAN))),
        ("output", |m| m.sessions[0].output = None),
        ("output path", |m| m.sessions[0].output.as_mut().expect("an output").path.value = "y".to_owned()),
        ("output form", |m| m.sessions[0].output.as_mut().expect("an output").form = OutputForm::JsonLines),
        ("a second session", |m| m.sessions.push(m.sessions[0].clone())),
        ("no session", |m| m.sessions.clear()),
        ("a condition", |m| {
            let conjuncts = m.conditions[recording(&mut m.clone()).filter].to_vec();
            m.conditions.add(conjuncts);
        }),
        ("a layout", |m| {
            let layout = m.catalogue.iter().next().expect("one").1.clone();
            m.catalogue.add(layout);
        }),
        ("definitions", |m| m.definitions.push(Definitions::default())),
    ];

    #[test]
    fn dumps_differ_exactly_where_forms_differ() {
        let mut forms: Vec<(String, Module)> = vec![("none".to_owned(), full())];
        for (name, change) in CHANGES {
            let mut module = full();
            change(&mut module);
            forms.push(((*name).to_owned(), module));
        }
        // Two changes together, so that one cannot hide another.
        for (first, change) in CHANGES.iter().filter(|(name, _)| !name.contains("no ")) {
            let mut module = full();
            change(&mut module);
            module.sessions.push(full().sessions.remove(0));
            forms.push((format!("{first}, and a session"), module));
        }
        let dumps: Vec<String> = forms.iter().map(|(_, form)| module(form)).collect();
        for (left, one) in forms.iter().enumerate() {
            for (right, other) in forms.iter().enumerate() {
                assert_eq!(one.1 == other.1, dumps[left] == dumps[right], "{} and {}", one.0, other.0);
            }
        }
        assert!(forms.len() > 80, "{}", forms.len());
    }
}
