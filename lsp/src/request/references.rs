//! `textDocument/references`: where a name stands, in the open documents, in the other files of the workspace, and in what
//! they import.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use gen_lsp_types::{Position, Range, ReferenceParams};
use lsp_server::ErrorCode;
use serde::Serialize;
use serde_json::Value;
use tracec_compiler::SourceText;
use tracec_span::{FileId, Span};

use crate::answer::Surroundings;
use crate::client::{Answer, error, written};
use crate::files::Documents;
use crate::names::{self, Key};
use crate::position::Lines;
use crate::programs::read;
use crate::server;

pub(crate) const METHOD: &str = "textDocument/references";

/// A place, as the protocol writes it.
#[derive(Serialize)]
struct Location {
    uri: String,
    range: Range,
}

/// A place of a name.
pub(crate) struct Place {
    pub(crate) uri: String,
    /// The text.
    pub(crate) text: Arc<SourceText>,
    pub(crate) span: Span,
    pub(crate) range: Range,
    pub(crate) is_declaration: bool,
}

pub(crate) fn answer(params: Value, of: &Surroundings<'_>) -> Answer {
    let params: ReferenceParams = server::params(params)?;
    let Some((_, key)) = key_at(of, params.text_document_position_params.position) else {
        return written(&Value::Null);
    };
    of.check_known().map_err(|why| error(ErrorCode::RequestFailed, why))?;
    let texts = of.workspace.texts(of.world, of.documents, &of.document.name, &[&key.name]);
    let texts = texts.map_err(|why| error(ErrorCode::RequestFailed, why))?;
    let wanted = |place: &Place| params.context.include_declaration || !place.is_declaration;
    let places = found(of, &texts, &key).places.into_iter().filter(wanted);
    let locations: Vec<Location> = places.map(|Place { uri, range, .. }| Location { uri, range }).collect();
    written(&locations)
}

/// Returns the declaration that the name at a place of the document belongs to, with the span of the name.
pub(crate) fn key_at(of: &Surroundings<'_>, position: Position) -> Option<(Span, Key)> {
    let offset = of.lines().offset(position);
    let read = of.read();
    let mut here = read.own_names().iter().filter(|named| {
        let range = named.span.range();
        range.start <= offset && offset <= range.end
    });
    here.find_map(|named| Some((named.span, named.key.clone()?)))
}

/// The places of a name.
pub(crate) struct Found {
    pub(crate) places: Vec<Place>,
    /// The names of the documents that have it, or import a text that does.
    pub(crate) holders: BTreeSet<String>,
}

/// Returns the places of a name in some texts, and in the files that they import. The library has no file.
pub(crate) fn found(of: &Surroundings<'_>, texts: &Documents, key: &Key) -> Found {
    let mut places: BTreeMap<(String, Span), Place> = BTreeMap::new();
    let mut holders = BTreeSet::new();
    for (holder, document) in texts {
        if !(of.is_wanted)() {
            break;
        }
        let program = read(document, texts, of.world, of.kernel);
        for (id, names) in names::of((&program).into()) {
            let text = program.sources.file(id);
            if program[id].std {
                continue;
            }
            let mut own = names.into_iter().filter(|named| named.key.as_ref() == Some(key)).peekable();
            if own.peek().is_none() {
                continue;
            }
            holders.insert(holder.clone());
            let shared = Arc::new(text.clone());
            let lines = Lines::new(&text.text, of.abilities.encoding);
            for named in own {
                // The id of a text differs between programs.
                let span = Span { file: FileId::MAIN, ..named.span };
                let place = Place {
                    uri: of.uri_of(&text.name),
                    text: Arc::clone(&shared),
                    span,
                    range: lines.range(named.span),
                    is_declaration: named.is_declaration,
                };
                places.insert((text.name.clone(), span), place);
            }
        }
    }
    Found { places: places.into_values().collect(), holders }
}
