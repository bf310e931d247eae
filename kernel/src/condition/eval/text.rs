//! Texts: where they are, how far they go, what is asked of them.

use crate::condition::context::Context;
use crate::condition::glob::Token;
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
        self.bytes(record, context).map(until_nul)
    }

    /// The text and what is kept behind its NUL, if there is one.
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

/// Whether a text passes a test.
pub(super) fn holds(test: &TextTest, text: &[u8]) -> bool {
    match test {
        TextTest::Eq(other) => text == other.as_bytes(),
        TextTest::Ne(other) => text != other.as_bytes(),
        TextTest::Glob(pattern) => pattern.matches(text),
    }
}

/// A [`TextTest`] made ready: most need not look for the end of the text.
#[derive(Clone, Debug)]
pub(super) struct Ready {
    wanted: Wanted,
    /// What the atom says where the text is as wanted.
    holds: bool,
}

#[derive(Clone, Debug)]
enum Wanted {
    /// These of the first [`HEAD`] bytes; what is kept there ends in as many NULs as it takes.
    Head { bytes: u128, mask: u128 },
    /// It begins so.
    Begin(Box<[u8]>),
    /// It ends so.
    End(Box<[u8]>),
    /// This is in it; not empty.
    Part(Box<[u8]>),
    /// What else there is.
    Test(TextTest),
}

/// Bytes that are compared at once; names of tasks have as many.
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

    /// Whether the test holds for the text; `None` if it cannot be had.
    #[inline]
    pub(super) fn holds(&self, at: TextAt, record: &Record<'_>, context: &dyn Context) -> Option<bool> {
        let bytes = at.bytes(record, context)?;
        Some(self.wanted.is(bytes) == self.holds)
    }
}

impl Wanted {
    /// This text; `None` if it is too long for its NUL to be in the head.
    fn text(text: &[u8]) -> Option<Wanted> {
        Wanted::head(&[text, &[0]].concat()).filter(|_| !text.contains(&0))
    }

    /// What a pattern without a choice of bytes asks; `None` of others.
    fn glob(tokens: &[Token]) -> Option<Wanted> {
        let literal = |tokens: &[Token]| {
            let byte = |token: &Token| if let Token::Byte(byte) = token { Some(*byte) } else { None };
            tokens.iter().map(byte).collect::<Option<Vec<u8>>>().filter(|bytes| !bytes.contains(&0))
        };
        match tokens {
            [Token::Star, part @ .., Token::Star] if !part.is_empty() => {
                literal(part).map(|part| Wanted::Part(part.into()))
            }
            [begin @ .., Token::Star] => {
                let begin = literal(begin)?;
                Some(Wanted::head(&begin).unwrap_or(Wanted::Begin(begin.into())))
            }
            [Token::Star, end @ ..] => literal(end).map(|end| Wanted::End(end.into())),
            text => Wanted::text(&literal(text)?),
        }
    }

    /// `None` if these are more bytes than the head has.
    fn head(bytes: &[u8]) -> Option<Wanted> {
        let (mut wanted, mut mask) = ([0; HEAD], [0; HEAD]);
        wanted.get_mut(..bytes.len())?.copy_from_slice(bytes);
        mask.get_mut(..bytes.len())?.fill(u8::MAX);
        Some(Wanted::Head { bytes: u128::from_ne_bytes(wanted), mask: u128::from_ne_bytes(mask) })
    }

    /// Whether the text in these bytes, which ends at the first NUL or with them, is as wanted.
    #[inline]
    fn is(&self, bytes: &[u8]) -> bool {
        match self {
            Wanted::Head { bytes: wanted, mask } => (head(bytes) ^ wanted) & mask == 0,
            // A NUL in the bytes is none of these.
            Wanted::Begin(begin) => bytes.starts_with(begin),
            Wanted::End(end) => until_nul(bytes).ends_with(end),
            Wanted::Part(part) => contains(until_nul(bytes), part),
            Wanted::Test(test) => holds(test, until_nul(bytes)),
        }
    }
}

/// The first bytes, and NULs where there are no more.
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

/// Whether `part`, which is not empty, is somewhere in a text.
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
