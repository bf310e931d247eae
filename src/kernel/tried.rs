//! The running kernel for `tracec run`: features that no file shows are tried.

use std::cell::RefCell;
use std::path::Path;
use std::sync::Arc;

use tracec_compiler::source::Functions;
use tracec_compiler::{KernelError, KernelSource};
use tracec_kernel::tables::features::{self, Found, Support};
use tracec_runtime::session::Residue;

use super::LiveKernel;
use super::attempt::{self, InstanceLeft};

/// The running kernel. A feature of filters that no file shows is found out by writing a filter: otherwise a kernel
/// without BTF would be taken to lack features that it has, and no kernel has a symbol that shows what it accepts in an
/// inverted class. Each try creates an instance of its own for a moment. The compiler asks only for the features that
/// its conditions depend on.
#[derive(Debug)]
pub struct TriedKernel<'k> {
    live: &'k LiveKernel,
    runtime_dir: &'k Path,
    /// The instances that could not be removed.
    left: RefCell<Vec<Residue>>,
}

impl<'k> TriedKernel<'k> {
    /// Creates a kernel; nothing is tried yet. `runtime_dir` is the directory of the journals of the instances.
    pub fn new(live: &'k LiveKernel, runtime_dir: &'k Path) -> Self {
        TriedKernel { live, runtime_dir, left: RefCell::default() }
    }

    /// Returns the instances that were created to try a feature and could not be removed. Their journals are in the
    /// runtime directory.
    pub fn into_residue(self) -> Vec<Residue> {
        self.left.into_inner()
    }
}

/// Returns the support of a feature after a try; `support` is that before. An instance that the try could not remove
/// goes to `left`: it leaves the feature unknown, and is reported to the user.
fn judge(
    tried: Result<Option<Found<bool>>, InstanceLeft>,
    support: Support,
    left: &RefCell<Vec<Residue>>,
) -> Support {
    match tried {
        Ok(Some(Ok(taken))) => taken.into(),
        Ok(Some(Err(reason))) => Support::Unknown(reason),
        Ok(None) => support,
        Err(error) => {
            let reason = error.to_string();
            left.borrow_mut().extend(error.0);
            Support::Unknown(reason)
        }
    }
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
        judge(attempt::filter(&self.live.0, feature, known, self.runtime_dir), support, &self.left)
    }

    fn functions(&self) -> Option<Arc<Functions>> {
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

    fn btf(&self) -> Result<Option<Vec<u8>>, KernelError> {
        self.live.btf()
    }

    fn release(&self) -> String {
        self.live.release()
    }
}

#[cfg(test)]
mod tests {
    use rustix::io::Errno;
    use tracec_runtime::session::Cause;

    use super::*;

    #[test]
    fn residue_of_a_try_is_kept() {
        let left = RefCell::default();
        let unknown = || Support::Unknown("nothing shows it".to_owned());
        assert_eq!(judge(Ok(Some(Ok(true))), unknown(), &left), Support::Yes);
        assert_eq!(judge(Ok(None), unknown(), &left), unknown());
        let refused = Support::Unknown("EPERM".to_owned());
        assert_eq!(judge(Ok(Some(Err("EPERM".to_owned()))), unknown(), &left), refused);
        assert_eq!(left.borrow()[..], []);
        let residue = |name: &str| Residue { path: name.into(), cause: Cause::System(Errno::BUSY) };
        for name in ["/instances/a", "/instances/b"] {
            let tried = judge(Err(InstanceLeft(vec![residue(name)])), unknown(), &left);
            assert!(matches!(&tried, Support::Unknown(reason) if reason.contains(name)), "{tried:?}");
        }
        assert_eq!(left.into_inner(), [residue("/instances/a"), residue("/instances/b")]);
    }
}
