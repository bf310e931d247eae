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
        let text = match self.files.read(from, path) {
            Ok(text) => text,
            // A document that was never saved has no file.
            Err(why) => return self.unsaved(from, path).ok_or(why),
        };
        Ok(match self.documents.get(&text.name) {
            Some(open) => SourceText { text: open.text.to_string(), ..text },
            None => text,
        })
    }
}

impl Overlay<'_> {
    /// Returns an open document that a text imports. One elsewhere than below the text's own directory may be outside of
    /// the project, which is for the reader of the files to decide.
    fn unsaved(&self, from: &str, path: &str) -> Option<SourceText> {
        let is_below = path.split('/').all(|part| !["", ".", ".."].contains(&part)) && path.ends_with(".trc");
        let (directory, _) = from.rsplit_once('/').filter(|_| is_below && from.starts_with('/'))?;
        self.documents.get(&format!("{directory}/{path}")).map(|document| source(document))
    }
}

/// Returns a document as the text to compile.
pub(crate) fn source(document: &Document) -> SourceText {
    SourceText { name: document.name.clone(), text: document.text.to_string(), one_liner: false }
}
