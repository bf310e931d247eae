//! Modules of the interface to programs: their values never change once released (include/uapi).

use super::{Form, Group, KernelHeader, Module, Notes, Radix, Varies, consts, enumeration, flags};

pub(super) const CAPABILITY: Module = Module {
    name: "capability",
    about: "Capabilities: what a task may do beside its own files and processes.",
    varies: Varies::Never,
    user: &["linux/capability.h"],
    kernel: &[],
    groups: &[enumeration("Capability", "s32", "Numbers of capabilities.", &["CAP_*"])],
    leave_out: &["CAP_LAST_CAP"],
    prefix: "",
};

pub(super) const ERRNO: Module = Module {
    name: "errno",
    about: "Error numbers. They are positive; a kernel function that fails returns the negative number.",
    varies: Varies::Never,
    user: &["linux/errno.h"],
    kernel: &[KernelHeader { path: "include/linux/errno.h", keep: &["E*"], before: "" }],
    groups: &[
        Group {
            header: "include/linux/errno.h",
            ..enumeration(
                "KernelErrno",
                "s32",
                "Error numbers inside the kernel, which no program gets.",
                &["E*"],
            )
        },
        enumeration("Errno", "s32", "Error numbers that programs get.", &["E*"]),
    ],
    leave_out: &[],
    prefix: "",
};

pub(super) const MMAP: Module = Module {
    name: "mmap",
    about: "Protection and kinds of memory mappings, and advice on them.",
    varies: Varies::ByArch,
    user: &["linux/mman.h"],
    kernel: &[],
    groups: &[
        flags(
            "Protection",
            "u64",
            "What a mapping may be used for: argument `prot` of mmap and mprotect.",
            &["PROT_*"],
        ),
        consts("u32", Radix::Decimal, &["MAP_HUGE_SHIFT"]),
        consts("u32", Radix::Hexadecimal, &["MAP_HUGE_*"]),
        flags("MapFlags", "u32", "Argument `flags` of mmap.", &["MAP_*"]),
        enumeration("Advice", "s32", "Argument `behavior` of madvise.", &["MADV_*"]),
    ],
    leave_out: &[],
    prefix: "",
};

pub(super) const OPEN: Module = Module {
    name: "open",
    about: "How a file is opened, and how its path is looked up.",
    varies: Varies::ByArch,
    user: &["linux/fcntl.h", "linux/openat2.h"],
    kernel: &[],
    groups: &[
        enumeration(
            "AccessMode",
            "u32",
            "For what a file is opened: the bits `O_ACCMODE` of argument `flags` of open.",
            &["O_RDONLY", "O_WRONLY", "O_RDWR"],
        ),
        Group {
            notes: Notes::Nowhere,
            ..flags("OpenFlags", "u32", "Argument `flags` of open and openat.", &["O_*", "__O_*"])
        },
        consts("s32", Radix::Decimal, &["AT_FDCWD"]),
        flags(
            "AtFlags",
            "u32",
            "Argument `flags` of calls whose names end in `at`, and of statx.",
            &["AT_*"],
        ),
        flags("ResolveFlags", "u64", "Member `resolve` of openat2's `struct open_how`.", &["RESOLVE_*"]),
    ],
    leave_out: &[],
    prefix: "",
};

