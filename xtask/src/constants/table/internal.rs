//! Modules with values of headers inside the kernel, which may change from release to release.

use super::{Group, KernelHeader, Module, Notes, Radix, Varies, consts, enumeration, flags};

pub(super) const BLOCK: Module = Module {
    name: "block",
    about: "Operations and flags of block requests.",
    varies: Varies::ByRelease,
    user: &[],
    kernel: &[KernelHeader {
        path: "include/linux/blk_types.h",
        keep: &["REQ_*", "__REQ_*"],
        before: "#define __force\ntypedef unsigned int blk_opf_t;\n",
    }],
    groups: &[
        consts("u32", Radix::Decimal, &["REQ_OP_BITS", "REQ_FLAG_BITS"]),
        consts("u32", Radix::Hexadecimal, &["REQ_OP_MASK"]),
        Group {
            notes: Notes::Above,
            ..enumeration("ReqOp", "u32", "What a request does: the low bits of its flags.", &["REQ_OP_*"])
        },
        Group {
            notes: Notes::OfBit,
            ..flags("ReqFlags", "u32", "How it is to be done: the other bits of its flags.", &["REQ_*"])
        },
    ],
    leave_out: &["REQ_OP_LAST"],
    prefix: "",
};

pub(super) const GFP: Module = Module {
    name: "gfp",
    about: "How memory is to be allocated. A name that stands for other bits in some configurations is left out.",
    varies: Varies::ByRelease,
    user: &[],
    kernel: &[KernelHeader {
        path: "include/linux/gfp_types.h",
        keep: &["___GFP_*", "__GFP_*", "GFP_*"],
        // BIT() is defined in include/vdso/bits.h.
        before: "#define __force\n#define BIT(nr) (1UL << (nr))\ntypedef unsigned int gfp_t;\n",
    }],
    groups: &[flags("Gfp", "u32", "Bits of a gfp_t.", &["__GFP_*", "GFP_*"])],
    leave_out: &["__GFP_BITS_SHIFT", "__GFP_BITS_MASK"],
    prefix: "",
};

pub(super) const SCHED: Module = Module {
    name: "sched",
    about: "States of tasks, scheduling policies, and what a new task shares with its parent.",
    varies: Varies::Never,
    user: &["linux/sched.h"],
    kernel: &[KernelHeader {
        path: "include/linux/sched.h",
        keep: &["TASK_*", "__TASK_*", "EXIT_*"],
        before: "",
    }],
    groups: &[
        consts("u32", Radix::Decimal, &["TASK_COMM_LEN"]),
        flags(
            "TaskState",
            "u32",
            "States of a task. Field `prev_state` of sched:sched_switch has the bits of `TASK_REPORT`, and of its own \
             `TASK_REPORT_IDLE` for an idle task and `TASK_REPORT_MAX` for one that was preempted.",
            &["TASK_*", "__TASK_*", "EXIT_*"],
        ),
        flags("SchedFlags", "u64", "Member `sched_flags` of `struct sched_attr`.", &["SCHED_FLAG_*"]),
        consts("u32", Radix::Hexadecimal, &["SCHED_RESET_ON_FORK", "CSIGNAL"]),
        enumeration("Policy", "u32", "Scheduling policies.", &["SCHED_*"]),
        flags("CloneFlags", "u64", "Flags of clone, clone3, unshare and setns.", &["CLONE_*"]),
    ],
    leave_out: &["TASK_STATE_MAX", "TASK_ANY", "SCHED_FLAG_ALL", "CLONE_ARGS_SIZE_*"],
    prefix: "",
};

pub(super) const SOCKET: Module = Module {
    name: "socket",
    about: "Address families, types and levels of sockets, and protocols of IP.",
    varies: Varies::Never,
    user: &["asm/socket.h", "linux/fcntl.h", "linux/in.h"],
    kernel: &[
        KernelHeader { path: "include/linux/socket.h", keep: &["AF_*", "SOL_*"], before: "" },
        KernelHeader {
            path: "include/linux/net.h",
            keep: &["SOCK_STREAM", "SOCK_TYPE_MASK", "SOCK_CLOEXEC", "SOCK_NONBLOCK"],
            before: "",
        },
    ],
    groups: &[
        enumeration("AddressFamily", "u16", "Address families.", &["AF_*"]),
        flags(
            "SocketFlags",
            "u32",
            "Flags beside the type in argument `type` of socket.",
            &["SOCK_CLOEXEC", "SOCK_NONBLOCK"],
        ),
        consts("u32", Radix::Hexadecimal, &["SOCK_TYPE_MASK"]),
        Group {
            header: "include/linux/net.h",
            ..enumeration("SocketType", "u32", "Types of sockets.", &["SOCK_*"])
        },
        enumeration("Level", "s32", "Levels of socket options.", &["SOL_*"]),
        enumeration("Protocol", "s32", "Protocols of IP.", &["IPPROTO_*"]),
    ],
    leave_out: &["AF_MAX", "IPPROTO_MAX"],
    prefix: "",
};

pub(super) const SOFTIRQ: Module = Module {
    name: "softirq",
    about: "Softirq vectors, which irq:softirq_entry and its relatives name.",
    varies: Varies::Never,
    user: &[],
    kernel: &[KernelHeader { path: "include/linux/interrupt.h", keep: &["*_SOFTIRQ"], before: "" }],
    groups: &[Group {
        notes: Notes::Nowhere,
        ..enumeration("Softirq", "u32", "Field `vec` of irq:softirq_entry.", &["*_SOFTIRQ"])
    }],
    leave_out: &[],
    prefix: "",
};

pub(super) const TCP: Module = Module {
    name: "tcp",
    about: "States of TCP connections.",
    varies: Varies::Never,
    user: &[],
    kernel: &[KernelHeader { path: "include/net/tcp_states.h", keep: &["TCP_*", "TCPF_*"], before: "" }],
    groups: &[
        Group {
            notes: Notes::Nowhere,
            ..enumeration(
                "TcpState",
                "s32",
                "Fields `oldstate` and `newstate` of sock:inet_sock_set_state.",
                &["TCP_*"],
            )
        },
        flags("TcpStates", "u32", "Sets of states, a bit for each.", &["TCPF_*"]),
    ],
    leave_out: &["TCP_MAX_STATES", "TCP_STATE_MASK", "TCP_ACTION_FIN"],
    prefix: "",
};
