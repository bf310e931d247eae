//! The fields of a probe's record: the source and the type of each.

use tracec_grammar::span::{Span, Spanned};
use tracec_grammar::syntax::{EventDefinition, Probe, ProbeField as Syntax};
use tracec_kernel::format::{Field, FieldKind};
use tracec_kernel::tables::fetch_types::Fetches;
use tracec_kernel::tables::probe_kinds::{RESERVED_FIELDS, Space};
use tracec_kernel::tables::{header_fields, limits, printk};

use crate::diagnostic::codes;
use crate::ir::definition::{
    CType, Conversion, FetchArgument, FetchSource, FetchedElement, FieldLayout, FirstValue, ProbeField,
    Shape, TypeKind,
};

use super::super::context::Context;
use super::super::fetch;
use super::super::members;
use super::super::names::{self, Named};
use super::super::template::Printable;
use super::sources::{self, Sources};
use super::types::{self, Recorded};

/// Returns the fields of a probe, the size of its record, and whether all fields are valid; those with a mistake are
/// left out.
pub(super) fn fields(
    syntax: &Probe,
    event: &EventDefinition,
    sources: &Sources<'_>,
    context: &mut Context<'_, '_>,
) -> (Vec<ProbeField>, Option<u32>, bool) {
    let (mut typed, mut complete) = match &syntax.fields {
        Some(block) => {
            let right = check_names(&block.value, sources, context);
            let fields = block.value.iter().filter_map(|syntax| field(syntax, sources, context));
            let fields: Vec<(ProbeField, Option<Recorded>)> = fields.collect();
            let complete = right && fields.len() == block.value.len();
            (fields, complete)
        }
        None => copied(sources, context),
    };
    let beyond = typed.get(limits::PROBE_FIELDS).map(|(field, _)| field.span);
    if let Some(span) = beyond.filter(|_| sources.kind.has_fetch()) {
        let mistake = codes::too_many_fields::too_many_fields(span, typed.len(), limits::PROBE_FIELDS);
        context.diagnostics.push(mistake);
        complete = false;
    }
    let size = lay_out(&mut typed, sources);
    if let Some(size) = size.filter(|size| sources.kind.has_fetch() && *size > limits::PROBE_RECORD_BYTES) {
        let mistake = codes::probe_too_large::probe_too_large(
            event.name.span,
            &event.name.value,
            size,
            limits::PROBE_RECORD_BYTES,
        );
        context.diagnostics.push(mistake);
        complete = false;
    }
    (typed.into_iter().map(|(field, _)| field).collect(), size, complete)
}

/// Reports duplicate and invalid names. Returns whether all are valid.
fn check_names(fields: &[Syntax], sources: &Sources<'_>, context: &mut Context<'_, '_>) -> bool {
    let names = fields.iter().filter_map(|field| field.name.as_ref());
    let mut right = names::list(names, Named::ProbeField, context);
    for name in fields.iter().filter_map(|field| field.name.as_ref()) {
        if RESERVED_FIELDS.contains(&name.value.as_str()) && !name.value.starts_with("common_") {
            let why = "every record of a probe has it";
            context.diagnostics.push(codes::reserved_name::reserved_name(
                name.span,
                &name.value,
                "a field",
                why,
            ));
            right = false;
        }
        let longest = limits::PROBE_FIELD_CHARS;
        if sources.kind.has_fetch()
            && name.value.len() > longest
            && name.value.len() <= limits::EVENT_NAME_CHARS
        {
            let mistake =
                codes::name_too_long::name_too_long(name.span, "a probe's field", name.value.len(), longest);
            context.diagnostics.push(mistake);
            right = false;
        }
    }
    right
}

