//! Texts as operands of the kernel's filter: name, storage, and what its matchers make of them.

use std::borrow::Cow;

use super::LowerError;
use super::error::Leaf;
use super::filter::{Filter, Work};
use crate::condition::ir::{Text, TextStorage};
use crate::filter::Model;
use crate::format::FieldKind;
use crate::tables::limits;

/// A text as the operand of a filter's predicates.
#[derive(Clone)]
pub(super) struct TextOperand<'a> {
    pub(super) leaf: &'a Leaf,
    /// Its name in the filter, with `.ustring` where it is needed.
    name: Cow<'a, str>,
    pub(super) storage: TextStorage,
    /// A NUL follows the text in every record.
    has_nul: bool,
    /// A full glob ends where the text does.
    pub(super) bounded: bool,
    /// See [`Model::class_takes_nul`].
    pub(super) class_takes_nul: bool,
}

/// Returns a text as an operand, or why this kernel has none for it.
pub(super) fn operand<'a>(leaf: &'a Leaf, of: &Text, model: &Model) -> Result<TextOperand<'a>, LowerError> {
    let storage = of.storage().ok_or_else(|| LowerError::NotText { leaf: leaf.clone() })?;
    let mut name = Cow::Borrowed(leaf.operand.as_str());
    if let Text::User(field) = of {
        if field.kind != FieldKind::CharPtr {
            let type_text = field.type_text.to_string();
            return Err(LowerError::NotPointer { leaf: leaf.clone(), type_text });
        }
        if !model.user_text {
            return Err(LowerError::Feature { leaf: leaf.clone(), feature: "filter-ustring" });
        }
        name.to_mut().push_str(".ustring");
    }
    let has_nul = matches!(of, Text::Comm) || matches!(storage, TextStorage::Kernel | TextStorage::User);
    let bounded = model.bounded_text || has_nul;
    Ok(TextOperand { leaf, name, storage, has_nul, bounded, class_takes_nul: model.class_takes_nul })
}

impl<'a> TextOperand<'a> {
    /// Returns the operand as kernels see it that have none of the quirks, one of them, or both.
    pub(super) fn by_quirks(&self) -> [TextOperand<'a>; 4] {
        [(true, false), (self.has_nul, false), (true, true), (self.has_nul, true)]
            .map(|(bounded, class_takes_nul)| TextOperand { bounded, class_takes_nul, ..self.clone() })
    }

    pub(super) fn has_quirks_of(&self, other: &TextOperand<'_>) -> bool {
        self.bounded <= other.bounded && self.class_takes_nul >= other.class_takes_nul
    }
}

impl TextOperand<'_> {
    pub(super) fn unbounded(&self) -> LowerError {
        LowerError::Feature { leaf: self.leaf.clone(), feature: "filter-bounded-text" }
    }

    /// Refuses a text, or the shortest that a pattern matches, that is longer than the field: the kernel would compare
    /// as many bytes as there are (`strncmp` with the field's size) and consider the rest equal.
    pub(super) fn check_room(&self, length: usize) -> Result<(), LowerError> {
        let room = match self.storage {
            TextStorage::Fixed { room } => room,
            // One byte of the copy is the NUL.
            TextStorage::Kernel | TextStorage::User => limits::POINTED_TEXT_BYTES - 1,
            TextStorage::Dynamic => return Ok(()),
        };
        if length > room {
            return Err(LowerError::TextTooLong { leaf: self.leaf.clone(), length, room });
        }
        Ok(())
    }

    /// Returns `operand ~ pattern`, of bytes.
    pub(super) fn glob(&self, pattern: Vec<u8>) -> Result<Filter, LowerError> {
        let pattern =
            String::from_utf8(pattern).map_err(|_| LowerError::Bytes { leaf: self.leaf.clone() })?;
        self.predicate("~", &pattern)
    }

    /// Returns `operand OP text`.
    pub(super) fn predicate(&self, op: &str, text: &str) -> Result<Filter, LowerError> {
        let work = match (self.storage, op) {
            (TextStorage::Kernel | TextStorage::User, _) => Work::Memory,
            (_, "~") => Work::Pattern,
            _ => Work::Text,
        };
        Ok(Filter::Predicate(format!("{} {op} {}", self.name, quote(self.leaf, text)?), work))
    }
}

/// Returns a string operand. The kernel has no escapes: a quote of one kind can stand only between two of the other.
fn quote(leaf: &Leaf, text: &str) -> Result<String, LowerError> {
    if text.contains('\0') {
        return Err(LowerError::Nul { leaf: leaf.clone() });
    }
    if text.len() > limits::STRING_OPERAND_BYTES {
        return Err(LowerError::OperandTooLong { leaf: leaf.clone(), length: text.len() });
    }
    match (text.contains('"'), text.contains('\'')) {
        (false, _) => Ok(format!("\"{text}\"")),
        (true, false) => Ok(format!("'{text}'")),
        (true, true) => Err(LowerError::Quotes { leaf: leaf.clone() }),
    }
}
