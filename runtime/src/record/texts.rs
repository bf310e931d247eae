//! The texts of events, each compiled when its first record is written.

use tracec_kernel::format::EventFormat;
use tracec_kernel::text::{Dialect, Environment, Style, Text, TextError};

/// The texts of the events that have occurred.
#[derive(Debug, Default)]
pub(crate) struct Texts {
    /// By event id; `Some(None)` for an event that cannot be printed.
    by_id: Vec<Option<Option<Text>>>,
}

impl Texts {
    /// Returns the text of an event in a style, the same for all calls; `None` if its `print fmt` is empty, or cannot be
    /// compiled. `report` is called for the first record of an event whose `print fmt` cannot be compiled.
    pub(crate) fn of<E>(
        &mut self,
        format: &EventFormat,
        (environment, style): (&dyn Environment, Style),
        report: impl FnOnce(&TextError) -> Result<(), E>,
    ) -> Result<Option<&Text>, E> {
        let id = usize::from(format.id);
        if self.by_id.len() <= id {
            self.by_id.resize_with(id + 1, || None);
        }
        let Some(slot) = self.by_id.get_mut(id) else { return Ok(None) };
        if slot.is_none() {
            *slot = Some(match Text::compile_as(format, environment, style) {
                Ok(text) if style.dialect == Dialect::TraceCmd || !is_empty(format) => Some(text),
                Ok(_) => None,
                Err(error) => {
                    report(&error)?;
                    None
                }
            });
        }
        Ok(slot.as_ref().and_then(Option::as_ref))
    }
}

/// Returns whether an event has fields and prints none of them: those that programs record, and that a text defines,
/// have no text but their fields.
fn is_empty(format: &EventFormat) -> bool {
    format.system != "syscalls" && format.print_fmt.trim() == "\"\"" && !format.own_fields().is_empty()
}
