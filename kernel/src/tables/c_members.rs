//! Members of structs and unions that print formats read, where their place is the same in all kernels that this crate
//! knows (6.1 to 6.18) on x86-64. Those of all others have to be asked from the type information of the kernel.

/// A member.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CMember {
    /// The struct or union: its tag, or its name where it is a typedef.
    pub aggregate: &'static str,
    /// The member's name.
    pub name: &'static str,
    /// Bits from the start of the struct to its least significant bit.
    pub bit_offset: u32,
    /// Its width in bits; of an array that of an element.
    pub bits: u32,
    /// Whether it is signed.
    pub signed: bool,
    /// The number of elements where it is an array, else 0.
    pub elements: u32,
}

const fn unsigned(aggregate: &'static str, name: &'static str, bit_offset: u32, bits: u32) -> CMember {
    CMember { aggregate, name, bit_offset, bits, signed: false, elements: 0 }
}

const fn signed(aggregate: &'static str, name: &'static str, bit_offset: u32, bits: u32) -> CMember {
    CMember { aggregate, name, bit_offset, bits, signed: true, elements: 0 }
}

const fn bytes(aggregate: &'static str, name: &'static str, elements: u32) -> CMember {
    CMember { aggregate, name, bit_offset: 0, bits: 8, signed: false, elements }
}

/// All of them, each with its header.
pub const ALL: &[CMember] = &[
    // arch/x86/include/asm/kvm_host.h; newer kernels add bits behind these.
    unsigned("kvm_mmu_page_role", "word", 0, 32),
    unsigned("kvm_mmu_page_role", "level", 0, 4),
    unsigned("kvm_mmu_page_role", "has_4_byte_gpte", 4, 1),
    unsigned("kvm_mmu_page_role", "quadrant", 5, 2),
    unsigned("kvm_mmu_page_role", "direct", 7, 1),
    unsigned("kvm_mmu_page_role", "access", 8, 3),
    unsigned("kvm_mmu_page_role", "invalid", 11, 1),
    unsigned("kvm_mmu_page_role", "efer_nx", 12, 1),
    unsigned("kvm_mmu_page_role", "cr0_wp", 13, 1),
    unsigned("kvm_mmu_page_role", "smep_andnot_wp", 14, 1),
    unsigned("kvm_mmu_page_role", "smap_andnot_wp", 15, 1),
    unsigned("kvm_mmu_page_role", "ad_disabled", 16, 1),
    unsigned("kvm_mmu_page_role", "guest_mode", 17, 1),
    // include/linux/time64.h
    signed("timespec64", "tv_sec", 0, 64),
    signed("timespec64", "tv_nsec", 64, 64),
    // include/linux/uuid.h, include/uapi/linux/uuid.h
    bytes("uuid_t", "b", 16),
    bytes("guid_t", "b", 16),
    // include/linux/uidgid_types.h
    unsigned("kuid_t", "val", 0, 32),
    unsigned("kgid_t", "val", 0, 32),
    // include/uapi/linux/in.h, socket.h
    unsigned("in_addr", "s_addr", 0, 32),
    unsigned("sockaddr", "sa_family", 0, 16),
    unsigned("sockaddr_in", "sin_family", 0, 16),
];

/// Returns a member of a struct or union.
pub fn find(aggregate: &str, name: &str) -> Option<&'static CMember> {
    ALL.iter().find(|member| member.aggregate == aggregate && member.name == name)
}
