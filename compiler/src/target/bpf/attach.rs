//! Where programs are attached: the section by which libbpf knows it, and which events have no such place.

use tracec_grammar::span::Span;
use tracec_kernel::format::EventFormat;
use tracec_kernel::plan::Program;
use tracec_kernel::tables::fetch_types::Fetches;
use tracec_kernel::tables::limits::PROGRAM_RECORD_BYTES;
use tracec_kernel::tables::probe_kinds::{Realisation, Values};
use tracec_kernel::tables::pt_regs::{self, PtRegs};

use super::record;
use crate::diagnostic::{Diagnostic, codes};
use crate::ir::definition::{AttachPoint, FetchSource, FetchedElement, FirstValue, ProbeDef, ProbeField};

/// Returns the section of an event of the kernel.
pub(super) fn tracepoint(format: &EventFormat) -> String {
    format!("{}{}/{}", Program::TRACEPOINT, format.system, format.name)
}

/// Returns whether a program cannot be attached to an event: those of these systems are not tracepoints
/// (`perf_event_set_bpf_prog`, kernel/events/core.c), and a record may be larger than a program sees.
pub(super) fn is_without_tracepoint(format: &EventFormat) -> bool {
    let last = record::fixed_bytes(format);
    matches!(
        format.system.as_str(),
        "ftrace" | "kprobes" | "uprobes" | "eprobes" | "synthetic" | "user_events"
    ) || last > PROGRAM_RECORD_BYTES
}

/// A probe as a program.
#[derive(Clone, Debug)]
pub(super) struct Attached {
    /// The section.
    pub(super) section: String,
    /// Where the program finds registers; `None` where it sees the arguments alone.
    pub(super) regs: Option<&'static PtRegs>,
}

/// Returns how a probe is a program, for an architecture. `named` is where the session names it.
///
/// # Errors
/// A refusal of the probe, or of a field.
pub(super) fn probe(
    def: &ProbeDef,
    format: &EventFormat,
    arch: &str,
    named: Span,
) -> Result<Attached, Vec<Diagnostic>> {
    let kind = def.kind.name;
    let refuse = |span: Span, what: String, instead: &str| {
        codes::not_by_target::not_by_target(span, &what, "bpf", instead)
    };
    let instead = match def.kind.realisation {
        Realisation::Bpf(_) => None,
        Realisation::Dynamic('p' | 'r') => None,
        Realisation::Dynamic('f') => Some("attach it `at fentry`, `fexit`, `kprobe` or `kretprobe`"),
        Realisation::Dynamic('t') => Some("attach it `at tp_btf` or `at raw_tp`"),
        Realisation::Dynamic(_) => Some("name the event itself in the session"),
        Realisation::Uprobes => Some("attach it `at uprobe`, to the symbol or the offset of the probe"),
        Realisation::Perf => Some("leave it out"),
    };
    if let Some(instead) = instead {
        return Err(vec![refuse(named, format!("a probe of the kind `{kind}`"), instead)]);
    }
    let sees_registers = !matches!(def.kind.realisation, Realisation::Bpf(_));
    let regs = pt_regs::find(arch);
    if sees_registers && regs.is_none() {
        let what = format!("a probe of the kind `{kind}` on the architecture `{arch}`");
        return Err(vec![refuse(named, what, "attach it `at fentry`, `fexit`, `tp_btf` or `raw_tp`")]);
    }
    let mut refusals = Vec::new();
    if let AttachPoint::Symbol { module: Some(module), symbol, .. } = &def.attach_point
        && sees_registers
    {
        // libbpf reads no name of a module there, and another module may have a function of the same name.
        let what = format!("a probe of the kind `{kind}` at a function of the module `{module}`");
        refusals.push(refuse(
            symbol.span,
            what,
            "attach it `at fentry` or `at fexit`, which take the module",
        ));
    }
    if def.kind.values == Values::Result && !def.arguments.is_empty() {
        let what = format!("arguments of the call in a probe of the kind `{kind}`");
        refusals.push(refuse(
            def.span,
            what,
            "attach it `at fexit`, which sees the arguments and the result",
        ));
    }
    refusals.extend(unfetchable(def));
    let fixed = record::fixed_bytes(format);
    if fixed > PROGRAM_RECORD_BYTES {
        let what = format!("a record of {fixed} bytes; one of a program has at most {PROGRAM_RECORD_BYTES}");
        refusals.push(refuse(named, what, "leave fields out"));
    }
    if !refusals.is_empty() {
        return Err(refusals);
    }
    let section = format!("{}/{}", section(def), place(def));
    Ok(Attached { section, regs: regs.filter(|_| sees_registers) })
}

