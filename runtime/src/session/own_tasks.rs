//! The ids of the threads that a session leaves out, as the kernel knows them.
//!
//! A session that records what tracec does would record its own recording: with a file as output, each record that is
//! written makes others. `set_event_notrace_pid` keeps threads out. It takes ids of the first PID namespace, which a
//! process in a container does not know. A thread therefore writes a marker into the new instance, and the marker's
//! record has the id.

use rustix::fs::OFlags;
use rustix::io::Errno;
use rustix::rand::{GetRandomFlags, getrandom};
use tracec_kernel::format::EventFormat;
use tracec_kernel::record::Decoder;
use tracec_kernel::tables::files::{MARKER_FORMAT, MARKERS, TRACE_MARKER};

use crate::failure::Failure;
use crate::record::merge::Merge;
use crate::record::ring::Ring;
use crate::roll_call::RollCall;
use crate::tracefs::{Directory, WriteFailure};

/// The reason why the ids of the threads are not known.
#[derive(Debug, thiserror::Error)]
pub(crate) enum UnknownTasks {
    #[error("no marker can be written: {0}")]
    Marker(Errno),
    #[error("{0}")]
    Ring(Failure),
    #[error("the layout of a marker cannot be read: {0}")]
    Layout(String),
    #[error("the markers of {missing} of tracec's threads are not in the ring")]
    Missing { missing: usize },
}

/// Returns the kernel's ids of the members and the calling thread. The instance records nothing yet, except what other
/// programs write as markers; the markers are taken out of its ring.
pub(crate) fn ids(instance: &Directory, roll_call: &RollCall) -> Result<Vec<i32>, UnknownTasks> {
    let marker = unique().map_err(UnknownTasks::Marker)?;
    let expected = roll_call.threads();
    mark(instance, roll_call, &marker).map_err(UnknownTasks::Marker)?;

    let text =
        instance.read_to_string(MARKER_FORMAT).map_err(|error| UnknownTasks::Layout(error.to_string()))?;
    let format =
        EventFormat::parse("ftrace", &text).map_err(|error| UnknownTasks::Layout(error.to_string()))?;
    let decoder = Decoder::new(vec![format]);
    let mut ring = Ring::open(instance).map_err(UnknownTasks::Ring)?;
    let mut merge = Merge::new(ring.cpus());
    let (pass, _) = ring.drain().map_err(UnknownTasks::Ring)?;
    let page = |(cpu, source)| UnknownTasks::Ring(Failure::Page { cpu, source });
    pass.push_into(&mut merge, &ring.layout()).map_err(page)?;
    let mut ids = Vec::with_capacity(expected);
    let found = merge.release_all(|due| {
        let is_ours = due.data.windows(marker.len()).any(|bytes| bytes == marker.as_bytes());
        if let Ok(record) = decoder.record(due.data)
            && is_ours
        {
            ids.push(record.common_pid());
        }
        Ok::<(), UnknownTasks>(())
    });
    found.and_then(|()| match expected.saturating_sub(ids.len()) {
        0 => Ok(ids),
        missing => Err(UnknownTasks::Missing { missing }),
    })
}

/// Writes the markers, also where the instance has inherited that it takes none.
fn mark(instance: &Directory, roll_call: &RollCall, marker: &str) -> Result<(), Errno> {
    let option = |value: &[u8]| instance.write(MARKERS, value).map_err(WriteFailure::errno);
    // A new instance has the options of the top level.
    let takes_none = instance.read_text(MARKERS)?.trim() == "0";
    if takes_none {
        option(b"1")?;
    }
    let file = instance.open_errno(TRACE_MARKER, OFlags::WRONLY)?;
    let called = roll_call.call(file, marker.to_owned());
    if takes_none {
        option(b"0")?;
    }
    called
}

/// Returns a text that no other program writes.
fn unique() -> Result<String, Errno> {
    let mut random = [0; 16];
    getrandom(&mut random, GetRandomFlags::empty())?;
    Ok(format!("tracec {:032x}", u128::from_ne_bytes(random)))
}
