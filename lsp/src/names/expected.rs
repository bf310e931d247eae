//! The enum that a bare name in an expression is a member of: that of the value which it is compared with, or of the
//! constant that it is.
//!
//! It is found from the syntax, so that a text with mistakes has it too. The rules are those of the compiler
//! (`compiler/src/check/condition/field_names.rs`): a cast to an enum names the values, a cast to a number and the
//! operations on bits keep the names. A field has names of its event's print format alone, which no text declares, and a
//! bare name in the definition of an event is C.

use std::collections::BTreeMap;

use tracec_compiler::load::LoadedText;
use tracec_grammar::syntax::{
    BinaryOp, Clause, ClauseKind, DeclarationKind, Expr, ExprId, ExprKind, Name, SetMember, StopRule,
    TypeBase, TypeRef, UnaryOp,
};
use tracec_span::{FileId, Span};

use super::declared::Declared;
use super::{Part, ReadTexts};

/// A type: the text that declares it, and its name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct EnumName {
    pub(super) file: FileId,
    pub(super) name: String,
}

/// The expected enums of a text's expressions.
pub(super) struct Expected<'p> {
    texts: ReadTexts<'p>,
    file: FileId,
    text: &'p LoadedText,
    /// What each text declares.
    declared: &'p [Declared],
    /// The parts of the text that have rules of their own for names, in the order of the text. None is in another one.
    areas: Vec<(Span, Area)>,
    found: BTreeMap<ExprId, EnumName>,
}

/// A part of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Area {
    /// A clause about records: a pseudo-field is one, and a member needs its enum.
    Condition,
    /// The definition of an event or of a class: what the text does not declare is C.
    Definition,
}

impl<'p> Expected<'p> {
    /// Finds the expected enums of the expressions in a part of a text.
    pub(super) fn of(texts: ReadTexts<'p>, declared: &'p [Declared], file: FileId, part: &Part) -> Self {
        let text = texts.text(file);
        let (areas, found) = (Vec::new(), BTreeMap::new());
        let mut expected = Expected { texts, file, text, declared, areas, found };
        for declaration in part.touched(&text.parsed.file.declarations, |declaration| declaration.span) {
            match &declaration.kind {
                DeclarationKind::Const(constant) => {
                    expected.value(constant.ty.as_ref(), Some(constant.value))
                }
                DeclarationKind::Enum(of) | DeclarationKind::Flags(of) => {
                    let ty = EnumName { file, name: of.name.value.clone() };
                    of.members
                        .iter()
                        .filter_map(|member| member.value)
                        .for_each(|id| expected.expect(id, &ty));
                }
                DeclarationKind::Session(session) => {
                    session.params.iter().for_each(|param| expected.value(param.ty.as_ref(), param.default));
                    expected.clauses(&session.clauses, part);
                }
                DeclarationKind::Class(_) | DeclarationKind::Event(_) => {
                    expected.areas.push((declaration.span, Area::Definition));
                }
                _ => {}
            }
        }
        expected.areas.sort_by_key(|(span, _)| *span);
        for (_, expr) in text.parsed.file.exprs.ending_in(part.range()) {
            expected.expression(expr);
        }
        expected
    }

    /// Returns the enum whose members an expression names without a path.
    pub(super) fn at(&self, id: ExprId) -> Option<&EnumName> {
        self.found.get(&id)
    }

    /// Returns the area that a part of the text is in.
    pub(super) fn area(&self, span: Span) -> Option<Area> {
        let behind = self.areas.partition_point(|(area, _)| area.start <= span.start);
        let (whole, area) = self.areas.get(behind.checked_sub(1)?)?;
        whole.holds(span).then_some(*area)
    }

