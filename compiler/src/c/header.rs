//! The header that defines tracepoints: what include/trace/define_trace.h reads once for each stage.
//!
//! The boilerplate is that of samples/trace_events/trace-events-sample.h: the guard lets the header be read again, and
//! the parts outside of it set the system and include the definitions last.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use tracec_grammar::span::Span;

use super::array_text;
use super::assign_str::{AssignStr, copies};
use super::comment::comment;
use super::event::event;
use super::marks::{Marked, mark};
use super::names::Tables;
use super::{Record, Scope};
use crate::ir::definition::{ConstantTable, Definitions, ExprKind, TypeKind};

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

/// Returns the header of the tracepoints that a text defines.
pub(crate) fn header(definitions: &Definitions, constants: &ConstantTable, as_: Header<'_>) -> Marked {
    let system = definitions.subsystem.as_ref().map(|name| name.value.as_str()).unwrap_or_default();
    let tables = Tables::of(definitions, constants, &system.replace('-', "_"));
    let scope = Scope {
        exprs: &definitions.exprs,
        constants,
        record: Record::Entry { tables: &tables },
        fields: &[],
        arguments: &[],
    };
    let mut text = head(system, as_);
    includes(&mut text, definitions);
    declarations(&mut text, definitions);
    sign_of_char(&mut text, definitions);
    tables.write(&mut text, constants);
    if let AssignStr::Decided(decided) = as_.assign_str {
        copies(&mut text, decided, definitions);
    }
    array_text::write(&mut text, definitions);
    let mut written = BTreeSet::new();
    for one in &definitions.events {
        if let Some(class) = definitions.class_of(one) {
            text.push('\n');
            text.push_str(&event(scope, as_.assign_str, one, class, &mut written));
        }
    }
    tail(&mut text, system, as_);
    Marked::of(&text)
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
        let _ = writeln!(text, "#include {quoted}{}", mark(header.path.span));
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
    let pointers = arguments.chain(fields).chain(casts);
    let structs = pointers.filter_map(|ty| Some((tagged(&ty.kind, &ty.c)?.to_owned(), ty.span)));
    declare(text, structs);
    let hooks = definitions.events.iter().filter_map(|event| event.hooks.as_ref());
    let functions = hooks.flat_map(|hooks| {
        let (register, unregister) = (&hooks.register, &hooks.unregister);
        [
            (format!("int {}(void)", register.value), register.span),
            (format!("void {}(void)", unregister.value), unregister.span),
        ]
    });
    declare(text, functions);
}

/// Writes the sign that `char` was read with, where one is a number: a kernel whose `char` has the other sign would compute
/// something else.
fn sign_of_char(text: &mut String, definitions: &Definitions) {
    let arguments = definitions.classes.iter().flat_map(|class| &class.arguments);
    let fields = definitions.classes.iter().flat_map(|class| &class.fields);
    let declared = arguments.map(|argument| &argument.ty.kind).chain(fields.map(|field| &field.ty.kind));
    let computed = definitions.exprs.iter().filter_map(|(_, expr)| expr.ty.as_ref());
    let sign = declared.chain(computed).find_map(|kind| match kind {
        TypeKind::Char { signed } => Some(*signed),
        _ => None,
    });
    if let Some(signed) = sign {
        let (operator, word) = if signed { ("<", "signed") } else { (">", "unsigned") };
        let _ = write!(
            text,
            "\nstatic_assert((char)-1 {operator} 0,\n\t      \"built for a kernel whose char is {word}\");\n"
        );
    }
}

/// Writes declarations, each once and for the first part that needs it.
fn declare(text: &mut String, declarations: impl Iterator<Item = (String, Span)>) {
    let mut once = BTreeMap::new();
    for (declaration, span) in declarations {
        once.entry(declaration).or_insert(span);
    }
    if !once.is_empty() {
        text.push('\n');
    }
    for (declaration, span) in once {
        let _ = writeln!(text, "{declaration};{}", mark(span));
    }
}

/// Returns `struct NAME` or `union NAME` of a pointer to one.
fn tagged<'a>(kind: &TypeKind, c: &'a str) -> Option<&'a str> {
    if !matches!(kind, TypeKind::Pointer { .. }) {
        return None;
    }
    let named = c.strip_prefix("const ").unwrap_or(c);
    let (tag, rest) = named.split_once(' ')?;
    let name = rest.split([' ', '*']).next()?;
    matches!(tag, "struct" | "union").then(|| &named[..tag.len() + 1 + name.len()])
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
