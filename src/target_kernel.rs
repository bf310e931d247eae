//! Which kernel the command line means.

use std::path::Path;

use tracec::{Diagnostic, KernelDirectory, KernelSource, LiveKernel, Tracefs};
use tracec_compiler::diagnostic::codes::kernel_unreadable::kernel_unreadable;

use crate::cli::{Kernel, Live};
use crate::machine;

/// Opens the tracefs that the command line means.
pub(crate) fn tracefs(live: &Live) -> Result<Tracefs, Diagnostic> {
    let opened = match (&live.tracefs, live.mount) {
        (Some(dir), _) => Tracefs::open(dir),
        (None, true) => Tracefs::mount_private(),
        (None, false) => Tracefs::find(),
    };
    opened.map_err(|error| machine::tracefs(&error))
}

/// Opens the kernel that the command line means, for reading.
pub(crate) fn source(kernel: &Kernel) -> Result<Box<dyn KernelSource>, Diagnostic> {
    match &kernel.kernel {
        Some(dir) => Ok(Box::new(directory(dir)?)),
        None => Ok(Box::new(LiveKernel(tracefs(&kernel.live)?))),
    }
}

/// A copy of a tracefs, which must hold events at least.
pub(crate) fn directory(dir: &Path) -> Result<KernelDirectory, Diagnostic> {
    if dir.join("events").is_dir() {
        Ok(KernelDirectory(dir.to_owned()))
    } else {
        let reason =
            format!("{} holds no copy of a tracefs: there is no directory `events` in it", dir.display());
        Err(kernel_unreadable(None, &reason))
    }
}
