//! The ids of the threads that a session leaves out, as the kernel knows them.
//!
//! A session that records what tracec does would record its own recording: with a file as output, each record that is
//! written makes others. `set_event_notrace_pid` keeps threads out. It takes ids of the first PID namespace, which a
//! process in a container does not know. A thread therefore writes a marker into the new instance, and the marker's
//! record has the id.

use std::fmt::Display;

use rustix::fs::OFlags;
use rustix::io::Errno;
use rustix::rand::{GetRandomFlags, getrandom};
use tracec_kernel::format::EventFormat;
use tracec_kernel::record::Decoder;
use tracec_kernel::tables::files::{MARKER_FORMAT, MARKERS, TRACE_MARKER};

use crate::failure::Failure;
use crate::record::host::HostFilter;
use crate::record::merge::{Due, Merge};
use crate::record::ring::Ring;
use crate::roll_call::RollCall;
use crate::tracefs::{Directory, WriteFailure};

/// Returns the kernel's ids of the calling thread, which is the first, and of the members, or why they are not known. The instance records
/// nothing yet, except what other programs write as markers; the markers are taken out of its ring.
pub(crate) fn ids(instance: &Directory, roll_call: &RollCall) -> Result<Vec<i32>, String> {
    let unwritten = |errno: Errno| format!("no marker can be written: {errno}");
    let unknown = |error: &dyn Display| format!("the layout of a marker cannot be read: {error}");
    let unread = |failure: Failure| failure.to_string();
    let marker = unique().map_err(unwritten)?;
    let caller = RollCall::of_caller(&marker);
    let expected = roll_call.threads();
    mark(instance, roll_call, &marker).map_err(unwritten)?;

    let text = instance.read_to_string(MARKER_FORMAT).map_err(|error| unknown(&error))?;
    let format = EventFormat::parse("ftrace", &text).map_err(|error| unknown(&error))?;
    let decoder = Decoder::new(vec![format]);
    let mut ring = Ring::open(instance).map_err(unread)?;
    let mut merge = Merge::new(ring.cpus());
    let pass = ring.drain().map_err(unread)?;
    let damaged = |(cpu, source)| unread(Failure::Page { cpu, source });
    pass.push_into(&mut merge, &mut HostFilter::default(), &ring.layout()).map_err(damaged)?;
    let mut ids = Vec::with_capacity(expected);
    let found = merge.release_all(|due| {
        let Due::Record { data, .. } = due else { return Ok(()) };
        let is_ours = data.windows(marker.len()).any(|bytes| bytes == marker.as_bytes());
        if let Ok(record) = decoder.record(data)
            && is_ours
        {
            let is_caller = data.windows(caller.len()).any(|bytes| bytes == caller.as_bytes());
            ids.insert(if is_caller { 0 } else { ids.len() }, record.common_pid());
        }
        Ok(())
    });
    found.and_then(|()| match expected.saturating_sub(ids.len()) {
        0 => Ok(ids),
        missing => Err(format!("the markers of {missing} of tracec's threads are not in the ring")),
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
