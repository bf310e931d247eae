//! The kernel that the command line names.

use tracec::kernel::library::{self, LibraryError};
use tracec::kernel::{ProfileKernel, shipped};
use tracec::{Diagnostic, KernelSource, LiveKernel, Tracefs};
use tracec_compiler::diagnostic::codes;
use tracec_kernel::profile::{ProfileError, VERSION};
use tracec_runtime::tracefs::TracefsError;

use crate::cli::{Kernel, Kernels, Live};
use crate::machine;

/// Opens the tracefs that the command line names.
pub(crate) fn tracefs(live: &Live) -> Result<Tracefs, Diagnostic> {
    open(live).map_err(|error| machine::tracefs(&error))
}

fn open(live: &Live) -> Result<Tracefs, TracefsError> {
    match (&live.tracefs, live.mount) {
        (Some(dir), _) => Tracefs::open(dir),
        (None, true) => Tracefs::mount_private(),
        (None, false) => Tracefs::find(),
    }
}

/// Opens the kernel that the command line names, for reading.
pub(crate) fn source(kernel: &Kernel) -> Result<Box<dyn KernelSource>, Diagnostic> {
    match &kernel.kernel {
        Some(name) => named(name),
        None => Ok(Box::new(LiveKernel(open(&kernel.live).map_err(|error| with_way_out(&error))?))),
    }
}

/// A kernel to check against.
pub(crate) struct Selected {
    /// Its name on the command line.
    pub(crate) label: String,
    /// The kernel.
    pub(crate) source: Box<dyn KernelSource>,
    /// Whether it was not asked for: there is no tracefs, and this is the newest shipped kernel.
    pub(crate) is_stand_in: bool,
}

/// Opens the kernels to check against: those named, else the running one, else the newest shipped one.
pub(crate) fn selected(kernels: &Kernels) -> Result<Vec<Selected>, Diagnostic> {
    let one = |label: &str, source| Selected { label: label.to_owned(), source, is_stand_in: false };
    if kernels.kernels.is_empty() {
        return match open(&kernels.live) {
            Ok(tracefs) => Ok(vec![one("this kernel", Box::new(LiveKernel(tracefs)))]),
            Err(TracefsError::NotMounted) => stand_in().map(|selected| vec![selected]),
            Err(error) => Err(with_way_out(&error)),
        };
    }
    let mut all: Vec<Selected> = Vec::new();
    for name in &kernels.kernels {
        if !all.iter().any(|selected| selected.label == *name) {
            all.push(one(name, named(name)?));
        }
    }
    Ok(all)
}

fn stand_in() -> Result<Selected, Diagnostic> {
    let newest = shipped::newest().ok_or_else(codes::no_tracefs::no_tracefs)?;
    let source = Box::new(named_profile(newest.name)?);
    Ok(Selected { label: newest.name.to_owned(), source, is_stand_in: true })
}

/// Opens a kernel by its name.
pub(crate) fn named(name: &str) -> Result<Box<dyn KernelSource>, Diagnostic> {
    library::kernel(name).map_err(diagnostic)
}

/// Opens a profile by its name.
pub(crate) fn named_profile(name: &str) -> Result<ProfileKernel, Diagnostic> {
    library::profile(name).map_err(diagnostic)
}

/// Returns the diagnostic for a kernel that cannot be opened.
fn diagnostic(error: LibraryError) -> Diagnostic {
    match error {
        LibraryError::Unknown { name, nearest } => codes::unknown_kernel::unknown_kernel(&name, &nearest),
        LibraryError::NoTracefs(_) => codes::kernel_unreadable::kernel_unreadable(None, &error.to_string()),
        LibraryError::Profile { name, error } => profile(&name, &error),
    }
}

/// Returns the diagnostic for a profile that cannot be used.
pub(crate) fn profile(file: &str, error: &ProfileError) -> Diagnostic {
    match error {
        ProfileError::NotAProfile => codes::not_a_profile::not_a_profile(file),
        ProfileError::FutureVersion { found } => codes::later_profile::later_profile(file, *found, VERSION),
        ProfileError::Damaged { what } => codes::damaged_profile::damaged_profile(file, what),
        ProfileError::Read(_) | ProfileError::Without(_) | ProfileError::Unsaveable { .. } => {
            codes::kernel_unreadable::kernel_unreadable(None, &format!("{file}: {error}"))
        }
    }
}

/// Returns the diagnostic for an unusable tracefs, with a help to use a saved kernel: checking a session does not need
/// tracefs.
fn with_way_out(error: &TracefsError) -> Diagnostic {
    let said = machine::tracefs(error);
    match shipped::newest() {
        Some(newest) => said.help(format!("`--kernel {}` uses a saved kernel instead", newest.name)),
        None => said,
    }
}
