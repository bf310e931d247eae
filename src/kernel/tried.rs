//! The kernel that runs, for a session that is about to be run: what no file shows is tried.

use std::path::Path;

use tracec_compiler::source::Functions;
use tracec_compiler::{KernelError, KernelSource};
use tracec_kernel::tables::features::{self, Support};

use super::{LiveKernel, attempt};

/// The kernel that runs, of which the features of filters are found out by writing one where nothing else shows them:
/// a kernel without BTF would else be taken to lack what it has, and no kernel shows by a name what its inverted classes
/// take. Each takes an instance of its own for a moment. The compiler asks for what its conditions hang on alone.
#[derive(Debug)]
pub struct TriedKernel<'k> {
    /// The kernel.
    pub live: &'k LiveKernel,
    /// Where the journals of the instances are kept while they are there.
    pub runtime_dir: &'k Path,
}

impl KernelSource for TriedKernel<'_> {
    fn read(&self, path: &str) -> Result<Option<String>, KernelError> {
        self.live.read(path)
    }

    fn directories(&self, path: &str) -> Result<Vec<String>, KernelError> {
        self.live.directories(path)
    }

    fn feature(&self, name: &str) -> Support {
        let support = self.live.feature(name);
        let feature = features::find(name).filter(|feature| feature.probe.is_of_filters());
        let (Support::Unknown(_), Some(feature)) = (&support, feature) else { return support };
        let known = |system: &str, name: &str| {
            self.live.read(&format!("events/{system}/{name}/format")).is_ok_and(|format| format.is_some())
        };
        match attempt::filter(&self.live.0, feature, known, self.runtime_dir) {
            Ok(Some(Ok(taken))) => taken.into(),
            Ok(Some(Err(reason))) => Support::Unknown(reason),
            Ok(None) => support,
            // What could not be removed is in the journal, and the next thing that is told is that it is in the way.
            Err(error) => Support::Unknown(error.to_string()),
        }
    }

    fn functions(&self) -> Option<Functions> {
        self.live.functions()
    }

    fn describe(&self) -> String {
        self.live.describe()
    }

    fn is_running(&self) -> bool {
        self.live.is_running()
    }

    fn arch(&self) -> String {
        self.live.arch()
    }

    fn release(&self) -> String {
        self.live.release()
    }
}
