//! Debian packages that a machine needs, and the evidence that they are installed.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::Kernel;

/// The evidence that a package is installed.
enum Probe {
    /// A program in `PATH`.
    Program(&'static str),
    /// A file at a fixed path.
    File(&'static str),
    /// Busybox without shared libraries; the package `busybox` has another program at the same path.
    StaticBusybox,
}

struct Need {
    package: &'static str,
    probe: Probe,
}

const fn need(package: &'static str, probe: Probe) -> Need {
    Need { package, probe }
}

/// The packages of every machine: the emulator, and the tools that make and pack its initial ramdisk.
const EVERY: &[Need] = &[
    need("qemu-system-x86", Probe::Program("qemu-system-x86_64")),
    need("busybox-static", Probe::StaticBusybox),
    need("cpio", Probe::Program("cpio")),
];

/// The packages to build a kernel (Documentation/process/changes.rst, for the options of `full.config`).
const BUILD: &[Need] = &[
    need("gcc", Probe::Program("gcc")),
    need("libc6-dev", Probe::File("/usr/include/stdio.h")),
    need("make", Probe::Program("make")),
    need("flex", Probe::Program("flex")),
    need("bison", Probe::Program("bison")),
    need("bc", Probe::Program("bc")),
    need("libelf-dev", Probe::File("/usr/include/gelf.h")),
    need("libssl-dev", Probe::File("/usr/include/openssl/opensslv.h")),
    need("xz-utils", Probe::Program("xz")),
];

/// Returns the Debian packages that a machine with `kernel` needs and that are not installed; none if it can run.
#[must_use]
pub fn packages(kernel: Kernel) -> Vec<&'static str> {
    let build = if kernel == Kernel::Full { BUILD } else { &[] };
    EVERY.iter().chain(build).filter(|need| !need.probe.found()).map(|need| need.package).collect()
}

/// Returns the path of the static busybox, if it is installed.
pub(super) fn static_busybox() -> Option<PathBuf> {
    // For a busybox with shared libraries ldd succeeds.
    let is_static = |path: &PathBuf| {
        let ldd = Command::new("ldd").arg(path).output();
        path.exists() && ldd.is_ok_and(|output| !output.status.success())
    };
    ["/bin/busybox", "/usr/bin/busybox"].into_iter().map(PathBuf::from).find(is_static)
}

impl Probe {
    fn found(&self) -> bool {
        match self {
            Self::Program(name) => {
                let path = env::var_os("PATH").unwrap_or_default();
                env::split_paths(&path).any(|directory| directory.join(name).is_file())
            }
            Self::File(path) => Path::new(path).exists(),
            Self::StaticBusybox => static_busybox().is_some(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn probes_distinguish_present_from_absent() {
        assert!(Probe::Program("sh").found());
        assert!(!Probe::Program("no-such-program-anywhere").found());
        assert!(Probe::File("/proc/self/status").found());
        assert!(!Probe::File("/proc/self/no-such-file").found());
    }

    #[test]
    fn the_full_kernel_needs_no_less_than_the_others() {
        let full = packages(Kernel::Full);
        assert!(packages(Kernel::Debian6_1).iter().all(|package| full.contains(package)));
    }
}
