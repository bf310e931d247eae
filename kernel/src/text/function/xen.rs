//! Hypercalls of Xen: arch/x86/xen/trace.c, include/xen/interface/xen.h.

use super::{TextFunction, argument};
use crate::text::memory::{Memory, Value};

pub(super) const ALL: &[TextFunction] =
    &[TextFunction { name: "xen_hypercall_name", arguments: 1, print: xen_hypercall_name }];

/// By number; an empty one has no name.
const NAMES: &[&str] = &[
    "set_trap_table",
    "mmu_update",
    "set_gdt",
    "stack_switch",
    "set_callbacks",
    "fpu_taskswitch",
    "sched_op_compat",
    "platform_op",
    "set_debugreg",
    "get_debugreg",
    "update_descriptor",
    "",
    "memory_op",
    "multicall",
    "update_va_mapping",
    "set_timer_op",
    "event_channel_op_compat",
    "xen_version",
    "console_io",
    "physdev_op_compat",
    "grant_table_op",
    "vm_assist",
    "update_va_mapping_otherdomain",
    "iret",
    "vcpu_op",
    "set_segment_base",
    "mmuext_op",
    "xsm_op",
    "nmi_op",
    "sched_op",
    "callback_op",
    "xenoprof_op",
    "event_channel_op",
    "physdev_op",
    "hvm_op",
    "sysctl",
    "domctl",
    "kexec_op",
    "tmem_op",
    "xc_reserved_op",
    "xenpmu_op",
    "dm_op",
    "",
    "",
    "",
    "",
    "",
    "",
    // arch_0 on x86: include/xen/interface/xen-mca.h
    "mca",
    "arch_1",
    "arch_2",
    "arch_3",
    "arch_4",
    "arch_5",
    "arch_6",
    "arch_7",
];

fn xen_hypercall_name(arguments: &[Value], _: &Memory<'_>, out: &mut Vec<u8>) {
    let number = argument(arguments, 0).bits as u32 as usize;
    if let Some(name) = NAMES.get(number).filter(|name| !name.is_empty()) {
        out.push(b'(');
        out.extend_from_slice(name.as_bytes());
        out.push(b')');
    }
}
