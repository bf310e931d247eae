//! Texts that a text imports.

use super::SourceText;

/// Where imported files come from.
pub trait Imports {
    /// The text of the file that `path` names in the text called `from`. Its name is what diagnostics call it, and two
    /// imports of one name are one.
    ///
    /// # Errors
    /// Where there is no such text, or it cannot be read.
    fn read(&self, from: &str, path: &str) -> Result<SourceText, ImportError>;
}

/// Why a file cannot be imported.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ImportError {
    /// One clause.
    pub reason: String,
}

/// Imports no file at all.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoImports;

impl Imports for NoImports {
    fn read(&self, _from: &str, _path: &str) -> Result<SourceText, ImportError> {
        Err(ImportError { reason: "this text stands for itself and has no files beside it".to_owned() })
    }
}
