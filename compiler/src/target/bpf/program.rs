//! The programs of a session: one for each event that it records, with its section and its source lines.

use std::borrow::Cow;

use tracec_grammar::span::Span;
use tracec_kernel::condition::ir::Condition;
use tracec_kernel::format::EventFormat;
use tracec_kernel::tables::bpf_helpers::{self, Helper};
use tracec_kernel::tables::{clocks, limits};

use super::constants::Constants;
use super::maps::{self, MEMORY_BYTES};
use super::probe::{self, Probe};
use super::writer::{Exits, Writer};
use super::{attach, condition, record};
use crate::bpf::assemble::{Impossible, Program, assemble};
use crate::bpf::object::{Map, MapKind, Part, Source};
use crate::diagnostic::{Diagnostic, codes};
use crate::ir::definition::ProbeDef;
use crate::ir::{self, EventId, Recorders};
use crate::place::PlacedSession;
use crate::source::{KernelSource, LineEnds, LineIndex, SourceMap, Unit, possible_cpus};

/// The largest ring buffer of a power of two whose size an `int` of a map's definition holds.
const LARGEST: u64 = 1 << 30;

/// The id of the first probe; the others count down from it. The kernel counts the ids of its own events up from 1 to this
/// (`TRACE_EVENT_TYPE_MAX`, kernel/trace/trace_output.c).
const LAST_ID: u16 = u16::MAX;

/// The smallest: a page (`ringbuf_map_alloc`).
const SMALLEST: u64 = 4096;

/// What an object is made of.
#[derive(Debug)]
pub(super) struct Built<'a> {
    pub(super) parts: Vec<Part>,
    pub(super) maps: Vec<Map>,
    /// The event of each program.
    pub(super) events: Vec<Cow<'a, EventFormat>>,
    /// The clause of each program.
    pub(super) clauses: Vec<Span>,
    /// The clock of the records, as tracefs calls it.
    pub(super) clock: &'a str,
}

/// Returns the programs and maps of a session.
///
/// # Errors
/// A refusal of each clause that programs cannot do, and of each condition that would be too long.
pub(super) fn object<'a>(
    placed: PlacedSession<'a>,
    kernel: &dyn KernelSource,
    sources: &SourceMap,
) -> Result<Built<'a>, Vec<Diagnostic>> {
    let mut refusals = Vec::new();
    let (name, clock) = match clock(placed.session) {
        Ok(clock) => clock,
        Err(refusal) => {
            refusals.push(refusal);
            DEFAULT_CLOCK
        }
    };
    let by_program = placed.events().filter(|(event, _)| placed.is_by_program(event.id));
    let recorded = by_program.filter_map(|(event, ids)| {
        let condition = placed.record(ids).filter(|condition| !condition.is_never())?;
        Some((event.id, event.record.as_ref()?, condition))
    });
    let (mut parts, mut events, mut clauses) = (Vec::new(), Vec::new(), Vec::new());
    let (mut constants, mut memory) = (Constants::new(), false);
    for (number, (id, recording, condition)) in recorded.enumerate() {
        let number = number as u32;
        let conjuncts: Vec<(&Condition, Span)> =
            placed.conjuncts(condition).map(|(conjunct, _)| (&conjunct.value, conjunct.span)).collect();
        let found = match probe_of(placed, id) {
            Some(def) => {
                let format =
                    EventFormat { id: LAST_ID - number as u16, ..placed.module.catalogue[id].clone() };
                attach::probe(def, &format, &kernel.arch(), recording.clause)
                    .map(|attached| (Cow::Owned(format), attached.section, Some((def, attached.regs))))
            }
            None => match &placed.module.catalogue[id] {
                format if attach::is_without_tracepoint(format) => {
                    Err(vec![no_tracepoint(placed, id, recording.clause)])
                }
                format => Ok((Cow::Borrowed(format), attach::tracepoint(format), None)),
            },
        };
        let (format, section, probe) = match found {
            Ok(found) => found,
            Err(refused) => {
                refusals.extend(refused);
                continue;
            }
        };
        let probe = probe.map(|(def, regs)| Probe { def, format: &format, regs });
        let asked = Asked { number, format: &format, probe, conjuncts: &conjuncts, copy: Some(clock) };
        match written(&asked, &mut constants) {
            Ok(Written { program, memory: uses }) => {
                memory |= uses;
                let spans = conjuncts.iter().map(|(_, span)| *span).chain([recording.clause]);
                let lines = spans.map(|span| source(sources, span)).collect();
                let name = format!("e{number}_{}", crate::decoder::identifier(&format.name));
                parts.push(Part { section, name, program, lines });
                events.push(format);
                clauses.push(recording.clause);
            }
            Err(reason) => refusals.push(codes::not_by_target::program(condition.span, &reason.to_string())),
        }
    }
    refusals.extend(unknown(placed));
    if !refusals.is_empty() {
        return Err(refusals);
    }
    let programs = parts.len().max(1) as u32;
    let maps = vec![
        Map::Defined {
            name: maps::name(maps::RECORDS),
            entries: size(placed.session, kernel),
            kind: MapKind::RingBuffer,
        },
        Map::Defined {
            name: maps::name(maps::LOST),
            entries: programs,
            kind: MapKind::PerCpuArray(maps::LOST_BYTES),
        },
        Map::Constants { name: maps::name(maps::CONSTANTS), bytes: constants.into_bytes() },
        match memory {
            true => Map::Defined {
                name: maps::name(maps::MEMORY),
                entries: programs,
                kind: MapKind::PerCpuArray(MEMORY_BYTES),
            },
            false => Map::Unused,
        },
    ];
    Ok(Built { parts, maps, events, clauses, clock: name })
}

