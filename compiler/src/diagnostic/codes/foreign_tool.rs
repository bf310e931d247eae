//! T0134: foreign-tool. The page beside this file says what it means.

use tracec_grammar::error::{SyntaxError, TranslatedEvent};
use tracec_grammar::format;
use tracec_kernel::tables::c_types;

use crate::diagnostic::{Applicability, Code, Diagnostic, Fix, foreign};

pub(crate) static CODE: Code = Code::error("T0134", "foreign-tool", include_str!("foreign_tool.md"));

/// The parts of a definition in a header (include/linux/tracepoint.h), by its macro.
const PARTS: &[(&str, &[&str])] = &[
    ("TRACE_EVENT(", &["TP_PROTO", "TP_ARGS", "TP_STRUCT__entry", "TP_fast_assign", "TP_printk"]),
    ("DECLARE_EVENT_CLASS(", &["TP_PROTO", "TP_ARGS", "TP_STRUCT__entry", "TP_fast_assign", "TP_printk"]),
    ("DEFINE_EVENT(", &["TP_PROTO", "TP_ARGS"]),
];

/// Reports a definition or a text in the syntax of another tool, which is a part of `text`.
pub(crate) fn foreign_tool(error: &SyntaxError, event: Option<&TranslatedEvent>, text: &str) -> Diagnostic {
    let label = "syntax of another tool";
    let event = event.filter(|event| event.types.iter().all(|ty| is_known(ty)));
    // What is offered can be read.
    let read = |event: &TranslatedEvent| {
        let texts = event.texts.iter();
        let (text, file) = texts.filter_map(|text| Some((text.clone(), format(text).ok()?))).next()?;
        Some((event.in_file, text, file))
    };
    let (before, behind) = (text.get(..error.span.range().start), text.get(error.span.range().end..));
    let has_subsystem = [before, behind].into_iter().flatten().any(declares_subsystem);
    let Some((in_file, text, file)) = event.and_then(read) else {
        let said = Diagnostic::from_grammar(&CODE, error, label);
        let written = text.get(error.span.range()).unwrap_or_default();
        return missing_parts(written).into_iter().fold(said, Diagnostic::note);
    };
    let own = |text: String| match text.split_once(';') {
        Some((_, event)) if has_subsystem => event.trim_start().to_owned(),
        _ => text,
    };
    let (text, file) = (own(text), own(file));
    let title = format!("define the event in a file: `{text}`");
    let said = Diagnostic::error(&CODE, error.to_string()).at(error.span, label);
    let said = match has_subsystem {
        true => said,
        false => said.note("`my_system` stands for the system of the header, `TRACE_SYSTEM`"),
    };
    let said = said.note(
        "a session cannot record the definition yet: if a kernel has the event, name it, as `tracec list` does",
    );
    match in_file {
        true => said.offer(Fix::new(Applicability::Maybe, title, error.span, file.trim_end())),
        false => said.help(title),
    }
}

/// Returns whether a line of a text declares the subsystem.
fn declares_subsystem(text: &str) -> bool {
    text.lines().any(|line| line.trim_start().starts_with("subsystem "))
}

/// Returns which parts a definition of a header lacks.
fn missing_parts(written: &str) -> Option<String> {
    let (macro_name, parts) = PARTS.iter().find(|(name, _)| written.starts_with(name))?;
    let lacks = |part: &&&str| !written.contains(&format!("{part}("));
    let missing: Vec<String> = parts.iter().filter(lacks).map(|part| format!("`{part}(..)`")).collect();
    let name = macro_name.trim_end_matches('(');
    match missing.as_slice() {
        [] => None,
        [only] => Some(format!("this `{name}` has no {only}")),
        [others @ .., last] => Some(format!("this `{name}` has no {} and no {last}", others.join(", no "))),
    }
}

/// Reports a command line or a program, with the session that does the same and with all that the session leaves out.
pub(crate) fn foreign_command(error: &SyntaxError, text: &str, one_liner: bool) -> Diagnostic {
    let translation = foreign::translate(text.get(error.span.range()).unwrap_or_default());
    let said = Diagnostic::error(&CODE, error.to_string()).at(error.span, "syntax of another tool");
    let said = match translation.session(one_liner) {
        Some(session) => {
            let title = format!("{} `{session}`", translation.order());
            said.guess(title, error.span, session)
        }
        None => said,
    };
    let said = translation.advice().into_iter().fold(said, Diagnostic::help);
    translation.left_out().iter().fold(said, Diagnostic::note)
}

/// Returns whether the type of a header is one without the header.
fn is_known(ty: &str) -> bool {
    let is_tagged =
        ["struct ", "union ", "enum "].iter().any(|tag| ty.trim_start_matches("const ").starts_with(tag));
    is_tagged
        || matches!(ty.trim_start_matches("const "), "void" | "char" | "string")
        || c_types::find(ty).is_some()
}

/// Reports data that was given in the place of a text.
pub(crate) fn not_a_source(error: &SyntaxError) -> Diagnostic {
    Diagnostic::from_grammar(&CODE, error, "data")
}
