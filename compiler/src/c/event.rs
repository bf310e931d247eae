//! Events and classes as the macros of include/linux/tracepoint.h and include/trace/trace_events.h.

use std::collections::BTreeSet;
use std::fmt::Write;

use tracec_grammar::span::Span;
use tracec_kernel::tables::field_macros::Holds;

use super::array_text::{TEXT, can_be_null};
use super::assign_str::{ASSIGN_STR, ASSIGN_STR_LEN, AssignStr};
use super::comment::comment;
use super::expression::put_into;
use super::fill::{fill, wrapped};
use super::literal::verbatim;
use super::marks::mark;
use super::number::Need;
use super::{Printed, Scope, printed};
use crate::ir::definition::{
    Argument, EventClass, EventDef, ExprId, ExprKind, FieldValue, PrintTemplate, RecordField, TypeKind,
};

/// Returns an event, and its class in front of it if that is not written yet.
pub(super) fn event(
    scope: Scope<'_>,
    assign_str: AssignStr,
    event: &EventDef,
    class: &EventClass,
    written: &mut BTreeSet<String>,
) -> String {
    let scope = Scope { fields: &class.fields, arguments: &class.arguments, ..scope };
    let mut text = String::new();
    let is_own = is_own(event, class);
    if !is_own && written.insert(class.name.value.clone()) {
        let at = class.name.span;
        let parts = [prototype(class), record(scope, class, assign_str), print(scope, &class.print, at)];
        let name = &class.name.value;
        let declared = format!("DECLARE_EVENT_CLASS({name},\n\n{}\n);\n", parts.join(",\n\n"));
        let _ = writeln!(text, "{}", without_format_warning(class, declared));
    }
    if let Some(doc) = &event.doc {
        let doc = comment(doc);
        let lines: Vec<String> = doc.lines().flat_map(wrapped).map(|line| format!(" * {line}\n")).collect();
        let _ = match &lines[..] {
            [line] => writeln!(text, "/*{} */", line.strip_prefix(" *").unwrap_or(line).trim_end()),
            lines => write!(text, "/*\n{} */\n", lines.concat().replace(" * \n", " *\n")),
        };
    }
    let condition = event
        .condition
        .map(|id| format!("\tTP_CONDITION({}){}", scope.truth(id), mark(scope.exprs[id].span)));
    let hooks = event.hooks.as_ref().map(|hooks| {
        let (register, unregister) = (&hooks.register, &hooks.unregister);
        format!("\t{},\n\n\t{}{}", register.value, unregister.value, mark(hooks.span))
    });
    let own_print = event.print.as_ref().map(|template| print(scope, template, event.name.span));
    let (kind, parts) = if is_own {
        let kind = match (&condition, &hooks) {
            (None, None) => "TRACE_EVENT",
            (Some(_), None) => "TRACE_EVENT_CONDITION",
            (None, Some(_)) => "TRACE_EVENT_FN",
            (Some(_), Some(_)) => "TRACE_EVENT_FN_COND",
        };
        let print = own_print.unwrap_or_else(|| print(scope, &class.print, class.name.span));
        let record = record(scope, class, assign_str);
        let parts = [Some(prototype(class)), condition, Some(record), Some(print), hooks];
        (format!("{kind}({}", event.name.value), parts)
    } else {
        let kind = match (&condition, &hooks, &own_print) {
            (Some(_), ..) => "DEFINE_EVENT_CONDITION",
            (None, Some(_), _) => "DEFINE_EVENT_FN",
            (None, None, Some(_)) => "DEFINE_EVENT_PRINT",
            (None, None, None) => "DEFINE_EVENT",
        };
        let name = format!("{kind}({}, {}", class.name.value, event.name.value);
        (name, [Some(prototype(class)), condition, hooks, own_print, None])
    };
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    let defined = format!("{kind},\n\n{}\n);\n", parts.join(",\n\n"));
    text.push_str(&if is_own { without_format_warning(class, defined) } else { defined });
    text
}

/// Returns a record with its functions. A function that formats a string is not one that a caller gives a format to, as
/// gcc takes it to be (`-Wsuggest-attribute=format`).
fn without_format_warning(class: &EventClass, c: String) -> String {
    if !class.fields.iter().any(|field| field.declared.holds == Holds::FormattedText) {
        return c;
    }
    format!(
        "#pragma GCC diagnostic push\n#ifndef __clang__\n\
         #pragma GCC diagnostic ignored \"-Wsuggest-attribute=format\"\n#endif\n\
         {c}#pragma GCC diagnostic pop\n"
    )
}

