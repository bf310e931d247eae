//! Texts: their locations in records, their lengths, and tests of them.

use crate::condition::context::Context;
use crate::condition::glob::GlobToken;
use crate::condition::ir::{Text, TextTest};
use crate::format::FieldKind;
use crate::record::{Record, until_nul};
use crate::tables::limits::{POINTED_TEXT_BYTES, TASK_COMM_LEN};

use super::integer::IntAt;

/// The location of a text.
#[derive(Clone, Copy, Debug)]
pub(super) enum TextAt {
    /// In the fixed part of the record.
    Fixed { offset: u32, size: u32 },
    /// At the location that a word of the record holds.
    Located { word: u32, relative: bool },
    /// In the kernel's memory, at this address.
    Kernel(IntAt),
    /// In the task's memory, at this address.
    User(IntAt),
    /// The task's name.
    Comm,
}

impl TextAt {
    /// Returns the location of a text; `None` if the field is not a text, or does not hold the address that is needed.
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

    /// Returns the text without its NUL; `None` if it cannot be read.
    pub(super) fn read<'a>(self, record: &Record<'a>, context: &'a dyn Context) -> Option<&'a [u8]> {
        self.bytes(record, context).map(until_nul)
    }

    /// Returns the text and the bytes behind its NUL, if there is one.
    #[inline]
    fn bytes<'a>(self, record: &Record<'a>, context: &'a dyn Context) -> Option<&'a [u8]> {
        Some(match self {
            TextAt::Fixed { offset, size } => record.fixed_at(offset, size)?,
            TextAt::Located { word, relative } => record.located_at(word, relative)?,
            TextAt::Kernel(at) => cut(context.kernel_text(at.word(record)?)?, POINTED_TEXT_BYTES - 1),
            TextAt::User(at) => cut(context.user_text(at.word(record)?)?, POINTED_TEXT_BYTES - 1),
            TextAt::Comm => cut(context.comm()?, TASK_COMM_LEN - 1),
        })
    }
}

fn cut(bytes: &[u8], longest: usize) -> &[u8] {
    bytes.get(..longest).unwrap_or(bytes)
}

/// Returns whether a text passes a test.
pub(super) fn holds(test: &TextTest, text: &[u8]) -> bool {
    match test {
        TextTest::Eq(other) => text == other.as_bytes(),
        TextTest::Ne(other) => text != other.as_bytes(),
        TextTest::Glob(pattern) => pattern.matches(text),
    }
}

/// A prepared [`TextTest`]. Most forms need not look for the end of the text.
#[derive(Clone, Debug)]
pub(super) struct Ready {
    wanted: Wanted,
    /// The value of the atom where the text matches.
    holds: bool,
}

#[derive(Clone, Debug)]
enum Wanted {
    /// The first [`HEAD`] bytes of the text, padded with NULs, are these bytes under the mask.
    Head { bytes: u128, mask: u128 },
    /// The text begins with this.
    Begin(Box<[u8]>),
    /// The text ends with this.
    End(Box<[u8]>),
    /// The text contains this, which is not empty.
    Part(Box<[u8]>),
    /// Any other test.
    Test(TextTest),
}

/// The number of bytes that are compared at once, which is that of the names of tasks.
const HEAD: usize = size_of::<u128>();

impl Ready {
    pub(super) fn of(test: &TextTest) -> Ready {
        let (wanted, holds) = match test {
            TextTest::Eq(text) => (Wanted::text(text.as_bytes()), true),
            TextTest::Ne(text) => (Wanted::text(text.as_bytes()), false),
            TextTest::Glob(pattern) => (Wanted::glob(pattern.tokens()), true),
        };
        match wanted {
            Some(wanted) => Ready { wanted, holds },
            None => Ready { wanted: Wanted::Test(test.clone()), holds: true },
        }
    }

    /// Returns whether the test holds for the text; `None` if the text cannot be read.
    #[inline]
    pub(super) fn holds(&self, at: TextAt, record: &Record<'_>, context: &dyn Context) -> Option<bool> {
        let bytes = at.bytes(record, context)?;
        Some(self.wanted.is(bytes) == self.holds)
    }
}

impl Wanted {
    /// Returns the test for this text; `None` if it is too long for its NUL to be in the head.
    fn text(text: &[u8]) -> Option<Wanted> {
        Wanted::head(&[text, &[0]].concat()).filter(|_| !text.contains(&0))
    }

    /// Returns the test for a pattern of bytes, with stars only at its ends; `None` for other patterns.
    fn glob(tokens: &[GlobToken]) -> Option<Wanted> {
        let literal = |tokens: &[GlobToken]| {
            let byte = |token: &GlobToken| if let GlobToken::Byte(byte) = token { Some(*byte) } else { None };
            tokens.iter().map(byte).collect::<Option<Vec<u8>>>().filter(|bytes| !bytes.contains(&0))
        };
        match tokens {
            [GlobToken::Star, part @ .., GlobToken::Star] if !part.is_empty() => {
                literal(part).map(|part| Wanted::Part(part.into()))
            }
            [begin @ .., GlobToken::Star] => {
                let begin = literal(begin)?;
                Some(Wanted::head(&begin).unwrap_or(Wanted::Begin(begin.into())))
            }
            [GlobToken::Star, end @ ..] => literal(end).map(|end| Wanted::End(end.into())),
            text => Wanted::text(&literal(text)?),
        }
    }

    /// Returns the test for the first bytes; `None` if there are more than the head has.
    fn head(bytes: &[u8]) -> Option<Wanted> {
        let (mut wanted, mut mask) = ([0; HEAD], [0; HEAD]);
        wanted.get_mut(..bytes.len())?.copy_from_slice(bytes);
        mask.get_mut(..bytes.len())?.fill(u8::MAX);
        Some(Wanted::Head { bytes: u128::from_ne_bytes(wanted), mask: u128::from_ne_bytes(mask) })
    }

    /// Returns whether the text in these bytes, which ends at the first NUL or with them, matches.
    #[inline]
    fn is(&self, bytes: &[u8]) -> bool {
        match self {
            Wanted::Head { bytes: wanted, mask } => (head(bytes) ^ wanted) & mask == 0,
            // The expected beginning does not contain a NUL.
            Wanted::Begin(begin) => bytes.starts_with(begin),
            Wanted::End(end) => until_nul(bytes).ends_with(end),
            Wanted::Part(part) => contains(until_nul(bytes), part),
            Wanted::Test(test) => holds(test, until_nul(bytes)),
        }
    }
}

/// Returns the first bytes, padded with NULs.
#[inline]
fn head(bytes: &[u8]) -> u128 {
    match bytes.first_chunk() {
        Some(chunk) => u128::from_ne_bytes(*chunk),
        None => {
            let mut chunk = [0; HEAD];
            chunk.iter_mut().zip(bytes).for_each(|(to, from)| *to = *from);
            u128::from_ne_bytes(chunk)
        }
    }
}

/// Returns whether a text contains `part`, which is not empty.
fn contains(mut text: &[u8], part: &[u8]) -> bool {
    let Some((first, more)) = part.split_first() else { return true };
    while let Some(at) = text.iter().position(|byte| byte == first) {
        text = &text[at + 1..];
        if text.starts_with(more) {
            return true;
        }
    }
    false
}
