//! Printing of syntax and mistakes in a compact form, for comparison with the expectations of tests.

#![allow(
    dead_code,
    unreachable_pub,
    unused_imports,
    reason = "each test binary uses its part of this module"
)]

mod definitions;
mod exprs;
mod files;
mod gaps;
mod spans;

use std::fmt::Write;

use tracec_grammar::Parsed;
use tracec_grammar::error::SyntaxErrorKind;
use tracec_grammar::span::Spanned;
use tracec_grammar::syntax::*;

pub use exprs::show_expr;
pub use files::{files, read, sessions};
pub use gaps::gaps;
pub use spans::{all_spans, meaning};

/// Returns a whole text: declarations, clauses, items, fields; a line each.
pub fn show(parsed: &Parsed) -> String {
    let file = &parsed.file;
    let mut out = String::new();
    doc(&mut out, "", &file.doc);
    for declaration in &file.declarations {
        doc(&mut out, "", &declaration.doc);
        definitions::show_declaration(&mut out, &file.exprs, &declaration.kind);
    }
    out
}

fn doc(out: &mut String, indent: &str, doc: &Option<Spanned<String>>) {
    if let Some(doc) = doc {
        writeln!(out, "{indent}doc {:?}", doc.value).unwrap();
    }
}

fn show_session(out: &mut String, exprs: &Exprs, session: &Session) {
    doc(out, "", &session.doc);
    let name = session.name.as_ref().map_or("-", |name| &name.value);
    writeln!(out, "session {name}").unwrap();
    for param in &session.params {
        write!(out, "  param {}", param.name.value).unwrap();
        if let Some(ty) = &param.ty {
            write!(out, ": {}", exprs::show_type(exprs, ty)).unwrap();
        }
        if let Some(default) = param.default {
            write!(out, " = {}", show_expr(exprs, default)).unwrap();
        }
        out.push('\n');
    }
    show_clauses(out, exprs, "  ", &session.clauses);
}

fn show_clauses(out: &mut String, exprs: &Exprs, indent: &str, clauses: &[Clause]) {
    for clause in clauses {
        doc(out, indent, &clause.doc);
        show_clause(out, exprs, indent, &clause.kind);
    }
}

