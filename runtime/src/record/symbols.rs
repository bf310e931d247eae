//! The functions at kernel addresses, from the text of `/proc/kallsyms` (kernel/kallsyms.c).

use std::ops::Range;

use tracec_kernel::text::Symbol;

use crate::sink::Frame;

#[derive(Debug)]
struct KernelSymbol {
    address: u64,
    /// The span of its name in the text.
    name: (u32, u32),
    is_code: bool,
}

/// A kernel's symbols, sorted by address.
#[derive(Debug, Default)]
pub(crate) struct Symbols {
    names: String,
    symbols: Vec<KernelSymbol>,
    /// Where the kernel's own code is, if it has names for code only.
    only_code: Option<[Range<u64>; 2]>,
}

impl Symbols {
    /// Reads the text of `/proc/kallsyms`: one `ADDRESS TYPE NAME [MODULE]` per line. Malformed lines are skipped, and
    /// so are hidden addresses (`kptr_restrict` shows them as 0).
    pub(crate) fn parse(text: &str) -> Self {
        let mut symbols = Symbols::default();
        let mut has_data = false;
        for line in text.lines() {
            has_data |= symbols.push(line).is_some_and(is_local_data);
        }
        symbols.symbols.sort_by_key(|symbol| symbol.address);
        if !has_data {
            symbols.only_code = symbols.code();
        }
        symbols
    }

    /// Returns where the kernel's own code is: that which stays, and that of its start (`is_kernel_text` and
    /// `is_kernel_inittext`, include/asm-generic/sections.h).
    fn code(&self) -> Option<[Range<u64>; 2]> {
        let range = |start, end| Some(self.address(start)?..self.address(end)?);
        Some([range("_stext", "_etext")?, range("_sinittext", "_einittext")?])
    }

    /// Returns the frame of an address.
    pub(crate) fn frame(&self, address: u64) -> Frame<'_> {
        Frame { address, symbol: self.find(address) }
    }

    /// Returns the symbol that an address lies in, of code or of data, as `kallsyms_lookup` does (kernel/kallsyms.c): of
    /// several at an address the first, which ends where the next address begins. A kernel that has names for code only
    /// looks up no others (`is_ksym_addr`, include/linux/kallsyms.h), though it lists the marks of some sections.
    pub(crate) fn symbol(&self, address: u64) -> Option<Symbol<'_>> {
        let behind = self.symbols.partition_point(|symbol| symbol.address <= address);
        let start = self.symbols.get(behind.checked_sub(1)?)?.address;
        let first = self.symbols.partition_point(|symbol| symbol.address < start);
        // Behind the last symbol there is no end, and no kernel.
        let end = self.symbols.get(behind)?.address;
        let (name, module) = self.name(self.symbols.get(first)?)?;
        if let Some(code) = &self.only_code
            && module.is_none()
            && !code.iter().any(|range| range.contains(&address))
        {
            return None;
        }
        Some(Symbol { name, module, offset: address - start, size: end - start })
    }

    /// Returns the address of a symbol of the kernel itself.
    pub(crate) fn address(&self, name: &str) -> Option<u64> {
        self.symbols
            .iter()
            .find(|symbol| self.name(symbol) == Some((name, None)))
            .map(|symbol| symbol.address)
    }

    /// Returns the name of a symbol and of its module.
    fn name(&self, symbol: &KernelSymbol) -> Option<(&str, Option<&str>)> {
        let name = self.names.get(symbol.name.0 as usize..symbol.name.1 as usize)?;
        Some(match name.split_once(" [") {
            Some((name, module)) => (name, Some(module.trim_end_matches(']'))),
            None => (name, None),
        })
    }

    fn find(&self, address: u64) -> Option<(&str, u64)> {
        let behind = self.symbols.partition_point(|symbol| symbol.address <= address);
        let nearest = self.symbols.get(behind.checked_sub(1)?)?;
        // Several symbols may share an address; the first one in code is used.
        let first = self.symbols.partition_point(|symbol| symbol.address < nearest.address);
        let symbol = self.symbols.get(first..behind)?.iter().find(|symbol| symbol.is_code)?;
        let name = self.names.get(symbol.name.0 as usize..symbol.name.1 as usize)?;
        Some((name, address - symbol.address))
    }

    /// Adds the symbol of a line, and returns its kind if it is the kernel's own.
    fn push<'t>(&mut self, line: &'t str) -> Option<&'t str> {
        let mut words = line.split_ascii_whitespace();
        let (address, kind, name) = (words.next()?, words.next()?, words.next()?);
        let address = u64::from_str_radix(address, 16).ok()?;
        if address == 0 || matches!(kind, "A" | "a") {
            return None;
        }
        let module = words.next();
        let start = self.names.len();
        self.names.push_str(name);
        if let Some(module) = module {
            self.names.push(' ');
            self.names.push_str(module);
        }
        let (start, end) = (u32::try_from(start).ok()?, u32::try_from(self.names.len()).ok()?);
        let is_code = matches!(kind, "T" | "t" | "W" | "w");
        self.symbols.push(KernelSymbol { address, name: (start, end), is_code });
        module.is_none().then_some(kind)
    }
}

