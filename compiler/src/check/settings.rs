//! The clauses that set something once: buffer, clock, options, end, output.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::path::Path;
use std::time::Duration;

use tracec_grammar::span::{Span, Spanned};
use tracec_grammar::syntax::{
    BufferScope, Clause, ClauseKind, ExprId, ExprKind, Exprs, Name, Session, StopRule,
};
use tracec_kernel::nearest::nearest;
use tracec_kernel::plan::RecordFormat;
use tracec_kernel::tables::options::{self, Scope};

use crate::diagnostic::{Diagnostic, Diagnostics, codes};
use crate::ir;
use crate::source::KernelSource;

use super::literal::{Literal, quoted};

/// The settings of a session.
#[derive(Debug, Default)]
pub(super) struct Settings {
    pub(super) buffer_kib: Option<Spanned<u64>>,
    pub(super) clock: Option<Spanned<String>>,
    pub(super) options: Vec<ir::OptionSetting>,
    pub(super) stop_after: Option<Spanned<Duration>>,
    pub(super) output: Option<ir::Output>,
}

/// Checks every setting of a session.
pub(super) fn check(
    session: &Session,
    exprs: &Exprs,
    kernel: &dyn KernelSource,
    diagnostics: &mut Diagnostics,
) -> Settings {
    let mut settings = Settings::default();
    let mut firsts = Firsts::default();
    for clause in &session.clauses {
        if diagnostics.is_full() {
            break;
        }
        if let Err(diagnostic) = firsts.once(clause) {
            diagnostics.push(diagnostic);
            continue;
        }
        if let Err(diagnostic) = setting(clause, exprs, kernel, &mut settings) {
            diagnostics.push(diagnostic);
        }
    }
    settings
}

fn setting(
    clause: &Clause,
    exprs: &Exprs,
    kernel: &dyn KernelSource,
    settings: &mut Settings,
) -> Result<(), Diagnostic> {
    match &clause.kind {
        ClauseKind::Trace(_) | ClauseKind::On(_) => {}
        ClauseKind::Buffer { size, scope } => {
            if let Some(kib) = buffer_kib(*size, scope.as_ref(), exprs, kernel)? {
                settings.buffer_kib = Some(Spanned::new(kib, clause.span));
            }
        }
        ClauseKind::Clock(name) => settings.clock = Some(clock(name, clause.span, kernel)?),
        ClauseKind::Option { name, value } => {
            settings.options.push(option(name, value.as_ref(), clause.span, kernel)?);
        }
        ClauseKind::Stop(StopRule::After(expr)) => {
            if let Some(after) = duration(*expr, exprs)? {
                settings.stop_after = Some(Spanned::new(after, clause.span));
            }
        }
        ClauseKind::Output(path) => settings.output = Some(output(path)?),
        _ => {}
    }
    Ok(())
}

/// Which of the clauses that may stand once have been seen.
#[derive(Default)]
struct Firsts(HashMap<String, Span>);

impl Firsts {
    fn once(&mut self, clause: &Clause) -> Result<(), Diagnostic> {
        let what = match &clause.kind {
            ClauseKind::Trace(_) | ClauseKind::On(_) => return Ok(()),
            ClauseKind::Buffer { .. } => "`buffer`".to_owned(),
            ClauseKind::Clock(_) => "`clock`".to_owned(),
            ClauseKind::Option { name, .. } => format!("`option {}`", name.value),
            ClauseKind::Stop(StopRule::After(_)) => "`stop after`".to_owned(),
            ClauseKind::Output(_) => "`output`".to_owned(),
            _ => return Ok(()),
        };
        match self.0.entry(what) {
            Entry::Occupied(first) => {
                Err(codes::duplicate_clause::duplicate_clause(clause.span, *first.get(), first.key()))
            }
            Entry::Vacant(place) => {
                place.insert(clause.span);
                Ok(())
            }
        }
    }
}

/// KiB per CPU. `None` where the parser has already complained.
fn buffer_kib(
    size: ExprId,
    scope: Option<&Spanned<BufferScope>>,
    exprs: &Exprs,
    kernel: &dyn KernelSource,
) -> Result<Option<u64>, Diagnostic> {
    let expr = &exprs[size];
    let bad = |reason: &str| codes::bad_size::bad_size(expr.span, reason);
    let bytes = match &expr.kind {
        ExprKind::Error => return Ok(None),
        ExprKind::Size(bytes) => *bytes,
        ExprKind::Int(n) => {
            return Err(bad("a number without a unit").guess(
                format!("write `{n}KiB`"),
                expr.span,
                format!("{n}KiB"),
            ));
        }
        _ => return Err(bad("expected a size")),
    };
    let cpus = match scope.map(|scope| scope.value) {
        Some(BufferScope::Total) => kernel
            .directories("per_cpu")
            .map_err(|e| codes::kernel_unreadable::kernel_unreadable(Some(expr.span), &e.to_string()))?
            .len()
            .max(1) as u64,
        Some(BufferScope::PerCpu) | None => 1,
    };
    let kib = bytes.div_ceil(1024) / cpus;
    if kib == 0 { Err(bad("less than 1 KiB per CPU")) } else { Ok(Some(kib)) }
}

