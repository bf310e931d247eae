//! A text and its imports, as syntax.

use tracec_grammar::Parsed;
use tracec_grammar::syntax::File;

use super::lines::Lines;
use crate::load::{Import, LoadedText, Program};
use crate::source::SourceText;

/// Prints a text and its imports.
pub fn program(program: &Program) -> String {
    let Program { sources, texts, constants, complete } = program;
    let mut lines = Lines::default();
    lines.field("complete", complete);
    for (index, SourceText { name, text, one_liner }) in sources.files().iter().enumerate() {
        lines.block(format!("text {index} {name:?}"), |lines| {
            lines.field("one_liner", one_liner);
            lines.text(text);
        });
    }
    texts.iter().enumerate().for_each(|(index, text)| self::text(&mut lines, index, text));
    super::module::constants(&mut lines, constants);
    lines.finish()
}

fn text(lines: &mut Lines<'_>, index: usize, text: &LoadedText) {
    // Suggestions are for messages. They are found while later passes look for names.
    let LoadedText { name, parsed, std, imports, constants, suggestions: _ } = text;
    let Parsed { file, comments, errors } = parsed;
    let File { doc, declarations, exprs } = file;
    lines.block(format!("module {index} {name:?}"), |lines| {
        lines.field("std", std);
        for Import { name, file } in imports {
            lines.field("import", (name, file));
        }
        lines.spanned("doc", doc);
        lines.each("declaration", declarations);
        for (id, expr) in exprs.iter() {
            lines.field(&format!("{id:?}"), expr);
        }
        lines.each("comment", comments);
        lines.each("error", errors);
        lines.field("constants", constants);
    });
}
