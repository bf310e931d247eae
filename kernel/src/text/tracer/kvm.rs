//! Events of virtual machines as the plugin `kvm` of trace-cmd prints them.

use super::super::print::shown;
use super::Kind;
use super::view::View;
use crate::tables::exit_reasons;

/// Those of the system `kvm`.
pub(super) const ALL: &[Kind] = &[
    Kind {
        name: "kvm_exit",
        fields: &["exit_reason", "guest_rip"],
        optional: &["isa", "info1", "info2"],
        print: |view, out| {
            reason(view, out, view.optional(2));
            shown(out, format_args!(" rip {:#x}", view.uint(1)));
            if let (Some(first), Some(second)) = (view.optional(3), view.optional(4)) {
                shown(out, format_args!(" info {first:x} {second:x}"));
            }
        },
    },
    Kind {
        name: "kvm_entry",
        fields: &["vcpu_id", "rip"],
        optional: &[],
        print: |view, out| shown(out, format_args!(" vcpu {} rip {:#x}", view.uint(0), view.uint(1))),
    },
    Kind {
        name: "kvm_emulate_insn",
        fields: &["rip", "csbase", "len", "failed", "insn"],
        optional: &[],
        print: instruction,
    },
    Kind {
        name: "kvm_nested_vmexit_inject",
        fields: &["exit_code", "exit_info1", "exit_info2", "exit_int_info", "exit_int_info_err"],
        optional: &["isa"],
        print: |view, out| {
            reason(view, out, view.optional(5));
            shown(out, format_args!(" info1 {:x} info2 {:x}", view.uint(1), view.uint(2)));
            shown(out, format_args!(" int_info {:x} int_info_err {:x}", view.uint(3), view.uint(4)));
        },
    },
];

/// Those of the system `kvmmmu`.
pub(super) const MEMORY: &[Kind] = &[
    Kind {
        name: "kvm_mmu_get_page",
        fields: &["role", "root_count", "unsync", "created", "gfn"],
        optional: &[],
        print: |view, out| {
            let what = if view.uint(3) != 0 { "new" } else { "existing" };
            shown(out, format_args!("{what} sp gfn {:x} ", view.uint(4)));
            role(view, out);
        },
    },
    Kind { name: "kvm_mmu_sync_page", fields: ROLE, optional: &[], print: role },
    Kind { name: "kvm_mmu_unsync_page", fields: ROLE, optional: &[], print: role },
    Kind { name: "kvm_mmu_zap_page", fields: ROLE, optional: &[], print: role },
    Kind { name: "kvm_mmu_prepare_zap_page", fields: ROLE, optional: &[], print: role },
];

const ROLE: &[&str] = &["role", "root_count", "unsync"];

/// Appends the reason for which a guest was left, the first field, by the names of a vendor.
fn reason(view: &View<'_>, out: &mut Vec<u8>, isa: Option<u64>) {
    let names = match isa {
        None | Some(1) => exit_reasons::INTEL,
        Some(2) => exit_reasons::AMD,
        Some(_) => return out.extend_from_slice(b"reason UNKNOWN-ISA"),
    };
    let number = view.uint(0);
    match names.iter().find(|(reason, _)| *reason == number as i32) {
        Some((_, name)) => shown(out, format_args!("reason {name}")),
        None => shown(out, format_args!("reason UNKNOWN ({number})")),
    }
}

fn instruction(view: &View<'_>, out: &mut Vec<u8>) {
    shown(out, format_args!("{:x}:{:x}: ", view.uint(1), view.uint(0)));
    let tail = view.tail(4);
    let bytes = tail.get(..view.uint(2) as usize).unwrap_or(tail);
    for (index, byte) in bytes.iter().enumerate() {
        shown(out, format_args!("{}{byte:02x}", if index > 0 { " " } else { "" }));
    }
    if view.uint(3) != 0 {
        out.extend_from_slice(b" FAIL");
    }
}

/// The rights of a page by their number.
const ACCESS: [&str; 8] = ["---", "--x", "w--", "w-x", "-u-", "-ux", "wu-", "wux"];

/// Appends the role of a page of the shadow page table, by the bits that `kvm_mmu_page_role` had up to Linux 5.1.
fn role(view: &View<'_>, out: &mut Vec<u8>) {
    let bits = |from: u64, count: u64| view.uint(0) >> from & ((1 << count) - 1);
    let has = |bit: u64, text: &'static str| if bits(bit, 1) != 0 { text } else { "" };
    let lacks = |bit: u64| if bits(bit, 1) != 0 { "" } else { "!" };
    let access = ACCESS.get(bits(8, 3) as usize).copied().unwrap_or_default();
    shown(
        out,
        format_args!("{} q{}{} {access}{}", bits(0, 4), bits(5, 2), has(7, " direct"), has(11, " invalid")),
    );
    shown(out, format_args!(" {}pae {}nxe {}wp", lacks(4), lacks(12), lacks(13)));
    let smm = if bits(24, 8) != 0 { " smm" } else { "" };
    shown(out, format_args!("{}{}{smm}", has(14, " smep"), has(15, " smap")));
    let sync = if view.uint(2) != 0 { "unsync" } else { "sync" };
    shown(out, format_args!(" root {} {sync}", view.uint(1)));
}