pub(super) const PTRACE: Module = Module {
    name: "ptrace",
    about: "Requests, options and events of ptrace.",
    varies: Varies::ByArch,
    user: &["linux/ptrace.h"],
    kernel: &[],
    groups: &[
        enumeration("PtraceEvent", "u32", "Why a traced task has stopped.", &["PTRACE_EVENT_*"]),
        enumeration(
            "PtraceEventMessage",
            "u64",
            "What PTRACE_GETEVENTMSG says of a stop at a system call.",
            &["PTRACE_EVENTMSG_*"],
        ),
        flags("PtraceOptions", "u64", "What PTRACE_SETOPTIONS sets.", &["PTRACE_O_*"]),
        enumeration(
            "PtraceSyscallInfo",
            "u8",
            "At which side of a system call a task is.",
            &["PTRACE_SYSCALL_INFO_*"],
        ),
        consts("u32", Radix::Hexadecimal, &["PTRACE_PEEKSIGINFO_SHARED"]),
        Group {
            radix: Radix::Hexadecimal,
            ..enumeration("PtraceRequest", "s64", "Argument `request` of ptrace.", &["PTRACE_*"])
        },
    ],
    // Values for PTRACE_GETFDPIC's argument `addr`.
    leave_out: &["PTRACE_O_MASK", "PTRACE_GETFDPIC_*"],
    prefix: "",
};

pub(super) const SIGNAL: Module = Module {
    name: "signal",
    about: "Signals, and why one was sent.",
    varies: Varies::Never,
    user: &["linux/signal.h"],
    kernel: &[],
    groups: &[
        consts("s32", Radix::Decimal, &["SIGRTMIN"]),
        enumeration("Signal", "s32", "Numbers of signals.", &["SIG*"]),
        enumeration("SiCode", "s32", "`si_code` of any signal.", &["SI_*"]),
        enumeration("IllCode", "s32", "`si_code` of SIGILL.", &["ILL_*"]),
        enumeration("FpeCode", "s32", "`si_code` of SIGFPE.", &["FPE_*"]),
        enumeration("SegvCode", "s32", "`si_code` of SIGSEGV.", &["SEGV_*"]),
        enumeration("BusCode", "s32", "`si_code` of SIGBUS.", &["BUS_*"]),
        enumeration("TrapCode", "s32", "`si_code` of SIGTRAP.", &["TRAP_*"]),
        enumeration("ChildCode", "s32", "`si_code` of SIGCHLD.", &["CLD_*"]),
        enumeration("PollCode", "s32", "`si_code` of SIGPOLL.", &["POLL_*"]),
        enumeration("SysCode", "s32", "`si_code` of SIGSYS.", &["SYS_*"]),
        enumeration("EmtCode", "s32", "`si_code` of SIGEMT.", &["EMT_*"]),
    ],
    // Sizes, arguments of calls, a flag in another member, and the kernel's _NSIG, which no such header defines.
    leave_out: &[
        "SIGRTMAX",
        "SIGSTKSZ",
        "SIGEV_*",
        "SIG_*",
        "SI_MAX_SIZE",
        "SI_PAD_SIZE",
        "TRAP_PERF_FLAG_ASYNC",
    ],
    prefix: "",
};

pub(super) const STAT: Module = Module {
    name: "stat",
    about: "A file's type and permissions, as they stand in its mode.",
    varies: Varies::Never,
    user: &["linux/stat.h"],
    kernel: &[],
    groups: &[
        consts("u32", Radix::Octal, &["S_IFMT"]),
        Group {
            radix: Radix::Octal,
            ..enumeration("FileType", "u32", "The type of a file: the bits `S_IFMT` of its mode.", &["S_IF*"])
        },
        Group {
            radix: Radix::Octal,
            ..flags(
                "Permissions",
                "u32",
                "Who may do what with a file: the other bits of its mode.",
                &["S_I*"],
            )
        },
    ],
    leave_out: &[],
    prefix: "",
};

pub(super) const SYSCALL: Module = Module {
    name: "syscall",
    about: "Numbers of system calls.",
    varies: Varies::ByArch,
    user: &["asm/unistd.h"],
    kernel: &[],
    groups: &[Group {
        form: Form::Enum("Syscall", "s64"),
        about: "Numbers of system calls: field `id` of raw_syscalls:sys_enter.",
        names: &["__NR_*"],
        header: "",
        radix: Radix::Decimal,
        notes: Notes::Nowhere,
    }],
    leave_out: &["__NR_syscalls", "__NR_arch_specific_syscall"],
    prefix: "__NR_",
};
