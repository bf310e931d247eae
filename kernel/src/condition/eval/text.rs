//! Texts: where they are, how far they go, what is asked of them.

use crate::condition::context::Context;
use crate::condition::ir::{Text, TextTest};
use crate::format::FieldKind;
use crate::record::{Record, until_nul};
use crate::tables::limits::{POINTED_TEXT_BYTES, TASK_COMM_LEN};

use super::integer::IntAt;

/// Where a text is found.
#[derive(Clone, Copy, Debug)]
pub(super) enum TextAt {
    /// In the fixed part of the record.
    Fixed { offset: u32, size: u32 },
    /// Where a location word says.
    Located { word: u32, relative: bool },
    /// In the kernel's memory, at this address.
    Kernel(IntAt),
    /// In the task's memory, at this address.
    User(IntAt),
    /// The task's name.
    Comm,
}

impl TextAt {
    /// `None` if a field is none of text, or holds no address where one is asked for.
    pub(super) fn of(text: &Text) -> Option<TextAt> {
        match text {
            Text::Comm => Some(TextAt::Comm),
            Text::User(field) => IntAt::address(field).map(TextAt::User),
            Text::Field(field) => match field.kind {
                FieldKind::CharArray => Some(TextAt::Fixed { offset: field.offset, size: field.size }),
                FieldKind::DynString | FieldKind::RelString => {
                    Some(TextAt::Located { word: field.offset, relative: field.kind.is_relative() })
                }
                FieldKind::CharPtr => IntAt::address(field).map(TextAt::Kernel),
                _ => None,
            },
        }
    }

    /// The text without its NUL; `None` if it cannot be had.
    pub(super) fn read<'a>(self, record: &Record<'a>, context: &'a dyn Context) -> Option<&'a [u8]> {
        let bytes = match self {
            TextAt::Fixed { offset, size } => record.fixed_at(offset, size)?,
            TextAt::Located { word, relative } => record.located_at(word, relative)?,
            TextAt::Kernel(at) => cut(context.kernel_text(at.word(record)?)?, POINTED_TEXT_BYTES - 1),
            TextAt::User(at) => cut(context.user_text(at.word(record)?)?, POINTED_TEXT_BYTES - 1),
            TextAt::Comm => cut(context.comm()?, TASK_COMM_LEN - 1),
        };
        Some(until_nul(bytes))
    }
}

fn cut(bytes: &[u8], longest: usize) -> &[u8] {
    bytes.get(..longest).unwrap_or(bytes)
}

/// Whether a text passes a test.
pub(super) fn holds(test: &TextTest, text: &[u8]) -> bool {
    match test {
        TextTest::Eq(other) => text == other.as_bytes(),
        TextTest::Ne(other) => text != other.as_bytes(),
        TextTest::Glob(pattern) => pattern.matches(text),
    }
}
