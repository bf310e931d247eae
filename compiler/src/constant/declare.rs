//! The `const`, `enum` and `flags` of a file.
//!
//! They may stand in any order and use each other. The uses are found first; then each declaration is evaluated once,
//! after those that it uses. A cycle is a mistake. Nothing here recurses over the length of a chain of uses.

mod order;

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;
use tracec_grammar::Parsed;
use tracec_grammar::span::Span;
use tracec_grammar::syntax::{Const, DeclarationKind, Enum, ExprId, File, Name};
use tracec_kernel::format::IntegerType;
use tracec_kernel::tables::c_types;

use crate::diagnostic::{Diagnostics, Suggestions, codes};
use crate::ir::definition::{
    ConstantTable, Constants, ConstantsId, EnumMember, EnumType, Expected, VisibleConstants,
};

use super::convert::{ConstType, const_type, convert, fit, words};
use super::unread::Unread;
use super::{Failure, Scope, bound_name, const_eval};

/// A declaration that makes constants.
#[derive(Clone, Copy)]
enum Item<'a> {
    Const(&'a Const),
    Enum { syntax: &'a Enum, flags: bool },
}

impl<'a> Item<'a> {
    fn name(&self) -> &'a Name {
        match self {
            Item::Const(constant) => &constant.name,
            Item::Enum { syntax, .. } => &syntax.name,
        }
    }
}

/// Declares the constants of a file, and adds its enumerations to the table. `imports` are those of its `use`
/// declarations that were found, by the name that each binds; the table has them. The result is complete if every
/// declaration could be read and each constant has a value; the others have been reported.
pub fn declare(
    parsed: &Parsed,
    imports: BTreeMap<String, ConstantsId>,
    table: &mut ConstantTable,
    diagnostics: &mut Diagnostics,
) -> (Constants, bool) {
    let file = &parsed.file;
    let unread = Unread::of(parsed);
    let mut constants = Constants { modules: imports, incomplete: unread.lost, ..Constants::default() };
    let (items, unique) = items(file, &unread, &mut constants, diagnostics);
    let order = order::order(&items, &file.exprs);
    for cycle in &order.cycles {
        let names: Vec<(&str, Span)> = cycle
            .iter()
            .map(|&index| items[index].name())
            .map(|name| (name.value.as_str(), name.span))
            .collect();
        diagnostics.push(codes::constant_cycle::constant_cycle(&names));
    }
    constants.failed.extend(order.stuck.iter().map(|&index| items[index].name().value.clone()));
    let suggestions = Suggestions::default();
    for index in order.items {
        match items[index] {
            Item::Const(syntax) => {
                declare_const(syntax, file, &suggestions, (&mut constants, table), diagnostics);
            }
            Item::Enum { syntax, flags } => {
                declare_enum(syntax, flags, file, &suggestions, (&mut constants, table), diagnostics);
            }
        }
    }
    let complete = unique && !constants.incomplete && constants.failed.is_empty();
    (constants, complete)
}

/// Returns the declarations that make constants, each name once; a `use` binds a name of the same kind. The second
/// value says whether all names are distinct.
fn items<'a>(
    file: &'a File,
    unread: &Unread,
    constants: &mut Constants,
    diagnostics: &mut Diagnostics,
) -> (Vec<Item<'a>>, bool) {
    let mut unique = true;
    let mut seen: FxHashMap<&str, (Span, bool)> = FxHashMap::default();
    let mut items = Vec::new();
    for declaration in &file.declarations {
        let (name, span, item) = match &declaration.kind {
            DeclarationKind::Use(import) => match bound_name(import) {
                Some((name, span)) => (name, span, None),
                None => continue,
            },
            DeclarationKind::Const(constant) => {
                (constant.name.value.as_str(), constant.name.span, Some(Item::Const(constant)))
            }
            DeclarationKind::Enum(syntax) => {
                (syntax.name.value.as_str(), syntax.name.span, Some(Item::Enum { syntax, flags: false }))
            }
            DeclarationKind::Flags(syntax) => {
                (syntax.name.value.as_str(), syntax.name.span, Some(Item::Enum { syntax, flags: true }))
            }
            _ => continue,
        };
        let import = item.is_none();
        if let Some(&(first, is_import)) = seen.get(name) {
            // Two imports of one name are reported where they are followed.
            if !(import && is_import) {
                diagnostics.push(codes::duplicate_definition::duplicate_definition(span, first, name));
                unique = false;
            }
            continue;
        }
        seen.insert(name, (span, import));
        match item {
            Some(_) if unread.holds(declaration.span) => {
                constants.failed.insert(name.to_owned());
            }
            Some(item) => items.push(item),
            // An import that could not be found has been reported where it was looked for.
            None if !constants.modules.contains_key(name) => {
                constants.failed.insert(name.to_owned());
                constants.incomplete = true;
            }
            None => {}
        }
    }
    (items, unique)
}

