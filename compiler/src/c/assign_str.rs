//! How a string is copied into a record, which differs between trees.

use std::fmt::Write;

use tracec_kernel::tables::field_macros::Holds;

use crate::ir::definition::{Definitions, EventClass};

/// The arguments of `__assign_str`, which differ between trees: fixes of a release bring the new form to older ones, so
/// that a version does not say which one a tree has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AssignStr {
    /// The field alone.
    Field,
    /// The field and the source. A string of a length is copied by `__assign_str_len` where the tree has it; 6.9 has not.
    FieldAndSource {
        /// Whether the tree has `__assign_str_len`.
        has_length: bool,
    },
    /// By a macro of the header, which has both, and which the file that reads the header defines for its tree by this
    /// name.
    Decided(&'static str),
}

impl AssignStr {
    /// Returns the form of a tree, by its include/trace/stages/stage6_event_callback.h; `None` if that does not define
    /// the macro.
    pub(crate) fn of_tree(stage6: &str) -> Option<Self> {
        let (_, definition) = stage6.split_once("#define __assign_str(")?;
        let (parameters, _) = definition.split_once(')')?;
        let has_length = stage6.contains("#define __assign_str_len(");
        Some(match parameters.contains(',') {
            true => AssignStr::FieldAndSource { has_length },
            false => AssignStr::Field,
        })
    }
}

/// The macro that copies a string in the form of the tree.
pub(super) const ASSIGN_STR: &str = "tracec_assign_str";

/// The macro that copies a string of a length in the form of the tree.
pub(super) const ASSIGN_STR_LEN: &str = "tracec_assign_str_len";

/// Defines the macros that copy strings, of those that the text needs.
///
/// Trees where `__assign_str_len` is missing take `__assign_str` for both, with one argument or, in 6.9, with two. The
/// macros of a tree are there when the header is read for the functions that use them (include/trace/trace_events.h).
pub(super) fn copies(text: &mut String, decided: &str, definitions: &Definitions) {
    let has = |holds: &[Holds]| definitions.classes.iter().any(|class| has_field(class, holds));
    if has(&[Holds::Text, Holds::CountedText]) {
        let _ = write!(
            text,
            "\n#undef {ASSIGN_STR}\n#ifdef {decided}\n#define {ASSIGN_STR}(dst, src) __assign_str(dst, src)\n\
             #else\n#define {ASSIGN_STR}(dst, src) __assign_str(dst)\n#endif\n"
        );
    }
    if has(&[Holds::CountedText]) {
        let _ = writeln!(
            text,
            "\n#undef {ASSIGN_STR_LEN}\n#ifdef __assign_str_len\n\
             #define {ASSIGN_STR_LEN}(dst, src, len) __assign_str_len(dst, src, len)\n\
             #else\n#define {ASSIGN_STR_LEN}(dst, src, len) {ASSIGN_STR}(dst, src)\n#endif"
        );
    }
}

fn has_field(class: &EventClass, holds: &[Holds]) -> bool {
    class.fields.iter().any(|field| holds.contains(&field.declared.holds))
}
