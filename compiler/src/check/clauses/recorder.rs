//! `recorder bpf;`

use tracec_grammar::syntax::Name;
use tracec_kernel::nearest::nearest;

use crate::diagnostic::codes;
use crate::ir::Recorder;

use super::Settings;

impl Settings<'_, '_> {
    /// Returns the recorder of a name. `None` if a mistake was reported.
    pub(super) fn recorder(&mut self, name: &Name) -> Option<Recorder> {
        let found = Recorder::ALL.into_iter().find(|recorder| recorder.name() == name.value);
        if found.is_some() {
            return found;
        }
        let near = nearest(&name.value, Recorder::ALL.map(Recorder::name), 1);
        self.say(codes::unknown_recorder::unknown_recorder(name.span, &name.value, &near))
    }
}
