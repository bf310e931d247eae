//! `instance "name";`

use tracec_grammar::span::Spanned;
use tracec_kernel::plan::InstanceName;

use crate::diagnostic::codes;

use super::Settings;

impl Settings<'_, '_> {
    /// Returns the name, if it is valid in `instances/`. `None` if a mistake was reported.
    pub(super) fn instance(&mut self, name: &Spanned<String>) -> Option<Spanned<InstanceName>> {
        match InstanceName::new(&name.value) {
            Ok(instance) => Some(Spanned::new(instance, name.span)),
            Err(error) => {
                let reason = error.to_string();
                self.say(codes::bad_instance::bad_instance(name.span, &name.value, &reason))
            }
        }
    }
}
