//! The extensions of `%p`: `pointer` in lib/vsprintf.c, Documentation/core-api/printk-formats.rst.
//!
//! All letters and digits after `%p` belong to it, known or not: `vsnprintf` skips them. So `%pMpmk` is `%pM`, and
//! `%pz` is a plain `%p`.

/// The part of the argument that is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operand {
    /// The address itself, or its symbol.
    Address,
    /// The data at the address. A trace event may use such a format only on its own record (`test_event_printk` in
    /// kernel/trace/trace_events.c).
    Memory,
}

/// An extension of `%p`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PointerFormat {
    /// The letters after `%p`.
    pub letters: &'static str,
    /// The letters that may follow as options.
    pub options: &'static str,
    /// The part of the argument that is printed.
    pub operand: Operand,
    /// A description, one line.
    pub doc: &'static str,
}

/// All extensions up to Linux 6.18, and `%ptS`, which is newer. Where two match, the longer one is used.
///
/// Kernels differ: 6.1 and 6.12 print for `%pra` the same as for `%pr`, and `(%p4?)` for the generic FourCC codes.
/// `pointer` has `%pra` from 6.13 (`resource_or_range`; it does not take `R` for a range), `%p4ch`, `%p4chR`, `%p4cl`
/// and `%p4cb` from 6.16 (`fourcc_string`; 6.15 called `%p4chR` `%p4cn`), `%ptS` after 6.18 (`time_and_date`).
pub const ALL: &[PointerFormat] = &[
    address("S", "Rb", "symbol with offset"),
    address("s", "Rb", "symbol without offset"),
    address("B", "b", "symbol of a return address, with offset"),
    memory("R", "", "struct resource, decoded"),
    memory("r", "", "struct resource, raw"),
    memory("ra", "", "struct range"),
    memory("h", "CDN", "bytes in hexadecimal; the field width is their number, 64 at most"),
    memory("b", "", "bitmap in hexadecimal; the field width is the number of bits"),
    memory("bl", "", "bitmap as list of ranges; the field width is the number of bits"),
    memory("M", "FR", "MAC address, 00:01:02:03:04:05"),
    memory("m", "FR", "MAC address without separators"),
    memory("I4", "hnbl", "IPv4 address, 1.2.3.4"),
    memory("I6", "c", "IPv6 address with colons"),
    memory("IS", "pfschnbl", "struct sockaddr of either family"),
    memory("i4", "hnbl", "IPv4 address with leading zeroes, 001.002.003.004"),
    memory("i6", "c", "IPv6 address without colons"),
    memory("iS", "pfschnbl", "struct sockaddr of either family, addresses as by %pi4 and %pi6"),
    memory("E", "achnops", "escaped text; the field width is its length"),
    memory("U", "bBlL", "UUID"),
    memory("V", "", "struct va_format: a format with its arguments"),
    address("K", "", "address that kptr_restrict hides"),
    memory("NF", "", "netdev_features_t"),
    memory("4cc", "", "FourCC code of V4L2 or DRM"),
    memory("4ch", "R", "FourCC code in the machine's byte order; with R, in the other"),
    memory("4cl", "", "FourCC code, little endian"),
    memory("4cb", "", "FourCC code, big endian"),
    memory("a", "", "phys_addr_t by reference"),
    memory("ap", "", "phys_addr_t by reference"),
    memory("ad", "", "dma_addr_t by reference"),
    memory("d", "234", "name of a dentry, with that many components"),
    memory("D", "234", "name of a struct file's dentry, with that many components"),
    memory("g", "", "name of a block device"),
    memory("tR", "dtrs", "struct rtc_time"),
    memory("tS", "pdtrs", "struct timespec64; with p, as seconds.nanoseconds"),
    memory("tT", "dtrs", "time64_t by reference"),
    memory("C", "n", "name of a struct clk"),
    memory("Gp", "", "page flags by reference"),
    memory("Gg", "", "GFP flags by reference"),
    memory("Gv", "", "flags of a mapping by reference"),
    memory("Gt", "", "page type by reference"),
    memory("OF", "fnpPcCF", "node of the device tree"),
    memory("fw", "fP", "struct fwnode_handle"),
    memory("A", "", "arguments of Rust's formatting"),
    address("x", "", "address as it is"),
    address("e", "", "name of an error that the pointer holds"),
    memory("ks", "", "text in the kernel's memory"),
    memory("us", "", "text in a process's memory"),
];

const fn address(letters: &'static str, options: &'static str, doc: &'static str) -> PointerFormat {
    PointerFormat { letters, options, operand: Operand::Address, doc }
}

const fn memory(letters: &'static str, options: &'static str, doc: &'static str) -> PointerFormat {
    PointerFormat { letters, options, operand: Operand::Memory, doc }
}

/// Returns the extension with exactly these letters, without options.
pub fn find(letters: &str) -> Option<&'static PointerFormat> {
    ALL.iter().find(|format| format.letters == letters)
}

/// Returns the extension that `pointer` recognises in the letters and digits after `%p`; `None` for a plain `%p`.
pub fn of_suffix(suffix: &str) -> Option<&'static PointerFormat> {
    ALL.iter().filter(|format| suffix.starts_with(format.letters)).max_by_key(|format| format.letters.len())
}

/// Returns the letters of all of them.
pub fn names() -> impl Iterator<Item = &'static str> {
    ALL.iter().map(|format| format.letters)
}

#[cfg(test)]
mod tests {
    use super::{find, of_suffix};

    #[test]
    fn the_longest_extension_counts() {
        for (suffix, letters) in [
            ("S", "S"),
            ("SR", "S"),
            ("bl", "bl"),
            ("b", "b"),
            ("ad", "ad"),
            ("I6c", "I6"),
            ("ISpsfc", "IS"),
            ("Mpmk", "M"),
            ("hD", "h"),
            ("ra", "ra"),
            ("r", "r"),
            // `resource_or_range` accepts the `a` only after `r`.
            ("Ra", "R"),
            ("4cc", "4cc"),
            ("4chR", "4ch"),
            ("4cl", "4cl"),
            ("tSp", "tS"),
        ] {
            assert_eq!(of_suffix(suffix), find(letters), "{suffix}");
            assert!(find(letters).is_some());
        }
        assert_eq!(of_suffix(""), None);
        assert_eq!(of_suffix("z"), None);
    }
}