/// Returns whether an event is written with a record of its own. A member of a class is, if it differs from the others
/// in two ways: there is a macro for each, and none for two of them.
fn is_own(event: &EventDef, class: &EventClass) -> bool {
    let ways = [event.condition.is_some(), event.hooks.is_some(), event.print.is_some()];
    class.of_one_event || ways.into_iter().filter(|way| *way).count() > 1
}

/// Returns `TP_PROTO` and `TP_ARGS`.
fn prototype(class: &EventClass) -> String {
    let declared: Vec<String> = class.arguments.iter().map(parameter).collect();
    let names: Vec<String> = class.arguments.iter().map(|argument| argument.name.value.clone()).collect();
    {
        let (proto, args) = (fill("\tTP_PROTO(", &declared, ")"), fill("\tTP_ARGS(", &names, ")"));
        format!("{proto}{},\n\n{args}", mark(class.name.span))
    }
}

/// Returns an argument with its type.
fn parameter(argument: &Argument) -> String {
    let gap = if argument.ty.c.ends_with('*') { "" } else { " " };
    format!("{}{gap}{}", argument.ty.c, argument.name.value)
}

/// Returns `TP_STRUCT__entry` and `TP_fast_assign`.
fn record(scope: Scope<'_>, class: &EventClass, assign_str: AssignStr) -> String {
    let mut text = String::from("\tTP_STRUCT__entry(\n");
    for field in &class.fields {
        let _ = writeln!(text, "\t\t{}{}", declaration(scope, class, field), mark(place(scope, field)));
    }
    text.push_str("\t),\n\n\tTP_fast_assign(\n");
    for field in &class.fields {
        if let Some(statement) = assignment(scope, class, field, assign_str) {
            let _ = writeln!(text, "\t\t{statement}{}", mark(place(scope, field)));
        }
    }
    if let Some(statements) = &class.assign {
        for line in statements.value.lines().map(str::trim).filter(|line| !line.is_empty()) {
            let _ = writeln!(text, "\t\t{}{}", verbatim(line), mark(statements.span));
        }
    }
    text.push_str("\t)");
    text
}

/// Returns where a field is written: its value, or else its name.
fn place(scope: Scope<'_>, field: &RecordField) -> Span {
    match field.value {
        FieldValue::Expr(id) => scope.exprs[id].span,
        _ => field.name.span,
    }
}

/// Returns the macro of a field.
fn declaration(scope: Scope<'_>, class: &EventClass, field: &RecordField) -> String {
    let (name, ty, declared) = (&field.name.value, &field.ty.c, field.declared);
    let arguments = match (declared.holds, &field.ty.kind) {
        (Holds::Array, TypeKind::Array { length, .. }) => format!("{ty}, {name}, {}", length.c()),
        (Holds::Elements, _) => format!("{ty}, {name}, {}", count(scope, field)),
        (Holds::Text, _) => format!("{name}, {}", source(scope, class, field).c),
        (Holds::CountedText, _) => {
            let from = source(scope, class, field).c;
            format!("{name}, {from}, {}", count(scope, field))
        }
        (Holds::FormattedText, _) => format!("{name}, {}", arguments_of_format(scope, class, field)),
        (Holds::Cpumask, _) => name.clone(),
        (Holds::Bitmask, TypeKind::Bitmask) | (Holds::SocketAddress, _) => {
            format!("{name}, {}", count(scope, field))
        }
        (Holds::Bitmask, _) => format!("{name}, {CPU_BITS}"),
        _ => format!("{ty}, {name}"),
    };
    format!("{}({arguments})", declared.name)
}

/// The number of bits of a set of CPUs.
const CPU_BITS: &str = "nr_cpumask_bits";

/// Returns the format of a `struct va_format` and its arguments.
fn arguments_of_format(scope: Scope<'_>, class: &EventClass, field: &RecordField) -> String {
    let from = match &field.value {
        FieldValue::Expr(id) => scope.pointer(*id),
        _ => source(scope, class, field).c,
    };
    format!("{from}->fmt, {from}->va")
}

