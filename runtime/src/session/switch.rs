//! The switch of an instance, `tracing_on`: off while the kernel does not record into it. Triggers set it too.

use std::sync::{Mutex, PoisonError};

use rustix::io::Errno;

use crate::failure::Failure;
use crate::tracefs::{Directory, TracefsError};

/// The file of the switch.
const FILE: &str = "tracing_on";

/// Returns whether an instance records.
pub(super) fn is_recording(instance: &Directory) -> Result<bool, TracefsError> {
    Ok(instance.read_to_string(FILE)?.trim() == "1")
}

/// Switches the recording of an instance on or off.
pub(super) fn set_recording(instance: &Directory, on: bool) -> Result<(), Failure> {
    instance
        .write(FILE, if on { b"1" } else { b"0" })
        .map_err(|failure| Failure::Control { path: instance.path().join(FILE), errno: failure.errno() })
}

/// The switch of a session's instance, as another thread reads it.
#[derive(Debug, Default)]
pub(super) struct Watched {
    instance: Mutex<Option<Directory>>,
}

impl Watched {
    /// Watches the switch of an instance from now on.
    pub(super) fn begin(&self, instance: &Directory) -> Result<(), Errno> {
        let instance = instance.try_clone()?;
        self.set(Some(instance));
        Ok(())
    }

    /// Leaves the instance: no file of it is open from now on. Otherwise its rmdir would return EBUSY.
    pub(super) fn end(&self) {
        self.set(None);
    }

    /// Returns whether the instance does not record, as far as its file says so.
    pub(super) fn is_off(&self) -> bool {
        // The lock is held while the file is open.
        let instance = self.instance.lock().unwrap_or_else(PoisonError::into_inner);
        instance.as_ref().is_some_and(|instance| is_recording(instance).is_ok_and(|on| !on))
    }

    fn set(&self, instance: Option<Directory>) {
        *self.instance.lock().unwrap_or_else(PoisonError::into_inner) = instance;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tracefs::Tracefs;

    #[test]
    fn switch_is_read_while_it_is_watched() {
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join(FILE);
        std::fs::write(&file, "0\n").unwrap();
        let tracefs = Tracefs::open(directory.path()).unwrap();
        let watched = Watched::default();
        assert!(!watched.is_off());
        watched.begin(tracefs.root()).unwrap();
        assert!(watched.is_off());
        std::fs::write(&file, "1\n").unwrap();
        assert!(!watched.is_off());
        std::fs::remove_file(&file).unwrap();
        assert!(!watched.is_off(), "nothing is claimed of a switch that cannot be read");
        std::fs::write(&file, "0\n").unwrap();
        watched.end();
        assert!(!watched.is_off());
    }
}
