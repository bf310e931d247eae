//! What tracefs takes as text, for the targets that write it and for those who have to know its length.

use crate::ir::{Catalogue, Trigger};

/// Returns the command for an event's `trigger` file, with its condition as filter text.
pub(crate) fn trigger_command(trigger: &Trigger, catalogue: &Catalogue, filter: Option<&str>) -> String {
    let count = trigger.count.map_or(String::new(), |count| format!(":{count}"));
    let condition = filter.map_or(String::new(), |filter| format!(" if {filter}"));
    let event = trigger.event.map_or(String::new(), |id| format!(":{}", catalogue[id].qualified_name()));
    format!("{}{event}{count}{condition}", trigger.kind.value.name)
}
