//! The kernels that are shipped with tracec: profiles below `profiles/`, saved by `cargo xtask profiles`.

/// A profile that is part of this program.
#[derive(Clone, Copy, Debug)]
pub struct Shipped {
    /// The name for `--kernel`.
    pub name: &'static str,
    /// The profile.
    pub bytes: &'static [u8],
}

/// All shipped profiles, the oldest kernel first.
pub const ALL: &[Shipped] = &[
    Shipped { name: "6.1", bytes: include_bytes!("../../profiles/6.1.trcprof") },
    Shipped { name: "6.12", bytes: include_bytes!("../../profiles/6.12.trcprof") },
    Shipped { name: "6.18", bytes: include_bytes!("../../profiles/6.18.trcprof") },
];

/// Finds a shipped kernel by name.
pub fn find(name: &str) -> Option<&'static Shipped> {
    ALL.iter().find(|shipped| shipped.name == name)
}

/// Returns the newest shipped kernel.
pub fn newest() -> Option<&'static Shipped> {
    ALL.last()
}
