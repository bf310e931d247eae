//! Open documents, as the client has them.

use std::sync::Arc;

use gen_lsp_types::TextDocumentContentChangeEvent as Change;

use crate::diagnostics::Encoding;
use crate::edited_text::{EditedText, replaced};
use crate::uri;

/// One version of a document. It does not change: an edit makes another one.
#[derive(Clone, Debug)]
pub(crate) struct Document {
    /// Its URI as the client writes it.
    pub(crate) uri: String,
    /// The name of its text.
    pub(crate) name: String,
    /// The number that the client gave this version.
    pub(crate) version: i32,
    /// The text.
    pub(crate) text: Arc<str>,
}

/// The reason why an edit is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum RefusedEdit {
    /// Edits have to arrive in the order of their versions.
    #[error("an edit to version {version} came after version {current}")]
    Late {
        /// The version of the edit.
        version: i32,
        /// The version of the document.
        current: i32,
    },
}

impl Document {
    /// Opens a document.
    pub(crate) fn new(uri: &str, version: i32, text: String) -> Self {
        Document { uri: uri.to_owned(), name: uri::name(uri), version, text: text.into() }
    }

    /// Returns the next version. Changes are made one after the other, each to the result of the one before.
    ///
    /// # Errors
    /// [`RefusedEdit`], if the version is not newer.
    pub(crate) fn edited(
        &self,
        version: i32,
        changes: &[Change],
        encoding: Encoding,
    ) -> Result<Self, RefusedEdit> {
        if version <= self.version {
            return Err(RefusedEdit::Late { version, current: self.version });
        }
        // What stands before the last whole text does not matter.
        let whole = |change: &Change| match change {
            Change::TextDocumentContentChangeWholeDocument(whole) => Some(whole.text.clone()),
            Change::TextDocumentContentChangePartial(_) => None,
        };
        let last = changes.iter().rposition(|change| whole(change).is_some());
        let base = last.and_then(|at| whole(changes.get(at)?));
        let parts = changes.get(last.map_or(0, |at| at + 1)..).unwrap_or_default();
        let base = base.unwrap_or_else(|| self.text.to_string());
        let text = match parts {
            [Change::TextDocumentContentChangePartial(part)] => {
                replaced(base, part.range, &part.text, encoding)
            }
            _ => {
                let mut text = EditedText::new(base, encoding);
                for change in parts {
                    if let Change::TextDocumentContentChangePartial(part) = change {
                        text.replace(part.range, &part.text);
                    }
                }
                text.whole()
            }
        };
        Ok(Document { version, text: text.into(), ..self.clone() })
    }

    /// Returns whether changes lead to a text that does not depend on the one before.
    pub(crate) fn is_whole(changes: &[Change]) -> bool {
        changes.iter().any(|change| matches!(change, Change::TextDocumentContentChangeWholeDocument(_)))
    }
}

#[cfg(test)]
mod tests {
    use gen_lsp_types::{
        Position, Range, TextDocumentContentChangePartial, TextDocumentContentChangeWholeDocument,
    };

    use super::*;

    fn part(from: (u32, u32), to: (u32, u32), text: &str) -> Change {
        let at = |(line, character)| Position { line, character };
        let range = Range { start: at(from), end: at(to) };
        TextDocumentContentChangePartial { range, text: text.to_owned(), ..Default::default() }.into()
    }

    fn edited(text: &str, changes: &[Change], encoding: Encoding) -> String {
        let document = Document::new("file:///a.trc", 1, text.to_owned());
        document.edited(2, changes, encoding).expect("an edit").text.to_string()
    }

    #[test]
    fn changes_are_made_one_after_the_other() {
        let changes = [part((0, 1), (0, 2), "xyz"), part((0, 3), (0, 4), "")];
        assert_eq!(edited("abc", &changes, Encoding::Utf16), "axyc");
    }

    #[test]
    fn a_column_is_in_the_agreed_unit() {
        let change = |character| [part((0, character), (0, character), "!")];
        assert_eq!(edited("\u{1f980}a", &change(2), Encoding::Utf16), "\u{1f980}!a");
        assert_eq!(edited("\u{1f980}a", &change(4), Encoding::Utf8), "\u{1f980}!a");
    }

    #[test]
    fn positions_that_the_text_lacks_are_moved_into_it() {
        assert_eq!(edited("ab\ncd", &[part((0, 9), (7, 7), "x")], Encoding::Utf16), "abx");
        assert_eq!(
            edited("ab\ncd", &[part((1, 1), (0, 1), "")], Encoding::Utf16),
            "ad",
            "a range from its end"
        );
        assert_eq!(edited("\u{1f980}", &[part((0, 1), (0, 1), "x")], Encoding::Utf16), "x\u{1f980}");
    }

    #[test]
    fn an_older_edit_is_refused() {
        let document = Document::new("file:///a.trc", 5, "a".to_owned());
        let late = document.edited(5, &[part((0, 0), (0, 0), "x")], Encoding::Utf8);
        assert!(matches!(late, Err(RefusedEdit::Late { version: 5, current: 5, .. })), "{late:?}");
        let whole = TextDocumentContentChangeWholeDocument::new("b".to_owned()).into();
        let late = document.edited(3, &[whole], Encoding::Utf8);
        assert!(matches!(late, Err(RefusedEdit::Late { version: 3, .. })), "{late:?}");
    }
}
