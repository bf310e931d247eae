//! The layouts of a kernel's events.

use std::sync::Arc;

use tracec_kernel::format::{EventFormat, FormatError};

use super::{KernelError, KernelSource};

/// An event's layout, and the text it was read from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EventLayout {
    /// The layout.
    pub format: EventFormat,
    /// The event's `format` file as the kernel prints it: recordings carry it.
    pub text: String,
}

/// A failure to read the layout of an event.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LayoutError {
    /// The file cannot be read.
    #[error(transparent)]
    Read(#[from] KernelError),
    /// The file is not a layout.
    #[error("{path}: {error}")]
    Format {
        /// The path of the file.
        path: String,
        /// The reason.
        error: FormatError,
    },
}

impl EventLayout {
    /// Returns the path of the file that has the layout of an event.
    pub fn path(system: &str, name: &str) -> String {
        format!("events/{system}/{name}/format")
    }

    /// Reads the layout of an event from a kernel; `None` if the kernel lacks the event.
    ///
    /// # Errors
    /// [`LayoutError`], if its file cannot be read.
    pub fn read(
        kernel: &(impl KernelSource + ?Sized),
        system: &str,
        name: &str,
    ) -> Result<Option<Arc<Self>>, LayoutError> {
        let path = Self::path(system, name);
        let Some(text) = kernel.read(&path)? else { return Ok(None) };
        match EventFormat::parse(system, &text) {
            Ok(format) => Ok(Some(Arc::new(EventLayout { format, text }))),
            Err(error) => Err(LayoutError::Format { path, error }),
        }
    }
}
