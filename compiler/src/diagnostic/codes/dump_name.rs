//! T0330: dump-name. The page beside this file says what it means.

use std::path::Path;

use tracec_grammar::span::Span;
use tracec_kernel::plan::DUMP_NUMBER;

use crate::diagnostic::quoted::quoted;
use crate::diagnostic::{Code, Diagnostic};

pub(crate) static CODE: Code = Code::error("T0330", "dump-name", include_str!("dump_name.md"));

/// Reports the name of several files in which no number stands.
pub(crate) fn without_number(span: Span, path: &str) -> Diagnostic {
    let known = Path::new(path);
    let stem = known.file_stem().unwrap_or_default().to_string_lossy();
    let ending = known.extension().map_or(String::new(), |ending| format!(".{}", ending.to_string_lossy()));
    let numbered = known.with_file_name(format!("{stem}-{DUMP_NUMBER}{ending}"));
    Diagnostic::error(&CODE, "all dumps would have one name, and each would replace the one before")
        .at(span, format!("`{DUMP_NUMBER}` is missing"))
        .note(format!("`{DUMP_NUMBER}` in a name stands for the number of the dump"))
        .suggest(span, &[quoted(&numbered.to_string_lossy())])
        .help("or write `max 1` behind the name, to keep the first dump only")
}

/// Reports a name whose number is that of a directory.
pub(crate) fn in_directory(span: Span) -> Diagnostic {
    Diagnostic::error(&CODE, format!("`{DUMP_NUMBER}` stands in the name of a directory"))
        .at(span, "directories are not created")
        .help(format!("write `{DUMP_NUMBER}` into the name of the file, behind the last `/`"))
}

/// Reports braces that do not hold the number.
pub(crate) fn unknown_place(span: Span, place: &str) -> Diagnostic {
    Diagnostic::error(&CODE, format!("{place:?} in the name of a dump has no value"))
        .at(span, format!("only `{DUMP_NUMBER}` is replaced, by the number of the dump"))
        .help(format!("write `{DUMP_NUMBER}`, or leave the braces out"))
}

/// Reports a file that two clauses write.
pub(crate) fn written_twice(span: Span, path: &str, first: Span) -> Diagnostic {
    Diagnostic::error(
        &CODE,
        format!("two clauses write {path:?}, and one would replace what the other wrote"),
    )
    .at(span, "written here too")
    .and_at(first, "first here")
    .help("give each clause a file of its own")
}
