//! A condition alone as a program, which returns 1 where it holds: for programs that attach it themselves, and for tests
//! that run it in an interpreter.

use tracec_kernel::condition::ir::Condition;
use tracec_kernel::format::EventFormat;
use tracec_span::Span;

use super::constants::Constants;
use super::maps::{self, CONSTANTS, MEMORY, MEMORY_BYTES};
use super::program::{Asked, written};
use crate::bpf::text::Written;

/// A program that decides a condition.
#[derive(Clone, Debug)]
pub struct Filter {
    /// The instructions, 8 bytes each.
    pub bytes: Vec<u8>,
    /// The instructions as text.
    pub text: Vec<String>,
    /// The bytes of its constants.
    pub constants: Vec<u8>,
    /// The indices of the pairs of instructions that hold the address of the constants; the offset from there is in the
    /// second of each.
    pub constant_addresses: Vec<usize>,
    /// The indices of those that name the map of its own memory, an array of one value.
    pub memory_maps: Vec<usize>,
    /// The size of that value.
    pub memory_bytes: u32,
}

/// Returns the program of a condition on an event.
///
/// # Errors
/// The reason why there is none: it would be too long, or need too much of the stack.
pub fn filter(condition: &Condition, format: &EventFormat) -> Result<Filter, String> {
    let conjuncts = [(condition, Span::default())];
    let asked = Asked { number: 0, format, probe: None, conjuncts: &conjuncts, copy: None };
    let mut constants = Constants::new();
    let written = written(&asked, &mut constants).map_err(|reason| reason.to_string())?;
    let program = written.program;
    let of = |map| program.maps.iter().filter(move |(_, named)| *named == map).map(|(at, _)| *at);
    let (constant_addresses, memory_maps) = (of(CONSTANTS).collect(), of(MEMORY).collect());
    Ok(Filter {
        bytes: program.instructions.iter().flat_map(|one| one.bytes()).collect(),
        text: Written::all(&program, &maps::NAMES).iter().map(ToString::to_string).collect(),
        constants: constants.into_bytes(),
        constant_addresses,
        memory_maps,
        memory_bytes: MEMORY_BYTES,
    })
}
