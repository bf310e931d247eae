//! Printing of declarations other than sessions.

use std::fmt::Write;

use tracec_grammar::syntax::*;

use super::exprs::{path, show_expr, show_type};
use super::{doc, show_lint, show_path};

pub fn show_declaration(out: &mut String, exprs: &Exprs, kind: &DeclarationKind) {
    match kind {
        DeclarationKind::Session(session) => return super::show_session(out, exprs, session),
        DeclarationKind::Use(Use { imported, alias }) => {
            match imported {
                Imported::Module(names) => write!(out, "use {}", path(names)).unwrap(),
                Imported::File(file) => write!(out, "use {:?}", file.value).unwrap(),
            }
            if let Some(alias) = alias {
                write!(out, " as {}", alias.value).unwrap();
            }
        }
        DeclarationKind::Const(Const { name, ty, value }) => {
            write!(out, "const {}{} = {}", name.value, colon(exprs, ty), show_expr(exprs, *value)).unwrap();
        }
        DeclarationKind::Enum(definition) => return show_enum(out, exprs, "enum", definition),
        DeclarationKind::Flags(definition) => return show_enum(out, exprs, "flags", definition),
        DeclarationKind::Subsystem(name) => write!(out, "subsystem {}", name.value).unwrap(),
        DeclarationKind::Header(Header { path, angled: true }) => {
            write!(out, "include <{}>", path.value).unwrap();
        }
        DeclarationKind::Header(Header { path, angled: false }) => {
            write!(out, "include {:?}", path.value).unwrap();
        }
        DeclarationKind::Class(class) => {
            writeln!(out, "class {}", class.name.value).unwrap();
            return show_body(out, exprs, &class.body);
        }
        DeclarationKind::Event(event) => return show_event(out, exprs, event),
        DeclarationKind::Lint(lint) => show_lint(out, lint),
    }
    out.push('\n');
}

fn colon(exprs: &Exprs, ty: &Option<TypeRef>) -> String {
    ty.as_ref().map_or(String::new(), |ty| format!(": {}", show_type(exprs, ty)))
}

fn show_enum(out: &mut String, exprs: &Exprs, word: &str, definition: &Enum) {
    writeln!(out, "{word} {}{}", definition.name.value, colon(exprs, &definition.ty)).unwrap();
    for member in &definition.members {
        doc(out, "  ", &member.doc);
        write!(out, "  {}", member.name.value).unwrap();
        if let Some(value) = member.value {
            write!(out, " = {}", show_expr(exprs, value)).unwrap();
        }
        if let Some(text) = &member.text {
            write!(out, " {:?}", text.value).unwrap();
        }
        out.push('\n');
    }
}

fn show_event(out: &mut String, exprs: &Exprs, event: &EventDefinition) {
    write!(out, "event {}", event.name.value).unwrap();
    match &event.form {
        EventForm::Whole { condition, hooks, body } => {
            show_tails(out, exprs, *condition, hooks);
            show_body(out, exprs, body);
        }
        EventForm::OfClass { class, condition, hooks, print } => {
            write!(out, ": {}", class.value).unwrap();
            show_tails(out, exprs, *condition, hooks);
            show_print(out, exprs, print);
        }
        EventForm::At(probe) => show_probe(out, exprs, probe),
    }
}

fn show_tails(out: &mut String, exprs: &Exprs, condition: Option<ExprId>, hooks: &Option<Hooks>) {
    if let Some(condition) = condition {
        write!(out, " if {}", show_expr(exprs, condition)).unwrap();
    }
    if let Some(hooks) = hooks {
        write!(out, " with {} {}", hooks.register.value, hooks.unregister.value).unwrap();
    }
    out.push('\n');
}

fn show_probe(out: &mut String, exprs: &Exprs, probe: &Probe) {
    write!(out, " at {} {}", probe.kind.value, show_attach_point(&probe.attach_point)).unwrap();
    if let Some(params) = &probe.params {
        write!(out, " ({})", show_params(exprs, &params.value)).unwrap();
    }
    if let Some(result) = &probe.result {
        write!(out, " -> {}", show_params(exprs, std::slice::from_ref(result))).unwrap();
    }
    out.push('\n');
    for field in probe.fields.iter().flat_map(|fields| &fields.value) {
        doc(out, "  ", &field.doc);
        let name = field.name.as_ref().map_or("_", |name| &name.value);
        write!(out, "  field {name}{}", colon(exprs, &field.ty)).unwrap();
        if let Some(fetch) = &field.fetch {
            write!(out, " = `{}`", fetch.value).unwrap();
        }
        out.push('\n');
    }
    show_print(out, exprs, &probe.print);
}

fn show_attach_point(attach_point: &AttachPoint) -> String {
    let name = |name: &Option<Name>| name.as_ref().map_or("-", |name| &name.value).to_owned();
    match attach_point {
        AttachPoint::Symbol { module, symbol, offset } => {
            let offset = offset.as_ref().map_or(0, |offset| offset.value);
            format!("symbol {} {} +{offset}", name(module), symbol.value)
        }
        AttachPoint::Binary { path, provider, symbol, offset } => {
            let offset = offset.as_ref().map_or(0, |offset| offset.value);
            format!("binary {:?} {} {} +{offset}", path.value, name(provider), name(symbol))
        }
        AttachPoint::Event(path) => format!("event {}", show_path(path)),
    }
}

fn show_params(exprs: &Exprs, params: &[Param]) -> String {
    let param = |param: &Param| format!("{}: {}", param.name.value, show_type(exprs, &param.ty));
    params.iter().map(param).collect::<Vec<_>>().join(", ")
}

fn show_body(out: &mut String, exprs: &Exprs, body: &EventBody) {
    if let Some(proto) = &body.proto {
        writeln!(out, "  proto {}", show_params(exprs, &proto.value)).unwrap();
    }
    for field in body.entry.iter().flat_map(|entry| &entry.value) {
        doc(out, "  ", &field.doc);
        write!(out, "  field {}: {}", field.name.value, show_type(exprs, &field.ty)).unwrap();
        match &field.value {
            None => {}
            Some(EntryValue::Expr(value)) => write!(out, " = {}", show_expr(exprs, *value)).unwrap(),
            Some(EntryValue::Elements { pointer, count }) => {
                let (pointer, count) = (show_expr(exprs, *pointer), show_expr(exprs, *count));
                write!(out, " = elements {pointer} {count}").unwrap();
            }
        }
        out.push('\n');
    }
    if let Some(assign) = &body.assign {
        writeln!(out, "  assign {:?}", assign.value).unwrap();
    }
    show_print(out, exprs, &body.print);
}

fn show_print(out: &mut String, exprs: &Exprs, print: &Option<Template>) {
    let Some(template) = print else { return };
    out.push_str("  print");
    show_template(out, exprs, template);
    out.push('\n');
}

/// Prints the parts of a template, each behind a blank.
pub(super) fn show_template(out: &mut String, exprs: &Exprs, template: &Template) {
    for part in &template.parts {
        match part {
            TemplatePart::Text(text) => write!(out, " {text:?}").unwrap(),
            TemplatePart::Placeholder { value, format, .. } => {
                write!(out, " {{{}", show_expr(exprs, *value)).unwrap();
                if let Some(format) = format {
                    write!(out, " : {}", format.value).unwrap();
                }
                out.push('}');
            }
        }
    }
}