fn show_clause(out: &mut String, exprs: &Exprs, indent: &str, clause: &ClauseKind) {
    let deeper = format!("{indent}  ");
    let expr = |id: ExprId| show_expr(exprs, id);
    out.push_str(indent);
    match clause {
        ClauseKind::Trace(clause) => return show_events(out, exprs, indent, "trace", clause),
        ClauseKind::On(clause) => return show_events(out, exprs, indent, "on", clause),
        ClauseKind::Buffer { size, scope } => {
            let scope = scope.as_ref().map(|scope| scope.value);
            write!(out, "buffer {} {scope:?}", expr(*size)).unwrap();
        }
        ClauseKind::Subbuffer(size) => write!(out, "subbuffer {}", expr(*size)).unwrap(),
        ClauseKind::Cmdlines(number) => write!(out, "cmdlines {}", expr(*number)).unwrap(),
        ClauseKind::Rotate { size, max } => {
            write!(out, "rotate every {}", expr(*size)).unwrap();
            if let Some(max) = max {
                write!(out, " max {}", max.value).unwrap();
            }
        }
        ClauseKind::Queue(size) => write!(out, "queue {}", expr(*size)).unwrap(),
        ClauseKind::Dump(Dump { events, condition, count, file, max }) => {
            write!(out, "dump on {}", show_set(events)).unwrap();
            if let Some(condition) = condition {
                write!(out, " if {}", expr(*condition)).unwrap();
            }
            if let Some(count) = count {
                write!(out, " count {}", count.value).unwrap();
            }
            write!(out, " to {}", expr(*file)).unwrap();
            if let Some(max) = max {
                write!(out, " max {}", max.value).unwrap();
            }
        }
        ClauseKind::Keep(time) => write!(out, "keep {} after", expr(*time)).unwrap(),
        ClauseKind::Clock(name) => write!(out, "clock {}", name.value).unwrap(),
        ClauseKind::Recorder(name) => write!(out, "recorder {}", name.value).unwrap(),
        ClauseKind::Option { name, value } => {
            write!(out, "option {} {:?}", name.value, value.as_ref().map(|value| value.value)).unwrap();
        }
        ClauseKind::Scope { subjects, children } => {
            let subjects: Vec<String> =
                subjects.iter().map(|subject| show_subject(exprs, &subject.kind)).collect();
            let children = if children.is_some() { " and children" } else { "" };
            write!(out, "scope {}{children}", subjects.join(", ")).unwrap();
        }
        ClauseKind::Instance(name) => {
            write!(
                out,
                "instance {}",
                name.map_or("None".to_owned(), |name| format!("Some({})", expr(name)))
            )
            .unwrap();
        }
        ClauseKind::Global { discarding, clauses } => {
            writeln!(out, "global{}", if discarding.is_some() { " discarding" } else { "" }).unwrap();
            return show_clauses(out, exprs, &deeper, clauses);
        }
        ClauseKind::Stream => out.push_str("stream"),
        ClauseKind::Ring { last } => write!(out, "ring {}", last.map_or("all".to_owned(), expr)).unwrap(),
        ClauseKind::Stop(rule) => show_stop(out, exprs, rule),
        ClauseKind::IncludingTracec => out.push_str("scope including tracec"),
        ClauseKind::StartPaused => out.push_str("start paused"),
        ClauseKind::Marker(text) => write!(out, "marker {}", expr(*text)).unwrap(),
        ClauseKind::Output(file) => write!(out, "output {}", expr(*file)).unwrap(),
        ClauseKind::Include { session, args } => {
            let args: Vec<String> =
                args.iter().map(|arg| format!("{} = {}", arg.name.value, expr(arg.value))).collect();
            write!(out, "include {}({})", exprs::path(&session.value), args.join(", ")).unwrap();
        }
        ClauseKind::When(when) => {
            writeln!(out, "when {}", show_feature(&when.feature.kind)).unwrap();
            show_clauses(out, exprs, &deeper, &when.then);
            if let Some(otherwise) = &when.otherwise {
                writeln!(out, "{indent}else").unwrap();
                show_clauses(out, exprs, &deeper, otherwise);
            }
            return;
        }
        ClauseKind::Lint(lint) => show_lint(out, lint),
    }
    out.push('\n');
}

fn show_lint(out: &mut String, lint: &LintLevel) {
    let names: Vec<&str> = lint.names.iter().map(|name| name.value.as_str()).collect();
    write!(out, "lint {} [{}]", lint.level.value, names.join(", ")).unwrap();
}

fn show_subject(exprs: &Exprs, kind: &ScopeKind) -> String {
    match kind {
        ScopeKind::Process(id) => format!("process {}", show_expr(exprs, *id)),
        ScopeKind::Thread(id) => format!("thread {}", show_expr(exprs, *id)),
        ScopeKind::Command => "command".to_owned(),
        ScopeKind::Comm(text) => format!("comm {}", show_expr(exprs, *text)),
        ScopeKind::Cgroup(text) => format!("cgroup {}", show_expr(exprs, *text)),
        ScopeKind::Cpus { first, last } => {
            format!("cpus {}-{}", first.value, last.as_ref().unwrap_or(first).value)
        }
    }
}

fn show_stop(out: &mut String, exprs: &Exprs, rule: &StopRule) {
    match rule {
        StopRule::After(duration) => write!(out, "stop after {}", show_expr(exprs, *duration)).unwrap(),
        StopRule::On { events, condition, count } => {
            write!(out, "stop on {}", show_set(events)).unwrap();
            if let Some(condition) = condition {
                write!(out, " if {}", show_expr(exprs, *condition)).unwrap();
            }
            if let Some(count) = count {
                write!(out, " count {}", count.value).unwrap();
            }
        }
        StopRule::Signal(signal) => write!(out, "stop on signal {}", signal.value).unwrap(),
        StopRule::With { process: None } => out.push_str("stop with command"),
        StopRule::With { process: Some(id) } => {
            write!(out, "stop with process {}", show_expr(exprs, *id)).unwrap();
        }
    }
}

