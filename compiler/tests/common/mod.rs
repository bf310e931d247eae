//! A kernel to compile against: the copy of one in the tree, read from its files.

use std::path::PathBuf;

use tracec_compiler::source::ImportError;
use tracec_compiler::{Choice, Diagnostic, Imports, Input, KernelError, KernelSource, SourceText, analyse};
use tracec_kernel::tables::features::Support;

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

    /// Of filters it has what a Linux 6.18 has; of other features nothing is known.
    fn feature(&self, name: &str) -> Support {
        match name {
            "filter-class-takes-nul" => Support::No,
            filter if filter.starts_with("filter-") => Support::Yes,
            other => Support::Unknown(format!("the copy does not say whether it has `{other}`")),
        }
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

/// Files that lie beside every text that is checked, by name.
pub(crate) const BESIDE: &[(&str, &str)] = &[
    ("codes.trc", "const EIO: u32 = 7;"),
    ("common.trc", "session base { trace sched:sched_waking; }"),
    ("disk-stalls.trc", "session base { trace block:block_rq_issue; }"),
];

/// Files in memory, by the names that import them.
pub(crate) struct Files<'a>(pub(crate) &'a [(&'a str, &'a str)]);

impl Imports for Files<'_> {
    fn read(&self, _from: &str, path: &str) -> Result<SourceText, ImportError> {
        match self.0.iter().find(|(name, _)| *name == path) {
            Some((name, text)) => {
                Ok(SourceText { name: (*name).to_owned(), text: (*text).to_owned(), one_liner: false })
            }
            None => Err(ImportError::new("there is no such file")),
        }
    }
}

/// Code and place of each diagnostic: the text that it marks, nothing for one that points into no text.
#[allow(dead_code, reason = "not every test asks where")]
pub(crate) fn places<'a>(source: &'a SourceText, found: &[Diagnostic]) -> Vec<(&'static str, &'a str)> {
    let text = |diagnostic: &Diagnostic| {
        diagnostic.primary.as_ref().map_or("", |label| &source.text[label.span.range()])
    };
    found.iter().map(|diagnostic| (diagnostic.code.id, text(diagnostic))).collect()
}

/// What is found in a text.
#[allow(dead_code, reason = "not every test checks")]
pub(crate) fn check(source: &SourceText, kernel: &dyn KernelSource) -> Vec<Diagnostic> {
    let input = Input { imports: &Files(BESIDE), ..Input::new(source, kernel) };
    analyse(input, Choice::All).diagnostics
}
