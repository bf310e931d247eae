//! Values of a kernel that print formats use and no file of tracefs shows, as kernels for x86-64 usually have them. A
//! reader that knows better, by the kernel's memory or type information, uses its own.

/// A value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KernelValue {
    /// The name of the variable; of a size `struct NAME`.
    pub name: &'static str,
    /// The usual value.
    pub value: u64,
    /// When it is another one.
    pub doc: &'static str,
}

/// The ticks per second.
pub const TICKS: &str = "CONFIG_HZ";

/// All of them.
pub const ALL: &[KernelValue] = &[
    KernelValue {
        name: "vmemmap_base",
        value: 0xffff_ea00_0000_0000,
        doc: "moved at boot with CONFIG_RANDOMIZE_MEMORY (arch/x86/mm/kaslr.c), and with five levels of page tables",
    },
    KernelValue { name: "struct page", value: 64, doc: "larger with some options of debugging" },
    KernelValue { name: TICKS, value: 250, doc: "chosen by the configuration: 100, 250, 300 or 1000" },
];

/// Returns the value with this name.
pub fn find(name: &str) -> Option<&'static KernelValue> {
    ALL.iter().find(|value| value.name == name)
}

/// Returns the names of all values.
pub fn names() -> impl Iterator<Item = &'static str> {
    ALL.iter().map(|value| value.name)
}