fn show_feature(kind: &FeatureKind) -> String {
    match kind {
        FeatureKind::Event(path) => format!("event {}", show_path(path)),
        FeatureKind::Field { event, field } => format!("field {} . {}", show_path(event), field.value),
        FeatureKind::Named { what, name } => format!("{} {}", what.value, name.value),
    }
}

fn show_set(events: &EventSet) -> String {
    let mut out = format!("[{}]", show_paths(&events.include));
    if !events.except.is_empty() {
        write!(out, " except [{}]", show_paths(&events.except)).unwrap();
    }
    out
}

fn show_events(out: &mut String, exprs: &Exprs, indent: &str, word: &str, clause: &EventClause) {
    write!(out, "{word} {}", show_set(&clause.events)).unwrap();
    if !clause.having.is_empty() {
        write!(out, " having [{}]", show_names(&clause.having)).unwrap();
    }
    if let Some(condition) = clause.condition {
        write!(out, " if {}", show_expr(exprs, condition)).unwrap();
    }
    out.push('\n');
    let indent = format!("{indent}  ");
    for item in &clause.items {
        doc(out, &indent, &item.doc);
        out.push_str(&indent);
        show_item(out, exprs, &item.kind);
        out.push('\n');
    }
}

fn show_item(out: &mut String, exprs: &Exprs, item: &ItemKind) {
    match item {
        ItemKind::Filter { in_kernel, condition } => {
            let place = if in_kernel.is_some() { "in kernel " } else { "" };
            write!(out, "filter {place}{}", show_expr(exprs, *condition)).unwrap();
        }
        ItemKind::Trigger { action, event, count, condition } => {
            write!(out, "trigger {}", action.value).unwrap();
            if let Some(event) = event {
                write!(out, " <{}>", show_path(event)).unwrap();
            }
            if let Some(count) = count {
                write!(out, " count {}", count.value).unwrap();
            }
            if let Some(condition) = condition {
                write!(out, " if {}", show_expr(exprs, *condition)).unwrap();
            }
        }
        ItemKind::Print(template) => {
            out.push_str("print");
            definitions::show_template(out, exprs, template);
        }
        ItemKind::Drop(fields) => write!(out, "drop {}", show_names(fields)).unwrap(),
        ItemKind::Redact(fields) => write!(out, "redact {}", show_names(fields)).unwrap(),
        ItemKind::Lint(lint) => show_lint(out, lint),
    }
}

fn show_names(names: &[Name]) -> String {
    names.iter().map(|name| name.value.as_str()).collect::<Vec<_>>().join(", ")
}

fn show_paths(paths: &[EventPath]) -> String {
    paths.iter().map(show_path).collect::<Vec<_>>().join(", ")
}

fn show_path(path: &EventPath) -> String {
    let part = |name: &Option<Name>| name.as_ref().map_or("*".to_owned(), |name| name.value.clone());
    match &path.kind {
        EventPathKind::Path { system, name } => format!("{}:{}", part(system), part(name)),
        EventPathKind::Pattern(pattern) => format!("{pattern:?}"),
        EventPathKind::Bare(name) => name.clone(),
    }
}

/// Returns the mistakes of a text, a line each: line and column, the text at the span, the message, the fix.
pub fn show_errors(text: &str, parsed: &Parsed) -> String {
    let mut out = String::new();
    for error in &parsed.errors {
        let before = &text[..error.span.range().start];
        let line = before.matches('\n').count() + 1;
        let column = before.chars().rev().take_while(|c| *c != '\n').count() + 1;
        write!(out, "{line}:{column} [{}] {error}", &text[error.span.range()]).unwrap();
        if let Some(hint) = error.hint() {
            write!(out, " ({hint})").unwrap();
        }
        out.push('\n');
    }
    out
}

/// Returns the kinds of the mistakes.
pub fn kinds(parsed: &Parsed) -> Vec<&SyntaxErrorKind> {
    parsed.errors.iter().map(|error| &error.kind).collect()
}

/// Returns the condition of the first `trace` clause of the first session.
pub fn condition(parsed: &Parsed) -> ExprId {
    match &parsed.file.sessions().next().unwrap().clauses[0].kind {
        ClauseKind::Trace(clause) => clause.condition.expect("a condition"),
        other => panic!("no condition in {other:?}"),
    }
}
