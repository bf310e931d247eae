//! A header of C that reads records where they are: in a page of `trace_pipe_raw`, in the ring of perf or of BPF.
//!
//! `NAME.h` of `NAME.trc` needs C11 as gcc and clang have it, and four headers of the language. For each event it has:
//!
//! - `struct SYSTEM_EVENT`, the record. Its integers are types of alignment 1, so that the struct needs no packing and
//!   a record may lie at any address; assertions compare each offset and size with the layout that it was made of.
//! - `SYSTEM_EVENT_from(data, size, &record)`, which checks the length. What lies behind the struct, and is located by
//!   a word in it, is read by a function that checks the location against the length of the record.
//! - the names of a field's values, where the text declares them or the event shows them;
//! - `SESSION_SYSTEM_EVENT_matches(data, size, ..)`, the condition under which the session records it. It reads the
//!   bytes and not the struct, and is exact for a record of any length: a test that would read beyond the end is false.
//!   The CPU, the process id and the name of the task are arguments of the conditions that ask for them.
//!
//! The byte order is that of the machine that the header is compiled for, whose `long` has 64 bits.

mod filter;
mod names;
mod record;
mod table;

use std::fmt::Write;

use tracec_kernel::condition::realisation::Engine;

use super::{DecoderBuilder, File};
use crate::c::comment;
use crate::decoder::Decoder;
use names::Names;

/// The target `c`. See the [module](self).
pub(super) struct C;

impl DecoderBuilder for C {
    const NAME: &'static str = "c";

    const ABOUT: &'static str =
        "a header of C that reads the records of each event that the text records or defines";

    const ENGINE: Engine = Engine::C;

    fn build(decoder: &Decoder<'_>) -> Vec<File> {
        let content = header(decoder).into_bytes();
        vec![File { name: format!("{}.h", decoder.stem), content, executable: false }]
    }
}

/// The part that is the same in every header.
const PRELUDE: &str = include_str!("prelude.h");

fn header(decoder: &Decoder<'_>) -> String {
    let mut names = Names::of(decoder);
    let guard = format!("TRACEC_{}_H", decoder.stem);
    let mut text =
        format!("/* Built by tracec of {}. */\n#ifndef {guard}\n#define {guard}\n\n", line(decoder.origin));
    text.push_str("#include <stdbool.h>\n#include <stddef.h>\n#include <stdint.h>\n#include <string.h>\n\n");
    text.push_str(PRELUDE);
    for (index, table) in decoder.tables.iter().enumerate() {
        table::write(&mut text, table, &names.tables[index].clone(), &mut names);
    }
    for (index, record) in decoder.records.iter().enumerate() {
        record::write(&mut text, record, &names.records[index].clone(), &mut names);
        let filters = decoder.filters.iter().filter(|filter| filter.record == index);
        for filter in filters {
            filter::write(&mut text, filter, record, &mut names);
        }
    }
    // Writing into a string does not fail.
    let _ = write!(text, "\n#endif\n");
    text
}

/// Returns the words of C, numbers among them.
fn words(c: &str) -> impl Iterator<Item = &str> {
    c.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').filter(|word| !word.is_empty())
}

/// Returns a text as a part of a comment on one line.
fn line(text: &str) -> String {
    let escaped = tracec_kernel::escaped::Escaped::text(text).to_string();
    comment(&escaped)
}
