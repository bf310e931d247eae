//! A reader of generated `.trc` files, line by line: the tests check the text that ships, independently of the writer.

use anyhow::{Context, Result, bail};

/// The content of a generated file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct File {
    /// The text of its `//!` lines.
    pub(super) head: String,
    /// Its constants, both members and `const`s.
    pub(super) constants: Vec<(String, i128)>,
}

/// Reads a file.
pub(super) fn read(text: &str) -> Result<File> {
    let mut file = File::default();
    for (number, line) in text.lines().enumerate() {
        let place = || format!("line {}: {line}", number + 1);
        if let Some(words) = line.strip_prefix("//!") {
            file.head.push_str(words);
        } else if let Some(constant) = constant(line).with_context(place)? {
            file.constants.push(constant);
        }
    }
    Ok(file)
}

impl File {
    /// Returns the package and version it was read from, or the kernel whose formats have the values.
    pub(super) fn source(&self) -> Result<&str> {
        let behind = self.head.split("Source: ").nth(1);
        let behind = behind.map(|source| source.strip_prefix("Debian package ").unwrap_or(source));
        let source = behind.and_then(|rest| rest.split_once(": ")).map(|(source, _)| source);
        source.context("no line says the source")
    }
}

/// Returns the name and value on a line; `None` for a line without a constant.
fn constant(line: &str) -> Result<Option<(String, i128)>> {
    let line = line.trim_start();
    let opens = (line.starts_with("enum ") || line.starts_with("flags ")) && line.ends_with('{');
    if line.is_empty() || line.starts_with("///") || line == "}" || opens {
        return Ok(None);
    }
    let (left, right) = line.split_once(" = ").context("not a line of a generated file")?;
    let (name, end) = match left.strip_prefix("const ") {
        Some(typed) => (typed.split_once(": ").context("a constant without type")?.0, ';'),
        // Members of a set are aligned.
        None => (left.trim_end(), ','),
    };
    let value = right.strip_suffix(end).with_context(|| format!("no `{end}` at the end"))?;
    Ok(Some((name.to_owned(), number(value)?)))
}

fn number(text: &str) -> Result<i128> {
    let parsed = match (text.get(..2), text.get(2..)) {
        (Some("0x"), Some(digits)) => i128::from_str_radix(digits, 16),
        (Some("0o"), Some(digits)) => i128::from_str_radix(digits, 8),
        _ => text.parse(),
    };
    match parsed {
        Ok(value) => Ok(value),
        Err(error) => bail!("{text} is not a number: {error}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_form_of_a_constant_is_read() {
        let text = "//! About.\n//! Source: Debian package linux-source-6.12 6.12.1-1~deb12u1:\n//! <asm/errno.h>.\n\n\
            /// E = 1\nenum E: s32 {\n    A = -1,\n    /// 0\n    B = 0x1f,\n}\n\nconst C: u32 = 0o17;\n";
        let file = read(text).unwrap();
        assert_eq!(file.constants, [("A".to_owned(), -1), ("B".to_owned(), 31), ("C".to_owned(), 15)]);
        assert_eq!(file.source().unwrap(), "linux-source-6.12 6.12.1-1~deb12u1");
    }

    #[test]
    fn other_lines_are_refused() {
        for line in ["session x {}", "A = 1", "A = x,", "const A = 1;", "const A: u32 = 1,", "flags"] {
            assert!(read(line).is_err(), "{line}");
        }
        assert!(read("//! nothing\n").unwrap().source().is_err());
    }
}