/// Returns the fields where no block is written: the arguments and the result, with texts copied; and whether all are
/// valid.
fn copied(
    sources: &Sources<'_>,
    context: &mut Context<'_, '_>,
) -> (Vec<(ProbeField, Option<Recorded>)>, bool) {
    let mut fields = Vec::new();
    let mut complete = true;
    for (argument, source) in sources::all(sources.arguments, sources.result) {
        let ty = types::copied(&argument.ty);
        let span = argument.name.span;
        let Some(recorded) = types::recorded(&ty, span, sources, context) else {
            complete = false;
            continue;
        };
        let name = Some(argument.name.value.clone());
        fields.push(record(name, None, source, Some(ty), Some(recorded), span));
    }
    (fields, complete)
}

fn record(
    name: Option<String>,
    doc: Option<String>,
    source: FetchSource,
    ty: Option<CType>,
    recorded: Option<Recorded>,
    span: Span,
) -> (ProbeField, Option<Recorded>) {
    let fetch_type = recorded.as_ref().map(|recorded| recorded.fetched);
    (ProbeField { name, doc, source, ty, fetch_type, layout: None, span }, recorded)
}

fn field(
    syntax: &Syntax,
    sources: &Sources<'_>,
    context: &mut Context<'_, '_>,
) -> Option<(ProbeField, Option<Recorded>)> {
    let doc = syntax.doc.as_ref().map(|doc| doc.value.clone());
    let name = syntax.name.as_ref().map(|name| name.value.clone());
    // `name = argument` is the argument under another name.
    let from = match &syntax.fetch {
        Some(fetch) if members::root(&fetch.value) == fetch.value => types::word(&fetch.value, fetch.span),
        Some(path) if members::is_path(&path.value) => {
            let (fetched, ty, recorded) = member(syntax, path, sources, context)?;
            let source = FetchSource::Fetch(fetched);
            return Some(record(name, doc, source, Some(ty), Some(recorded), syntax.span));
        }
        Some(fetch) => {
            let (fetched, ty, recorded) = fetched(syntax, &fetch.value, fetch.span, sources, context)?;
            return Some(record(name, doc, FetchSource::Fetch(fetched), ty, recorded, syntax.span));
        }
        None => syntax.name.clone()?,
    };
    if let Some((argument, source)) = sources.named.get(from.value.as_str()).cloned() {
        let ty = match &syntax.ty {
            Some(ty) => types::field_type(ty, sources, context)?,
            None => types::DeclaredType { ty: types::copied(&argument.ty), recorded: None },
        };
        let recorded = match ty.recorded {
            Some(recorded) => recorded,
            None => types::recorded(&ty.ty, ty.ty.span, sources, context)?,
        };
        source_fits(&argument.ty.kind, &ty.ty, &recorded, &from.value, sources, context)?;
        return Some(record(name, doc, source, Some(ty.ty), Some(recorded), syntax.span));
    }
    if let Some(field) = sources.event_fields.get(from.value.as_str()) {
        return event_field(syntax, field, doc, sources, context);
    }
    missing(&from, syntax, sources, context)
}

/// Reports a field without a source: the argument that it names is not there.
fn missing<T>(
    name: &tracec_grammar::syntax::Name,
    syntax: &Syntax,
    sources: &Sources<'_>,
    context: &mut Context<'_, '_>,
) -> Option<T> {
    if !sources.sound {
        return None;
    }
    let near = context.suggestions.near(name.span, &name.value, || sources.names());
    if let Some(format) = sources.event {
        let known = if context.suggestions.has(name.span) { sources.names() } else { Vec::new() };
        let known: Vec<String> = known.into_iter().map(str::to_owned).collect();
        let event = format.qualified_name();
        return context.say(codes::unknown_field::unknown_field(
            name.span,
            &name.value,
            &event,
            &near,
            known,
        ));
    }
    let field = syntax.name.as_ref().unwrap_or(name);
    context.say(codes::no_source::no_probe_source(name.span, &field.value, &near, sources.kind.has_fetch()))
}

