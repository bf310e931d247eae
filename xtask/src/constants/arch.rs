//! The architectures whose numbers the standard library has.

/// An architecture of the kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Arch {
    X86_64,
    Arm64,
    Riscv64,
}

impl Arch {
    /// All of them.
    pub(super) const ALL: [Self; 3] = [Self::X86_64, Self::Arm64, Self::Riscv64];

    /// Its name in the standard library: a variant of a module.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::X86_64 => "x86_64",
            Self::Arm64 => "arm64",
            Self::Riscv64 => "riscv64",
        }
    }

    /// Its directory below the kernel's `arch/`, which is what `make ARCH=` takes.
    pub(super) fn directory(self) -> &'static str {
        match self {
            Self::X86_64 => "x86",
            Self::Arm64 => "arm64",
            Self::Riscv64 => "riscv",
        }
    }

    /// Where Debian puts headers of this architecture alone, below /usr/include.
    pub(super) fn triplet(self) -> &'static str {
        match self {
            Self::X86_64 => "x86_64-linux-gnu",
            Self::Arm64 => "aarch64-linux-gnu",
            Self::Riscv64 => "riscv64-linux-gnu",
        }
    }

    /// What a compiler for it predefines as far as the kernel's headers ask; the first says which it is.
    pub(super) fn macros(self) -> &'static [&'static str] {
        match self {
            Self::X86_64 => &["__x86_64__"],
            Self::Arm64 => &["__aarch64__"],
            Self::Riscv64 => &["__riscv", "__riscv_xlen=64"],
        }
    }
}