fn clock(name: &Name, clause: Span, kernel: &dyn KernelSource) -> Result<Spanned<String>, Diagnostic> {
    let unreadable = |reason: String| codes::kernel_unreadable::kernel_unreadable(Some(name.span), &reason);
    let text = kernel.read("trace_clock").map_err(|error| unreadable(error.to_string()))?;
    // A copy of a kernel may hold its formats only; then the table of clocks decides.
    let known: Vec<String> = match &text {
        Some(text) => text.split_whitespace().map(|word| word.trim_matches(['[', ']']).to_owned()).collect(),
        None => tracec_kernel::tables::clocks::names().map(str::to_owned).collect(),
    };
    if known.contains(&name.value) {
        return Ok(Spanned::new(name.value.clone(), clause));
    }
    let near = owned(nearest(&name.value, known.iter().map(String::as_str), 1));
    Err(codes::unknown_clock::unknown_clock(name.span, &name.value, &kernel.describe(), &near, &known))
}

fn option(
    name: &Name,
    value: Option<&Spanned<bool>>,
    clause: Span,
    kernel: &dyn KernelSource,
) -> Result<ir::OptionSetting, Diagnostic> {
    let on = value.is_none_or(|value| value.value);
    let refused =
        |why: &str| codes::option_not_for_sessions::option_not_for_sessions(name.span, &name.value, why);
    match options::find(&name.value).map(|option| &option.scope) {
        Some(Scope::TopOnly) => return Err(refused("only the top-level buffer has it")),
        Some(Scope::Shared { why }) => return Err(refused(why)),
        Some(Scope::Tracer(tracer)) if *tracer != "nop" => {
            return Err(refused(&format!(
                "it belongs to the tracer `{tracer}`, which a session does not run"
            )));
        }
        _ => {}
    }
    let path = format!("options/{}", name.value);
    let text = match kernel.read(&path) {
        Ok(text) => text,
        Err(error) => {
            return Err(codes::kernel_unreadable::kernel_unreadable(Some(name.span), &error.to_string()));
        }
    };
    let old = match text.as_deref().map(str::trim) {
        Some("0") => Some(false),
        Some("1") => Some(true),
        Some(_) => None,
        None if options::find(&name.value).is_some() && !has_options(kernel) => None,
        None => return Err(unknown_option(name, kernel)),
    };
    Ok(ir::OptionSetting { name: name.clone(), on, old, clause })
}

fn unknown_option(name: &Name, kernel: &dyn KernelSource) -> Diagnostic {
    let mut near = owned(nearest(&name.value, options::names(), 2));
    if let Some(positive) = name.value.strip_prefix("no").filter(|rest| options::find(rest).is_some()) {
        near = vec![format!("{positive} off")];
    }
    codes::unknown_option::unknown_option(name.span, &name.value, &kernel.describe(), &near)
}

/// Whether the source has an `options` directory at all: a copy may hold the formats only.
fn has_options(kernel: &dyn KernelSource) -> bool {
    matches!(kernel.read("options/overwrite"), Ok(Some(_)))
}

fn duration(id: ExprId, exprs: &Exprs) -> Result<Option<Duration>, Diagnostic> {
    let expr = &exprs[id];
    let bad = |reason: &str| codes::bad_duration::bad_duration(expr.span, reason);
    match Literal::of(expr, exprs) {
        Some(Literal::Duration(0)) => Err(bad("longer than zero")),
        Some(Literal::Duration(ns)) => Ok(Some(Duration::from_nanos(ns))),
        Some(Literal::Int(n)) if n > 0 => {
            Err(bad("a number without a unit").guess(format!("write `{n}s`"), expr.span, format!("{n}s")))
        }
        _ if expr.kind == ExprKind::Error => Ok(None),
        _ => Err(bad("expected a duration")),
    }
}

fn output(path: &Spanned<String>) -> Result<ir::Output, Diagnostic> {
    let unknown = || unknown_output(path);
    if path.value.contains('\0') {
        return Err(codes::output_failed::output_failed(
            Some(path.span),
            &path.value,
            "a path cannot hold a NUL",
        ));
    }
    let ending = Path::new(&path.value).extension().and_then(|ending| ending.to_str()).ok_or_else(unknown)?;
    let format = match ending {
        "txt" | "log" => RecordFormat::Text,
        "json" | "jsonl" | "ndjson" => RecordFormat::JsonLines,
        _ => return Err(unknown()),
    };
    Ok(ir::Output { path: path.clone(), format })
}

/// The endings of output files whose form is known.
const ENDINGS: [&str; 5] = ["txt", "log", "json", "jsonl", "ndjson"];

fn unknown_output(path: &Spanned<String>) -> Diagnostic {
    let known = Path::new(&path.value);
    let ending = known.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
    let near: Vec<String> = nearest(ending, ENDINGS, 1)
        .into_iter()
        .map(|near| quoted(&known.with_extension(near).to_string_lossy()))
        .collect();
    codes::unknown_output::unknown_output(path.span, &path.value, &near)
}

fn owned(names: Vec<&str>) -> Vec<String> {
    names.into_iter().map(str::to_owned).collect()
}
