//! An event with a field of every kind, another that hides names of the CPU and the task, and their records as a kernel
//! writes them.

use std::fmt;
use std::ops::Range;
use std::sync::LazyLock;

use tracec_kernel::condition::context::Context;
use tracec_kernel::condition::ir::Text;
use tracec_kernel::condition::lower::Spelling;
use tracec_kernel::format::{EventFormat, Field};
use tracec_kernel::record::Decoder;
use tracec_oracle::filter::ParseContext;

use crate::bytes::{self, KERNEL_TEXT, USER_TEXT, VFS_READ};
use crate::generate::conditions::Vocabulary;

const FIELDS: &str = "\
\tfield:s8 s8;\toffset:8;\tsize:1;\tsigned:1;
\tfield:u8 u8;\toffset:9;\tsize:1;\tsigned:0;
\tfield:s16 s16;\toffset:10;\tsize:2;\tsigned:1;
\tfield:u16 u16;\toffset:12;\tsize:2;\tsigned:0;
\tfield:bool flag;\toffset:14;\tsize:1;\tsigned:0;
\tfield:u32 packed;\toffset:15;\tsize:4;\tsigned:0;
\tfield:s32 s32;\toffset:20;\tsize:4;\tsigned:1;
\tfield:u32 u32;\toffset:24;\tsize:4;\tsigned:0;
\tfield:struct pair three;\toffset:28;\tsize:3;\tsigned:0;
\tfield:s64 s64;\toffset:32;\tsize:8;\tsigned:1;
\tfield:u64 u64;\toffset:40;\tsize:8;\tsigned:0;
\tfield:void * address;\toffset:48;\tsize:8;\tsigned:0;
\tfield:int dfd;\toffset:56;\tsize:8;\tsigned:0;
\tfield:long length;\toffset:64;\tsize:8;\tsigned:0;
\tfield:unsigned int flags;\toffset:72;\tsize:8;\tsigned:0;
\tfield:const char * text_at;\toffset:80;\tsize:8;\tsigned:0;
\tfield:char fixed[8];\toffset:88;\tsize:8;\tsigned:0;
\tfield:unsigned char addr[6];\toffset:96;\tsize:6;\tsigned:0;
\tfield:u8 array[6];\toffset:102;\tsize:6;\tsigned:0;
\tfield:__data_loc char[] name;\toffset:108;\tsize:4;\tsigned:0;
\tfield:__data_loc char[] synthetic;\toffset:112;\tsize:8;\tsigned:0;
\tfield:__rel_loc char near[];\toffset:120;\tsize:4;\tsigned:0;
\tfield:__data_loc cpumask_t cpus;\toffset:124;\tsize:4;\tsigned:0;
\tfield:__rel_loc cpumask_t near_cpus;\toffset:128;\tsize:4;\tsigned:0;
\tfield:__data_loc u32[] numbers;\toffset:132;\tsize:4;\tsigned:0;
\tfield:umode_t mode;\toffset:136;\tsize:8;\tsigned:0;
\tfield:char rest[];\toffset:152;\tsize:0;\tsigned:0;
";

/// `CPU`, `COMM` and `common_pid`, which filters look up first, as arguments of a probe.
const HIDING_FIELDS: &str = "\
\tfield:u16 CPU;\toffset:144;\tsize:2;\tsigned:0;
\tfield:u16 common_pid;\toffset:146;\tsize:2;\tsigned:0;
\tfield:__data_loc char[] COMM;\toffset:148;\tsize:4;\tsigned:0;
";

pub(crate) const INTEGERS: &[&str] = &[
    "s8",
    "u8",
    "s16",
    "u16",
    "flag",
    "packed",
    "s32",
    "u32",
    "s64",
    "u64",
    "address",
    "dfd",
    "length",
    "flags",
    "mode",
    "common_pid",
    "common_flags",
];
/// `text_at.ustring` and [`COMM`] are the two that are not fields.
const TEXTS: &[&str] =
    &["fixed", "addr", "name", "synthetic", "near", "rest", "text_at", "text_at.ustring", COMM];

/// The integers of the event that hides names: few, so that these occur often.
const HIDING_INTEGERS: &[&str] = &["s32", "CPU", "common_pid"];
const HIDING_TEXTS: &[&str] = &["fixed", "COMM", COMM];

/// The CPU and the task's name, independent of their names in the event's filter.
pub(crate) const COMM: &str = "current.comm";

/// An event, and what conditions ask about it.
pub(crate) struct Event {
    name: &'static str,
    pub(crate) format: EventFormat,
    pub(crate) decoder: Decoder,
    pub(crate) spelling: Spelling,
    pub(crate) vocabulary: Vocabulary,
}

/// An event that does not hide names.
pub(crate) static PLAIN: LazyLock<Event> = LazyLock::new(|| Event::new("plain", FIELDS, INTEGERS, TEXTS));

/// An event whose filter has other names for the CPU and the task's name.
pub(crate) static HIDING: LazyLock<Event> =
    LazyLock::new(|| Event::new("hiding", &[HIDING_FIELDS, FIELDS].concat(), HIDING_INTEGERS, HIDING_TEXTS));

/// Bytes of the fixed part.
pub(crate) const FIXED: usize = 152;

