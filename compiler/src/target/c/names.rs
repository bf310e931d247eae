//! The names of a header.

use std::collections::BTreeSet;

use tracec_kernel::tables::c_words;

use crate::decoder::{Decoder, Identifiers, identifier};

/// The names of a header's file scope.
pub(super) struct Names {
    taken: Identifiers,
    /// The macros of the file, which are replaced in any scope.
    macros: BTreeSet<String>,
    /// The beginning of the names of each table.
    pub(super) tables: Vec<String>,
    /// The name of each record's struct, and the beginning of the names of its functions.
    pub(super) records: Vec<String>,
}

impl Names {
    /// Returns the names of a decoder's tables and records.
    pub(super) fn of(decoder: &Decoder<'_>) -> Names {
        let mut taken = Identifiers::default();
        super::words(super::PRELUDE)
            .filter(|word| word.starts_with("tracec_"))
            .for_each(|word| taken.reserve(word));
        let mut table = |table: &crate::decoder::Table| {
            let is_declared = table.entries.iter().any(|entry| entry.constant.is_some());
            let before = if is_declared { format!("{}_", decoder.stem) } else { String::new() };
            taken.take(free(&format!("{before}{}", table.name)))
        };
        let tables = decoder.tables.iter().map(&mut table).collect();
        let record = |record: &crate::decoder::Record<'_>| {
            taken.take(free(&format!("{}_{}", record.format.system, record.format.name)))
        };
        let records = decoder.records.iter().map(record).collect();
        Names { taken, macros: BTreeSet::new(), tables, records }
    }

    /// Returns a name for a macro.
    pub(super) fn take_macro(&mut self, wanted: &str) -> String {
        let name = self.take(wanted);
        self.macros.insert(name.clone());
        name
    }

    /// Returns the name of a member of a struct.
    pub(super) fn member(&self, name: &str, taken: &mut Identifiers) -> String {
        let name = free(name);
        taken.take(if self.macros.contains(&name) { format!("{name}_") } else { name })
    }

    /// Returns a name for something of the file scope.
    pub(super) fn take(&mut self, wanted: &str) -> String {
        self.taken.take(free(wanted))
    }
}

/// Returns a name as an identifier that is not one of the language or of the headers that are included.
fn free(name: &str) -> String {
    let name = identifier(name);
    if is_reserved(&name) { format!("{name}_") } else { name }
}

/// Words beside those of the kernel's C that cannot name a member: of C11 and C23, of headers that are included, and
/// macros that a compiler predefines.
const WORDS: &[&str] = &[
    "alignas",
    "alignof",
    "assert",
    "bool",
    "constexpr",
    "errno",
    "false",
    "i386",
    "noreturn",
    "nullptr",
    "static_assert",
    "stderr",
    "stdin",
    "stdout",
    "thread_local",
    "true",
    "typeof_unqual",
    "_Alignas",
    "_Atomic",
    "_BitInt",
    "_Complex",
    "_Decimal128",
    "_Decimal32",
    "_Decimal64",
    "_Imaginary",
    "_Noreturn",
    "_Thread_local",
];

/// The ends of the macros of <stdint.h>, whose names are of capitals: `SIZE_MAX`.
const ENDS: &[&str] = &["_MAX", "_MIN", "_WIDTH", "_C"];

/// Returns whether a name cannot be one of a member: it is a word of the language, or a macro where the header is read.
fn is_reserved(name: &str) -> bool {
    let has_capital = name.chars().any(|c| c.is_ascii_uppercase());
    let has_small = name.chars().any(|c| c.is_ascii_lowercase());
    // Names with two underscores in front belong to the compiler, whose macros are among them: `__linux__`, `__CHAR_BIT__`.
    let is_predefined = name.starts_with("__") && (name.ends_with("__") || has_capital);
    let is_limit = !has_small && ENDS.iter().any(|end| name.ends_with(end));
    is_predefined || is_limit || c_words::find(name).is_some() || WORDS.contains(&name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_c_are_escaped() {
        let names = [
            ("pid", "pid"),
            ("default", "default_"),
            ("errno", "errno_"),
            ("linux", "linux_"),
            ("9p", "n9p"),
        ];
        let more = [
            ("type", "type"),
            ("entry", "entry"),
            ("__probe_ip", "__probe_ip"),
            ("__linux__", "__linux___"),
            ("SIZE_MAX", "SIZE_MAX_"),
            ("s_e_A", "s_e_A_"),
        ];
        let macros = BTreeSet::from(["s_e_A".to_owned()]);
        let file = Names { taken: Identifiers::default(), macros, tables: Vec::new(), records: Vec::new() };
        for (name, expected) in names.into_iter().chain(more) {
            assert_eq!(file.member(name, &mut Identifiers::default()), expected);
        }
        let mut file = file;
        assert_eq!(file.take("INT8_MAX"), "INT8_MAX_");
        assert_eq!(file.take("INT8_MAX"), "INT8_MAX__2");
        assert_eq!(file.take("storage_MAX"), "storage_MAX");
    }
}