    fn clauses(&mut self, clauses: &[Clause], part: &Part) {
        for clause in part.touched(clauses, |clause| clause.span) {
            match &clause.kind {
                ClauseKind::Trace(_)
                | ClauseKind::On(_)
                | ClauseKind::Dump(_)
                | ClauseKind::Stop(StopRule::On { .. }) => {
                    self.areas.push((clause.span, Area::Condition));
                }
                ClauseKind::Global { clauses, .. } => self.clauses(clauses, part),
                ClauseKind::When(when) => {
                    self.clauses(&when.then, part);
                    when.otherwise.iter().for_each(|clauses| self.clauses(clauses, part));
                }
                _ => {}
            }
        }
    }

    /// Takes the value of a constant or of a parameter.
    fn value(&mut self, ty: Option<&TypeRef>, value: Option<ExprId>) {
        if let (Some(ty), Some(value)) = (ty.and_then(|ty| self.ty(self.file, ty)), value) {
            self.expect(value, &ty);
        }
    }

    /// Returns the enum that a type names in a text.
    fn ty(&self, file: FileId, ty: &TypeRef) -> Option<EnumName> {
        let path: &[Name] = match &ty.base {
            TypeBase::Words(words) => words,
            TypeBase::Path(parts) => parts,
            TypeBase::Tagged { .. } | TypeBase::UserString => return None,
        };
        let text = self.texts.text(file);
        let declares = |file: FileId, name: &str| {
            self.declared.get(file.index()).is_some_and(|declared| declared.ty(name).is_some())
        };
        let (file, name) = match path {
            [name] => {
                let imports = text.imports.iter().map(|import| import.file);
                let mut all = std::iter::once(file).chain(imports);
                (all.find(|file| declares(*file, &name.value))?, &name.value)
            }
            [module, name] => {
                let import = text.imports.iter().find(|import| import.name.value == module.value)?;
                (Some(import.file).filter(|file| declares(*file, &name.value))?, &name.value)
            }
            _ => return None,
        };
        Some(EnumName { file, name: name.clone() })
    }

    fn expression(&mut self, expr: &Expr) {
        if self.area(expr.span) == Some(Area::Definition) {
            return;
        }
        match &expr.kind {
            ExprKind::Binary { left, right, .. } => {
                for (operand, constant) in [(*left, *right), (*right, *left)] {
                    if let Some(ty) = self.values_of(operand) {
                        self.expect(constant, &ty);
                    }
                }
            }
            ExprKind::In { operand, members, .. } => {
                let Some(ty) = self.values_of(*operand) else { return };
                for member in members {
                    match member {
                        SetMember::One(member) => self.expect(*member, &ty),
                        SetMember::Range { first, last } => {
                            self.expect(*first, &ty);
                            self.expect(*last, &ty);
                        }
                    }
                }
            }
            _ => {}
        }
    }

    /// Returns the enum whose members name the values of an operand. Recursion follows the expression, whose depth the
    /// grammar limits.
    fn values_of(&self, id: ExprId) -> Option<EnumName> {
        let expr = &self.text.parsed.file.exprs[id];
        match &expr.kind {
            ExprKind::Cast { operand, ty } => self.ty(self.file, ty).or_else(|| self.values_of(*operand)),
            ExprKind::Binary { op, left, right }
                if matches!(op.value, BinaryOp::BitAnd | BinaryOp::BitOr | BinaryOp::BitXor) =>
            {
                self.values_of(*left).or_else(|| self.values_of(*right))
            }
            _ => None,
        }
    }

    /// Notes the enum of the names in a constant.
    fn expect(&mut self, id: ExprId, ty: &EnumName) {
        let exprs = &self.text.parsed.file.exprs;
        match &exprs[id].kind {
            ExprKind::Name(_) => _ = self.found.insert(id, ty.clone()),
            ExprKind::Unary { op, operand } if op.value == UnaryOp::Neg => self.expect(*operand, ty),
            ExprKind::Binary { left, right, .. } => {
                self.expect(*left, ty);
                self.expect(*right, ty);
            }
            ExprKind::Choose { then, otherwise, .. } => {
                self.expect(*then, ty);
                self.expect(*otherwise, ty);
            }
            _ => {}
        }
    }
}