/// Returns the number of elements, bits or bytes of data whose size differs between records. The macros would take a negative
/// number, or a larger one than a record can have, for room that they do not reserve.
fn count(scope: Scope<'_>, field: &RecordField) -> String {
    match field.value {
        FieldValue::Elements { count, .. } if is_bounded(scope, field, count) => scope.expression(count),
        FieldValue::Elements { count, .. } => {
            format!("clamp_t(s64, {}, 0, {})", scope.expression(count), most(field))
        }
        _ => String::new(),
    }
}

/// Returns whether the type of a count, or the count itself, says that it is not negative and not too large.
fn is_bounded(scope: Scope<'_>, field: &RecordField, count: ExprId) -> bool {
    let reach = scope.exprs.reach(count);
    reach.is_some_and(|(first, last)| first >= 0 && last <= i128::from(most(field)))
}

/// Returns the largest count of which the bytes fit in the 16 bits that a record has for them (`__data_loc` in
/// include/trace/stages/stage5_get_offsets.h).
fn most(field: &RecordField) -> u32 {
    let bytes = u32::from(u16::MAX);
    match (field.declared.holds, &field.ty.kind) {
        // They are whole words.
        (Holds::Bitmask, _) => bytes / 8 * 8 * 8,
        // A NUL follows.
        (Holds::CountedText, _) => bytes - 1,
        (_, TypeKind::Elements { element }) => bytes / element.layout().map_or(1, |(size, _)| size.max(1)),
        _ => bytes,
    }
}

/// Returns how much is copied of data whose size differs between records. A number that is read from memory is not read
/// again: it could be another one than that for which room was reserved, which is then asked for its bytes, as it is for a
/// number that was limited.
fn copied(scope: Scope<'_>, field: &RecordField, of_bytes: fn(String) -> String) -> String {
    match field.value {
        FieldValue::Elements { count, .. }
            if !scope.exprs.is_fixed(count) || !is_bounded(scope, field, count) =>
        {
            of_bytes(format!("__get_dynamic_array_len({})", field.name.value))
        }
        _ => count(scope, field),
    }
}

/// What a field is set to.
struct Source<'a> {
    c: String,
    kind: Option<&'a TypeKind>,
    /// The name of its type, where a declaration or a cast has it.
    type_name: Option<&'a str>,
    /// Whether it is an argument of the tracepoint.
    is_argument: bool,
}

fn source<'a>(scope: Scope<'a>, class: &'a EventClass, field: &RecordField) -> Source<'a> {
    let value = &field.value;
    match value {
        FieldValue::Argument(index) => {
            let argument = class.arguments.get(*index);
            let c = argument.map(|argument| argument.name.value.clone()).unwrap_or_default();
            let ty = argument.map(|argument| &argument.ty);
            Source {
                c,
                kind: ty.map(|ty| &ty.kind),
                type_name: ty.map(|ty| ty.c.as_str()),
                is_argument: true,
            }
        }
        FieldValue::Expr(id) | FieldValue::Elements { pointer: id, .. } => {
            let expr = &scope.exprs[*id];
            let (type_name, is_argument) = match &expr.kind {
                ExprKind::Argument(index) => {
                    (class.arguments.get(*index).map(|argument| argument.ty.c.as_str()), true)
                }
                ExprKind::Cast { ty, .. } => (Some(ty.c.as_str()), false),
                _ => (None, false),
            };
            let c = match field.declared.holds {
                Holds::Value if field.ty.is_bool() => scope.truth(*id),
                Holds::Value => scope.needed(*id, put_into(&field.ty)),
                _ => scope.needed(*id, Need::Value),
            };
            Source { c, kind: expr.ty.as_ref(), type_name, is_argument }
        }
        FieldValue::Statements => {
            Source { c: String::new(), kind: None, type_name: None, is_argument: false }
        }
    }
}

