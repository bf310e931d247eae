//! The text of a record as the kernel prints it: a `print fmt`, compiled once, run per record.
//!
//! [`Text::compile`] turns the [`print fmt`](crate::format::print) of an event into a program for a small stack
//! machine: literal text, loads of fields, C's arithmetic with its conversions, and the directives of `vsnprintf`
//! (lib/vsprintf.c) and helpers of TP_printk (kernel/trace/trace_output.c). [`Text::render`] runs it on the bytes of a
//! record and appends to a buffer of the caller; nothing is allocated per record but what the buffer needs.
//!
//! # Values
//!
//! A value has 64 bits, extended from its type by its sign; the types are those of C and known when the program is
//! compiled. An address is a place in the record, in the program's own constants, or in the memory of the kernel that
//! wrote the record, which is not there any more.
//!
//! # Strings
//!
//! Nothing is printed into a buffer of its own: what is a string in C (`%s` of a table, a chosen literal, a function
//! that prints) appends its bytes to the output when its directive's turn comes, and a width is applied there.
//!
//! # What has no value
//!
//! A place outside of the record prints as `(efault)`, and a null pointer as `(null)`, as `check_pointer` prints bad
//! addresses. A number that lies outside is 0, and so is a division by 0. A shift takes its count modulo the width of
//! the type, as x86 does. A width or precision beyond the
//! [output of the kernel](crate::tables::limits::SEQUENCE_BYTES) is cut to that.
//!
//! What only the kernel that wrote the record knows is asked from an [`Environment`]: symbols, enumerators, variables.
//! A number that depends on a variable which it does not know prints as `?`.

mod block;
mod call;
mod call_line;
mod compile;
mod directive;
mod environment;
mod error;
mod function;
mod helper;
mod machine;
mod memory;
mod number;
mod place;
mod pointer;
mod print;
mod program;
mod string;
mod style;
mod syscall;
#[cfg(test)]
mod tests;
mod trace_cmd;
mod tracer;
mod types;
mod value;

use std::collections::BTreeSet;

use crate::append::push_short;
use crate::escaped::Escaped;
use crate::format::EventFormat;
use program::Program;
use tracer::{Time, Tracer};

pub use call_line::{Call, Name, Returned, mark};
pub use environment::{Environment, Member, Nothing, Passed, Symbol};
pub use error::{TextError, TextErrorKind};
pub use style::{CallStyle, Dialect, Style};
pub use tracer::Function;

/// The text of the records of one event.
#[derive(Clone, Debug)]
pub struct Text {
    body: Body,
    /// The function whose name trace-cmd puts in front.
    prefix: Option<trace_cmd::CallSite>,
    /// The name of the event as a line has it in front of the text, if the kernel writes it.
    name: Option<Box<[u8]>>,
}

#[derive(Clone, Debug)]
enum Body {
    Program(Program),
    Tracer(Tracer),
}

impl Text {
    /// Compiles the text of an event as the kernel's `trace` shows it with its default options, which is not by the
    /// `print fmt` for system calls (kernel/trace/trace_syscalls.c) and for the records of tracers
    /// (kernel/trace/trace_output.c).
    ///
    /// # Errors
    /// [`TextError`] with the part of the `print fmt` that cannot be printed, and why.
    pub fn compile(format: &EventFormat, environment: &dyn Environment) -> Result<Self, TextError> {
        Self::compile_as(format, environment, Style::default())
    }

    /// Compiles the text of an event in a style.
    ///
    /// # Errors
    /// As [`compile`](Self::compile).
    pub fn compile_as(
        format: &EventFormat,
        environment: &dyn Environment,
        style: Style,
    ) -> Result<Self, TextError> {
        if style.dialect == Dialect::TraceCmd {
            return trace_cmd::text(format, environment, style);
        }
        if let Some(program) = syscall::program(format, environment) {
            return Ok(Text::of(Body::Program(program)));
        }
        match Tracer::find(format, environment, style) {
            Some(tracer) => Ok(Text::of(Body::Tracer(tracer))),
            None => Self::compile_print_fmt(format, environment),
        }
    }

    /// Compiles the `print fmt` of an event, also where the kernel prints another text.
    ///
    /// # Errors
    /// [`TextError`], as [`compile`](Self::compile).
    pub fn compile_print_fmt(format: &EventFormat, environment: &dyn Environment) -> Result<Self, TextError> {
        let print = format.print()?;
        let program = compile::program(format, &print, environment, Dialect::Kernel)?;
        let name = format!("{}: ", Escaped(format.name.as_bytes()));
        Ok(Text { name: Some(name.into_bytes().into()), ..Text::of(Body::Program(program)) })
    }

    fn of(body: Body) -> Self {
        Text { body, prefix: None, name: None }
    }

