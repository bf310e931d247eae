//! The names by which artifacts call the texts they were made of.
//!
//! The same texts yield the same bytes, wherever they lie and however the command line writes their path: a text is
//! named by its path relative to the directory of the main text. Diagnostics name it as the command line does.

use std::io;
use std::path::{Component, Path, PathBuf};

use tracec_compiler::{SourceMap, SourceText};
use tracec_grammar::span::FileId;

use crate::imports;

/// Returns the texts with their names in artifacts. `inputs` are those that were read from files, from standard input
/// or from the command line; the others belong to the library, and have the same name everywhere.
///
/// # Errors
/// The current directory cannot be read.
pub(super) fn in_artifacts(sources: &SourceMap, inputs: &[FileId]) -> io::Result<SourceMap> {
    let main = sources.main();
    // Standard input and `-e` lie in the current directory, as their imports do.
    let directory = match is_file(main) {
        true => normal(Path::new(&main.name))?.parent().map(Path::to_owned).unwrap_or_default(),
        false => normal(Path::new("."))?,
    };
    let mut texts = Vec::new();
    for (index, text) in sources.files().iter().enumerate() {
        let mut text = text.clone();
        if inputs.iter().any(|id| id.index() == index) && is_file(&text) {
            let file = normal(Path::new(&text.name))?;
            text.name = relative(&directory, &file).to_string_lossy().into_owned();
        }
        texts.push(text);
    }
    let mut texts = texts.into_iter();
    let mut named = texts.next().map(SourceMap::new).unwrap_or_default();
    texts.for_each(|text| {
        named.add(text);
    });
    Ok(named)
}

/// Returns whether a text was read from a file.
fn is_file(text: &SourceText) -> bool {
    !text.one_liner && text.name != "-"
}

/// Returns the absolute path in normal form.
fn normal(path: &Path) -> io::Result<PathBuf> {
    Ok(imports::normal(&std::path::absolute(path)?))
}

/// Returns the path of a file relative to a directory, both absolute and in normal form; the absolute path if they have
/// no directory in common.
fn relative(directory: &Path, file: &Path) -> PathBuf {
    let common = directory.components().zip(file.components()).take_while(|(a, b)| a == b).count();
    if common < 2 && directory.components().count() > 1 {
        return file.to_owned();
    }
    let up = directory.components().skip(common).map(|_| Component::ParentDir);
    up.chain(file.components().skip(common)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn file_is_named_relative_to_the_directory() {
        for (directory, file, expected) in [
            ("/a/b", "/a/b/s.trc", "s.trc"),
            ("/a/b", "/a/b/c/s.trc", "c/s.trc"),
            ("/a/b", "/a/s.trc", "../s.trc"),
            ("/a/b/c", "/a/x/s.trc", "../../x/s.trc"),
            ("/a/b", "/usr/s.trc", "/usr/s.trc"),
            ("/", "/s.trc", "s.trc"),
            ("/", "/a/s.trc", "a/s.trc"),
        ] {
            assert_eq!(relative(Path::new(directory), Path::new(file)), Path::new(expected), "{file}");
        }
    }

    #[test]
    fn text_that_is_not_a_file_keeps_its_name() {
        let text =
            |name: &str, one_liner| SourceText { name: name.to_owned(), text: String::new(), one_liner };
        let mut sources = SourceMap::new(text("-", false));
        let import = sources.add(text("./a/../b.trc", false));
        sources.add(text("std::errno", false));
        let named = in_artifacts(&sources, &[FileId::MAIN, import]).unwrap();
        let names: Vec<&str> = named.files().iter().map(|text| text.name.as_str()).collect();
        assert_eq!(names, ["-", "b.trc", "std::errno"]);
        let named = in_artifacts(&SourceMap::new(text("-e", true)), &[FileId::MAIN]).unwrap();
        assert_eq!(named.main().name, "-e");
    }
}
