//! Imported files: what an editor holds of a file is newer than the file.

use std::collections::BTreeMap;
use std::sync::Arc;

use tracec_compiler::source::ImportError;
use tracec_compiler::{Imports, SourceText};

use crate::document::Document;

/// The open documents, by the name of their text.
pub(crate) type Documents = BTreeMap<String, Arc<Document>>;

/// The files that a text may import, with the documents in their place that are open.
pub(crate) struct Overlay<'d> {
    pub(crate) documents: &'d Documents,
    pub(crate) files: Box<dyn Imports>,
}

impl Imports for Overlay<'_> {
    fn read(&self, from: &str, path: &str) -> Result<SourceText, ImportError> {
        let text = self.files.read(from, path)?;
        Ok(match self.documents.get(&text.name) {
            Some(open) => SourceText { text: open.text.to_string(), ..text },
            None => text,
        })
    }
}

/// Returns a document as the text to compile.
pub(crate) fn source(document: &Document) -> SourceText {
    SourceText { name: document.name.clone(), text: document.text.to_string(), one_liner: false }
}
