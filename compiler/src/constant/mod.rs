//! Constants: the values of expressions that do not depend on a record.
//!
//! Numbers are exact from -2^63 to 2^64-1, which covers every integer type of the kernel. Nothing wraps: a result
//! outside that range is a mistake. Division truncates towards zero and `>>` keeps the sign, as in C. A size is a
//! number with a unit's factor, and stays a size through additions and multiplications by a number. A duration is not a
//! number; `as us` converts it to one.
//!
//! This module is below the passes, and all of them use it: it knows the syntax, the values of
//! [`crate::ir::definition`] and the diagnostics, and does not know load, resolve or check.

mod arithmetic;
mod convert;
mod declare;
mod import;
#[cfg(test)]
mod tests;
mod unread;

use std::collections::BTreeMap;

use tracec_grammar::span::Span;
use tracec_grammar::syntax::{BinaryOp, Expr, ExprId, ExprKind, Exprs, File, UnaryOp};

use crate::diagnostic::{Diagnostic, Suggestions, codes};
use crate::ir::definition::{ConstantLookup, EnumRef, EnumType, Expected, Value, VisibleConstants};
use crate::stdlib;

use arithmetic::Problem;
pub use convert::{
    ConstType, NoConstType, const_type, convert, duration_units, named_type, type_doc, type_names,
};
pub use declare::declare;
pub(crate) use import::{bound_name, import_span};
pub(crate) use unread::Unread;

/// What the names of an expression stand for, innermost scope first.
#[derive(Clone, Copy, Debug)]
pub struct Scope<'a> {
    /// The values of a session's parameters.
    pub params: Option<&'a BTreeMap<String, Value>>,
    /// The enum of the value that the expression is compared with: its members need no path.
    pub expected: Option<Expected<'a>>,
    /// The constants of the file and of its imports.
    pub constants: VisibleConstants<'a>,
    /// The text that holds the expression, for the suggestion of a missing `use`.
    pub file: Option<&'a File>,
    /// Suggestions for unknown names of the text.
    pub suggestions: &'a Suggestions,
}

impl<'a> Scope<'a> {
    /// Returns a scope that holds constants alone.
    pub fn of(constants: VisibleConstants<'a>, suggestions: &'a Suggestions) -> Self {
        Scope { params: None, expected: None, constants, file: None, suggestions }
    }

    /// Returns the scope of the constants that a text sees.
    pub fn in_file(constants: VisibleConstants<'a>, file: &'a File, suggestions: &'a Suggestions) -> Self {
        Scope { file: Some(file), ..Scope::of(constants, suggestions) }
    }

    /// Returns whether the constants of the library need no import here: the text is a one-liner.
    pub(crate) fn needs_no_import(&self) -> bool {
        self.file.is_some_and(|file| import_span(file).is_none())
    }

