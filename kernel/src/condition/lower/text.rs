//! Lowering of texts: equality and patterns, by the storage of the text.
//!
//! The kernel has five ways to compare text (`regex_match_full`, `_front`, `_middle`, `_end`, `_glob`), and they
//! disagree on where the text ends:
//!
//! - A **fixed array** need not end in a NUL, and bytes of an older text may follow its NUL. Equality and prefixes are
//!   exact; a part could be found behind the NUL, and a suffix is compared with the end of the field. A full glob is
//!   exact where the kernel bounds it by the field ([`Model::bounded_text`]), or there is always a NUL: in the task's
//!   name.
//! - **Dynamic** text need not have a NUL either, and its length may be 0: a probe's string that could not be read
//!   (`set_data_loc`, kernel/trace/trace_probe_kernel.h), whose location is then that of the next text. All matchers
//!   except a suffix and a bounded glob then read on to some NUL. So each test is a full glob. Where a kernel has no
//!   bounds, or the glob is too long, tests of the length are added: `~ "*"`, a suffix, is false for the length 0;
//!   `~ "ab*"`, a prefix, is false for fewer bytes than it has.
//! - Text **behind a pointer** is copied, and the copy has a NUL as its last byte: all five are exact.

use super::LowerError;
use super::error::Leaf;
use super::filter::Filter;
use super::glob;
use super::operand::{TextOperand, operand};
use crate::condition::glob::{Glob, GlobToken};
use crate::condition::ir::{Text, TextStorage, TextTest};
use crate::filter::Model;

/// Lowers a test of a text.
pub(super) fn lower(leaf: &Leaf, of: &Text, test: &TextTest, model: &Model) -> Result<Filter, LowerError> {
    let operand = operand(leaf, of, model)?;
    let ways = operand.by_quirks();
    // The form that avoids a quirk is right without the quirk as well, and may have other quotes, or be shorter.
    let mut right = ways.iter().filter(|way| way.has_quirks_of(&operand));
    if let Some(filter) = right.find_map(|way| way.asked(test).ok()) {
        return Ok(filter);
    }
    // If no kernel can express the test, the reason must not depend on this kernel.
    let elsewhere = ways.iter().any(|way| way.asked(test).is_ok());
    if elsewhere { &operand } else { &ways[0] }.asked(test)
}

impl TextOperand<'_> {
    fn asked(&self, test: &TextTest) -> Result<Filter, LowerError> {
        match test {
            TextTest::Eq(text) => self.equality(text, true),
            TextTest::Ne(text) => self.equality(text, false),
            TextTest::Glob(pattern) => self.pattern(pattern),
        }
    }

    /// Returns `operand == "text"`, or `operand != "text"`.
    fn equality(&self, text: &str, equal: bool) -> Result<Filter, LowerError> {
        self.check_room(text.len())?;
        let op = if equal { "==" } else { "!=" };
        if self.storage != TextStorage::Dynamic {
            return self.predicate(op, text);
        }
        if self.bounded {
            // A `!` in front of the pattern inverts it; a `!` in front of the comparison would also be true of a text
            // that cannot be read.
            let pattern = match (text, equal) {
                ("", true) => b"!?*".to_vec(),
                ("", false) => b"?*".to_vec(),
                (text, true) => glob::full(text.as_bytes()),
                (text, false) => [b"!".to_vec(), glob::full(text.as_bytes())].concat(),
            };
            // The characters that make it a glob may be too much for an operand.
            let glob = self.glob(pattern);
            if !matches!(glob, Err(LowerError::OperandTooLong { .. })) {
                return glob;
            }
        }
        let same = self.predicate("==", text)?;
        let filter = match text {
            "" => Filter::any(vec![same, Filter::not(self.has_length()?)]),
            _ if self.bounded => Filter::all(vec![same, self.has_length()?]),
            text => Filter::all(vec![same, self.begins_with(text)?, self.has_length()?]),
        };
        Ok(if equal { filter } else { Filter::not(filter) })
    }

    /// Returns `operand ~ pattern`.
    fn pattern(&self, pattern: &Glob) -> Result<Filter, LowerError> {
        self.check_room(pattern.shortest())?;
        if let Some(text) = pattern.literal() {
            // A pattern without wildcards is the text itself; `==` knows no special characters.
            return self.equality(&text, true);
        }
        let tokens = pattern.tokens();
        match (self.storage, tokens) {
            // What the kernel writes is always in the record.
            (TextStorage::Fixed { .. } | TextStorage::Dynamic, [GlobToken::Star]) => {
                return Ok(Filter::Const(true));
            }
            // Behind a pointer even `*` is a test: it is true if the text could be read.
            (_, [GlobToken::Star]) => return self.predicate("~", "*"),
            (TextStorage::Dynamic, [prefix @ .., GlobToken::Star]) if !self.bounded => {
                if let Some(prefix) = glob::text(prefix) {
                    return Ok(Filter::all(vec![self.begins_with(&prefix)?, self.has_length()?]));
                }
            }
            _ => {}
        }
        glob::lower(self, tokens)
    }

    /// Returns the test that an unbounded dynamic text has at least the length of `text`, and begins with it.
    fn begins_with(&self, text: &str) -> Result<Filter, LowerError> {
        // These characters make a pattern something else than a prefix (`filter_parse_regex`).
        let first = text.as_bytes().first();
        let front = first.is_some_and(|byte| !byte.is_ascii_digit() && *byte != b'!');
        if !front || text.contains(['*', '?', '[', '\\']) {
            return Err(self.unbounded());
        }
        self.predicate("~", &format!("{text}*"))
    }

    /// Returns the test that the length of a dynamic text is not 0.
    fn has_length(&self) -> Result<Filter, LowerError> {
        self.predicate("~", "*")
    }
}
