//! The fields that the kernel puts before an event's own: `trace_define_common_fields` in kernel/trace/trace_events.c,
//! and the `*_event_define_fields` of probes in kernel/trace/trace_{kprobe,uprobe,fprobe}.c.

/// A field before an event's own. They are packed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HeaderField {
    /// Its type, as the `format` file writes it.
    pub type_text: &'static str,
    /// Its name.
    pub name: &'static str,
    /// Size in bytes.
    pub size: u32,
    /// Whether the file says `signed:1`.
    pub signed: bool,
}

/// Returns a field that holds an address of the kernel or of the program.
const fn address(name: &'static str) -> HeaderField {
    HeaderField { type_text: "unsigned long", name, size: 8, signed: false }
}

/// The common fields, at the start of every record. Some configurations of the kernel add others.
pub const COMMON: &[HeaderField] = &[
    HeaderField { type_text: "unsigned short", name: "common_type", size: 2, signed: false },
    HeaderField { type_text: "unsigned char", name: "common_flags", size: 1, signed: false },
    HeaderField { type_text: "unsigned char", name: "common_preempt_count", size: 1, signed: false },
    HeaderField { type_text: "int", name: "common_pid", size: 4, signed: true },
];

/// The fields between these and the arguments of a probe, at an instruction.
pub const AT_INSTRUCTION: &[HeaderField] = &[address("__probe_ip")];

/// The same for a probe where a function returns.
pub const AT_RETURN: &[HeaderField] = &[address("__probe_func"), address("__probe_ret_ip")];

/// Returns the size of some of them.
pub const fn bytes(fields: &[HeaderField]) -> u32 {
    let mut sum = 0;
    let mut rest = fields;
    while let [first, others @ ..] = rest {
        sum += first.size;
        rest = others;
    }
    sum
}

/// Returns all of them.
pub fn all() -> impl Iterator<Item = &'static HeaderField> {
    [COMMON, AT_INSTRUCTION, AT_RETURN].into_iter().flatten()
}

/// Returns their names.
pub fn names() -> impl Iterator<Item = &'static str> {
    all().map(|field| field.name)
}