    /// Returns the module that holds a constant which is unknown here, if it has none for the kernel: a text that needs
    /// no import would have found it otherwise.
    pub(crate) fn without_variant(&self, holders: &[stdlib::Holder]) -> Option<&'static stdlib::StdModule> {
        let [holder] = holders else { return None };
        let module = stdlib::modules().iter().find(|module| module.name == holder.module)?;
        let is_missing = self.needs_no_import() && !self.constants.is_free(module.name);
        (is_missing && module.varies().is_some()).then_some(module)
    }

    /// Returns the constants of the library that are most similar to an unknown word, in a text that can name them:
    /// without an import, or with one. Those that end with the word stand first. One that has the word between its
    /// underscores is meant only where something says so, since many have such a part, and is not among them.
    pub(crate) fn near_in_library(&self, word: &str, span: Span) -> Vec<String> {
        // Names of fields are written in small letters.
        if self.file.is_none() || word.contains(|c: char| c.is_ascii_lowercase()) {
            return Vec::new();
        }
        let mut near = self.suggestions.near(span, word, stdlib::bare_constants);
        near.retain(|known| known.split('_').all(|part| part != word));
        near.sort_by_key(|known| !known.ends_with(word));
        near
    }

    fn find(&self, path: &[&str]) -> ConstantLookup {
        if let [name] = path
            && let Some(value) = self.params.and_then(|params| params.get(*name))
        {
            return ConstantLookup::Value(value.clone());
        }
        // An enum that is being declared is not among the constants yet, but its members name each other.
        if let (Some(expected), [first, name]) = (self.expected, path)
            && *first == expected.ty().name
            && let Some(member) = expected.member(name)
        {
            return ConstantLookup::Value(member);
        }
        match self.constants.find(path, self.expected) {
            ConstantLookup::Unknown => truth(path)
                .map_or(ConstantLookup::Unknown, |truth| ConstantLookup::Value(Value::int(truth.into()))),
            found => found,
        }
    }

    /// Returns the truth that a name means where a condition is expected: nothing else has the name.
    pub fn truth(&self, name: &str) -> Option<bool> {
        let is_taken = self.params.is_some_and(|params| params.contains_key(name))
            || self.constants.find(&[name], self.expected) != ConstantLookup::Unknown;
        truth(&[name]).filter(|_| !is_taken)
    }

    /// Returns the enum or flags that a value of the scope belongs to.
    pub fn enum_of(&self, value: &Value) -> Option<&'a EnumType> {
        match value {
            Value::Int { of: Some(EnumRef::Declared(id)), .. } => Some(&self.constants.table[*id]),
            Value::Int { of: Some(EnumRef::Undeclared), .. } => self.expected.map(Expected::ty),
            _ => None,
        }
    }
}

/// Returns the value of `true` and `false`, which are names that nothing else has taken.
fn truth(path: &[&str]) -> Option<bool> {
    match path {
        ["true"] => Some(true),
        ["false"] => Some(false),
        _ => None,
    }
}

/// Why an expression has no value.
#[derive(Clone, Debug)]
pub enum Failure {
    /// It has a mistake.
    Mistake(Box<Diagnostic>),
    /// It depends on something that has been reported.
    Reported,
}

impl From<Diagnostic> for Failure {
    fn from(diagnostic: Diagnostic) -> Self {
        Failure::Mistake(Box::new(diagnostic))
    }
}

/// Evaluates a constant expression.
///
/// # Errors
/// [`Failure`], if it has none.
pub fn const_eval(id: ExprId, exprs: &Exprs, scope: &Scope<'_>) -> Result<Value, Failure> {
    let expr = &exprs[id];
    let not_constant = |what| Err(codes::not_constant::not_constant(expr.span, what).into());
    match &expr.kind {
        ExprKind::Error => Err(Failure::Reported),
        ExprKind::Int(value) => Ok(Value::int(i128::from(*value))),
        ExprKind::Size(bytes) => Ok(Value::Size(*bytes)),
        ExprKind::Duration(nanoseconds) => Ok(Value::Duration(*nanoseconds)),
        ExprKind::Str(text) => Ok(Value::Text(text.clone())),
        ExprKind::Address(address) => Ok(Value::Address(*address)),
        ExprKind::Cpus(ranges) => Ok(Value::Cpus(ranges.clone())),
        ExprKind::Name(name) => named(&[name], expr.span, scope),
        ExprKind::Path(parts) => {
            let path: Vec<&str> = parts.iter().map(|part| part.value.as_str()).collect();
            named(&path, expr.span, scope)
        }
        ExprKind::Cast { operand, ty } => {
            let value = const_eval(*operand, exprs, scope)?;
            convert::cast(value, ty, exprs[*operand].span, scope)
        }
        ExprKind::Unary { op, operand } if op.value == UnaryOp::Neg => {
            let value = const_eval(*operand, exprs, scope)?;
            arithmetic::negative(&value)
                .map_err(|problem| explain(problem, expr, op.span, &[(&value, *operand)], exprs))
        }
        ExprKind::Binary { op, left, right } if arithmetic::is_arithmetic(op.value) => {
            binary(expr, op.value, op.span, (*left, *right), exprs, scope)
        }
        ExprKind::Binary { .. } | ExprKind::And(_) | ExprKind::Or(_) | ExprKind::In { .. } => {
            not_constant("a condition")
        }
        ExprKind::Unary { op, .. } if op.value == UnaryOp::Not => not_constant("a condition"),
        ExprKind::Unary { .. } => not_constant("an address or what is at one"),
        ExprKind::Member { .. } | ExprKind::Arrow { .. } | ExprKind::Index { .. } => {
            not_constant("a part of something that only a running kernel has")
        }
        ExprKind::Call { .. } => not_constant("a call"),
        ExprKind::Patterns(_) => not_constant("a set of patterns"),
        ExprKind::Choose { .. } => not_constant("a choice"),
    }
}

