//! The folders that the client works on: which files are searched for a name, and which may be edited.

use std::sync::Arc;

use tracec_grammar::{TokenClass, tokens};

use crate::document::Document;
use crate::files::Documents;
use crate::uri;
use crate::world::World;

/// The folders of the client.
#[derive(Clone, Debug, Default)]
pub(crate) struct Workspace {
    /// Paths, without a slash at their end.
    folders: Vec<String>,
}

impl Workspace {
    /// Takes the folders of the parameters of `initialize`.
    pub(crate) fn of(params: &serde_json::Value) -> Self {
        let listed = params.get("workspaceFolders").and_then(serde_json::Value::as_array);
        let listed = listed.into_iter().flatten().filter_map(|folder| folder.get("uri"));
        let root = params.get("rootUri");
        let mut workspace = Workspace::default();
        for uri in listed.chain(root).filter_map(serde_json::Value::as_str) {
            workspace.add(uri);
        }
        workspace
    }

    /// Adds a folder.
    pub(crate) fn add(&mut self, uri: &str) {
        let path = uri::name(uri);
        let path = path.trim_end_matches('/').to_owned();
        if (path.starts_with('/') || path.is_empty()) && !self.folders.contains(&path) {
            self.folders.push(path);
        }
    }

    /// Removes a folder.
    pub(crate) fn remove(&mut self, uri: &str) {
        let path = uri::name(uri);
        self.folders.retain(|folder| folder != path.trim_end_matches('/'));
    }

    /// Returns whether the folders around a text hold a file.
    pub(crate) fn holds(&self, main: &str, file: &str) -> bool {
        file == main || self.around(main).iter().any(|folder| is_below(folder, file))
    }

    /// Returns the folders of the client, and that of a text which is in none of them; without one if it is not a file.
    fn around(&self, main: &str) -> Vec<String> {
        let mut folders = self.folders.clone();
        let own = main.rsplit_once('/').map(|(folder, _)| folder).filter(|_| main.starts_with('/'));
        if let Some(own) = own
            && !folders.iter().any(|folder| is_below(folder, main))
        {
            folders.push(own.to_owned());
        }
        folders
    }

    /// Returns the open documents, and the other files of the folders around a text in which one of some words stands.
    ///
    /// # Errors
    /// The reason why a folder cannot be searched.
    pub(crate) fn texts(
        &self,
        world: &dyn World,
        open: &Documents,
        main: &str,
        words: &[&str],
    ) -> Result<Documents, String> {
        let mut all = open.clone();
        for text in world.texts(&self.around(main))? {
            if !all.contains_key(&text.name) && words.iter().any(|word| has_word(&text.text, word)) {
                let uri = uri::uri(&text.name);
                all.insert(text.name, Arc::new(Document::new(&uri, 0, text.text)));
            }
        }
        Ok(all)
    }
}

fn is_below(folder: &str, file: &str) -> bool {
    file.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'))
}

/// Returns whether a word of the language stands in a text.
fn has_word(text: &str, word: &str) -> bool {
    let is_it = |range: std::ops::Range<usize>| text.get(range) == Some(word);
    text.contains(word)
        && tokens(text).iter().any(|token| token.class == TokenClass::Word && is_it(token.span.range()))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_text_outside_of_the_folders_has_its_own() {
        let workspace = Workspace::of(&json!({
            "rootUri": "file:///a",
            "workspaceFolders": [{ "uri": "file:///a/" }, { "uri": "file:///b%20c" }],
        }));
        assert_eq!(workspace.around("/a/x/y.trc"), ["/a", "/b c"]);
        assert_eq!(workspace.around("/ab/y.trc"), ["/a", "/b c", "/ab"]);
        assert_eq!(workspace.around("untitled:/x"), ["/a", "/b c"]);
        assert!(workspace.holds("/ab/y.trc", "/ab/z/w.trc"));
        assert!(workspace.holds("untitled:x", "untitled:x"));
        assert!(!workspace.holds("/a/y.trc", "/ab/y.trc"));
        assert!(Workspace::of(&json!({ "workspaceFolders": null })).around("untitled:x").is_empty());
    }

    #[test]
    fn words_in_comments_do_not_count() {
        assert!(has_word("const A = B;", "B"));
        assert!(!has_word("const A = 1; // B", "B"));
        assert!(!has_word("const AB = 1;", "B"));
    }
}