/// What a program is for.
pub(super) struct Asked<'a> {
    /// Its index in the maps that have a value for each.
    pub(super) number: u32,
    pub(super) format: &'a EventFormat,
    /// The probe, where the program makes the record.
    pub(super) probe: Option<Probe<'a>>,
    /// The condition, and where each part is written.
    pub(super) conjuncts: &'a [(&'a Condition, Span)],
    /// The clock of the records that it copies; `None` for a program that returns 1 where the condition holds.
    pub(super) copy: Option<Helper>,
}

/// A program, with what it needs.
pub(super) struct Written {
    pub(super) program: Program,
    /// Whether it has memory of its own.
    pub(super) memory: bool,
}

/// Writes a program, and adds its constants to those of the programs before it.
///
/// # Errors
/// It is too long, or needs too much of the stack.
pub(super) fn written(asked: &Asked<'_>, constants: &mut Constants) -> Result<Written, Impossible> {
    let without = write(asked, None, constants);
    let memory = without.lacks_memory();
    // Its constants are there already.
    let writer = if memory { write(asked, Some(asked.number), constants) } else { without };
    let work = writer.work();
    if work > limits::PROGRAM_WALKED {
        return Err(Impossible::Work(work));
    }
    let program = assemble(writer.code)?;
    Ok(Written { program, memory })
}

fn write<'c>(asked: &Asked<'_>, memory: Option<u32>, constants: &'c mut Constants) -> Writer<'c> {
    let (mut to, done) = Writer::new(memory, constants);
    let made = asked.probe.map(|probe| probe::write(&mut to, probe, done));
    // Behind the claim of its memory a program ends through the release.
    let done = made.as_ref().map_or(done, |made| made.exit.block());
    for (index, (part, _)) in asked.conjuncts.iter().enumerate() {
        to.code.set_origin(Some(index as u32));
        let then = to.code.block();
        condition::write(&mut to, part, asked.format, Exits { then, otherwise: done });
        to.code.begin(then);
    }
    to.code.set_origin(Some(asked.conjuncts.len() as u32));
    match (asked.copy, made) {
        (Some(clock), Some(made)) => record::send(&mut to, asked.number, &made, clock),
        (Some(clock), None) => record::write(&mut to, asked.number, asked.format, clock, done),
        (None, _) => {
            to.code.end(crate::bpf::code::End::Return(1));
            to.code.begin(done);
            to.code.end(crate::bpf::code::End::Return(0));
        }
    }
    to
}

/// Returns the probe that is an event of the text.
fn probe_of<'a>(placed: PlacedSession<'a>, id: EventId) -> Option<&'a ProbeDef> {
    let is_probe = |named: &ir::NamedEvent| named.is_probe && named.id == Some(id);
    let named = placed.session.defined.iter().find(|named| is_probe(&named.value))?;
    let system = placed.module.catalogue[id].system.as_str();
    let mut found = probes_named(placed, &named.value.name).filter(|(group, _)| *group == system);
    found.next().map(|(_, probe)| probe)
}

