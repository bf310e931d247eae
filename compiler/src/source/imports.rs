//! The source of imported texts.

use super::SourceText;

/// A reader of imported files.
pub trait Imports {
    /// Returns the text of the file that `path` names in the text called `from`. Its name is used in diagnostics, and
    /// two imports with the same name are the same text.
    ///
    /// # Errors
    /// [`ImportError`], if there is no such text or it cannot be read.
    fn read(&self, from: &str, path: &str) -> Result<SourceText, ImportError>;
}

/// The reason why a file cannot be imported.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ImportError {
    /// The reason, a clause.
    pub reason: String,
    /// What to do about it.
    pub help: Option<String>,
}

impl ImportError {
    /// Creates an error without a help text.
    pub fn new(reason: impl Into<String>) -> Self {
        ImportError { reason: reason.into(), help: None }
    }

    /// Adds the help.
    #[must_use]
    pub fn help(self, help: impl Into<String>) -> Self {
        ImportError { help: Some(help.into()), ..self }
    }
}

/// A reader that has no files.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoImports;

impl Imports for NoImports {
    fn read(&self, _from: &str, _path: &str) -> Result<SourceText, ImportError> {
        Err(ImportError::new("this text stands for itself and has no files beside it"))
    }
}