/// Returns whether every name of an expression is a constant, and nothing else in it needs a record: then
/// [`const_eval`] returns a value or a mistake of the expression.
pub fn is_constant(id: ExprId, exprs: &Exprs, scope: &Scope<'_>) -> bool {
    match &exprs[id].kind {
        ExprKind::Int(_)
        | ExprKind::Size(_)
        | ExprKind::Duration(_)
        | ExprKind::Str(_)
        | ExprKind::Address(_)
        | ExprKind::Cpus(_)
        | ExprKind::Path(_) => true,
        ExprKind::Name(name) => {
            !matches!(scope.find(&[name]), ConstantLookup::Unknown | ConstantLookup::Type(_))
        }
        ExprKind::Cast { operand, .. } => is_constant(*operand, exprs, scope),
        ExprKind::Unary { op, operand } => op.value == UnaryOp::Neg && is_constant(*operand, exprs, scope),
        ExprKind::Binary { op, left, right } => {
            arithmetic::is_arithmetic(op.value)
                && is_constant(*left, exprs, scope)
                && is_constant(*right, exprs, scope)
        }
        _ => false,
    }
}

fn binary(
    expr: &Expr,
    op: BinaryOp,
    op_span: Span,
    (left, right): (ExprId, ExprId),
    exprs: &Exprs,
    scope: &Scope<'_>,
) -> Result<Value, Failure> {
    // Both sides are evaluated, so that an unknown name on the right is reported even if the left has a mistake.
    let values = (const_eval(left, exprs, scope), const_eval(right, exprs, scope));
    let (a, b) = match values {
        (Ok(a), Ok(b)) => (a, b),
        (Err(Failure::Reported), Err(failure)) | (Err(failure), _) | (_, Err(failure)) => {
            return Err(failure);
        }
    };
    arithmetic::binary(op, &a, &b, scope)
        .map_err(|problem| explain(problem, expr, op_span, &[(&a, left), (&b, right)], exprs))
}

/// Returns the mistake of an operation, at its span.
fn explain(
    problem: Problem,
    whole: &Expr,
    op: Span,
    operands: &[(&Value, ExprId)],
    exprs: &Exprs,
) -> Failure {
    let last = operands.last().map_or(whole.span, |(_, id)| exprs[*id].span);
    let diagnostic = match problem {
        Problem::Overflow => codes::constant_overflow::constant_overflow(whole.span),
        Problem::NegativeDuration => codes::constant_overflow::negative_duration(whole.span),
        Problem::DivisionByZero => codes::division_by_zero::division_by_zero(op, last),
        Problem::Shift(count) => codes::shift_too_far::shift_too_far(last, count),
        Problem::Mismatch => {
            let kinds: Vec<_> =
                operands.iter().map(|(value, id)| (exprs[*id].span, value.kind().describe())).collect();
            codes::constant_mismatch::operands(op, &kinds)
        }
    };
    diagnostic.into()
}