fn declare_const(
    syntax: &Const,
    file: &File,
    suggestions: &Suggestions,
    (constants, table): (&mut Constants, &ConstantTable),
    diagnostics: &mut Diagnostics,
) {
    let exprs = &file.exprs;
    let scope = Scope::in_file(VisibleConstants { own: constants, table }, file, suggestions);
    // Members of the enum that the constant belongs to need no path.
    let expected = syntax.ty.as_ref().and_then(|ty| match const_type(ty, &scope) {
        Ok(ConstType::Enum { id, .. }) => Some(Expected::declared(id, table)),
        _ => None,
    });
    let value = const_eval(syntax.value, exprs, &Scope { expected, ..scope });
    let value = value.and_then(|value| match &syntax.ty {
        Some(ty) => convert(value, &const_type(ty, &scope)?, exprs[syntax.value].span),
        None => Ok(value),
    });
    let name = syntax.name.value.clone();
    match kept(value, diagnostics) {
        Some(value) => {
            constants.values.insert(name, value);
        }
        None => {
            constants.failed.insert(name);
        }
    }
}

fn declare_enum(
    syntax: &Enum,
    flags: bool,
    file: &File,
    suggestions: &Suggestions,
    (constants, table): (&mut Constants, &mut ConstantTable),
    diagnostics: &mut Diagnostics,
) {
    let scope = Scope::in_file(VisibleConstants { own: constants, table }, file, suggestions);
    let carrier = kept(carrier(syntax, &scope), diagnostics);
    // If the carrier is wrong, the members are still checked, in the widest one.
    let (integer, written) =
        carrier.clone().unwrap_or_else(|| (IntegerType { bytes: 8, signed: false }, "u64".to_owned()));
    let ty = EnumType::new(&syntax.name.value, flags, integer, &written, syntax.name.span);
    let mut members = Members { ty, by_value: FxHashMap::default(), complete: carrier.is_some() };
    members.declare(syntax, &scope, file, diagnostics);
    if syntax.members.is_empty() {
        let word = members.ty.word();
        diagnostics.push(codes::empty_enum::empty_enum(syntax.name.span, word, &syntax.name.value));
        members.complete = false;
    }
    if members.complete {
        constants.enums.insert(syntax.name.value.clone(), table.add_enum(members.ty));
    } else {
        constants.failed.insert(syntax.name.value.clone());
    }
}

/// Returns the integer type that carries an enum: `u32` where none is written.
fn carrier(syntax: &Enum, scope: &Scope<'_>) -> Result<(IntegerType, String), Failure> {
    let Some(ty) = &syntax.ty else { return Ok((IntegerType { bytes: 4, signed: false }, "u32".to_owned())) };
    let word = |name: &str| c_types::find(name).map(|c| IntegerType { bytes: c.size, signed: c.signed });
    match words(ty).map(|name| (word(&name), name)) {
        Some((Some(integer), name)) => Ok((integer, name)),
        Some((None, _)) => {
            // An unknown type is reported here; a type that exists and is not an integer is reported below.
            const_type(ty, scope)?;
            Err(codes::bad_carrier::bad_carrier(ty.span).into())
        }
        None => Err(codes::bad_carrier::bad_carrier(ty.span).into()),
    }
}