impl Event {
    fn new(name: &'static str, fields: &str, integers: &[&str], texts: &[&str]) -> Event {
        let format = bytes::event(fields);
        let field = |name: &str| bytes::field(&format, name).clone();
        let fields = |names: &[&str]| names.iter().map(|name| field(name)).collect::<Vec<_>>();
        let text = |name: &&str| match name.strip_suffix(".ustring") {
            Some(name) => Text::User(field(name)),
            None if *name == COMM => Text::Comm,
            None => Text::Field(field(name)),
        };
        let vocabulary = Vocabulary {
            integers: fields(integers),
            no_integers: fields(&["three", "array", "numbers", "cpus", "near_cpus"]),
            texts: texts.iter().map(text).collect(),
            no_texts: vec![Text::User(field("address")), Text::Field(field("u32"))],
            masks: fields(&[&["cpus"; 11][..], &["near_cpus"]].concat()),
            addresses: fields(&["address", "address", "u64", "text_at", "u32"]),
            functions: vec!["vfs_read", "vfs_read", "vfs_read.cold", "vfs read", "1"],
            // Some numbers that are not possible on the machine.
            cpus: CPUS + 10,
        };
        let (decoder, spelling) = (Decoder::new(vec![format.clone()]), Spelling::at(&format));
        Event { name, format, decoder, spelling, vocabulary }
    }

    fn field(&self, name: &str) -> &Field {
        bytes::field(&self.format, name)
    }

    /// Returns the string field that only this event has.
    pub(crate) fn own_text(&self) -> Option<&'static str> {
        self.format.field("COMM").map(|_| "COMM")
    }
}

/// Prints the name: the format is in the source of the test.
impl fmt::Debug for Event {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

/// The number of CPUs of the machine: more than a word of a mask holds.
pub(crate) const CPUS: u32 = 70;

/// The functions that the kernel has.
pub(crate) const FUNCTIONS: [(&str, Range<u64>); 2] =
    [("vfs_read", VFS_READ), ("vfs_read.cold", 0xffff_ffff_8200_0010..0xffff_ffff_8200_0018)];

fn function(name: &str) -> Option<Range<u64>> {
    FUNCTIONS.iter().find(|(known, _)| *known == name).map(|(_, range)| range.clone())
}

pub(crate) const KERNEL: ParseContext<'static> = ParseContext {
    nr_cpu_ids: CPUS,
    nr_cpus: 8192,
    function_named: &function,
    function_at: &|address| {
        FUNCTIONS.iter().find(|(_, range)| range.contains(&address)).map(|(_, range)| range.clone())
    },
};

/// The test runs on a little-endian machine, as are all machines that the project is tested on.
const LITTLE_ENDIAN: bool = {
    assert!(cfg!(target_endian = "little"));
    true
};

/// A record and the state of the kernel when it is written.
#[derive(Clone, Debug)]
pub(crate) struct Moment {
    pub(crate) event: &'static Event,
    pub(crate) bytes: Vec<u8>,
    pub(crate) cpu: u32,
    pub(crate) comm: Vec<u8>,
    /// The bytes at [`KERNEL_TEXT`]; any other address faults.
    pub(crate) kernel: Vec<u8>,
    /// The bytes at [`USER_TEXT`]; any other address faults.
    pub(crate) user: Vec<u8>,
}

impl Moment {
    /// Returns a record with all fields 0 and no dynamic data.
    pub(crate) fn new(event: &'static Event) -> Moment {
        Moment {
            event,
            bytes: bytes::empty(&event.format, FIXED, LITTLE_ENDIAN),
            cpu: 0,
            comm: Vec::new(),
            kernel: Vec::new(),
            user: Vec::new(),
        }
    }

    /// Sets an integer field, or a location word.
    pub(crate) fn put(&mut self, name: &str, value: u64) {
        bytes::put(&mut self.bytes, self.event.field(name), value, LITTLE_ENDIAN);
    }

    /// Sets the thread id in the header.
    pub(crate) fn put_task(&mut self, value: u64) {
        let field = self.event.format.task_pid().expect("the header has it");
        bytes::put(&mut self.bytes, field, value, LITTLE_ENDIAN);
    }

    /// Fills a fixed array.
    pub(crate) fn fill(&mut self, name: &str, bytes: impl Iterator<Item = u8>) {
        let field = self.event.field(name);
        let place = &mut self.bytes[field.offset as usize..][..field.size as usize];
        place.iter_mut().zip(bytes).for_each(|(place, byte)| *place = byte);
    }

    /// Adds dynamic data, and its location.
    pub(crate) fn add(&mut self, name: &str, bytes: &[u8]) {
        bytes::add(&mut self.bytes, self.event.field(name), bytes, LITTLE_ENDIAN);
    }
}

impl Context for Moment {
    fn cpu(&self) -> Option<u32> {
        Some(self.cpu)
    }

    fn comm(&self) -> Option<&[u8]> {
        Some(&self.comm)
    }

    fn kernel_text(&self, address: u64) -> Option<&[u8]> {
        (address == KERNEL_TEXT).then_some(&self.kernel)
    }

    fn user_text(&self, address: u64) -> Option<&[u8]> {
        (address == USER_TEXT).then_some(&self.user)
    }

    fn function(&self, name: &str) -> Option<Range<u64>> {
        function(name)
    }
}
