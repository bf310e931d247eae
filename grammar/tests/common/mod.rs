//! Prints syntax and mistakes compactly, for comparison with what a test expects.

// Each test binary uses its part of this module.
#![allow(dead_code, unreachable_pub)]

use std::fmt::Write;

use tracec_grammar::Parsed;
use tracec_grammar::error::SyntaxErrorKind;
use tracec_grammar::span::Spanned;
use tracec_grammar::syntax::*;

/// A whole text: sessions, clauses, items; a line each.
pub fn show(parsed: &Parsed) -> String {
    let file = &parsed.file;
    let mut out = String::new();
    doc(&mut out, "", &file.doc);
    for session in file.sessions() {
        doc(&mut out, "", &session.doc);
        let name = session.name.as_ref().map_or("-", |name| &name.value);
        writeln!(out, "session {name}").unwrap();
        for clause in &session.clauses {
            doc(&mut out, "  ", &clause.doc);
            show_clause(&mut out, &file.exprs, &clause.kind);
        }
    }
    out
}

fn doc(out: &mut String, indent: &str, doc: &Option<Spanned<String>>) {
    if let Some(doc) = doc {
        writeln!(out, "{indent}doc {:?}", doc.value).unwrap();
    }
}

fn show_clause(out: &mut String, exprs: &Exprs, clause: &ClauseKind) {
    match clause {
        ClauseKind::Trace(clause) => show_events(out, exprs, "trace", clause),
        ClauseKind::On(clause) => show_events(out, exprs, "on", clause),
        ClauseKind::Buffer { size, scope } => {
            let scope = scope.as_ref().map(|scope| scope.value);
            writeln!(out, "  buffer {} {scope:?}", show_expr(exprs, *size)).unwrap();
        }
        ClauseKind::Clock(name) => writeln!(out, "  clock {}", name.value).unwrap(),
        ClauseKind::Option { name, value } => {
            writeln!(out, "  option {} {:?}", name.value, value.as_ref().map(|value| value.value)).unwrap();
        }
        ClauseKind::Stop(StopRule::After(duration)) => {
            writeln!(out, "  stop after {}", show_expr(exprs, *duration)).unwrap()
        }
        ClauseKind::Output(file) => writeln!(out, "  output {:?}", file.value).unwrap(),
        other => writeln!(out, "  {other:?}").unwrap(),
    }
}

fn show_events(out: &mut String, exprs: &Exprs, word: &str, clause: &EventClause) {
    write!(out, "  {word} [{}]", show_paths(&clause.events.include)).unwrap();
    if !clause.events.except.is_empty() {
        write!(out, " except [{}]", show_paths(&clause.events.except)).unwrap();
    }
    if let Some(condition) = clause.condition {
        write!(out, " if {}", show_expr(exprs, condition)).unwrap();
    }
    writeln!(out).unwrap();
    for item in &clause.items {
        doc(out, "    ", &item.doc);
        match &item.kind {
            ItemKind::Filter { condition, .. } => {
                writeln!(out, "    filter {}", show_expr(exprs, *condition)).unwrap()
            }
            ItemKind::Trigger { action, count, condition, .. } => {
                write!(out, "    trigger {}", action.value).unwrap();
                if let Some(count) = count {
                    write!(out, " count {}", count.value).unwrap();
                }
                if let Some(condition) = condition {
                    write!(out, " if {}", show_expr(exprs, *condition)).unwrap();
                }
                writeln!(out).unwrap();
            }
            other => writeln!(out, "    {other:?}").unwrap(),
        }
    }
}

fn show_paths(paths: &[EventPath]) -> String {
    let part = |name: &Option<Name>| name.as_ref().map_or("*".to_owned(), |name| name.value.clone());
    let show = |path: &EventPath| match &path.kind {
        EventPathKind::Path { system, name } => format!("{}:{}", part(system), part(name)),
        EventPathKind::Pattern(pattern) => format!("{pattern:?}"),
        EventPathKind::Bare(name) => name.clone(),
    };
    paths.iter().map(show).collect::<Vec<_>>().join(", ")
}

/// An expression with all its parentheses.
pub fn show_expr(exprs: &Exprs, id: ExprId) -> String {
    let list = |ids: &[ExprId], op: &str| {
        let operands: Vec<String> = ids.iter().map(|id| show_expr(exprs, *id)).collect();
        format!("({})", operands.join(op))
    };
    match &exprs[id].kind {
        ExprKind::Error => "<error>".to_owned(),
        ExprKind::Int(value) => value.to_string(),
        ExprKind::Size(bytes) => format!("{bytes}B"),
        ExprKind::Duration(nanoseconds) => format!("{nanoseconds}ns"),
        ExprKind::Str(text) => format!("{text:?}"),
        ExprKind::Name(name) => name.clone(),
        ExprKind::Member { base, member } => format!("{}.{}", show_expr(exprs, *base), member.value),
        ExprKind::Path(names) => names.iter().map(|name| name.value.as_str()).collect::<Vec<_>>().join("::"),
        ExprKind::Unary { op, operand } => {
            let op = match op.value {
                UnaryOp::Not => "!",
                UnaryOp::Neg => "-",
                UnaryOp::AddressOf => "&",
                UnaryOp::Deref => "*",
            };
            format!("({op}{})", show_expr(exprs, *operand))
        }
        ExprKind::Binary { op, left, right } => {
            let op = op.value.symbol();
            format!("({} {op} {})", show_expr(exprs, *left), show_expr(exprs, *right))
        }
        ExprKind::And(operands) => list(operands, " && "),
        ExprKind::Or(operands) => list(operands, " || "),
        other => format!("{other:?}"),
    }
}

/// The mistakes of a text, a line each: line and column, the text they point at, the message, the fix.
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

/// The kinds of the mistakes.
pub fn kinds(parsed: &Parsed) -> Vec<&SyntaxErrorKind> {
    parsed.errors.iter().map(|error| &error.kind).collect()
}

/// The condition of the first `trace` clause of the first session.
pub fn condition(parsed: &Parsed) -> ExprId {
    match &parsed.file.sessions().next().unwrap().clauses[0].kind {
        ClauseKind::Trace(EventClause { condition: Some(condition), .. }) => *condition,
        other => panic!("no condition in {other:?}"),
    }
}
