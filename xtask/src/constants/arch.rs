//! The architectures of the standard library's constants.

/// An architecture of the kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Arch {
    X86_64,
    Arm64,
    Riscv64,
}

impl Arch {
    /// All architectures.
    pub(super) const ALL: [Self; 3] = [Self::X86_64, Self::Arm64, Self::Riscv64];

    /// Returns its name in the standard library: a variant of a module.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::X86_64 => "x86_64",
            Self::Arm64 => "arm64",
            Self::Riscv64 => "riscv64",
        }
    }

    /// Returns its directory below the kernel's `arch/`, which is the value for `make ARCH=`.
    pub(super) fn directory(self) -> &'static str {
        match self {
            Self::X86_64 => "x86",
            Self::Arm64 => "arm64",
            Self::Riscv64 => "riscv",
        }
    }

    /// Returns the directory below /usr/include in which Debian puts the headers of this architecture alone.
    pub(super) fn triplet(self) -> &'static str {
        match self {
            Self::X86_64 => "x86_64-linux-gnu",
            Self::Arm64 => "aarch64-linux-gnu",
            Self::Riscv64 => "riscv64-linux-gnu",
        }
    }

    /// Returns the macros of its compiler that the kernel's headers test; the first identifies it.
    pub(super) fn macros(self) -> &'static [&'static str] {
        match self {
            Self::X86_64 => &["__x86_64__"],
            Self::Arm64 => &["__aarch64__"],
            Self::Riscv64 => &["__riscv", "__riscv_xlen=64"],
        }
    }
}
