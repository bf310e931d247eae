//! The helpers of TP_printk that stay as calls in a `print fmt`: include/trace/stages/stage7_class_define.h removes
//! their definitions, include/trace/stages/stage3_trace_output.h says what they print.
//!
//! `__print_ns_to_secs` and `__print_ns_without_secs` are not among them: a `print fmt` holds their expansions.

/// The result of a helper.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HelperResult {
    /// The name of the first entry with the value, else the value in hexadecimal.
    Symbolic,
    /// The names of the entries whose bits are all set, and the rest in hexadecimal.
    Flags,
    /// The string of a dynamic field.
    Str,
    /// The address of a dynamic field's bytes.
    DynamicArray,
    /// The number of a dynamic field's bytes.
    DynamicArrayLen,
    /// A dynamic field as bitmap.
    Bitmask,
    /// A dynamic field as set of CPUs, printed like a bitmap.
    Cpumask,
    /// The address of a dynamic field's `struct sockaddr`.
    Sockaddr,
    /// A dynamic field as stack trace (synthetic events: `__set_synth_event_print_fmt` in
    /// kernel/trace/trace_events_synth.c).
    Stacktrace,
    /// The integers of a dynamic field.
    PrintDynamicArray,
    /// Bytes as `aa bb`.
    Hex,
    /// Bytes as `aabb`.
    HexStr,
    /// Bytes as lines with a prefix.
    HexDump,
    /// Integers as `{0x1,0x2}`.
    Array,
    /// Scratch memory in the output.
    Buf,
    /// Whether the event happened in a hard interrupt.
    InHardirq,
    /// Whether the event happened in a soft interrupt.
    InSoftirq,
    /// Whether the event happened in any interrupt.
    InIrq,
}

/// The arguments of a helper.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arguments {
    /// A value, and entries `{ value, "name" }`.
    Symbols,
    /// A value, the delimiter, and entries `{ mask, "name" }`.
    Flags,
    /// The name of a dynamic field. Probe events have arrays of them: `__get_str(argv[0])`.
    Field,
    /// The name of a dynamic field, and expressions.
    FieldAnd(usize),
    /// Expressions.
    Values(usize),
}

/// A helper.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PrintHelper {
    /// Its name.
    pub name: &'static str,
    /// Its result.
    pub result: HelperResult,
    /// Whether its field is a `__rel_loc` one.
    pub relative: bool,
    /// Its arguments.
    pub arguments: Arguments,
}

/// All helpers. Those with `_u64` are separate functions on 32-bit kernels only.
pub const ALL: &[PrintHelper] = &[
    print("__print_symbolic", HelperResult::Symbolic, Arguments::Symbols),
    print("__print_symbolic_u64", HelperResult::Symbolic, Arguments::Symbols),
    print("__print_flags", HelperResult::Flags, Arguments::Flags),
    print("__print_flags_u64", HelperResult::Flags, Arguments::Flags),
    get("__get_str", HelperResult::Str),
    get("__get_dynamic_array", HelperResult::DynamicArray),
    get("__get_dynamic_array_len", HelperResult::DynamicArrayLen),
    get("__get_bitmask", HelperResult::Bitmask),
    get("__get_cpumask", HelperResult::Cpumask),
    get("__get_sockaddr", HelperResult::Sockaddr),
    get("__get_stacktrace", HelperResult::Stacktrace),
    get_relative("__get_rel_str", HelperResult::Str),
    get_relative("__get_rel_dynamic_array", HelperResult::DynamicArray),
    get_relative("__get_rel_dynamic_array_len", HelperResult::DynamicArrayLen),
    get_relative("__get_rel_bitmask", HelperResult::Bitmask),
    get_relative("__get_rel_cpumask", HelperResult::Cpumask),
    get_relative("__get_rel_sockaddr", HelperResult::Sockaddr),
    print("__print_dynamic_array", HelperResult::PrintDynamicArray, Arguments::FieldAnd(1)),
    print("__print_hex", HelperResult::Hex, Arguments::Values(2)),
    print("__print_hex_str", HelperResult::HexStr, Arguments::Values(2)),
    print("__print_hex_dump", HelperResult::HexDump, Arguments::Values(7)),
    print("__print_array", HelperResult::Array, Arguments::Values(3)),
    print("__get_buf", HelperResult::Buf, Arguments::Values(1)),
    print("__event_in_hardirq", HelperResult::InHardirq, Arguments::Values(0)),
    print("__event_in_softirq", HelperResult::InSoftirq, Arguments::Values(0)),
    print("__event_in_irq", HelperResult::InIrq, Arguments::Values(0)),
];

const fn print(name: &'static str, result: HelperResult, arguments: Arguments) -> PrintHelper {
    PrintHelper { name, result, relative: false, arguments }
}

const fn get(name: &'static str, result: HelperResult) -> PrintHelper {
    PrintHelper { name, result, relative: false, arguments: Arguments::Field }
}

const fn get_relative(name: &'static str, result: HelperResult) -> PrintHelper {
    PrintHelper { name, result, relative: true, arguments: Arguments::Field }
}

/// Returns the helper with this name.
pub fn find(name: &str) -> Option<&'static PrintHelper> {
    ALL.iter().find(|helper| helper.name == name)
}

/// Returns the names of all helpers.
pub fn names() -> impl Iterator<Item = &'static str> {
    ALL.iter().map(|helper| helper.name)
}
