//! Values that print formats use, and that only the running kernel knows: no record and no file of tracefs holds them.

/// A value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KernelValue {
    /// The name of the variable; of the size of a struct `struct NAME`, of an option its name.
    pub name: &'static str,
    /// What it depends on.
    pub doc: &'static str,
}

/// The ticks per second.
pub const TICKS: &str = "CONFIG_HZ";

/// All of them.
pub const ALL: &[KernelValue] = &[
    KernelValue { name: "vmemmap_base", doc: "chosen at boot (arch/x86/mm/kaslr.c)" },
    KernelValue { name: "struct page", doc: "depends on the configuration; 64 bytes on most machines" },
    KernelValue { name: TICKS, doc: "the configuration: 100, 250, 300 or 1000" },
    KernelValue {
        name: "jiffies",
        doc: "the time at which the text is read (include/trace/events/writeback.h)",
    },
    KernelValue { name: "_stext", doc: "the address of the kernel's code, chosen at boot" },
];

/// Returns the value with this name.
pub fn find(name: &str) -> Option<&'static KernelValue> {
    ALL.iter().find(|value| value.name == name)
}

/// Returns the names of all values.
pub fn names() -> impl Iterator<Item = &'static str> {
    ALL.iter().map(|value| value.name)
}
