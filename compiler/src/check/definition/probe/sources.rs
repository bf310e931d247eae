//! The values that the fields of a probe can be fetched from.

use rustc_hash::FxHashMap;
use tracec_kernel::format::{EventFormat, Field};
use tracec_kernel::tables::probe_kinds::ProbeKind;

use crate::ir::definition::{Argument, FetchSource};

/// The values that a field can be fetched from.
pub(super) struct Sources<'a> {
    pub(super) kind: &'static ProbeKind,
    pub(super) at_entry: bool,
    pub(super) arguments: &'a [Argument],
    pub(super) result: Option<&'a Argument>,
    /// The event that is probed.
    pub(super) event: Option<&'a EventFormat>,
    /// The arguments and the result by name; if two have one name, the first.
    pub(super) named: FxHashMap<&'a str, (&'a Argument, FetchSource)>,
    /// The fields of the event that is probed, by name.
    pub(super) event_fields: FxHashMap<&'a str, &'a Field>,
    /// Whether all of these are without mistakes: only then is a missing name reported.
    pub(super) sound: bool,
}

impl<'a> Sources<'a> {
    /// Returns the values of a probe; `sound` says whether all are without mistakes.
    pub(super) fn new(
        kind: &'static ProbeKind,
        at_entry: bool,
        arguments: &'a [Argument],
        result: Option<&'a Argument>,
        event: Option<&'a EventFormat>,
        sound: bool,
    ) -> Self {
        let mut named = FxHashMap::default();
        for (argument, source) in all(arguments, result) {
            named.entry(argument.name.value.as_str()).or_insert((argument, source));
        }
        // The kernel searches the event's own fields only (`parse_trace_event_arg`).
        let event_fields = event.map(EventFormat::own_fields).unwrap_or_default();
        let event_fields = event_fields.iter().rev().map(|field| (field.name.as_str(), field)).collect();
        Sources { kind, at_entry, arguments, result, event, named, event_fields, sound }
    }

    /// Returns the names of the values, for suggestions.
    pub(super) fn names(&self) -> Vec<&'a str> {
        let own = self.arguments.iter().chain(self.result).map(|argument| argument.name.value.as_str());
        let event = self.event.map(EventFormat::own_fields).unwrap_or_default();
        own.chain(event.iter().map(|field| field.name.as_str())).collect()
    }
}

/// Returns the arguments and the result, with the source of each.
pub(super) fn all<'a>(
    arguments: &'a [Argument],
    result: Option<&'a Argument>,
) -> impl Iterator<Item = (&'a Argument, FetchSource)> {
    let arguments = arguments.iter().enumerate();
    let arguments = arguments.map(|(index, argument)| (argument, FetchSource::Argument(index)));
    arguments.chain(result.map(|result| (result, FetchSource::Result)))
}
