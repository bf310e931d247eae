//! What a text needs to know of the kernel that wrote the record.

pub use crate::btf::Passed;

/// A kernel as far as a text needs it. Every method may have no answer.
pub trait Environment {
    /// Returns whether the kernel's records are little endian.
    fn is_little_endian(&self) -> bool {
        cfg!(target_endian = "little")
    }

    /// Returns the kernel's release, as in `(6, 12)`, when a text is compiled. Where it is not known, the text is that of
    /// the newest kernel.
    fn release(&self) -> Option<(u32, u32)> {
        None
    }

    /// Returns the symbol that an address lies in.
    fn symbol(&self, _address: u64) -> Option<Symbol<'_>> {
        None
    }

    /// Returns the string at an address of the kernel, without its NUL: `printk_formats` lists some.
    fn string(&self, _address: u64) -> Option<&[u8]> {
        None
    }

    /// Returns the name of a task other than the idle one: up to 15 bytes, usually UTF-8.
    fn task(&self, _pid: i32) -> Option<&[u8]> {
        None
    }

    /// Returns the value of an enumerator, when a text is compiled.
    fn enumerator(&self, _name: &str) -> Option<i128> {
        None
    }

    /// Returns the value of a variable of the kernel, or the address of a symbol (`_stext`), when a text is compiled.
    fn variable(&self, _name: &str) -> Option<u64> {
        None
    }

    /// Returns the size of a struct or union in bytes, when a text is compiled.
    fn size_of(&self, _aggregate: &str) -> Option<u32> {
        None
    }

    /// Returns a member of a struct or union, when a text is compiled.
    fn member(&self, _aggregate: &str, _name: &str) -> Option<Member> {
        None
    }

    /// Returns the parameters of a function, with their names; none if they are not known.
    fn parameters(&self, _function: &str) -> Vec<(&str, Passed)> {
        Vec::new()
    }

    /// Returns the number of ticks (`jiffies`) per second, CONFIG_HZ, when a text is compiled.
    fn ticks_per_second(&self) -> Option<u32> {
        None
    }
}

/// The environment that knows nothing.
#[derive(Clone, Copy, Debug)]
pub struct Nothing;

impl Environment for Nothing {}

/// The symbol that an address lies in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Symbol<'a> {
    /// Its name.
    pub name: &'a str,
    /// The module that it belongs to.
    pub module: Option<&'a str>,
    /// Bytes from its start to the address.
    pub offset: u64,
    /// Its size in bytes.
    pub size: u64,
}

/// An integer member of a struct or union.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Member {
    /// Bits from the start of the struct to its least significant bit.
    pub bit_offset: u32,
    /// Its width in bits: 64 at most.
    pub bits: u32,
    /// Whether it is signed.
    pub signed: bool,
    /// The number of elements where it is an array; `bits` is then the width of one.
    pub elements: Option<u32>,
}
