//! An event with a field of every kind, records of it in both byte orders, and what such a record holds.

use std::ops::Range;
use std::sync::LazyLock;

use tracec_kernel::condition::context::Context;
use tracec_kernel::format::{EventFormat, Field};
use tracec_kernel::page::PageLayout;
use tracec_kernel::record::{Decoder, Record};

use crate::bytes::{self, KERNEL_TEXT, USER_TEXT, VFS_READ};

const FIELDS: &str = "\
\tfield:s8 small;\toffset:8;\tsize:1;\tsigned:1;
\tfield:u8 byte;\toffset:9;\tsize:1;\tsigned:0;
\tfield:short half;\toffset:10;\tsize:2;\tsigned:1;
\tfield:u32 word;\toffset:12;\tsize:4;\tsigned:0;
\tfield:u64 large;\toffset:16;\tsize:8;\tsigned:0;
\tfield:s64 deep;\toffset:24;\tsize:8;\tsigned:1;
\tfield:void * address;\toffset:32;\tsize:8;\tsigned:0;
\tfield:const char * text_at;\toffset:40;\tsize:8;\tsigned:0;
\tfield:int dfd;\toffset:48;\tsize:8;\tsigned:0;
\tfield:char fixed[8];\toffset:56;\tsize:8;\tsigned:0;
\tfield:__data_loc char[] name;\toffset:64;\tsize:4;\tsigned:0;
\tfield:__rel_loc char tail[];\toffset:68;\tsize:4;\tsigned:0;
\tfield:__data_loc cpumask_t cpus;\toffset:72;\tsize:4;\tsigned:0;
\tfield:__rel_loc cpumask_t near_cpus;\toffset:76;\tsize:4;\tsigned:0;
\tfield:__data_loc char[] synthetic;\toffset:80;\tsize:8;\tsigned:0;
\tfield:struct pair odd;\toffset:88;\tsize:3;\tsigned:0;
\tfield:u16 count;\toffset:92;\tsize:2;\tsigned:0;
\tfield:unsigned int fd;\toffset:96;\tsize:8;\tsigned:0;
\tfield:umode_t mode;\toffset:104;\tsize:8;\tsigned:0;
\tfield:char rest[];\toffset:112;\tsize:0;\tsigned:0;
";

/// Bytes of the fixed part.
pub(crate) const FIXED: usize = 112;

static EVENT: LazyLock<EventFormat> = LazyLock::new(|| bytes::event(FIELDS));

static DECODERS: LazyLock<[Decoder; 2]> = LazyLock::new(|| {
    let decoder = |little_endian| {
        Decoder::for_layout(vec![EVENT.clone()], &PageLayout { little_endian, ..PageLayout::default() })
    };
    [decoder(false), decoder(true)]
});

pub(crate) fn field(name: &str) -> Field {
    bytes::field(&EVENT, name).clone()
}

/// Reads records in one byte order.
pub(crate) fn decoder(little_endian: bool) -> &'static Decoder {
    &DECODERS[usize::from(little_endian)]
}

/// A record that is being put together.
#[derive(Clone, Debug)]
pub(crate) struct Bytes {
    pub(crate) little_endian: bool,
    pub(crate) bytes: Vec<u8>,
}

impl Bytes {
    /// All fields 0, no dynamic data.
    pub(crate) fn new(little_endian: bool) -> Bytes {
        Bytes { little_endian, bytes: bytes::empty(&EVENT, FIXED, little_endian) }
    }

    /// Sets an integer field, or a location word.
    pub(crate) fn put(&mut self, name: &str, value: u64) {
        bytes::put(&mut self.bytes, bytes::field(&EVENT, name), value, self.little_endian);
    }

    /// Sets bytes of the fixed part.
    pub(crate) fn put_bytes(&mut self, name: &str, bytes: &[u8]) {
        self.bytes[bytes::field(&EVENT, name).offset as usize..][..bytes.len()].copy_from_slice(bytes);
    }

    /// Adds dynamic data, and its location.
    pub(crate) fn add(&mut self, name: &str, bytes: &[u8]) {
        bytes::add(&mut self.bytes, bytes::field(&EVENT, name), bytes, self.little_endian);
    }

    /// The bytes of a mask with these CPUs.
    pub(crate) fn mask(&self, cpus: &[u32], words: usize) -> Vec<u8> {
        let mut values = vec![0u64; words];
        for cpu in cpus {
            values[*cpu as usize / 64] |= 1 << (cpu % 64);
        }
        let bytes = |value: u64| if self.little_endian { value.to_le_bytes() } else { value.to_be_bytes() };
        values.into_iter().flat_map(bytes).collect()
    }

    /// Asks something of the record.
    pub(crate) fn read<T>(&self, ask: impl FnOnce(&Record<'_>) -> T) -> T {
        ask(&decoder(self.little_endian).record(&self.bytes).expect("a header is there"))
    }
}

/// The process id in every [`Moment`].
pub(crate) const TGID: i32 = 70_000;

/// A moment with two addresses that have text, and one function.
pub(crate) struct Moment {
    pub(crate) comm: &'static [u8],
    pub(crate) kernel: Vec<u8>,
    pub(crate) user: Vec<u8>,
}

impl Context for Moment {
    fn cpu(&self) -> Option<u32> {
        Some(3)
    }

    fn tgid(&self) -> Option<i32> {
        Some(TGID)
    }

    fn comm(&self) -> Option<&[u8]> {
        Some(self.comm)
    }

    fn kernel_text(&self, address: u64) -> Option<&[u8]> {
        (address == KERNEL_TEXT).then_some(&self.kernel)
    }

    fn user_text(&self, address: u64) -> Option<&[u8]> {
        (address == USER_TEXT).then_some(&self.user)
    }

    fn function(&self, name: &str) -> Option<Range<u64>> {
        (name == "vfs_read").then_some(VFS_READ)
    }
}
