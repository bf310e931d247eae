//! A module of Rust that reads records where they are: in a page of `trace_pipe_raw`, in the ring of perf or of BPF.
//!
//! `NAME.rs` of `NAME.trc` is for `mod NAME;`. It needs `core` alone, and has no `unsafe`: a record is a slice of bytes,
//! whose fields are read when they are asked for. For each event it has:
//!
//! - `SystemEvent`, the record, which `new` makes of bytes that are long enough. A method for each field returns its
//!   value; what a word in the record locates is compared with the length of the record. Assertions compare the types
//!   with the layout that they were made of.
//! - a type for the named values of a field, where the text declares them or the event shows them;
//! - `SESSION_matches`, the condition under which the session records it. The CPU, the process id and the name of the
//!   task are arguments of the conditions that ask for them.
//!
//! The byte order is that of the machine that the module is compiled for, whose `long` has 64 bits.

mod filter;
mod literal;
mod names;
mod record;
mod table;

use tracec_kernel::condition::realisation::Engine;
use tracec_kernel::escaped::Escaped;

use super::{DecoderBuilder, File};
use crate::decoder::Decoder;
use names::Names;

/// The target `rust`. See the [module](self).
pub(super) struct Rust;

impl DecoderBuilder for Rust {
    const NAME: &'static str = "rust";

    const ABOUT: &'static str =
        "a module of Rust that reads the records of each event that the text records or defines";

    const ENGINE: Engine = Engine::Rust;

    fn build(decoder: &Decoder<'_>) -> Vec<File> {
        let content = module(decoder).into_bytes();
        vec![File { name: format!("{}.rs", decoder.stem), content, executable: false }]
    }
}

/// The part that is the same in every module.
const PRELUDE: &str = include_str!("prelude.rs.in");

/// The lints whose style names of a kernel do not follow, and those of parts that a module need not use.
const ALLOWED: &str = "clippy::all, dead_code, non_camel_case_types, non_snake_case, non_upper_case_globals";

fn module(decoder: &Decoder<'_>) -> String {
    let names = Names::of(decoder);
    let mut text = format!("//! Built by tracec of {}.\n\n#![allow({ALLOWED})]\n", line(decoder.origin));
    for (table, name) in decoder.tables.iter().zip(&names.tables) {
        table::write(&mut text, table, name);
    }
    for (index, (record, name)) in decoder.records.iter().zip(&names.records).enumerate() {
        let filters = decoder.filters.iter().filter(|filter| filter.record == index);
        record::write(&mut text, (record, name), &decoder.tables, &names.tables, filters);
    }
    text.push_str(PRELUDE);
    text
}

/// Returns a text as a part of a comment on one line.
fn line(text: &str) -> String {
    Escaped::text(text).to_string()
}
