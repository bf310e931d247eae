//! Values for a session's parameters from the command line: `--set min=2ms`.

use tracec_grammar::parse_as;
use tracec_grammar::span::{FileId, Span};
use tracec_grammar::syntax::{Declaration, DeclarationKind, ExprKind};

use super::Program;
use crate::constant::{Failure, Scope, const_eval, is_constant};
use crate::diagnostic::{Diagnostics, codes, syntax};
use crate::ir::definition::Value;
use crate::source::SourceText;

/// A value for a parameter.
#[derive(Clone, Debug)]
pub struct Parameter {
    /// The parameter's name.
    pub name: String,
    /// Its value; `None` where it has a mistake, which has been reported.
    pub value: Option<Value>,
    /// Where it is written.
    pub span: Span,
}

/// Reads the values that the command line gives. Each is a text of its own, an expression that may name the constants
/// of the main text; a word that is not a constant is a string.
pub fn parameters(
    program: &mut Program,
    set: &[(String, String)],
    diagnostics: &mut Diagnostics,
) -> Vec<Parameter> {
    set.iter().map(|(name, value)| parameter(program, name, value, diagnostics)).collect()
}

fn parameter(program: &mut Program, name: &str, value: &str, diagnostics: &mut Diagnostics) -> Parameter {
    // The value is read as a `const` declaration, so that its diagnostics quote the argument as given.
    let text = format!("const {name} = {value};");
    let source = SourceText { name: "--set".to_owned(), text, one_liner: false };
    let length = u32::try_from(source.text.len()).unwrap_or(u32::MAX);
    let file = program.sources.add(source.clone());
    let whole = file.span(0, length);
    let parsed = parse_as(&source.text, file);
    for error in &parsed.errors {
        diagnostics.push(syntax::from_syntax_error(error, &source.text));
    }
    let failed = Parameter { name: name.to_owned(), value: None, span: whole };
    let Some(Declaration { kind: DeclarationKind::Const(constant), span, .. }) =
        parsed.file.declarations.first()
    else {
        return failed;
    };
    if !parsed.errors.is_empty() {
        return failed;
    }
    if span.end != length {
        diagnostics.push(codes::unexpected::behind_value(file.span(span.end - 1, length - 1)));
        return failed;
    }
    let main = &program[FileId::MAIN];
    let exprs = &parsed.file.exprs;
    let scope = Scope::of(program.constants_of(main), &main.suggestions);
    let span = constant.name.span;
    // The shell has removed the quotes.
    if let ExprKind::Name(word) = &exprs[constant.value].kind
        && !is_constant(constant.value, exprs, &scope)
    {
        return Parameter { name: name.to_owned(), value: Some(Value::Text(word.clone())), span };
    }
    match const_eval(constant.value, exprs, &scope) {
        Ok(value) => Parameter { name: name.to_owned(), value: Some(value), span },
        Err(Failure::Mistake(said)) => {
            diagnostics.push(*said);
            failed
        }
        Err(Failure::Reported) => failed,
    }
}
