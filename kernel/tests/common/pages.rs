//! Ring-buffer pages put together by hand, entry by entry, in both byte orders. Shared by path.

use tracec_kernel::page::PageLayout;

pub(crate) const HEADER_64: &str = "\
\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;
\tfield: local_t commit;\toffset:8;\tsize:8;\tsigned:1;
\tfield: int overwrite;\toffset:8;\tsize:1;\tsigned:1;
\tfield: char data;\toffset:16;\tsize:4080;\tsigned:0;
";

pub(crate) const HEADER_32: &str = "\
\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;
\tfield: local_t commit;\toffset:8;\tsize:4;\tsigned:1;
\tfield: int overwrite;\toffset:8;\tsize:1;\tsigned:1;
\tfield: char data;\toffset:12;\tsize:4084;\tsigned:0;
";

/// Pages of 64-bit and 32-bit kernels in both byte orders.
pub(crate) fn layouts() -> [PageLayout; 4] {
    let wide = PageLayout::parse(HEADER_64).unwrap();
    let narrow = PageLayout::parse(HEADER_32).unwrap();
    let order = |layout: PageLayout, little_endian| PageLayout { little_endian, ..layout };
    [order(wide, true), order(wide, false), order(narrow, true), order(narrow, false)]
}

/// A page while it is written.
#[derive(Clone, Debug)]
pub(crate) struct Builder {
    pub(crate) layout: PageLayout,
    pub(crate) timestamp: u64,
    pub(crate) data: Vec<u8>,
}

impl Builder {
    /// An empty page.
    pub(crate) fn new(layout: PageLayout, timestamp: u64) -> Self {
        Builder { layout, timestamp, data: Vec::new() }
    }

    /// Adds a word.
    pub(crate) fn word(mut self, word: u32) -> Self {
        let bytes = if self.layout.little_endian { word.to_le_bytes() } else { word.to_be_bytes() };
        self.data.extend(bytes);
        self
    }

    /// Adds the first word of an entry.
    pub(crate) fn head(self, kind: u32, delta: u32) -> Self {
        let word = if self.layout.little_endian { delta << 5 | kind } else { kind << 27 | delta };
        self.word(word)
    }

    /// Adds bytes.
    pub(crate) fn bytes(mut self, bytes: &[u8]) -> Self {
        self.data.extend(bytes);
        self
    }

    /// Returns the page, with these flags in its commit word.
    pub(crate) fn page(&self, flags: u64) -> Vec<u8> {
        let Builder { layout, timestamp, data } = self;
        let commit = data.len() as u64 | flags;
        let mut page = vec![0xaa; layout.size as usize];
        let mut put = |offset: u32, size: u32, value: u64| {
            let bytes = if layout.little_endian {
                value.to_le_bytes()
            } else {
                (value << (64 - 8 * size)).to_be_bytes()
            };
            page[offset as usize..(offset + size) as usize].copy_from_slice(&bytes[..size as usize]);
        };
        put(layout.timestamp_offset, 8, *timestamp);
        put(layout.commit_offset, layout.commit_size, commit);
        let start = layout.data_offset as usize;
        page[start..start + data.len()].copy_from_slice(data);
        page
    }
}