/// Returns the statement that sets a field; `None` if the statements of the class do.
fn assignment(
    scope: Scope<'_>,
    class: &EventClass,
    field: &RecordField,
    assign_str: AssignStr,
) -> Option<String> {
    if field.value == FieldValue::Statements {
        return None;
    }
    let (name, value) = (&field.name.value, &field.value);
    let from = source(scope, class, field);
    let c = &from.c;
    Some(match (field.declared.holds, &field.ty.kind) {
        (Holds::Text, _) => match assign_str {
            AssignStr::Field => format!("__assign_str({name});"),
            AssignStr::FieldAndSource { .. } => format!("__assign_str({name}, {c});"),
            AssignStr::Decided(_) => format!("{ASSIGN_STR}({name}, {c});"),
        },
        (Holds::CountedText, _) => {
            let count = copied(scope, field, |bytes| format!("{bytes} - 1"));
            match assign_str {
                AssignStr::Field => format!("__assign_str({name});"),
                AssignStr::FieldAndSource { has_length: true } => {
                    format!("__assign_str_len({name}, {c}, {count});")
                }
                AssignStr::FieldAndSource { has_length: false } => format!("__assign_str({name}, {c});"),
                AssignStr::Decided(_) => format!("{ASSIGN_STR_LEN}({name}, {c}, {count});"),
            }
        }
        (Holds::FormattedText, _) => {
            format!("__assign_vstr({name}, {});", arguments_of_format(scope, class, field))
        }
        (Holds::SocketAddress, _) => {
            format!("__assign_sockaddr({name}, {c}, {});", copied(scope, field, |bytes| bytes))
        }
        (Holds::Bitmask, TypeKind::Bitmask) => {
            let bits = copied(scope, field, |bytes| format!("{bytes} * BITS_PER_BYTE"));
            format!("__assign_bitmask({name}, {c}, {bits});")
        }
        (Holds::Cpumask, _) => format!("__assign_cpumask({name}, cpumask_bits({c}));"),
        (Holds::Bitmask, _) => format!("__assign_bitmask({name}, cpumask_bits({c}), {CPU_BITS});"),
        (Holds::Elements, _) => {
            format!("memcpy(__get_dynamic_array({name}), {c}, __get_dynamic_array_len({name}));")
        }
        (Holds::Array, TypeKind::Array { element, .. }) if element.is_char() => text(scope, field, &from),
        (Holds::Array, _) => format!("memcpy(__entry->{name}, {c}, sizeof(__entry->{name}));"),
        _ => format!("__entry->{name} = {};", converted(scope, field, value, &from)),
    })
}

/// Returns the value of a field. C has no implicit conversion between pointers to different types, also where one of the
/// types is `const`, except for `void`.
fn converted(scope: Scope<'_>, field: &RecordField, value: &FieldValue, from: &Source<'_>) -> String {
    let ty = &field.ty;
    let differs = from.type_name.is_some_and(|name| name != ty.c && name != "void *");
    let is_implicit = ty.c == "const void *" || !differs;
    match (&ty.kind, from.kind, value) {
        (TypeKind::Pointer { .. }, Some(TypeKind::Pointer { .. }), FieldValue::Expr(id)) if !is_implicit => {
            scope.cast(&ty.c, *id)
        }
        (TypeKind::Pointer { .. }, Some(TypeKind::Pointer { .. }), _) if !is_implicit => {
            format!("({}){}", ty.c, from.c)
        }
        _ => from.c.clone(),
    }
}

/// Returns the copy of a text of a fixed length. It ends with a NUL, and zeros follow: no byte of an older record stays.
/// Like `__assign_str`, it takes a null pointer for `(null)`.
fn text(scope: Scope<'_>, field: &RecordField, from: &Source<'_>) -> String {
    let name = &field.name.value;
    let c = match from.kind {
        Some(TypeKind::Pointer { .. }) if from.is_argument => format!("{} ?: \"(null)\"", from.c),
        _ if can_be_null(scope.exprs, field) => format!("{TEXT}({})", from.c),
        _ => from.c.clone(),
    };
    format!("strscpy_pad(__entry->{name}, {c}, sizeof(__entry->{name}));")
}

/// Returns `TP_printk`. One that is derived from the fields is for the definition `at` this place.
fn print(scope: Scope<'_>, template: &PrintTemplate, at: Span) -> String {
    let Printed { format, args } = printed(scope, template);
    let all: Vec<String> = std::iter::once(format!("\"{format}\"")).chain(args).collect();
    let filled = fill("\tTP_printk(", &all, ")");
    format!("{filled}{}", mark(template.span.unwrap_or(at)))
}
