//! The header that defines tracepoints: what include/trace/define_trace.h reads once for each stage.
//!
//! The boilerplate is that of samples/trace_events/trace-events-sample.h: the guard lets the header be read again, and
//! the parts outside of it set the system and include the definitions last.

use std::collections::BTreeSet;
use std::fmt::Write;

use tracec_kernel::tables::field_macros::Holds;

use super::event::event;
use super::names::Tables;
use super::{Record, Scope};
use crate::ir::definition::{ConstantTable, Definitions, EventClass, ExprKind, TypeKind};

/// How the header is read.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Header<'a> {
    /// Its name without `.h`, an identifier of C.
    pub(crate) file: &'a str,
    /// The macro that keeps it from being read twice.
    pub(crate) guard: &'a str,
    /// The text that it was made of, if the header names it.
    pub(crate) origin: Option<&'a str>,
    /// The directory of the header as a path from include/trace, or from a directory of the include path; `None` for
    /// include/trace/events.
    pub(crate) directory: Option<&'a str>,
    /// How a string is copied into a record.
    pub(crate) assign_str: AssignStr,
}

/// The arguments of `__assign_str`, which differ between trees: fixes of a release bring the new form to older ones, so
/// that a version does not say which one a tree has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AssignStr {
    /// The field alone.
    Field,
    /// The field and the source.
    FieldAndSource,
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
        Some(if parameters.contains(',') { AssignStr::FieldAndSource } else { AssignStr::Field })
    }
}

/// Returns the header of the tracepoints that a text defines.
pub(crate) fn header(definitions: &Definitions, constants: &ConstantTable, as_: Header<'_>) -> String {
    let system = definitions.subsystem.as_ref().map(|name| name.value.as_str()).unwrap_or_default();
    let tables = Tables::of(definitions, constants, &system.replace('-', "_"));
    let scope = Scope {
        definitions,
        constants,
        record: Record::Entry { tables: &tables },
        fields: &[],
        arguments: &[],
    };
    let mut text = head(system, as_);
    includes(&mut text, definitions);
    declarations(&mut text, definitions);
    tables.write(&mut text, constants);
    if let AssignStr::Decided(decided) = as_.assign_str {
        copies(&mut text, decided, definitions);
    }
    let mut written = BTreeSet::new();
    for one in &definitions.events {
        if let Some(class) = definitions.class_of(one) {
            text.push('\n');
            text.push_str(&event(scope, as_.assign_str, one, class, &mut written));
        }
    }
    tail(&mut text, system, as_);
    text
}

/// The macro that copies a string in the form of the tree.
pub(super) const ASSIGN_STR: &str = "tracec_assign_str";

/// The macro that copies a string of a length in the form of the tree.
pub(super) const ASSIGN_STR_LEN: &str = "tracec_assign_str_len";

/// Defines the macros that copy strings, of those that the text needs.
///
/// Trees where `__assign_str_len` is missing take `__assign_str` for both, with one argument or, in 6.9, with two. The
/// macros of a tree are there when the header is read for the functions that use them (include/trace/trace_events.h).
fn copies(text: &mut String, decided: &str, definitions: &Definitions) {
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

/// Returns the head: the system, and the guard.
fn head(system: &str, as_: Header<'_>) -> String {
    let mut text = String::from("/* SPDX-License-Identifier: GPL-2.0 */\n");
    if let Some(origin) = as_.origin {
        let _ = writeln!(text, "/* Built by tracec of {}. */", comment(origin));
    }
    let _ = write!(text, "#undef TRACE_SYSTEM\n#define TRACE_SYSTEM {system}\n");
    if system.contains('-') {
        let name = system.replace('-', "_");
        let _ = write!(text, "#undef TRACE_SYSTEM_VAR\n#define TRACE_SYSTEM_VAR {name}\n");
    }
    let guard = as_.guard;
    let _ = write!(text, "\n#if !defined({guard}) || defined(TRACE_HEADER_MULTI_READ)\n#define {guard}\n\n");
    text
}

fn includes(text: &mut String, definitions: &Definitions) {
    for header in &definitions.headers {
        let path = &header.path.value;
        let quoted = if header.angled { format!("<{path}>") } else { format!("\"{path}\"") };
        let _ = writeln!(text, "#include {quoted}");
    }
    text.push_str("#include <linux/tracepoint.h>\n");
}

/// Declares what tracepoints name and no header has to have: the structs behind pointers, and the functions that run
/// with the first and the last probe.
fn declarations(text: &mut String, definitions: &Definitions) {
    let arguments =
        definitions.classes.iter().flat_map(|class| &class.arguments).map(|argument| &argument.ty);
    let fields = definitions.classes.iter().flat_map(|class| &class.fields).map(|field| &field.ty);
    let casts = definitions.exprs.iter().filter_map(|(_, expr)| match &expr.kind {
        ExprKind::Cast { ty, .. } => Some(ty),
        _ => None,
    });
    let structs: BTreeSet<&str> =
        arguments.chain(fields).chain(casts).filter_map(|ty| tagged(&ty.kind, &ty.c)).collect();
    if !structs.is_empty() {
        text.push('\n');
    }
    for name in structs {
        let _ = writeln!(text, "{name};");
    }
    let hooks = definitions.events.iter().filter_map(|event| event.hooks.as_ref());
    let mut functions = BTreeSet::new();
    for hooks in hooks {
        functions.insert(format!("int {}(void);", hooks.register.value));
        functions.insert(format!("void {}(void);", hooks.unregister.value));
    }
    if !functions.is_empty() {
        text.push('\n');
    }
    for function in functions {
        let _ = writeln!(text, "{function}");
    }
}

/// Returns `struct NAME` or `union NAME` of a pointer to one.
fn tagged<'a>(kind: &TypeKind, c: &'a str) -> Option<&'a str> {
    if !matches!(kind, TypeKind::Pointer { .. }) {
        return None;
    }
    let named = c.strip_prefix("const ").unwrap_or(c);
    let name = named.split([' ', '*']).nth(1)?;
    let end = named.find(name)? + name.len();
    (named.starts_with("struct ") || named.starts_with("union ")).then(|| &named[..end])
}

fn has_field(class: &EventClass, holds: &[Holds]) -> bool {
    class.fields.iter().any(|field| holds.contains(&field.declared.holds))
}

/// Writes what follows the guard: where the header is, and the stages.
fn tail(text: &mut String, system: &str, as_: Header<'_>) {
    let Header { file, directory, guard, .. } = as_;
    let _ = write!(text, "\n#endif /* {guard} */\n\n/* This part must be outside protection */\n");
    if let Some(directory) = directory {
        let _ = write!(text, "#undef TRACE_INCLUDE_PATH\n#define TRACE_INCLUDE_PATH {directory}\n");
    }
    if file != system {
        let _ = write!(text, "#undef TRACE_INCLUDE_FILE\n#define TRACE_INCLUDE_FILE {file}\n");
    }
    text.push_str("#include <trace/define_trace.h>\n");
}

/// Returns a text that a comment can contain.
pub(crate) fn comment(text: &str) -> String {
    text.replace("*/", "* /").replace("/*", "/ *")
}