/// The members of an enum while they are declared.
struct Members {
    ty: EnumType,
    by_value: FxHashMap<i128, (String, Span)>,
    /// Whether every member so far has a name of its own and a value.
    complete: bool,
}

impl Members {
    fn declare(&mut self, syntax: &Enum, scope: &Scope<'_>, file: &File, diagnostics: &mut Diagnostics) {
        let mut names: FxHashMap<&str, Span> = FxHashMap::default();
        let mut before = None;
        for member in &syntax.members {
            let name = &member.name;
            if let Some(first) = names.insert(&name.value, name.span) {
                names.insert(&name.value, first);
                diagnostics.push(codes::duplicate_member::duplicate_member(name.span, first, &name.value));
                self.complete = false;
                continue;
            }
            let span = member.value.map_or(name.span, |value| file.exprs[value].span);
            let value = match member.value {
                Some(id) => self.written(id, scope, file).and_then(|value| self.fitting(value, span)),
                None => self.next(before, name),
            };
            let value = kept(value, diagnostics);
            self.complete &= value.is_some();
            before = Some(value);
            let Some(value) = value else { continue };
            self.note_value(value, name, diagnostics);
            let member = EnumMember {
                name: name.value.clone(),
                value,
                text: member.text.as_ref().map(|text| text.value.clone()),
                doc: member.doc.as_ref().map(|doc| doc.value.clone()),
                span: name.span,
            };
            self.ty.push(member);
        }
    }

    fn written(&self, id: ExprId, scope: &Scope<'_>, file: &File) -> Result<i128, Failure> {
        let scope = Scope { expected: Some(Expected::undeclared(&self.ty)), ..*scope };
        let value = const_eval(id, &file.exprs, &scope)?;
        let mismatch =
            || codes::constant_mismatch::member(file.exprs[id].span, value.kind().describe(), self.ty.word());
        Ok(value.number().ok_or_else(mismatch)?)
    }

    fn fitting(&self, value: i128, span: Span) -> Result<i128, Failure> {
        if self.ty.flags && value <= 0 {
            return Err(codes::not_bits::not_bits(span, value).into());
        }
        fit(value, self.ty.carrier, &self.ty.carrier_name, span)?;
        Ok(value)
    }

    /// Returns the value of a member without an explicit one: one more than the member before, or the bit above all of
    /// its bits.
    fn next(&self, before: Option<Option<i128>>, name: &Name) -> Result<i128, Failure> {
        let value = match (before, self.ty.flags) {
            (None, flags) => i128::from(flags),
            (Some(None), _) => return Err(Failure::Reported),
            (Some(Some(before)), false) => before + 1,
            (Some(Some(before)), true) => 1 << (128 - before.leading_zeros()),
        };
        if value > self.ty.carrier.max() {
            return Err(
                codes::does_not_fit::next_does_not_fit(name.span, value, &self.ty.carrier_name).into()
            );
        }
        Ok(value)
    }

    fn note_value(&mut self, value: i128, name: &Name, diagnostics: &mut Diagnostics) {
        match self.by_value.get(&value) {
            Some((first, span)) => {
                let lint =
                    codes::duplicate_value::duplicate_value(name.span, &name.value, value, first, *span);
                diagnostics.push(lint);
            }
            None => {
                self.by_value.insert(value, (name.value.clone(), name.span));
            }
        }
    }
}

/// Returns the value, or reports the failure.
fn kept<T>(result: Result<T, Failure>, diagnostics: &mut Diagnostics) -> Option<T> {
    match result {
        Ok(value) => Some(value),
        Err(Failure::Reported) => None,
        Err(Failure::Mistake(diagnostic)) => {
            diagnostics.push(*diagnostic);
            None
        }
    }
}
