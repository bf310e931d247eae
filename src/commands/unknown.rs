//! Warnings about unknown features of a kernel that a condition depends on.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::Arc;

use tracec_compiler::source::Functions;
use tracec_compiler::{KernelError, KernelSource};
use tracec_kernel::tables::features::{self, Support};

use crate::print;

/// A kernel whose filters are not tried, and the unknown features that were asked for. A condition that depends on one
/// is lowered so that it is right on every kernel; if the feature were known, the place or the text could be another.
pub(crate) struct Looked<'k> {
    kernel: &'k dyn KernelSource,
    unknown: RefCell<BTreeMap<String, String>>,
}

impl<'k> Looked<'k> {
    /// Creates a kernel with no unknown features so far.
    pub(crate) fn new(kernel: &'k dyn KernelSource) -> Self {
        Looked { kernel, unknown: RefCell::default() }
    }

    /// Prints each unknown feature as a line on standard error.
    pub(crate) fn report(&self) {
        for (feature, reason) in self.unknown.borrow().iter() {
            print::complain(&format!(
                "tracec: where conditions run may differ: whether {} has `{feature}` is not known ({reason})\n",
                self.kernel.describe()
            ));
        }
    }
}

impl KernelSource for Looked<'_> {
    fn read(&self, path: &str) -> Result<Option<String>, KernelError> {
        self.kernel.read(path)
    }

    fn directories(&self, path: &str) -> Result<Vec<String>, KernelError> {
        self.kernel.directories(path)
    }

    fn feature(&self, name: &str) -> Support {
        let support = self.kernel.feature(name);
        if let Support::Unknown(reason) = &support
            && features::find(name).is_some_and(|feature| feature.probe.is_of_filters())
        {
            self.unknown.borrow_mut().insert(name.to_owned(), reason.clone());
        }
        support
    }

    fn functions(&self) -> Option<Arc<Functions>> {
        self.kernel.functions()
    }

    fn is_running(&self) -> bool {
        self.kernel.is_running()
    }

    fn describe(&self) -> String {
        self.kernel.describe()
    }

    fn arch(&self) -> String {
        self.kernel.arch()
    }

    fn btf(&self) -> Result<Option<Vec<u8>>, KernelError> {
        self.kernel.btf()
    }

    fn release(&self) -> String {
        self.kernel.release()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A kernel that overrides the trait's default methods.
    struct Known;

    impl KernelSource for Known {
        fn read(&self, _: &str) -> Result<Option<String>, KernelError> {
            Ok(None)
        }

        fn directories(&self, _: &str) -> Result<Vec<String>, KernelError> {
            Ok(Vec::new())
        }

        fn feature(&self, _: &str) -> Support {
            Support::Yes
        }

        fn functions(&self) -> Option<Arc<Functions>> {
            Functions::symbols("0 T vfs_read").map(Arc::new)
        }

        fn is_running(&self) -> bool {
            true
        }

        fn describe(&self) -> String {
            "a kernel".to_owned()
        }
    }

    #[test]
    fn looked_forwards_every_method_of_the_kernel() {
        let looked = Looked::new(&Known);
        assert_eq!(looked.functions(), Known.functions());
        assert!(looked.is_running() && looked.feature("filter-cpus") == Support::Yes);
    }
}
