//! The loader: it follows the imports from one text to the next.

use rustc_hash::FxHashMap;
use tracec_grammar::span::{FileId, Span};
use tracec_grammar::syntax::{DeclarationKind, File, Imported, Name, Use};
use tracec_grammar::{Parsed, direction_marks, parse_as, parse_one_liner_as};

use super::{Import, LoadedText, prelude};
use crate::constant::bound_name;
use crate::diagnostic::{Diagnostics, Suggestions, codes, syntax};
use crate::ir::definition::{ConstantTable, Constants};
use crate::source::{ImportError, Imports, SourceMap, SourceText};
use crate::stdlib::{self, Lookup, Uname, Varies};

/// The greatest depth of imports; each level is a recursive call of the loader.
const MAX_IMPORT_DEPTH: usize = 64;

/// The identity of a text: two imports with the same key are the same text.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Key {
    /// `std::errno`, joined by `::`.
    Std(String),
    /// A file, by the name that its reader gives it.
    File(String),
}

pub(super) struct Loader<'a> {
    pub(super) sources: SourceMap,
    pub(super) texts: Vec<LoadedText>,
    /// The constants of the texts: none until the imports have been followed.
    pub(super) constants: ConstantTable,
    /// Texts that were read, or are being read.
    pub(super) known: FxHashMap<Key, FileId>,
    /// The texts whose imports are being followed, outermost first.
    pub(super) open: Vec<FileId>,
    /// The texts whose imports have been followed: each after all that it imports.
    pub(super) finished: Vec<FileId>,
    /// The modules whose constants the main text names without importing them, if it is a one-liner.
    pub(super) prelude: Vec<Import>,
    pub(super) imports: &'a dyn Imports,
    pub(super) uname: Uname<'a>,
    /// Whether all imports were found.
    pub(super) complete: bool,
    pub(super) diagnostics: &'a mut Diagnostics,
}

