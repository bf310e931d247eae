//! `textDocument/definition`: the declaration of a name.

use gen_lsp_types::DefinitionParams;
use serde_json::{Value, json};

use super::references::{found, key_at};
use crate::answer::Surroundings;
use crate::client::Answer;
use crate::server;

pub(crate) const METHOD: &str = "textDocument/definition";

pub(crate) fn answer(params: Value, of: &Surroundings<'_>) -> Answer {
    let params: DefinitionParams = server::params(params)?;
    let Some((_, key)) = key_at(of, params.text_document_position_params.position) else {
        return Ok(Value::Null);
    };
    let places = found(of, &key).into_iter().filter(|place| place.is_declaration);
    let places = places.map(|place| json!({ "uri": place.uri, "range": place.range }));
    Ok(Value::Array(places.collect()))
}