/// Returns the value that a name stands for.
fn named(path: &[&str], span: Span, scope: &Scope<'_>) -> Result<Value, Failure> {
    let name = path.join("::");
    match scope.find(path) {
        ConstantLookup::Value(value) => Ok(value),
        ConstantLookup::Failed => Err(Failure::Reported),
        ConstantLookup::Ambiguous(paths) => {
            Err(codes::ambiguous_constant::ambiguous_constant(span, &name, &paths).into())
        }
        ConstantLookup::Type(ty) => {
            Err(codes::not_constant::is_a_type(span, &scope.constants.table[ty]).into())
        }
        ConstantLookup::Unknown => {
            // The module is imported, under the name that a path in the text begins with.
            if let ["std", rest @ ..] = path
                && matches!(scope.find(rest), ConstantLookup::Value(_))
            {
                let near = [rest.join("::")];
                return Err(codes::unknown_constant::unknown_constant(span, &name, &near).into());
            }
            // A search in the modules of the library costs more than a search for similar names.
            let holders = if scope.suggestions.has(span) { not_imported(path, scope) } else { Vec::new() };
            if let Some(module) = scope.without_variant(&holders) {
                let last = path.last().copied().unwrap_or_default();
                let own = scope.expected.and_then(|own| own.member(last)).map(|_| last);
                return Err(codes::no_variant::of_constant(span, &name, module, own).into());
            }
            if !holders.is_empty() {
                let import = scope.file.and_then(import_span);
                return Err(codes::std_constant::std_constant(span, &name, &holders, import, false).into());
            }
            let mut near = scope.suggestions.near(span, &name, || {
                let known = match path {
                    ["std", first, _, ..] if scope.needs_no_import() => {
                        let known = scope.constants.names_below(&[first]);
                        known.into_iter().map(|name| format!("std::{name}")).collect()
                    }
                    [first, _, ..] => scope.constants.names_below(&[first]),
                    _ => Vec::new(),
                };
                if known.is_empty() { all_names(scope, &name) } else { known }
            });
            whole_words_first(&mut near, path.last().copied().unwrap_or_default());
            let import = scope.file.and_then(import_span);
            let (visible, other): (Vec<String>, Vec<String>) = near.into_iter().partition(|near| {
                let path: Vec<&str> = near.split("::").collect();
                import.is_none() || !matches!(scope.find(&path), ConstantLookup::Unknown)
            });
            match import.filter(|_| visible.is_empty() && !other.is_empty()) {
                Some(import) => {
                    Err(codes::unknown_constant::not_imported(span, &name, &other, import).into())
                }
                None => Err(codes::unknown_constant::unknown_constant(span, &name, &visible).into()),
            }
        }
    }
}

/// Puts first what a word is without its prefix, such as `SIGKILL` for `KILL`; of several, what it is without a whole
/// word, such as `TASK_UNINTERRUPTIBLE` for `UNINTERRUPTIBLE`.
fn whole_words_first(near: &mut [String], word: &str) {
    near.sort_by_key(|known| match known.strip_suffix(word) {
        Some(prefix) if prefix.ends_with('_') => 0,
        Some(_) => 1,
        None => 2,
    });
}

/// Returns the modules of the library that have a constant and that the text does not import. For `errno::EIO` only the
/// module `errno` is searched.
fn not_imported(path: &[&str], scope: &Scope<'_>) -> Vec<stdlib::Holder> {
    match path {
        [name] => stdlib::holders(name),
        [module, name] if !scope.constants.is_bound(module) => {
            let mut holders = stdlib::holders(name);
            holders.retain(|holder| holder.module == *module);
            holders
        }
        ["std", module, name] => {
            let mut holders = stdlib::holders(name);
            holders.retain(|holder| holder.module == *module);
            holders
        }
        _ => Vec::new(),
    }
}

fn all_names(scope: &Scope<'_>, word: &str) -> Vec<String> {
    let params = scope.params.into_iter().flat_map(|params| params.keys().cloned());
    let members = scope
        .expected
        .into_iter()
        .flat_map(|expected| expected.ty().members().iter().map(|member| member.name.clone()));
    // Constants are written in capitals.
    let is_constant = scope.file.is_some() && !word.contains(|c: char| c.is_ascii_lowercase());
    let library = (scope.needs_no_import() || is_constant).then(stdlib::bare_constants).unwrap_or_default();
    let library = library.into_iter().map(str::to_owned);
    params.chain(members).chain(scope.constants.names()).chain(library).collect()
}
