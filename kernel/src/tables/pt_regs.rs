//! Where programs find registers: `struct pt_regs` (arch/*/include/asm/ptrace.h), which is the context of programs at
//! kprobes and uprobes, and the convention of calls.

/// The registers of an architecture, as programs see them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PtRegs {
    /// The architecture, as `uname -m` calls it.
    pub arch: &'static str,
    /// The registers in the order of the struct, 8 bytes each.
    order: &'static [&'static str],
    /// Those that have the first arguments of a call, in their order. The others are on the stack.
    pub arguments: &'static [&'static str],
    /// That with the returned value.
    pub result: &'static str,
    /// The stack pointer.
    pub stack: &'static str,
    /// The next instruction.
    pub instruction: &'static str,
    /// How far behind the address of a kprobe the next instruction is, when its program runs: the kernel sets it so also
    /// where the probe is not a breakpoint (`kprobe_ftrace_handler`, arch/x86/kernel/kprobes/ftrace.c).
    pub behind_kprobe: u32,
    /// Words on the stack between the stack pointer and the arguments there, where a function begins.
    pub stack_words_before_arguments: u32,
}

/// The supported architectures.
pub const ALL: &[PtRegs] = &[PtRegs {
    arch: "x86_64",
    order: &[
        "r15", "r14", "r13", "r12", "bp", "bx", "r11", "r10", "r9", "r8", "ax", "cx", "dx", "si", "di",
        "orig_ax", "ip", "cs", "flags", "sp", "ss",
    ],
    arguments: &["di", "si", "dx", "cx", "r8", "r9"],
    result: "ax",
    stack: "sp",
    instruction: "ip",
    behind_kprobe: 1,
    // The return address.
    stack_words_before_arguments: 1,
}];

impl PtRegs {
    /// Returns the offset of a register in bytes.
    pub fn offset(&self, register: &str) -> Option<u32> {
        self.order.iter().position(|name| *name == register).map(|index| 8 * index as u32)
    }
}

/// Returns the registers of an architecture; `None` for one that programs at such probes are not made for.
pub fn find(arch: &str) -> Option<&'static PtRegs> {
    ALL.iter().find(|registers| registers.arch == arch)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tables::registers;

    #[test]
    fn every_register_of_a_fetch_argument_has_an_offset() {
        for regs in ALL {
            let named = registers::ALL.iter().find(|other| other.arch == regs.arch).expect("an architecture");
            for name in named.names {
                assert!(regs.offset(name).is_some(), "{name}");
            }
            for name in regs.arguments.iter().chain([&regs.result, &regs.stack, &regs.instruction]) {
                assert!(regs.offset(name).is_some(), "{name}");
            }
        }
    }

    #[test]
    fn offsets_are_those_of_the_struct() {
        // As `bpftool btf dump file /sys/kernel/btf/vmlinux format c` shows `struct pt_regs`.
        let regs = find("x86_64").expect("there is one");
        assert_eq!(
            ["r15", "ax", "di", "ip", "sp", "ss"].map(|name| regs.offset(name)),
            [0, 80, 112, 128, 152, 160].map(Some)
        );
    }
}
