//! A kernel's verdict on a filter, and the models that predict it.

use std::collections::HashMap;
use std::fmt;
use std::ops::Range;

use tracec_kernel::condition::context::Context;
use tracec_kernel::format::EventFormat;

/// A decision on records.
pub(crate) type Decide = Box<dyn Fn(&[u8], &dyn Context) -> bool>;

/// A model of what a kernel does with a filter.
pub(crate) trait Model {
    /// Accepts a filter, or refuses it.
    fn parse(&self, event: &EventFormat, text: &[u8]) -> Result<Decide, Refused>;
}

/// The refusal of a filter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Refused {
    /// The number of the error.
    pub(crate) errno: i32,
    /// The kernel's words; `None` where it gives only a number, or nothing.
    pub(crate) error: Option<String>,
    /// The column of the caret, from 0.
    pub(crate) caret: Option<usize>,
}

impl Refused {
    /// Reads what the filter file shows after a write that failed: the text, a line with a caret, and the error
    /// (`append_filter_err` in kernel/trace/trace_events_filter.c).
    pub(crate) fn shown(errno: i32, shown: &[u8]) -> Self {
        // One newline ends the error, another the file.
        let mut lines = shown.trim_ascii_end().rsplit(|&byte| byte == b'\n');
        let error = lines.next().and_then(|line| line.strip_prefix(b"parse_error: "));
        let Some(error) = error else { return Refused { errno, error: None, caret: None } };
        let caret = lines.next().and_then(|line| line.strip_suffix(b"^")).map(<[u8]>::len);
        Refused { errno, error: Some(String::from_utf8_lossy(error).into_owned()), caret }
    }
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "refused, errno {}", self.errno)?;
        if let Some(error) = &self.error {
            write!(f, ", {error}")?;
        }
        match self.caret {
            Some(caret) => write!(f, ", caret {caret}"),
            None => Ok(()),
        }
    }
}

/// The strings at addresses that records hold.
#[derive(Clone, Debug, Default)]
pub(crate) struct Memory {
    /// Text of the kernel by its address.
    pub(crate) kernel: HashMap<u64, Vec<u8>>,
    /// Text of this program by its address.
    pub(crate) user: HashMap<u64, Vec<u8>>,
    /// The functions that conditions name.
    pub(crate) functions: HashMap<String, Range<u64>>,
    /// The memory of these strings.
    pub(crate) kept: Vec<Box<[u8]>>,
}

/// The moment at which a record was written.
#[derive(Debug)]
pub(crate) struct Moment<'a> {
    /// The CPU.
    pub(crate) cpu: u32,
    /// The name of the task.
    pub(crate) task: &'a [u8],
    /// The memory.
    pub(crate) memory: &'a Memory,
}

impl Context for Moment<'_> {
    fn cpu(&self) -> Option<u32> {
        Some(self.cpu)
    }

    fn tgid(&self) -> Option<i32> {
        None
    }

    fn comm(&self) -> Option<&[u8]> {
        Some(self.task)
    }

    fn kernel_text(&self, address: u64) -> Option<&[u8]> {
        self.memory.kernel.get(&address).map(Vec::as_slice)
    }

    fn user_text(&self, address: u64) -> Option<&[u8]> {
        self.memory.user.get(&address).map(Vec::as_slice)
    }

    fn function(&self, name: &str) -> Option<Range<u64>> {
        self.memory.functions.get(name).cloned()
    }
}
