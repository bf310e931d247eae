//! The kernel tree of `--into`.

use std::fs::File;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use tracec_compiler::target::Tree;
use tracec_compiler::{KernelError, KernelSource};

use super::super::Failure;
use crate::read;

/// A directory in a kernel tree.
pub(super) struct SourceTree {
    root: PathBuf,
    directory: String,
}

/// The header by which the root of a tree is found.
const MARK: &str = "include/trace/define_trace.h";

impl SourceTree {
    /// Finds the tree that a directory is in.
    ///
    /// # Errors
    /// There is no such directory, or none above it is a kernel tree.
    pub(super) fn of(directory: &Path) -> Result<SourceTree, Failure> {
        let unusable = |why: &str| Failure::Usage(format!("`--into {}`: {why}", directory.display()));
        let full = directory.canonicalize().map_err(|error| unusable(&error.to_string()))?;
        let root = full.ancestors().find(|above| above.join(MARK).is_file());
        let root = root.ok_or_else(|| {
            unusable(&format!("it is not in a kernel tree: no directory above it has {MARK}"))
        })?;
        let below = full.strip_prefix(root).ok().and_then(Path::to_str);
        let below = below.ok_or_else(|| unusable("its path is not UTF-8"))?;
        if below.is_empty() {
            return Err(unusable("it is the root of the tree: name the directory that gets the tracepoints"));
        }
        Ok(SourceTree { root: root.to_owned(), directory: below.to_owned() })
    }

    /// Returns the tree as targets see it.
    pub(super) fn as_tree(&self) -> Tree<'_> {
        Tree { files: self, directory: &self.directory }
    }
}

impl KernelSource for SourceTree {
    fn read(&self, path: &str) -> Result<Option<String>, KernelError> {
        let path = self.root.join(path);
        match File::open(&path).and_then(read::limited) {
            Ok(bytes) => Ok(Some(String::from_utf8_lossy(&bytes).into_owned())),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => Err(KernelError { path: path.display().to_string(), reason: error.to_string() }),
        }
    }

    fn directories(&self, _: &str) -> Result<Vec<String>, KernelError> {
        Ok(Vec::new())
    }

    fn describe(&self) -> String {
        format!("the kernel tree {}", self.root.display())
    }
}
