//! A recording for programs: its events one after the other, with typed fields.

mod field;

use std::cell::RefCell;
use std::fs::File;
use std::io::{Read, Seek};
use std::ops::RangeInclusive;
use std::path::Path;

use tracec_kernel::format::EventFormat;
use tracec_kernel::page::Lost;
use tracec_kernel::record::{Decoder, Record, RecordError};
use tracec_kernel::text::{Environment, Style};

use super::environment::Kernel;
use super::host::HostFilter;
use super::merge::Due;
use super::names::Names;
use super::pipeline::Counts;
use super::texts::Texts;
use super::trace_dat::{Pages, TraceDat, TraceDatError};
use crate::sink::{Printed, Ring};

pub use field::{Anything, FieldError, FieldOf, FieldType};

/// A recording that is open for reading.
///
/// [`events`](Recording::events) returns its events merged by time over all CPUs and buffers,
/// [`events_of`](Recording::events_of) those of one CPU. They can be read any number of times, each time from the start.
///
/// ```
/// use tracec_runtime::record::Recording;
///
/// let mut recording = Recording::open("tests/data/small-v6.dat")?;
/// let target = recording.field::<i32>("sched:sched_waking", "target_cpu")?;
/// let (mut events, mut of_first) = (recording.events(), 0);
/// while let Some(event) = events.next_event()? {
///     of_first += u32::from(event.get(&target)? == Some(0));
/// }
/// assert!(of_first > 0 && events.lost() == 0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Units and bytes
/// Time stamps are nanoseconds, with the corrections that the file states, unless
/// [`Overview`](crate::sink::Overview) of [`file`](Recording::file) says that the clock counts something else. Integers
/// are in this machine's byte order, whatever that of the recording is.
///
/// # Memory
/// The file is read in pieces: at most 32 MiB of pages are held, and of large compressed sections what they become.
/// No memory is allocated per event. An event borrows from the iterator: it ends before the next one is asked for.
#[derive(Debug)]
pub struct Recording<R = File> {
    file: TraceDat<R>,
    decoder: Decoder,
}

impl Recording {
    /// Opens a trace.dat file of version 6 or 7.
    ///
    /// # Errors
    /// [`TraceDatError`]: the file cannot be read, is not a trace.dat, or lacks what no record can be read without. What else
    /// of its head is damaged, [`TraceDat::damage`] of [`file`](Recording::file) says; damage of pages is found when they are
    /// read.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, TraceDatError> {
        Ok(Self::of(TraceDat::open(path.as_ref())?))
    }
}

impl<R: Read + Seek> Recording<R> {
    /// Returns the recording of a file whose head was read.
    pub fn of(file: TraceDat<R>) -> Self {
        let decoder = Decoder::for_layout(file.formats.clone(), &file.layout);
        Recording { file, decoder }
    }

    /// Returns the file: its buffers, clock, layouts, and what it says of the machine.
    pub fn file(&self) -> &TraceDat<R> {
        &self.file
    }

    /// Lets only events of a period be read, in the units of their time stamps; by default all are.
    pub fn set_period(&mut self, period: RangeInclusive<u64>) {
        self.file.set_period(period);
    }

    /// Returns the layout of an event, `SYSTEM:EVENT`.
    pub fn event(&self, name: &str) -> Option<&EventFormat> {
        let (system, name) = name.split_once(':')?;
        self.file.formats.iter().find(|format| format.system == system && format.name == name)
    }

    /// Finds a field of an event, `SYSTEM:EVENT`, so that it can be read of many events without looking for it again.
    ///
    /// `T` is an integer type that has room for every value of the field, or [`str`], or `[u8]` for the bytes of a
    /// string or of an array; see [`FieldType`].
    ///
    /// # Errors
    /// [`FieldError`]: the recording has no such event, the event has no such field, or the field has another type.
    pub fn field<T: FieldType + ?Sized>(&self, event: &str, field: &str) -> Result<FieldOf<T>, FieldError> {
        let format = self.event(event).ok_or_else(|| FieldError::Event { event: event.to_owned() })?;
        FieldOf::new(format, field)
    }