/// Types a field of the event that is probed.
fn event_field(
    syntax: &Syntax,
    field: &Field,
    doc: Option<String>,
    sources: &Sources<'_>,
    context: &mut Context<'_, '_>,
) -> Option<(ProbeField, Option<Recorded>)> {
    let source = FetchSource::EventField(field.name.to_string());
    let name = syntax.name.as_ref().map(|name| name.value.clone());
    let Some(ty) = &syntax.ty else {
        let recorded = types::as_it_is(field);
        return Some(record(name, doc, source, None, recorded, syntax.span));
    };
    let declared = types::field_type(ty, sources, context)?;
    let recorded = match declared.recorded {
        Some(recorded) => recorded,
        None => types::recorded(&declared.ty, ty.span, sources, context)?,
    };
    let is_text = matches!(recorded.ty.fetches, Fetches::KernelText | Fetches::UserText);
    let has_text = field.is_pointer()
        || matches!(
            field.kind,
            FieldKind::CharArray | FieldKind::DynString | FieldKind::RelString | FieldKind::CharPtr
        );
    // The pointers of a system call are recorded as the text that they point to, in user memory.
    if is_text && !has_text {
        let found = if field.kind == FieldKind::Int { "an integer" } else { "no text" };
        let mistake = codes::wrong_source::wrong_source(ty.span, &field.name, &declared.ty.c, "text", found);
        return context.say(mistake);
    }
    Some(record(name, doc, source, Some(declared.ty), Some(recorded), syntax.span))
}

/// Returns whether a field's type is compatible with that of an argument or result.
fn source_fits(
    source: &TypeKind,
    ty: &CType,
    recorded: &Recorded,
    name: &str,
    sources: &Sources<'_>,
    context: &mut Context<'_, '_>,
) -> Option<()> {
    let fits = match recorded.ty.fetches {
        _ if recorded.count.is_some() => matches!(source, TypeKind::Pointer { .. }),
        Fetches::KernelText | Fetches::UserText => match source {
            // All pointers of a program point to user memory, and both words read it there.
            TypeKind::Pointer { text: true, .. } if sources.kind.space == Space::User => true,
            TypeKind::Pointer { text: true, user, .. } => {
                let wanted = recorded.ty.fetches == Fetches::UserText;
                if *user != wanted {
                    return context.say(codes::text_memory::text_memory(ty.span, name, *user));
                }
                true
            }
            // `void *` and pointers to unknown types.
            TypeKind::Pointer { to: None, .. } => true,
            _ => false,
        },
        Fetches::FileName => matches!(source, TypeKind::Pointer { .. }),
        Fetches::Symbol | Fetches::SymbolText => {
            matches!(source, TypeKind::Pointer { .. }) || source.integer().is_some_and(|ty| ty.bytes == 8)
        }
        Fetches::Integer { .. } => !matches!(source, TypeKind::Text { .. }),
    };
    if fits {
        return Some(());
    }
    let wants = match recorded.ty.fetches {
        _ if recorded.count.is_some() => "a pointer to the first element",
        Fetches::KernelText | Fetches::UserText => "a pointer to text",
        Fetches::FileName => "a pointer to a file or its entry",
        Fetches::Symbol | Fetches::SymbolText => "an address",
        Fetches::Integer { .. } => "an integer",
    };
    context.say(codes::wrong_source::wrong_source(ty.span, name, &ty.c, wants, source.describe()))
}

