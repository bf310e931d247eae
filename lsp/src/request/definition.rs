//! `textDocument/definition`: the declaration of a name, and the text that an import stands for.

use gen_lsp_types::DefinitionParams;
use serde_json::{Value, json};
use tracec_span::{FileId, Span};

use crate::answer::Surroundings;
use crate::client::{Answer, written};
use crate::names::Space;
use crate::position::Lines;
use crate::programs::ReadDocument;
use crate::server;

pub(crate) const METHOD: &str = "textDocument/definition";

pub(crate) fn answer(params: Value, of: &Surroundings<'_>) -> Answer {
    let params: DefinitionParams = server::params(params)?;
    let offset = of.lines().offset(params.text_document_position_params.position);
    let read = of.read();
    let program = &read.program;
    let Some((file, span)) = declared(&read, offset) else { return written(&Value::Null) };
    let text = program.sources.file(file);
    let uri = match program[file].std {
        false => Some(of.uri_of(&text.name)),
        true => of.world.library(&text.name, &text.text).map(|path| of.uri_of(&path)),
    };
    let Some(uri) = uri else { return written(&Value::Null) };
    let range = Lines::new(&text.text, of.abilities.encoding).range(span);
    written(&json!([{ "uri": uri, "range": range }]))
}

/// Returns the declaration of what stands at an offset of the main text.
fn declared(read: &ReadDocument, offset: usize) -> Option<(FileId, Span)> {
    let program = &read.program;
    let is_here = |span: Span| span.range().start <= offset && offset <= span.range().end;
    let imports = &program[FileId::MAIN].imports;
    let start = |file: FileId| (file, file.span(0, 0));
    if let Some(import) = imports.iter().find(|import| is_here(import.name.span)) {
        return Some(start(import.file));
    }
    let key =
        read.own_names().iter().filter(|named| is_here(named.span)).find_map(|named| named.key.clone())?;
    if key.space == Space::Import {
        return imports.iter().find(|import| import.name.value == key.name).map(|import| start(import.file));
    }
    read.names().iter().find_map(|(file, names)| {
        let found = names.iter().find(|named| named.is_declaration && named.key.as_ref() == Some(&key));
        found.map(|named| (*file, named.span))
    })
}