    /// Returns the events of all CPUs and buffers in the order of time. Of equal times the lower CPU's is the first, and
    /// the order of one CPU's events is kept where its clock steps back.
    pub fn events(&mut self) -> Events<'_, R> {
        self.events_if(HostFilter::default())
    }

    /// Returns the events that a filter of the recording keeps, in the order of [`events`](Recording::events).
    pub fn events_if(&mut self, filter: HostFilter) -> Events<'_, R> {
        let stated = self.file.stated_losses();
        let (pages, names, kernel) = self.file.source();
        Events {
            pages,
            filter,
            decoder: &self.decoder,
            names,
            kernel,
            texts: RefCell::default(),
            counts: Counts::default(),
            stated,
        }
    }

    /// Returns the events of one CPU of a buffer. There are none if the recording has no pages of it.
    pub fn events_of(&mut self, ring: Ring) -> Events<'_, R> {
        let mut events = self.events();
        events.pages.keep_only(ring);
        events
    }
}

/// The events of a recording: a loop with [`next_event`](Events::next_event) reads them.
///
/// It is not an [`Iterator`], because an event borrows from it.
pub struct Events<'f, R> {
    pages: Pages<'f, R>,
    filter: HostFilter,
    decoder: &'f Decoder,
    names: Names,
    kernel: Kernel<'f>,
    texts: RefCell<Texts>,
    counts: Counts,
    /// The records that rings have lost as these counted them.
    stated: Vec<(Ring, u64)>,
}

/// What a recording has next.
#[derive(Debug)]
pub enum Item<'a> {
    /// An event.
    Event(RecordedEvent<'a>),
    /// Events of a ring were lost between those before and behind.
    Lost {
        /// The ring.
        ring: Ring,
        /// How many.
        lost: Lost,
    },
    /// A record that is not of an event whose layout the recording has, or that ends within its header.
    Unknown {
        /// The ring that it was in.
        ring: Ring,
        /// The time when it was written.
        timestamp: u64,
        /// Its bytes.
        data: &'a [u8],
        /// The reason.
        error: RecordError,
    },
}

impl<R: Read + Seek> Events<'_, R> {
    /// Returns the next event; `None` behind the last. Losses and records without a layout are counted.
    ///
    /// # Errors
    /// [`TraceDatError`]: the file ends early, a page is damaged, or a compressed part is. The next call goes on behind the
    /// damaged page.
    pub fn next_event(&mut self) -> Result<Option<RecordedEvent<'_>>, TraceDatError> {
        let step = loop {
            let Some(step) = self.pages.advance(&mut self.filter)? else { return self.end().map(|()| None) };
            match self.pages.due(step)? {
                Due::Lost { ring, lost } => self.counts.lose(ring, lost),
                Due::Record { data, .. } if self.decoder.record(data).is_err() => self.counts.unknown += 1,
                Due::Record { .. } => break step,
            }
        };
        match self.item(step)? {
            Item::Event(event) => Ok(Some(event)),
            Item::Lost { .. } | Item::Unknown { .. } => Ok(None),
        }
    }

    /// Returns the next event, loss or record without a layout, in their order; `None` behind the last.
    ///
    /// # Errors
    /// As [`next_event`](Events::next_event).
    pub fn next_item(&mut self) -> Result<Option<Item<'_>>, TraceDatError> {
        let Some(step) = self.pages.advance(&mut self.filter)? else { return self.end().map(|()| None) };
        match self.pages.due(step)? {
            Due::Lost { ring, lost } => self.counts.lose(ring, lost),
            Due::Record { data, .. } => {
                self.counts.unknown += u64::from(self.decoder.record(data).is_err());
            }
        }
        self.item(step).map(Some)
    }

    /// Returns an error behind the last event if the symbols or types of the kernel could not be read for the texts.
    fn end(&mut self) -> Result<(), TraceDatError> {
        self.counts.state(self.stated.drain(..));
        self.kernel.take_failure().map_or(Ok(()), |error| Err(error.into()))
    }

    /// Returns the number of events that were lost so far; a loss whose size its page does not have counts as one. Behind the
    /// last event, the number is that of the recording where it states one.
    pub fn lost(&self) -> u64 {
        self.counts.lost()
    }

    /// Returns the number of records without a layout so far.
    pub fn unknown(&self) -> u64 {
        self.counts.unknown
    }

    /// Returns what is at a step.
    fn item(&mut self, step: super::trace_dat::Step) -> Result<Item<'_>, TraceDatError> {
        Ok(match self.pages.due(step)? {
            Due::Lost { ring, lost } => Item::Lost { ring, lost },
            Due::Record { ring, timestamp, data } => match self.decoder.record(data) {
                Ok(record) => {
                    let comm = self.names.comm(record.common_pid());
                    let (texts, kernel) = (&self.texts, &self.kernel as &dyn Environment);
                    Item::Event(RecordedEvent { timestamp, ring, comm, record, texts, kernel })
                }
                Err(error) => Item::Unknown { ring, timestamp, data, error },
            },
        })
    }
}

