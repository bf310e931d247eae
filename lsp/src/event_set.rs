//! The events of a set, with their layouts: all of them, and a few that stand for all.
//!
//! A set may have hundreds of events. They are looked up once while a condition on them is typed, and what is tried of a
//! statement is tried on the few.

use std::cell::RefCell;
use std::collections::{BTreeSet, HashSet};
use std::rc::Rc;
use std::sync::Arc;

use tracec_compiler::check::{CURRENT, definition};
use tracec_compiler::ir::EventLayout;
use tracec_compiler::load::load;
use tracec_compiler::resolve::Finder;
use tracec_compiler::{Diagnostics, SourceText};
use tracec_grammar::syntax::ClauseKind;
use tracec_kernel::format::{EventFormat, Field};
use tracec_span::FileId;

use crate::answer::Surroundings;
use crate::fragment::analysed;
use crate::world::Remembered;

/// The number of events up to which a statement is tried on all of them.
const FEW: usize = 3;

/// What a set is looked up by: the name of the document, the label of the kernel, and a text with one clause.
type Key = (String, String, String);

/// The layouts of the events of a set.
pub(crate) type Layouts = Rc<Vec<Arc<EventLayout>>>;

/// The number of sets that are remembered: a statement has one or two of them on each of a few kernels.
const REMEMBERED: usize = 8;

/// The events of the last sets that were looked up, the newest last.
#[derive(Default)]
pub(crate) struct EventSets(RefCell<Vec<(Key, Layouts)>>);

impl EventSets {
    /// Returns the events of the last `trace` clause of a text in the place of the document.
    pub(crate) fn get(&self, of: &Surroundings<'_>, kernel: &Remembered, text: String) -> Layouts {
        let key = (of.document.name.clone(), kernel.label.clone(), text);
        if let Some((_, layouts)) = self.0.borrow().iter().find(|(known, _)| *known == key) {
            return Rc::clone(layouts);
        }
        let mut layouts = found(of, kernel, &key.2);
        if layouts.is_empty() {
            // A parameter may be the name of an event, which is known where its session is expanded.
            let analysis = analysed(of, kernel, key.2.clone());
            let events = analysis.module.sessions.iter().flat_map(|session| &session.events);
            layouts.extend(events.map(|event| analysis.module.catalogue.layout(event.id).clone()));
        }
        let layouts = Rc::new(layouts);
        let mut known = self.0.borrow_mut();
        if known.len() == REMEMBERED {
            known.remove(0);
        }
        known.push((key, Rc::clone(&layouts)));
        layouts
    }

    /// Forgets what may depend on the change of a document: what another one has looked up may be defined there. Without
    /// a name everything may have changed.
    pub(crate) fn forget(&self, changed: Option<&str>) {
        self.0.borrow_mut().retain(|((of, ..), _)| Some(of.as_str()) == changed);
    }
}

/// Finds the events of a set without the check of what is said of them.
fn found(of: &Surroundings<'_>, kernel: &Remembered, text: &str) -> Vec<Arc<EventLayout>> {
    let source = SourceText { name: of.document.name.clone(), text: text.to_owned(), one_liner: false };
    let (imports, mut ignored) = (of.imports(), Diagnostics::default());
    let program = load(&source, &imports, kernel, &mut ignored);
    let mut finder = Finder::new(kernel);
    definition::declare(&program, &mut finder, &mut ignored);
    let sessions = program[FileId::MAIN].parsed.file.sessions();
    let sets = sessions.flat_map(|session| &session.clauses).filter_map(|clause| match &clause.kind {
        ClauseKind::Trace(content) => Some(&content.events),
        _ => None,
    });
    let Some(set) = sets.last() else { return Vec::new() };
    let events = finder.find(set, &mut ignored).events;
    events.iter().map(|(id, _)| finder.catalogue().layout(*id).clone()).collect()
}

/// Returns the fields that all events have, as the first one has them.
pub(crate) fn shared_fields(layouts: &[Arc<EventLayout>]) -> impl Iterator<Item = (&EventLayout, &Field)> {
    let first = layouts.first();
    let own = first.into_iter().flat_map(|layout| layout.format.own_fields());
    own.filter(|field| layouts.iter().all(|layout| layout.format.field(&field.name).is_some()))
        .filter_map(move |field| Some((&**first?, field)))
}

/// Returns a set of few events that stand for all of them in a statement with some words: each field that it can name has
/// every type among them that it has among all, and is missing where it is missing in one. `None` if all are few.
pub(crate) fn few(layouts: &[Arc<EventLayout>], words: &[&str]) -> Option<String> {
    if layouts.len() <= FEW {
        return None;
    }
    let mut names: BTreeSet<&str> = words.iter().copied().collect();
    names.extend(shared_fields(layouts).map(|(_, field)| field.name.as_str()));
    names.extend(CURRENT.iter().map(|property| property.name));
    let mut seen = HashSet::new();
    let mut is_new = |format: &EventFormat| {
        let mut is_new = false;
        for name in &names {
            let field = format.field(name);
            let kind = field.map(|field| (field.type_text.clone(), field.size, field.signed));
            is_new |= seen.insert((*name, kind));
        }
        is_new
    };
    let chosen = layouts.iter().filter(|layout| is_new(&layout.format));
    let names: Vec<String> = chosen.map(|layout| layout.format.qualified_name().to_string()).collect();
    (names.len() < layouts.len()).then(|| format!("{{{}}}", names.join(", ")))
}