/// Types a field that is a member behind an argument or the result: `task->pid`.
fn member(
    syntax: &Syntax,
    path: &Spanned<String>,
    sources: &Sources<'_>,
    context: &mut Context<'_, '_>,
) -> Option<(FetchArgument, CType, Recorded)> {
    let root = members::root(&path.value);
    let at = path.span.part(0..root.len());
    if sources.kind.space == Space::User {
        let why = "members are of the kernel's types, and not of a program's";
        return context.say(codes::fetch_not_here::fetch_not_here(path.span, sources.kind.name, why));
    }
    let Some((argument, source)) = sources.named.get(root).cloned() else {
        return missing(&types::word(root, at), syntax, sources, context);
    };
    if let Some(why) = context.types().err() {
        // It is said at the first member: each further one would say the same.
        return match std::mem::replace(&mut context.types_said, true) {
            true => None,
            false => context.say(codes::bad_fetch::bad_fetch(path.span, &why)),
        };
    }
    let first = match source {
        FetchSource::Argument(index) => FirstValue::Argument(index as u64 + 1),
        _ => FirstValue::Result,
    };
    let found = members::follow(&path.value, path.span, (first, &argument.ty.c), context);
    let members::Found { fetch, pointer, ty, fetched } = match found {
        Ok(found) => found,
        Err(mistake) => return context.say(*mistake),
    };
    let own = Recorded { text: fetched.to_string(), fetched, ty: fetched.element.recorded()?, count: None };
    let Some(written) = &syntax.ty else { return Some((fetch, ty, own)) };
    let declared = types::field_type(written, sources, context)?;
    let recorded = match declared.recorded {
        Some(recorded) => recorded,
        None => types::recorded(&declared.ty, written.span, sources, context)?,
    };
    let is_text =
        |recorded: &Recorded| matches!(recorded.ty.fetches, Fetches::KernelText | Fetches::UserText);
    let is_bits = matches!(own.fetched.element, FetchedElement::Bits(_));
    let why = match (is_text(&own), is_text(&recorded)) {
        _ if is_bits => Some(
            "the member is a bit field: the kernel's types say which bits it has, and its type".to_owned(),
        ),
        (true, false) => match pointer {
            Some(pointer) if recorded.count.is_none() && recorded.ty.size == 8 => {
                return Some((pointer, declared.ty, recorded));
            }
            Some(_) => Some("the member is text: its type is `string`, or `x64` for its address".to_owned()),
            None => Some("the member is text: its type is `string`".to_owned()),
        },
        (false, true) => Some("the member is not text".to_owned()),
        (false, false) if recorded.count.is_some() => Some("the member is not an array".to_owned()),
        (false, false) if own.ty.size != recorded.ty.size => {
            Some(format!("the member has {} bytes on this kernel", own.ty.size))
        }
        _ => None,
    };
    if let Some(why) = why {
        return context.say(codes::fetch_type::fetch_type(written.span, &recorded.text, &why));
    }
    Some((fetch, declared.ty, recorded))
}

/// Types a field with a fetch argument of its own.
fn fetched(
    syntax: &Syntax,
    text: &str,
    span: Span,
    sources: &Sources<'_>,
    context: &mut Context<'_, '_>,
) -> Option<(FetchArgument, Option<CType>, Option<Recorded>)> {
    if !sources.kind.has_fetch() {
        return context.say(codes::fetch_not_here::no_fetch(span, sources.kind.name));
    }
    let fetch = match fetch::parse(text, span, context.suggestions) {
        Ok(fetch) => fetch,
        Err(mistake) => return context.say(*mistake),
    };
    if let Some(why) = fetch::not_here(&fetch, sources.kind, sources.at_entry) {
        return context.say(codes::fetch_not_here::fetch_not_here(span, sources.kind.name, &why));
    }
    let has_arguments = !fetch::is_argument_at_return(&fetch, sources.kind)
        || context.need(Some("return-probe-args"), "arguments where a function returns", span);
    if let FirstValue::Field(name) = &fetch.first
        && sources.sound
        && !sources.event_fields.contains_key(name.as_str())
    {
        // The span after the `$`, at any position in the text.
        let start = text.find('$').map_or(0, |at| at + 1);
        let at = span.part(start..start + name.len());
        return missing(&types::word(name, at), syntax, sources, context);
    }
    let (ty, recorded) = match &syntax.ty {
        Some(ty) => {
            let declared = types::field_type(ty, sources, context)?;
            let recorded = match declared.recorded {
                Some(recorded) => recorded,
                None => types::recorded(&declared.ty, ty.span, sources, context)?,
            };
            fetch_fits(&fetch, &recorded, ty.span, context)?;
            (Some(declared.ty), Some(recorded))
        }
        None => (None, types::unwritten(&fetch)),
    };
    let bytes =
        text.len() + recorded.as_ref().filter(|_| ty.is_some()).map_or(0, |recorded| recorded.text.len() + 1);
    if bytes > limits::FETCH_CHARS {
        return context.say(codes::fetch_too_long::fetch_too_long(span, bytes, limits::FETCH_CHARS));
    }
    has_arguments.then_some((fetch, ty, recorded))
}