fn section(def: &ProbeDef) -> &'static str {
    match def.kind.realisation {
        Realisation::Bpf(section) => section,
        _ => def.kind.name,
    }
}

/// Returns the place as libbpf reads it behind the section.
fn place(def: &ProbeDef) -> String {
    let plus = |offset: u64| if offset == 0 { String::new() } else { format!("+{offset:#x}") };
    match &def.attach_point {
        AttachPoint::Symbol { module: Some(module), symbol, .. } => format!("{module}:{}", symbol.value),
        AttachPoint::Symbol { module: None, symbol, offset } => format!("{}{}", symbol.value, plus(*offset)),
        AttachPoint::Binary { path, symbol: Some(symbol), offset } => {
            format!("{}:{symbol}{}", path.value, plus(*offset))
        }
        AttachPoint::Binary { path, symbol: None, offset } => format!("{}:{offset:#x}", path.value),
        AttachPoint::Usdt { path, provider, name } => format!("{}:{provider}:{name}", path.value),
        AttachPoint::Event { .. } | AttachPoint::Counter(_) => String::new(),
    }
}

/// Returns a refusal of each field of a probe that a program cannot fetch.
pub(super) fn unfetchable(def: &ProbeDef) -> Vec<Diagnostic> {
    let refusals = def.fields.iter().filter_map(|field| {
        let (what, instead) = hindrance(def, field)?;
        Some(codes::not_by_target::not_by_target(field.span, what, "bpf", instead))
    });
    refusals.collect()
}

/// Returns why a program cannot fetch a field, and what to do instead.
fn hindrance(def: &ProbeDef, field: &ProbeField) -> Option<(&'static str, &'static str)> {
    if let FetchSource::Fetch(fetch) = &field.source {
        match fetch.first {
            FirstValue::AllArguments => {
                return Some(("`$arg*`", "name the arguments: `kprobe vfs_read(file: u64, buf: u64)`"));
            }
            // The registers have other values by then.
            FirstValue::Argument(_) if def.kind.values == Values::Result => {
                return Some((
                    "an argument of the call where the function returns",
                    "attach it `at fexit`, which sees the arguments and the result",
                ));
            }
            FirstValue::Field(_) => return Some(("a field of another event", "leave it out")),
            FirstValue::Symbol { .. } => {
                return Some((
                    "the address of a symbol of the kernel",
                    "write the address: `@0xffffffff82000000`",
                ));
            }
            FirstValue::FileOffset(_) => {
                return Some(("memory at an offset of the probed file", "leave it out"));
            }
            _ => {}
        }
    }
    let Some(FetchedElement::Listed(ty)) = field.fetch_type.map(|ty| ty.element) else { return None };
    let is_array = field.fetch_type.is_some_and(|ty| ty.count.is_some());
    match ty.fetches {
        Fetches::SymbolText => {
            Some(("the name of a symbol as a text", "record it `as symbol`, which keeps the address"))
        }
        Fetches::FileName => Some(("the name of a file", "record the text at its address")),
        Fetches::KernelText | Fetches::UserText if is_array => Some(("an array of texts", "record one text")),
        _ => None,
    }
}