/// An event of a recording. It borrows from [`Events`] until the next one is asked for.
#[derive(Clone, Copy)]
pub struct RecordedEvent<'a> {
    /// The time when it was written, in nanoseconds unless the clock counts something else.
    pub timestamp: u64,
    /// The ring that it was in: the CPU, and the position of the buffer in the recording.
    pub ring: Ring,
    /// The name of the thread that wrote it: up to 15 bytes, usually UTF-8; `<idle>` for thread 0, `<...>` if unknown.
    pub comm: &'a [u8],
    /// Its bytes with their layout.
    pub record: Record<'a>,
    texts: &'a RefCell<Texts>,
    kernel: &'a dyn Environment,
}

impl<'a> RecordedEvent<'a> {
    /// Returns the CPU that wrote it.
    pub fn cpu(&self) -> u32 {
        self.ring.cpu
    }

    /// Returns the thread that wrote it; 0 is the idle task of each CPU.
    pub fn pid(&self) -> i32 {
        self.record.common_pid()
    }

    /// Returns the system of the event, as `sched`.
    pub fn system(&self) -> &'a str {
        &self.record.format.system
    }

    /// Returns the name of the event, as `sched_switch`.
    pub fn name(&self) -> &'a str {
        &self.record.format.name
    }

    /// Returns the value of a field that was found before; `None` if it belongs to another event.
    ///
    /// # Errors
    /// [`RecordError`] if the record ends before the field or the data that it refers to.
    pub fn get<T: FieldType + ?Sized>(&self, field: &FieldOf<T>) -> Result<Option<T::Of<'a>>, RecordError> {
        field.of(&self.record)
    }

    /// Returns the value of a field by its name, which is looked for among the fields of the event.
    ///
    /// # Errors
    /// [`FieldError`]: the event has no such field, it has another type, or the record ends before it.
    pub fn field<T: FieldType + ?Sized>(&self, name: &str) -> Result<T::Of<'a>, FieldError> {
        let field = FieldOf::<T>::new(self.record.format, name)?;
        let value = field.of(&self.record)?;
        // It is of the record's own event.
        value.ok_or_else(|| FieldError::Event { event: self.record.format.qualified_name() })
    }

    /// Appends the text that the kernel prints for the event, without a line break, to `out`. Returns whether there is
    /// one: the `print fmt` of some events calls what only the kernel has.
    ///
    /// The text is compiled for the first event of its kind.
    pub fn push_text(&self, out: &mut Vec<u8>) -> bool {
        let Ok(mut texts) = self.texts.try_borrow_mut() else { return false };
        let text = texts.of(self.record.format, (self.kernel, Style::default()), |_| Ok::<(), ()>(()));
        let Ok(Some(text)) = text else { return false };
        Printed::new(text, self.record.data, self.kernel).push_line(out);
        true
    }
}

impl std::fmt::Debug for RecordedEvent<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (timestamp, ring, record) = (&self.timestamp, &self.ring, &self.record);
        let comm = String::from_utf8_lossy(self.comm);
        f.debug_struct("RecordedEvent")
            .field("timestamp", timestamp)
            .field("ring", ring)
            .field("comm", &comm)
            .field("record", record)
            .finish_non_exhaustive()
    }
}
