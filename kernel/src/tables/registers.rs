//! The registers that a fetch argument can name: `regoffset_table` in arch/*/kernel/ptrace.c.

/// The registers of an architecture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Registers {
    /// The architecture, as `uname -m` calls it.
    pub arch: &'static str,
    /// Their names.
    pub names: &'static [&'static str],
}

/// The supported architectures.
pub const ALL: &[Registers] = &[
    Registers {
        arch: "x86_64",
        names: &[
            "r15", "r14", "r13", "r12", "r11", "r10", "r9", "r8", "bx", "cx", "dx", "si", "di", "bp", "ax",
            "orig_ax", "ip", "cs", "flags", "sp", "ss",
        ],
    },
    Registers {
        arch: "aarch64",
        names: &[
            "x0", "x1", "x2", "x3", "x4", "x5", "x6", "x7", "x8", "x9", "x10", "x11", "x12", "x13", "x14",
            "x15", "x16", "x17", "x18", "x19", "x20", "x21", "x22", "x23", "x24", "x25", "x26", "x27", "x28",
            "x29", "x30", "lr", "sp", "pc", "pstate",
        ],
    },
    Registers {
        arch: "riscv64",
        names: &[
            "epc", "ra", "sp", "gp", "tp", "t0", "t1", "t2", "s0", "s1", "a0", "a1", "a2", "a3", "a4", "a5",
            "a6", "a7", "s2", "s3", "s4", "s5", "s6", "s7", "s8", "s9", "s10", "s11", "t3", "t4", "t5", "t6",
            "status", "badaddr", "cause", "orig_a0",
        ],
    },
];

/// Returns the architectures that have a register of this name.
pub fn architectures(name: &str) -> impl Iterator<Item = &'static str> {
    ALL.iter().filter(move |registers| registers.names.contains(&name)).map(|registers| registers.arch)
}

/// Returns the names of all registers; a name of several architectures occurs several times.
pub fn names() -> impl Iterator<Item = &'static str> {
    ALL.iter().flat_map(|registers| registers.names.iter().copied())
}