    /// Appends the text of a record of the event. Its bytes begin with the common fields. The environment is asked for
    /// symbols, tasks and strings of the kernel; it should be that of [`compile`](Self::compile).
    ///
    /// Strings of the record are appended as they are: they may hold any byte but NUL.
    /// [`render_line`](Self::render_line) escapes them.
    pub fn render(&self, record: &[u8], environment: &dyn Environment, out: &mut Vec<u8>) {
        self.run(record, (environment, None), false, out);
    }

    /// Appends the text of a record as [`render`](Self::render), with its strings [escaped](crate::escaped), so that
    /// nothing in the record ends the line or commands a terminal. A backslash stays as it is.
    ///
    /// Line breaks that the event itself prints, in its format, by `__print_hex_dump` or between the frames of a stack, are
    /// kept.
    pub fn render_line(&self, record: &[u8], environment: &dyn Environment, out: &mut Vec<u8>) {
        self.run(record, (environment, None), true, out);
    }

    /// Appends the text of a record as [`render_line`](Self::render_line) does, with the times that the text has of its own:
    /// `time` appends the one so long before the record's, in units of the clock.
    pub fn render_line_at(
        &self,
        record: &[u8],
        environment: &dyn Environment,
        time: &dyn Fn(&mut Vec<u8>, u64),
        out: &mut Vec<u8>,
    ) {
        self.run(record, (environment, Some(time)), true, out);
    }

    fn run(
        &self,
        record: &[u8],
        (environment, time): (&dyn Environment, Option<Time<'_>>),
        escape: bool,
        out: &mut Vec<u8>,
    ) {
        if let Some(prefix) = &self.prefix {
            prefix.push(record, environment, out);
        }
        match &self.body {
            Body::Program(program) => machine::run(program, record, environment, escape, out),
            Body::Tracer(tracer) => tracer.render(record, (environment, time), escape, out),
        }
    }

    /// Returns what a record of function_graph says of a call; `None` for other records.
    pub fn call(&self, record: &[u8], environment: &dyn Environment) -> Option<Call> {
        match &self.body {
            Body::Tracer(tracer) => tracer.call(record, environment),
            Body::Program(_) => None,
        }
    }

    /// Appends the place that called, ` <-NAME+0x8/0x10`, of a [call](Self::call) that was recorded with it.
    pub fn push_caller(&self, record: &[u8], environment: &dyn Environment, out: &mut Vec<u8>) {
        if let Body::Tracer(tracer) = &self.body {
            tracer.push_caller(record, environment, out);
        }
    }

    /// Returns whether the text is a line of its own, without the task, the CPU and the time in front.
    pub fn is_whole_line(&self) -> bool {
        matches!(&self.body, Body::Tracer(tracer) if tracer.is_whole_line())
    }

    /// Returns whether the records are of requests to disks, as the tracer blk writes them.
    pub fn is_request(&self) -> bool {
        matches!(&self.body, Body::Tracer(tracer) if tracer.is_request())
    }

    /// Returns whether a record of the event is a message that a program or the kernel's code has written, and nothing else.
    pub fn is_message(&self) -> bool {
        matches!(&self.body, Body::Tracer(tracer) if tracer.is_message())
    }

    /// Appends the function of a [call](Self::call) with its arguments, or that of a return.
    pub fn push_function(&self, record: &[u8], environment: &dyn Environment, out: &mut Vec<u8>) {
        if let Body::Tracer(tracer) = &self.body {
            tracer.push_function(record, environment, out);
        }
    }

    /// Returns what a record of the tracer function says; `None` for other records.
    pub fn function<'e>(
        &'e self,
        record: &'e [u8],
        environment: &'e dyn Environment,
    ) -> Option<Function<'e>> {
        match &self.body {
            Body::Tracer(tracer) => tracer.function(record, environment),
            Body::Program(_) => None,
        }
    }

    /// Returns whether the kernel writes the name of the event in front of the text: it does for all that it prints by their
    /// `print fmt`.
    pub fn follows_name(&self) -> bool {
        self.name.is_some()
    }

    /// Appends the name of the event, escaped, and `: `, if the kernel [writes it](Self::follows_name).
    pub fn push_name(&self, out: &mut Vec<u8>) {
        push_short(out, self.name.as_deref().unwrap_or_default());
    }

    /// Returns whether the kernel prints at least one address hashed, by a secret that nobody else has (`%p`). Such an
    /// address is printed as it is, as the kernel does with the option `nohash-ptr`.
    pub fn needs_hashing(&self) -> bool {
        matches!(&self.body, Body::Program(program) if program.hashes)
    }

    /// Returns the [values of the kernel](crate::tables::kernel_values) that the text needs and the environment does not
    /// know. What depends on one of them is printed as `?`.
    pub fn unknown(&self) -> &BTreeSet<&'static str> {
        static NONE: BTreeSet<&str> = BTreeSet::new();
        match &self.body {
            Body::Program(program) => &program.unknown,
            Body::Tracer(_) => &NONE,
        }
    }
}