/// Returns whether the fetched value can have a type (`finalize_fetch_insn` in kernel/trace/trace_probe.c).
fn fetch_fits(
    fetch: &FetchArgument,
    recorded: &Recorded,
    span: Span,
    context: &mut Context<'_, '_>,
) -> Option<()> {
    let is_field = matches!(fetch.first, FirstValue::Field(_)) && fetch.dereferences.is_empty();
    let why = match recorded.ty.fetches {
        _ if fetch.first == FirstValue::AllArguments => "`$arg*` has the types that the kernel knows",
        _ if fetch.is_text() && (recorded.ty.name != "string" || recorded.count.is_some()) => {
            "this is text: its type is `string`"
        }
        _ if recorded.count.is_some() && !fetch.is_memory() => "an array lies in memory: `+0(..)` or `@..`",
        Fetches::KernelText | Fetches::UserText if !fetch.is_memory() && !fetch.is_text() && !is_field => {
            "text lies in memory: `+0(..)` or `@..`"
        }
        Fetches::SymbolText
            if recorded.count.is_some() || matches!(fetch.first, FirstValue::Immediate(_)) =>
        {
            "it is one address, and none that is written here"
        }
        _ => return Some(()),
    };
    context.say(codes::fetch_type::fetch_type(span, &recorded.text, why))
}

/// Lays out the fields, packed, behind the kind's own fields. Returns the size of the record.
fn lay_out(fields: &mut [(ProbeField, Option<Recorded>)], sources: &Sources<'_>) -> Option<u32> {
    let head = header_fields::bytes(sources.kind.head(sources.result.is_some()));
    let mut end = sources.kind.has_fetch().then_some(limits::COMMON_HEADER_BYTES + head);
    for (field, recorded) in fields {
        let placed = end.zip(recorded.as_ref()).and_then(|(offset, recorded)| {
            let count = u32::try_from(recorded.count.unwrap_or(1)).ok()?;
            let size = recorded.ty.size.checked_mul(count)?;
            // Texts are listed as signed (`__ASSIGN_FETCH_TYPE("string", ..)`).
            let signed = !matches!(recorded.ty.fetches, Fetches::Integer { signed: false } | Fetches::Symbol);
            Some((FieldLayout { offset, size, signed }, offset.checked_add(size)?))
        });
        field.layout = placed.map(|(layout, _)| layout);
        end = placed.map(|(_, end)| end);
    }
    end
}

/// Returns the fields that a template of the probe can name.
pub(super) fn printables<'a>(fields: &'a [ProbeField], sources: &Sources<'_>) -> Vec<Printable<'a>> {
    let is = |field: &ProbeField, fetches| {
        let single = field.fetch_type.filter(|ty| ty.count.is_none());
        single.and_then(|ty| ty.element.recorded()).is_some_and(|ty| ty.fetches == fetches)
    };
    let kind = |field: &ProbeField| match (&field.ty, &field.source) {
        (Some(ty), _) => ty.kind.clone(),
        (None, FetchSource::EventField(name)) => {
            types::event_kind(sources.event_fields.get(name.as_str()).copied())
        }
        (None, _) if is(field, Fetches::KernelText) => TypeKind::Text { user: false },
        (None, _) => types::word_of_the_machine(),
    };
    let usual = |field: &ProbeField| {
        let extension = printk::find("pS").filter(|_| is(field, Fetches::Symbol))?;
        Some(Conversion::Pointer { extension, shape: Shape::default() })
    };
    fields
        .iter()
        .map(|field| Printable { name: field.name.as_deref(), kind: kind(field), usual: usual(field) })
        .collect()
}
