//! The names that the expressions of a clause can use, beside the fields of its events.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use tracec_grammar::span::{FileId, Span};
use tracec_grammar::syntax::{ExprId, Exprs};

use crate::constant::{Failure, Scope, Unread, const_eval, import_span};
use crate::diagnostic::{Diagnostics, Suggestions};
use crate::ir::definition::{ConstantTable, Constants, EnumId, Expected, Value, VisibleConstants};
use crate::load::{LoadedText, Program};

/// Index of an entry of [`Expanded::names`](super::expand::Expanded::names).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NamesId(pub u32);

/// The names that one session's clauses can use.
#[derive(Clone, Debug, PartialEq)]
pub struct Names<'p> {
    text: &'p LoadedText,
    constants: Cow<'p, Constants>,
    table: &'p ConstantTable,
    params: BTreeMap<String, Value>,
}

impl<'p> Names<'p> {
    /// Returns the names of a text alone.
    pub fn of(program: &'p Program, file: FileId) -> Self {
        let (text, table) = (&program[file], &program.constants);
        Names { text, constants: Cow::Borrowed(&table[text.constants]), table, params: BTreeMap::new() }
    }

    /// Adds a parameter; `None` is one whose mistake has been reported.
    pub fn set(&mut self, name: &str, value: Option<Value>) {
        match value {
            Some(value) => {
                self.params.insert(name.to_owned(), value);
            }
            None => {
                self.constants.to_mut().failed.insert(name.to_owned());
            }
        }
    }

    /// Returns the names of the session beside the constants of its text: the name of the text, the parameters, and the
    /// parameters whose mistake has been reported.
    pub fn own(&self) -> (&'p str, &BTreeMap<String, Value>, &BTreeSet<String>) {
        (&self.text.name, &self.params, &self.constants.failed)
    }

    /// Returns whether the session has no names beside the constants of its text.
    pub(crate) fn are_of_text(&self) -> bool {
        // A parameter whose mistake has been reported is among constants of its own.
        self.params.is_empty() && matches!(self.constants, Cow::Borrowed(_))
    }

    /// Returns the expressions of the session's text.
    pub fn exprs(&self) -> &'p Exprs {
        &self.text.parsed.file.exprs
    }

    /// Returns the suggestions for unknown names in the expressions of the session's text.
    pub(crate) fn suggestions(&self) -> &'p Suggestions {
        &self.text.suggestions
    }

    /// Returns what could not be read in the session's text.
    pub(crate) fn unread(&self) -> Unread {
        Unread::of(&self.text.parsed)
    }

    /// Returns the constants of the session's text with its parameters, which come first.
    pub(crate) fn constants_and_parameters(&self) -> Constants {
        let mut all = self.constants.clone().into_owned();
        all.values.extend(self.params.clone());
        all
    }

    /// Returns whether something in this span of the session's text could not be read.
    pub fn has_unread(&self, span: Span) -> bool {
        self.text.has_unread(span)
    }

    /// Returns where the session's text can have a further `use`. `None` for a one-liner, which has no imports.
    pub fn import_span(&self) -> Option<Span> {
        if self.text.std { None } else { import_span(&self.text.parsed.file) }
    }

    /// Returns the scope of a constant expression; `expected` is the enum of the value that it is compared with.
    pub fn scope<'a>(&'a self, expected: Option<Expected<'a>>) -> Scope<'a> {
        let file = Some(&self.text.parsed.file).filter(|_| !self.text.std);
        let suggestions = &self.text.suggestions;
        Scope { params: Some(&self.params), expected, constants: self.constants(), file, suggestions }
    }

    /// Returns an enum as the one of the value that a constant is compared with.
    pub fn expected(&self, id: EnumId) -> Expected<'p> {
        Expected::declared(id, self.table)
    }

    fn constants(&self) -> VisibleConstants<'_> {
        VisibleConstants { own: &self.constants, table: self.table }
    }

    /// Returns everything that has a value, as it is written: parameters, constants, members of enums, and those of
    /// imports.
    pub fn values(&self) -> Vec<(String, Value)> {
        let params = self.params.iter().map(|(name, value)| (name.clone(), value.clone()));
        params.chain(self.constants().values()).collect()
    }

    /// Returns what the text or its session gives this name to: a parameter or a constant.
    pub fn value_named(&self, name: &str) -> Option<&'static str> {
        match name {
            _ if self.params.contains_key(name) => Some("parameter"),
            _ if self.constants.values.contains_key(name) => Some("constant"),
            _ => None,
        }
    }

    /// Evaluates an expression of constants. `None` has been reported.
    pub fn value(&self, expr: ExprId, diagnostics: &mut Diagnostics) -> Option<Value> {
        self.value_among(expr, None, diagnostics)
    }

    /// Evaluates an expression of constants in which the members of the enum `expected` need no path. `None` has been
    /// reported.
    pub fn value_among(
        &self,
        expr: ExprId,
        expected: Option<Expected<'_>>,
        diagnostics: &mut Diagnostics,
    ) -> Option<Value> {
        match const_eval(expr, self.exprs(), &self.scope(expected)) {
            Ok(value) => Some(value),
            Err(Failure::Mistake(said)) => {
                diagnostics.push(*said);
                None
            }
            Err(Failure::Reported) => None,
        }
    }
}
