//! `marker "text";`

use tracec_grammar::span::Spanned;
use tracec_kernel::grouped::Grouped;
use tracec_kernel::tables::limits;

use crate::diagnostic::codes;

use super::Settings;

impl Settings<'_, '_> {
    /// Returns the text, if `trace_marker` accepts its length: longer ones are truncated silently. `None` if a mistake
    /// was reported.
    pub(super) fn marker(&mut self, text: &Spanned<String>) -> Option<Spanned<String>> {
        let bad = |reason: &str| codes::bad_marker::bad_marker(text.span, reason);
        let length = text.value.len();
        if length == 0 {
            return self.say(bad("it is empty, and the kernel writes nothing then"));
        }
        if text.value.contains('\0') {
            return self.say(bad("the kernel's text ends at a NUL"));
        }
        if length > limits::MARKER_BYTES {
            let (length, most) = (Grouped(length), Grouped(limits::MARKER_BYTES));
            return self.say(bad(&format!("it has {length} bytes, and kernels such as 6.1 keep {most}")));
        }
        Some(text.clone())
    }
}
