//! A text and its imports, as syntax.

use tracec_grammar::Parsed;
use tracec_grammar::syntax::File;

use super::lines::Lines;
use crate::load::{Import, Module, Program};
use crate::source::SourceText;

/// Prints a text and its imports.
pub fn program(program: &Program) -> String {
    let Program { sources, modules, constants, complete } = program;
    let mut lines = Lines::default();
    lines.field("complete", complete);
    for (index, SourceText { name, text, one_liner }) in sources.files().iter().enumerate() {
        lines.block(format!("text {index} {name:?}"), |lines| {
            lines.field("one_liner", one_liner);
            lines.text(text);
        });
    }
    modules.iter().enumerate().for_each(|(index, module)| self::module(&mut lines, index, module));
    super::module::constants(&mut lines, constants);
    lines.finish()
}

fn module(lines: &mut Lines, index: usize, module: &Module) {
    // Suggestions are for messages. They are found while later passes look for names.
    let Module { name, parsed, std, imports, constants, suggestions: _ } = module;
    let Parsed { file, comments, errors } = parsed;
    let File { doc, declarations, exprs } = file;
    lines.block(format!("module {index} {name:?}"), |lines| {
        lines.field("std", std);
        for Import { name, module } in imports {
            lines.field("import", (name, module));
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
