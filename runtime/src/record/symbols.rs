//! The functions at kernel addresses, from the text of `/proc/kallsyms` (kernel/kallsyms.c).

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
}

impl Symbols {
    /// Reads the text of `/proc/kallsyms`: one `ADDRESS TYPE NAME [MODULE]` per line. Malformed lines are skipped, and
    /// so are hidden addresses (`kptr_restrict` shows them as 0).
    pub(crate) fn parse(text: &str) -> Self {
        let mut symbols = Symbols::default();
        text.lines().for_each(|line| symbols.push(line));
        symbols.symbols.sort_by_key(|symbol| symbol.address);
        symbols
    }

    /// Returns the frame of an address.
    pub(crate) fn frame(&self, address: u64) -> Frame<'_> {
        Frame { address, symbol: self.find(address) }
    }

    /// Returns the symbol that an address lies in, of code or of data, as `kallsyms_lookup` does (kernel/kallsyms.c): of
    /// several at an address the first, which ends where the next address begins.
    pub(crate) fn symbol(&self, address: u64) -> Option<Symbol<'_>> {
        let behind = self.symbols.partition_point(|symbol| symbol.address <= address);
        let start = self.symbols.get(behind.checked_sub(1)?)?.address;
        let first = self.symbols.partition_point(|symbol| symbol.address < start);
        // Behind the last symbol there is no end, and no kernel.
        let end = self.symbols.get(behind)?.address;
        let (name, module) = self.name(self.symbols.get(first)?)?;
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

    fn push(&mut self, line: &str) {
        let mut words = line.split_ascii_whitespace();
        let (Some(address), Some(kind), Some(name)) = (words.next(), words.next(), words.next()) else {
            return;
        };
        let Ok(address) = u64::from_str_radix(address, 16) else { return };
        if address == 0 || matches!(kind, "A" | "a") {
            return;
        }
        let start = self.names.len();
        self.names.push_str(name);
        if let Some(module) = words.next() {
            self.names.push(' ');
            self.names.push_str(module);
        }
        let (Ok(start), Ok(end)) = (u32::try_from(start), u32::try_from(self.names.len())) else { return };
        let is_code = matches!(kind, "T" | "t" | "W" | "w");
        self.symbols.push(KernelSymbol { address, name: (start, end), is_code });
    }
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
    fn hidden_address_is_not_a_symbol() {
        let hidden = "0000000000000000 T _text\n0000000000000000 t inner\n";
        assert_eq!(Symbols::parse(hidden).frame(0x5000).to_string(), "0x5000");
    }
}
