//! The records that tracers write, system `ftrace`: the kernel prints each by a function of its own
//! (kernel/trace/trace_output.c) and not by its `print fmt`.
//!
//! [`Tracer::find`] binds the fields that a record's text needs to their places in the format of the kernel that wrote
//! it; a record without one of them is shown by its `print fmt`. A text ends where the kernel ends the line.

mod arguments;
mod binary;
mod disk;
mod function;
mod futex;
mod graph;
mod kvm;
mod latency;
mod memory;
mod print;
mod stack;
mod switch;
#[cfg(test)]
mod tests;
mod timer;
mod trace_cmd;
mod view;

use super::call_line::Call;
use super::environment::Environment;
use super::style::{Dialect, Style};
use crate::bytes::ByteOrder;
use crate::format::EventFormat;
use view::{Place, View};

pub use function::Function;
pub(super) use view::Time;

/// The text of a kind of record.
#[derive(Debug)]
struct Kind {
    /// The name of the event.
    name: &'static str,
    /// The fields that the text needs.
    fields: &'static [&'static str],
    /// Those that older or newer kernels lack.
    optional: &'static [&'static str],
    print: fn(&View<'_>, &mut Vec<u8>),
}

/// The kinds, with one file per family.
const ALL: &[&[Kind]] =
    &[function::ALL, graph::ALL, stack::ALL, print::ALL, latency::ALL, switch::ALL, disk::ALL, memory::ALL];

/// The text of a kind of record, with its fields in the format of a kernel.
#[derive(Clone, Debug)]
pub(super) struct Tracer {
    kind: &'static Kind,
    /// The fields, then the optional ones.
    places: Box<[Option<Place>]>,
    order: ByteOrder,
    style: Style,
}

impl Tracer {
    /// Returns the text of an event; `None` if it is not a tracer's or lacks a field.
    pub(super) fn find(format: &EventFormat, environment: &dyn Environment, style: Style) -> Option<Self> {
        let all = match (format.system.as_str(), style.dialect) {
            ("ftrace", Dialect::Kernel) => ALL,
            ("ftrace", Dialect::TraceCmd) => trace_cmd::ALL,
            ("syscalls", Dialect::TraceCmd) => &[futex::ALL],
            ("kvm", Dialect::TraceCmd) => &[kvm::ALL],
            ("kvmmmu", Dialect::TraceCmd) => &[kvm::MEMORY],
            ("timer", Dialect::TraceCmd) => &[timer::ALL],
            ("tlb", Dialect::TraceCmd) => &[timer::FLUSH],
            _ => return None,
        };
        let kind = all.iter().flat_map(|family| family.iter()).find(|kind| kind.name == format.name)?;
        let place = |name: &&str| format.field(name).map(Place::of);
        let needed: Option<Vec<Place>> = kind.fields.iter().map(place).collect();
        let places = needed?.into_iter().map(Some).chain(kind.optional.iter().map(place)).collect();
        Some(Tracer { kind, places, order: ByteOrder::little_if(environment.is_little_endian()), style })
    }

    /// Appends the text of a record.
    pub(super) fn render(
        &self,
        record: &[u8],
        (environment, time): (&dyn Environment, Option<Time<'_>>),
        escape: bool,
        out: &mut Vec<u8>,
    ) {
        (self.kind.print)(&View { escape, time, ..self.view(record, environment) }, out);
    }

    /// Returns what a record says of a call; `None` if it is not a call or a return.
    pub(super) fn call(&self, record: &[u8], environment: &dyn Environment) -> Option<Call> {
        graph::call(self.kind, &self.view(record, environment))
    }

    /// Appends the function of a call or a return; of a call, with its arguments.
    pub(super) fn push_function(&self, record: &[u8], environment: &dyn Environment, out: &mut Vec<u8>) {
        graph::push_function(self.kind, &self.view(record, environment), out);
    }

    /// Appends the place that called, if the record is of a call that has it.
    pub(super) fn push_caller(&self, record: &[u8], environment: &dyn Environment, out: &mut Vec<u8>) {
        if self.call(record, environment).is_some() {
            graph::push_caller_of(self.kind, &self.view(record, environment), out);
        }
    }

    /// Returns whether the text is a line of its own, without the columns that others begin with.
    pub(super) fn is_whole_line(&self) -> bool {
        memory::is_whole_line(self.kind)
    }

    /// Returns whether the record is of a request to a disk.
    pub(super) fn is_request(&self) -> bool {
        disk::is_request(self.kind)
    }

    /// Returns whether the record is a message that a program or the kernel's code has written.
    pub(super) fn is_message(&self) -> bool {
        print::is_message(self.kind)
    }

    /// Returns what a record of the tracer function says; `None` if it is another one.
    pub(super) fn function<'e>(
        &'e self,
        record: &'e [u8],
        environment: &'e dyn Environment,
    ) -> Option<Function<'e>> {
        function::function(self.kind, &self.view(record, environment))
    }

    fn view<'v>(&'v self, record: &'v [u8], environment: &'v dyn Environment) -> View<'v> {
        let Tracer { places, order, style, .. } = self;
        View { places, record, order: *order, style: *style, environment, escape: false, time: None }
    }
}
