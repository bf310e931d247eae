//! A model of what a kernel does with the text of an event's filter, including its quirks.
//!
//! The law: [`Filter::parse`] accepts and refuses the same texts as that kernel, with the same words, column and error
//! number, and [`Filter::matches`] decides a record as that kernel does. This is not the meaning of a condition of the
//! language (that is [`condition`](tracec_kernel::condition)); tests use this model to show that the two agree on a
//! lowered text.
//!
//! It follows kernel/trace/trace_events_filter.c, function by function, of 6.1.192 and 6.12.117; 6.18.44 was tested.
//! Where they differ, [`Model`] has a field. The most important quirks:
//!
//! - **Numbers** are read in 64 bits by the field's sign and then cut to its size: `sig == 4294967306` is `sig == 10`.
//!   A field whose size is not 1, 2, 4 or 8 never compares, and then `!=` is false as well.
//! - **`CPUS{..}`** of one CPU is that number, and `&` with it `==`. One number or CPU never equals a set of two. For
//!   an integer field, a value that is not a CPU is false for each operator; of eight bytes only the lower four are
//!   compared.
//! - **Masks of CPUs** in a record are compared up to some bit, and the rest is ignored: up to the last possible CPU,
//!   and for a set of other than one CPU up to CONFIG_NR_CPUS where that is 64 or less.
//! - **`CPU & n`** and any comparison of `stacktrace` are false.
//! - **Globs**: a leading `!` inverts, a leading digit makes the pattern a plain string, `*x` compares with the bytes
//!   before the last byte of the field, `*x*` also finds a match after the NUL in a fixed array, and on some kernels an
//!   inverted class matches the NUL.
//! - **`!`** negates the following comparison, also where that is false because it could not be made (a fault at a
//!   `char *`): `!name == "x"` is true there, `name != "x"` is false.
//! - **Words**: characters are Latin-1 (`ctype`).
//!
//! Not modelled: the event `ftrace:function`, which has a filter in perf only; subsystem filters; kernels of 32 bits;
//! failed allocations. Records have the byte order of the machine that this runs on, as they do on that kernel.

mod bytes;
mod cpus;
mod ctype;
mod field;
mod glob;
mod number;
mod predicate;
mod program;
mod refusal;
mod scan;
mod test;
mod text;

use std::fmt;
use std::ops::Range;

use tracec_kernel::condition::context::Context;
use tracec_kernel::filter::Model;
use tracec_kernel::format::EventFormat;
use tracec_kernel::tables::errno::EINVAL;
use tracec_kernel::tables::limits::FILTER_BYTES;

pub use refusal::Refusal;

use ctype::is_space;
use predicate::Scope;
use program::Program;

/// The properties of a kernel, besides the event, that it uses when it reads a filter.
#[derive(Clone, Copy)]
pub struct ParseContext<'a> {
    /// One more than the highest possible CPU (`/sys/devices/system/cpu/possible`), which is `N` in `CPUS{..}`. Not 0.
    pub nr_cpu_ids: u32,
    /// The number of CPUs it is built for, CONFIG_NR_CPUS: one more than `/sys/devices/system/cpu/kernel_max`. At least
    /// `nr_cpu_ids`.
    pub nr_cpus: u32,
    /// Returns the addresses of the symbol with a name, the end excluded: `kallsyms_lookup_name` and then
    /// `kallsyms_lookup_size_offset` (kernel/kallsyms.c). They find variables too, and `MODULE:NAME`.
    pub function_named: &'a dyn Fn(&str) -> Option<Range<u64>>,
    /// Returns the addresses of the symbol around an address: `kallsyms_lookup_size_offset`.
    pub function_at: &'a dyn Fn(u64) -> Option<Range<u64>>,
}

impl ParseContext<'_> {
    /// Returns a kernel with this many CPUs, built for as many, and no functions.
    pub fn without_functions(nr_cpu_ids: u32) -> ParseContext<'static> {
        ParseContext { nr_cpu_ids, nr_cpus: nr_cpu_ids, function_named: &|_| None, function_at: &|_| None }
    }
}

impl fmt::Debug for ParseContext<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ParseContext")
            .field("nr_cpu_ids", &self.nr_cpu_ids)
            .field("nr_cpus", &self.nr_cpus)
            .finish_non_exhaustive()
    }
}

/// A filter that the kernel accepted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Filter {
    /// `None` where there is no filter.
    program: Option<Program>,
}

impl Filter {
    /// Returns the absence of a filter: every record passes.
    pub fn everything() -> Filter {
        Filter { program: None }
    }

    /// Returns whether there is no filter, as after `0` was written: the filter file then holds `none`.
    pub fn is_everything(&self) -> bool {
        self.program.is_none()
    }

    /// Parses a text as one write(2) to the filter file of an event does: `event_filter_write` in
    /// kernel/trace/trace_events.c, `apply_event_filter`.
    ///
    /// The text ends at a NUL, and white space at its end is cut off. `0` alone removes the filter.
    ///
    /// # Errors
    /// [`Refusal`] if the kernel does not accept the text. Unless the text was too long, the event then has no filter
    /// any more and every record passes.
    pub fn parse(
        text: &[u8],
        event: &EventFormat,
        model: &Model,
        context: &ParseContext<'_>,
    ) -> Result<Filter, Refusal> {
        // A page has 4 KiB or more; the bytes after a NUL count.
        if text.len() > FILTER_BYTES {
            return Err(Refusal::unread(EINVAL));
        }
        let text = stored(text);
        let blanks = text.iter().take_while(|&&byte| is_space(byte)).count();
        if &text[blanks..] == b"0" {
            return Ok(Filter::everything());
        }
        scan::check(text)?;
        let program = Program::parse(text, Scope { event, model, context })?;
        Ok(Filter { program: Some(program) })
    }

    /// Returns whether a record passes, from its `common_type` on. Allocates nothing.
    ///
    /// A comparison for which the record is too short, or that the context does not provide, is false; `!` negates
    /// that.
    pub fn matches(&self, record: &[u8], context: &dyn Context) -> bool {
        self.program.as_ref().is_none_or(|program| program.matches(record, context))
    }
}

/// Returns what the kernel keeps of a written text: up to the first NUL, without white space at the end
/// (`memdup_user_nul`, `strstrip`).
fn stored(text: &[u8]) -> &[u8] {
    let text = text.split(|&byte| byte == 0).next().unwrap_or_default();
    let end = text.iter().rposition(|&byte| !is_space(byte)).map_or(0, |last| last + 1);
    &text[..end]
}
