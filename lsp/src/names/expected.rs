//! The enum that a bare name in an expression is a member of: that of the value which it is compared with.
//!
//! It is found from the syntax, so that a text with mistakes has it too. The rules are those of the compiler
//! (`compiler/src/check/condition/field_names.rs`): a cast to an enum names the values, a cast to a number and the
//! operations on bits keep the names, and a field of an event that a text defines has those of its type.

use std::collections::BTreeMap;

use tracec_compiler::load::LoadedText;
use tracec_grammar::syntax::{
    BinaryOp, Clause, ClauseKind, DeclarationKind, EntryValue, EventBody, EventForm, EventPathKind, EventSet,
    Expr, ExprId, ExprKind, Name, SetMember, StopRule, TypeBase, TypeRef, UnaryOp,
};
use tracec_span::{FileId, Span};

use super::ReadTexts;
use super::declared::Declared;

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
    /// The events that the text or one of its imports defines, by name.
    events: BTreeMap<&'p str, (FileId, &'p EventForm)>,
    /// The parts of the text in which fields of events have names, each with the types of the fields, in the order of
    /// the text. None is in another one.
    areas: Vec<Area>,
    found: BTreeMap<ExprId, EnumName>,
}

/// A part of a text that is about events.
struct Area {
    span: Span,
    /// Whether it is about records: then a pseudo-field is one.
    is_condition: bool,
    fields: Fields,
}

/// The types of fields that are an enum, by the name of the field.
type Fields = BTreeMap<String, EnumName>;

impl<'p> Expected<'p> {
    /// Finds the expected enums of the expressions of a text.
    pub(super) fn of(texts: ReadTexts<'p>, declared: &'p [Declared], file: FileId) -> Self {
        let text = texts.text(file);
        let mut events = BTreeMap::new();
        for file in std::iter::once(file).chain(text.imports.iter().map(|import| import.file)) {
            for declaration in &texts.text(file).parsed.file.declarations {
                if let DeclarationKind::Event(event) = &declaration.kind {
                    events.entry(event.name.value.as_str()).or_insert((file, &event.form));
                }
            }
        }
        let (areas, found) = (Vec::new(), BTreeMap::new());
        let mut expected = Expected { texts, file, text, declared, events, areas, found };
        for declaration in &text.parsed.file.declarations {
            match &declaration.kind {
                DeclarationKind::Session(session) => expected.clauses(&session.clauses),
                DeclarationKind::Class(class) => expected.body(declaration.span, &class.body),
                DeclarationKind::Event(event) => match &event.form {
                    EventForm::Whole { body, .. } => expected.body(declaration.span, body),
                    EventForm::OfClass { class, .. } => {
                        let fields = expected.fields_of_class(file, &class.value);
                        expected.areas.push(Area { span: declaration.span, is_condition: false, fields });
                    }
                    EventForm::At(_) => {}
                },
                _ => {}
            }
        }
        expected.areas.sort_by_key(|area| area.span);
        for (_, expr) in text.parsed.file.exprs.iter() {
            expected.expression(expr);
        }
        expected
    }

    /// Returns the enum whose members an expression names without a path.
    pub(super) fn at(&self, id: ExprId) -> Option<&EnumName> {
        self.found.get(&id)
    }

    /// Returns whether an expression is about records, so that a pseudo-field hides what the text declares.
    pub(super) fn is_in_condition(&self, span: Span) -> bool {
        self.area(span).is_some_and(|area| area.is_condition)
    }

    /// Returns the area that a part of the text is in.
    fn area(&self, span: Span) -> Option<&Area> {
        let behind = self.areas.partition_point(|area| area.span.start <= span.start);
        self.areas.get(behind.checked_sub(1)?).filter(|area| area.span.holds(span))
    }

    fn clauses(&mut self, clauses: &[Clause]) {
        for clause in clauses {
            let set = match &clause.kind {
                ClauseKind::Trace(content) | ClauseKind::On(content) => &content.events,
                ClauseKind::Stop(StopRule::On { events, .. }) => events,
                ClauseKind::When(when) => {
                    self.clauses(&when.then);
                    when.otherwise.iter().for_each(|clauses| self.clauses(clauses));
                    continue;
                }
                _ => continue,
            };
            let fields = self.fields_of_set(set);
            self.areas.push(Area { span: clause.span, is_condition: true, fields });
        }
    }

    /// Returns the types of the fields of the events in a set that a text defines.
    fn fields_of_set(&self, set: &EventSet) -> Fields {
        let mut all = Fields::new();
        for path in &set.include {
            let name = match &path.kind {
                EventPathKind::Path { name: Some(name), .. } => &name.value,
                EventPathKind::Bare(name) => name,
                EventPathKind::Path { name: None, .. } | EventPathKind::Pattern(_) => continue,
            };
            if let Some((file, form)) = self.events.get(name.as_str()) {
                all.extend(self.fields_of_event(*file, form));
            }
        }
        all
    }

    /// Returns the types of the fields of an event that a text defines.
    fn fields_of_event(&self, file: FileId, form: &EventForm) -> Fields {
        match form {
            EventForm::Whole { body, .. } => self.fields_of_body(file, body),
            EventForm::OfClass { class, .. } => self.fields_of_class(file, &class.value),
            EventForm::At(_) => Fields::new(),
        }
    }

    fn fields_of_class(&self, file: FileId, name: &str) -> Fields {
        let mut declarations = self.texts.text(file).parsed.file.declarations.iter();
        let class = declarations.find_map(|declaration| match &declaration.kind {
            DeclarationKind::Class(class) if class.name.value == name => Some(class),
            _ => None,
        });
        class.map_or_else(Fields::new, |class| self.fields_of_body(file, &class.body))
    }

    fn fields_of_body(&self, file: FileId, body: &EventBody) -> Fields {
        let fields = body.entry.iter().flat_map(|entry| &entry.value);
        let typed = fields.filter_map(|field| Some((field.name.value.clone(), self.ty(file, &field.ty)?)));
        typed.collect()
    }

    /// Takes an event or a class: the values of its fields, and its template.
    fn body(&mut self, span: Span, body: &EventBody) {
        for field in body.entry.iter().flat_map(|entry| &entry.value) {
            if let (Some(EntryValue::Expr(value)), Some(ty)) = (&field.value, self.ty(self.file, &field.ty)) {
                self.expect(*value, &ty);
            }
        }
        let fields = self.fields_of_body(self.file, body);
        self.areas.push(Area { span, is_condition: false, fields });
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
            ExprKind::Name(name) => self.area(expr.span)?.fields.get(name).cloned(),
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
