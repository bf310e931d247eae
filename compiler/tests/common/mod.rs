//! A kernel to compile against: the copy of one in the tree, read from its files.

use std::path::PathBuf;

use tracec_compiler::{Diagnostic, Input, KernelError, KernelSource, SourceText};

/// The kernel in `tests/data/kernel`.
pub(crate) struct Copy;

fn path(path: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../tests/data/kernel").join(path)
}

impl KernelSource for Copy {
    fn read(&self, file: &str) -> Result<Option<String>, KernelError> {
        Ok(std::fs::read_to_string(path(file)).ok())
    }

    fn directories(&self, directory: &str) -> Result<Vec<String>, KernelError> {
        let Ok(entries) = std::fs::read_dir(path(directory)) else { return Ok(Vec::new()) };
        let entries = entries.map(|entry| entry.expect("a readable directory"));
        Ok(entries
            .filter(|entry| entry.path().is_dir())
            .map(|entry| entry.file_name().into_string().expect("a name in UTF-8"))
            .collect())
    }

    fn describe(&self) -> String {
        "the test kernel".to_owned()
    }

    fn arch(&self) -> String {
        "x86_64".to_owned()
    }

    fn release(&self) -> String {
        "6.18.0".to_owned()
    }
}

/// A file's text.
#[allow(dead_code, reason = "not every test has a file")]
pub(crate) fn text(text: &str) -> SourceText {
    SourceText { name: "test.trc".to_owned(), text: text.to_owned(), one_liner: false }
}

/// What is found in a text that stands for itself.
#[allow(dead_code, reason = "not every test checks")]
pub(crate) fn check(source: &SourceText, kernel: &dyn KernelSource) -> Vec<Diagnostic> {
    tracec_compiler::check(Input::new(source, kernel)).diagnostics
}