/// Returns whether a kind of symbol is data of one file, which kernels list that have names for data
/// (CONFIG_KALLSYMS_ALL).
fn is_local_data(kind: &str) -> bool {
    matches!(kind, "b" | "d" | "r")
}

#[cfg(test)]
mod tests {
    use super::*;

    const KALLSYMS: &str = "0000000000000000 A fixed_percpu_data\n\
        ffffffff81000200 t inner\n\
        ffffffff81000000 D data_alias\n\
        ffffffff81000000 T _text\n\
        ffffffff82000000 D some_data\n\
        ffffffffc0201000 t module_init\t[dummy]\n\
        nonsense\nzz T bad\n";

    fn shown(address: u64) -> String {
        Symbols::parse(KALLSYMS).frame(address).to_string()
    }

    #[test]
    fn address_becomes_symbol_and_offset() {
        assert_eq!(shown(0xffff_ffff_8100_0000), "_text+0x0");
        assert_eq!(shown(0xffff_ffff_8100_01ff), "_text+0x1ff");
        assert_eq!(shown(0xffff_ffff_8100_0210), "inner+0x10");
        assert_eq!(shown(0xffff_ffff_c020_1004), "module_init [dummy]+0x4");
    }

    #[test]
    fn address_outside_of_code_stays_a_number() {
        assert_eq!(shown(0x10), "0x10");
        assert_eq!(shown(0xffff_ffff_8200_0004), "0xffffffff82000004");
    }

    #[test]
    fn kernel_without_names_for_data_looks_up_code_only() {
        let code = "ffffffff81000000 T _stext\nffffffff81000800 t work\nffffffff81001000 T _etext\n\
            ffffffff82000000 D __start_rodata\nffffffff83000000 T _sinittext\nffffffff83000010 t start\n\
            ffffffff83000100 T _einittext\nffffffff84000000 B _end\nffffffffc0000000 d table\t[mod]\n\
            ffffffffc0001000 d next\t[mod]\n";
        let name = |text: &str, address| {
            Symbols::parse(text).symbol(address).map(|symbol| symbol.name.to_owned()).unwrap_or_default()
        };
        for (address, expected) in [
            (0xffff_ffff_8100_0808, "work"),
            (0xffff_ffff_8300_0020, "start"),
            (0xffff_ffff_8200_0100, ""),
            (0xffff_ffff_8100_1000, ""),
            (0xffff_ffff_c000_0008, "table"),
        ] {
            assert_eq!(name(code, address), expected, "{address:#x}");
        }
        let data = format!("{code}ffffffff82000080 d table\n");
        assert_eq!(name(&data, 0xffff_ffff_8200_0100), "table");
        assert_eq!(name(&data, 0xffff_ffff_8100_1000), "_etext");
    }

    #[test]
    fn hidden_address_is_not_a_symbol() {
        let hidden = "0000000000000000 T _text\n0000000000000000 t inner\n";
        assert_eq!(Symbols::parse(hidden).frame(0x5000).to_string(), "0x5000");
    }
}