/// Returns the probes of a name, each with its group.
fn probes_named<'a>(placed: PlacedSession<'a>, name: &str) -> impl Iterator<Item = (&'a str, &'a ProbeDef)> {
    let probes = placed.module.definitions.iter().flat_map(|definitions| {
        let group = definitions.subsystem.as_ref().map(|name| name.value.as_str());
        definitions.probes.iter().map(move |probe| (group.unwrap_or(probe.kind.name), probe))
    });
    probes.filter(move |(_, probe)| probe.name.value == name)
}

/// Returns a refusal of each event that the session names and whose layout is not known: it is in no list of events.
fn unknown(placed: PlacedSession<'_>) -> Vec<Diagnostic> {
    // Of a session with two recorders only the programs are here.
    let beside = placed.placement.among.programs.is_some() && placed.session.recorders() == Recorders::Both;
    let is_here = |named: &ir::NamedEvent| named.is_program || !beside;
    let named = placed.session.defined.iter().map(|named| (named, &named.value));
    let named = named.filter(|(_, event)| event.id.is_none() && is_here(event)).map(|(named, _)| named);
    let refused = named.flat_map(|named| {
        let fields =
            probes_named(placed, &named.value.name).flat_map(|(_, probe)| attach::unfetchable(probe));
        let fields: Vec<Diagnostic> = fields.collect();
        if !fields.is_empty() {
            return fields;
        }
        let what = format!(
            "the event `{}`, of whose fields one has a type that only the kernel knows",
            named.value.name
        );
        vec![codes::not_by_target::not_by_target(named.span, &what, "bpf", "write a type for each field")]
    });
    refused.collect()
}

fn no_tracepoint(placed: PlacedSession<'_>, id: EventId, span: Span) -> Diagnostic {
    let event = placed.module.catalogue[id].qualified_name();
    let what = format!("`{event}`: a program is attached to static tracepoints and system calls only");
    codes::not_by_target::not_by_target(span, &what, "bpf", "let tracefs record the session")
}

/// The clock of a session that names none, and the helper that reads it.
const DEFAULT_CLOCK: (&str, Helper) = ("mono", bpf_helpers::KTIME_GET_NS);

/// Returns the clock of a session, and the helper that reads it.
fn clock(session: &ir::Session) -> Result<(&str, Helper), Diagnostic> {
    let Some(clock) = &session.clock else { return Ok(DEFAULT_CLOCK) };
    let helper = clocks::find(&clock.value).and_then(|known| known.helper);
    helper.map(|helper| (clock.value.as_str(), helper)).ok_or_else(|| {
        let readable: Vec<String> = clocks::ALL
            .iter()
            .filter(|clock| clock.helper.is_some())
            .map(|clock| format!("`clock {}`", clock.name))
            .collect();
        codes::not_by_target::not_by_target(
            clock.span,
            &format!("the clock `{}`, which a program cannot read", clock.value),
            "bpf",
            &format!("use {}", readable.join(" or ")),
        )
    })
}

/// Returns the size of the ring buffer: that of all CPUs together, as the next power of two.
fn size(session: &ir::Session, kernel: &dyn KernelSource) -> u32 {
    let kib = session.buffer_kib.as_ref().map_or(limits::RING_KIB, |kib| kib.value);
    let cpus = possible_cpus(kernel).ok().flatten().unwrap_or(1);
    let bytes = kib.saturating_mul(1024).saturating_mul(cpus.into());
    bytes.clamp(SMALLEST, LARGEST).next_power_of_two() as u32
}

/// Returns the source line of a part.
fn source(sources: &SourceMap, span: Span) -> Source {
    let (text, range) = sources.locate(span);
    let index = LineIndex::new(&text.text, LineEnds::Newline);
    let position = index.position(range.start, Unit::Byte);
    Source {
        file: text.name.clone(),
        text: index.line(position.line).trim().to_owned(),
        line: position.line as u32 + 1,
        column: position.column as u32 + 1,
    }
}
