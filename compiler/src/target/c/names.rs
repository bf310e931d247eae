//! The names of a header.

use tracec_kernel::tables::c_words::{self, Why};

use crate::decoder::{Decoder, Identifiers, identifier};

/// The names of a header's file scope.
pub(super) struct Names {
    taken: Identifiers,
    /// The beginning of the names of each table.
    pub(super) tables: Vec<String>,
    /// The name of each record's struct, and the beginning of the names of its functions.
    pub(super) records: Vec<String>,
}

impl Names {
    /// Returns the names of a decoder's tables and records.
    pub(super) fn of(decoder: &Decoder<'_>) -> Names {
        let mut taken = Identifiers::default();
        let mut table = |table: &crate::decoder::Table| {
            let is_declared = table.entries.iter().any(|entry| entry.constant.is_some());
            let before = if is_declared { format!("{}_", decoder.stem) } else { String::new() };
            taken.take(identifier(&format!("{before}{}", table.name)))
        };
        let tables = decoder.tables.iter().map(&mut table).collect();
        let record = |record: &crate::decoder::Record<'_>| {
            taken.take(identifier(&format!("{}_{}", record.format.system, record.format.name)))
        };
        let records = decoder.records.iter().map(record).collect();
        Names { taken, tables, records }
    }

    /// Returns a name for something of the file scope.
    pub(super) fn take(&mut self, wanted: &str) -> String {
        self.taken.take(identifier(wanted))
    }
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

/// Returns the name of a member of a struct.
pub(super) fn member(name: &str, taken: &mut Identifiers) -> String {
    let name = identifier(name);
    let is_word = c_words::find(&name).is_some_and(|word| word.why != Why::Local);
    // Names with two underscores in front belong to the compiler, whose macros are among them.
    let is_reserved = is_word || WORDS.contains(&name.as_str());
    taken.take(if is_reserved { format!("{name}_") } else { name })
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
        for (name, expected) in names.into_iter().chain([("type", "type"), ("entry", "entry")]) {
            assert_eq!(member(name, &mut Identifiers::default()), expected);
        }
    }
}