impl Loader<'_> {
    /// Reads a text, whose syntax may be known, and its imports.
    pub(super) fn text(
        &mut self,
        source: &SourceText,
        syntax: Option<Parsed>,
        file: FileId,
        key: Key,
    ) -> FileId {
        let parsed = syntax.unwrap_or_else(|| match source.one_liner {
            true => parse_one_liner_as(&source.text, file),
            false => parse_as(&source.text, file),
        });
        for error in &parsed.errors {
            self.diagnostics.push(syntax::from_syntax_error(error, &source.text));
        }
        let span = file.span(0, u32::try_from(source.text.len()).unwrap_or(u32::MAX));
        self.diagnostics.declare_levels(&parsed.file, span);
        for mark in direction_marks(&source.text, file) {
            self.diagnostics.push(codes::text_direction::text_direction(mark));
        }
        let std = matches!(key, Key::Std(_));
        self.known.insert(key, file);
        let uses = uses(&parsed.file);
        let prelude = if source.one_liner { prelude::named_modules(&parsed.file) } else { Vec::new() };
        let (imports, constants) = (Vec::new(), self.constants.add(Constants::default()));
        let (name, suggestions) = (source.name.clone(), Suggestions::default());
        self.texts.push(LoadedText { name, parsed, std, imports, constants, suggestions });
        self.open.push(file);
        for (import, span) in uses {
            self.import(file, &import, span);
        }
        self.prelude(prelude);
        self.open.pop();
        self.finished.push(file);
        file
    }

    fn import(&mut self, into: FileId, import: &Use, span: Span) {
        let imported = match &import.imported {
            Imported::Module(path) => path.first().zip(path.last()).map(|(a, b)| a.span.to(b.span)),
            Imported::File(file) => Some(file.span),
        };
        let span = imported.unwrap_or(span);
        let Some((name, _)) = bound_name(import) else {
            self.complete = false;
            self.diagnostics.push(codes::import_without_name::import_without_name(span));
            return;
        };
        let name = Name::new(name.to_owned(), import.alias.as_ref().map_or(span, |alias| alias.span));
        let imports = &self.texts[into.index()].imports;
        if let Some(first) = imports.iter().find(|first| first.name.value == name.value) {
            let said = codes::duplicate_import::duplicate_import(name.span, first.name.span, &name.value);
            self.diagnostics.push(said);
            self.complete = false;
            return;
        }
        let found = match &import.imported {
            Imported::Module(path) => self.std_module(path, span),
            Imported::File(file) => self.file(into, &file.value, span),
        };
        self.complete &= found.is_some();
        if let Some(file) = found {
            self.texts[into.index()].imports.push(Import { name, file });
        }
    }

    fn std_module(&mut self, path: &[Name], span: Span) -> Option<FileId> {
        let words: Vec<&str> = path.iter().map(|name| name.value.as_str()).collect();
        let written = words.join("::");
        match stdlib::module(&words, self.uname) {
            Lookup::Found { name, text } => self.std_text(name, text, span),
            Lookup::NoVariant { varies, known } => {
                let (what, is) = match varies {
                    Varies::ByArch => ("architecture", self.uname.arch),
                    Varies::ByRelease => ("release", self.uname.release),
                };
                self.diagnostics.push(codes::no_variant::no_variant(span, &written, what, is, &known));
                None
            }
            Lookup::Unknown { nearest } => {
                let near: Vec<String> = nearest.iter().map(|name| format!("std::{name}")).collect();
                self.diagnostics.push(codes::unknown_module::unknown_module(span, &written, &near));
                None
            }
        }
    }

    /// Returns the id of a text of the library, and reads it if it was not read before.
    pub(super) fn std_text(&mut self, name: &str, text: &str, span: Span) -> Option<FileId> {
        let key = Key::Std(name.to_owned());
        if let Some(&known) = self.known.get(&key) {
            return Some(known);
        }
        let source = SourceText { name: name.to_owned(), text: text.to_owned(), one_liner: false };
        self.add(source, key, span)
    }

    fn file(&mut self, into: FileId, path: &str, span: Span) -> Option<FileId> {
        let from = self.texts[into.index()].name.clone();
        let source = match self.imports.read(&from, path) {
            Ok(source) => source,
            Err(error) => {
                self.diagnostics.push(codes::import_failed::import_failed(span, path, &error));
                return None;
            }
        };
        let key = Key::File(source.name.clone());
        if let Some(&known) = self.known.get(&key) {
            if self.open.contains(&known) {
                let names: Vec<&str> = self
                    .open
                    .iter()
                    .skip_while(|id| **id != known)
                    .map(|id| self.texts[id.index()].name.as_str())
                    .chain([source.name.as_str()])
                    .collect();
                self.diagnostics.push(codes::import_cycle::import_cycle(span, &names));
                return None;
            }
            return Some(known);
        }
        self.add(source, key, span)
    }

    fn add(&mut self, source: SourceText, key: Key, span: Span) -> Option<FileId> {
        if self.open.len() >= MAX_IMPORT_DEPTH {
            let error = ImportError::new(format!("imports lie deeper than {MAX_IMPORT_DEPTH} levels"));
            self.diagnostics.push(codes::import_failed::import_failed(span, &source.name, &error));
            return None;
        }
        let file = self.sources.add(source.clone());
        Some(self.text(&source, None, file, key))
    }

    /// Loads the modules that a one-liner names. A module without numbers for the kernel is left out: its constants are
    /// unknown, which is reported where they are named.
    fn prelude(&mut self, modules: Vec<(&'static str, Span)>) {
        for (module, span) in modules {
            if self.prelude.iter().any(|known| known.name.value == module) {
                continue;
            }
            let Lookup::Found { name, text } = stdlib::module(&["std", module], self.uname) else { continue };
            if let Some(file) = self.std_text(name, text, span) {
                self.prelude.push(Import { name: Name::new(module.to_owned(), span), file });
            }
        }
    }
}

/// Returns the imports of a file, in the order they are written.
fn uses(file: &File) -> Vec<(Use, Span)> {
    file.declarations
        .iter()
        .filter_map(|declaration| match &declaration.kind {
            DeclarationKind::Use(import) => Some((import.clone(), declaration.span)),
            _ => None,
        })
        .collect()
}
