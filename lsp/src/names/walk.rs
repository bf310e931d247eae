//! The walk over the syntax of one text.

use tracec_compiler::check::CURRENT;
use tracec_compiler::load::LoadedText;
use tracec_grammar::syntax::{
    Clause, ClauseKind, DeclarationKind, Dump, Enum, EventBody, EventClause, EventForm, EventPath,
    EventPathKind, EventSet, Expr, ExprId, ExprKind, FeatureKind, Imported, ItemKind, LintLevel, Name, Param,
    Probe, Session, StopRule, TypeBase, TypeRef, Use,
};
use tracec_grammar::{TokenClass, tokens};
use tracec_span::{FileId, Span};

use super::declared::Declared;
use super::expected::{Area, Expected};
use super::{Key, Named, Owner, Part, ReadTexts, Role, Space};

pub(super) struct Walk<'p> {
    texts: ReadTexts<'p>,
    /// The declarations of each text.
    declared: &'p [Declared],
    file: FileId,
    text: &'p LoadedText,
    /// The part of the text whose names are found.
    part: Part,
    expected: Expected<'p>,
    /// The sessions, in the order of the text.
    sessions: Vec<&'p Session>,
    /// The parts of the text whose names may be fields of an event or class of a text, in the order of the text.
    owners: Vec<(Span, Definition<'p>)>,
    names: Vec<Named>,
}

/// What has the fields that a part of a text names, and the text that defines it.
struct Definition<'p> {
    declared: &'p Declared,
    owner: Owner,
}

impl Definition<'_> {
    fn field(&self, name: &str) -> Option<Key> {
        self.declared.field(&self.owner, name)
    }
}

impl<'p> Walk<'p> {
    pub(super) fn new(
        texts: ReadTexts<'p>,
        declared: &'p [Declared],
        file: FileId,
        text: &'p LoadedText,
        part: Part,
    ) -> Self {
        let sessions = text.parsed.file.sessions().collect();
        Walk {
            texts,
            declared,
            file,
            text,
            expected: Expected::of(texts, declared, file, &part),
            part,
            sessions,
            owners: Vec::new(),
            names: Vec::new(),
        }
    }

    /// Notes that the names in a part of the text may be fields of the events of a set, if these have the same ones from
    /// a text.
    fn own_set(&mut self, span: Span, set: &EventSet) {
        let mut all = set.include.iter().map(|path| self.defined(path));
        let Some(Some(first)) = all.next() else { return };
        let is_first = |other: &Definition<'_>| {
            std::ptr::eq(other.declared, first.declared) && other.owner == first.owner
        };
        if all.all(|other| other.as_ref().is_some_and(is_first)) {
            self.owners.push((span, first));
        }
    }

    /// Returns what has the fields of an event that a text defines.
    fn defined(&self, path: &EventPath) -> Option<Definition<'p>> {
        let (system, name) = match &path.kind {
            EventPathKind::Path { system, name: Some(name) } => {
                (system.as_ref().map(|system| system.value.as_str()), name.value.as_str())
            }
            EventPathKind::Bare(name) => (None, name.as_str()),
            _ => return None,
        };
        let declared = self.defining(system, name)?;
        Some(Definition { declared, owner: declared.owner_of(name) })
    }

    /// Returns the field with a name in a part of the text.
    fn field(&self, span: Span, name: &str) -> Option<Key> {
        let behind = self.owners.partition_point(|(part, _)| part.start <= span.start);
        let (part, defined) = self.owners.get(behind.checked_sub(1)?)?;
        part.holds(span).then(|| defined.field(name)).flatten()
    }

    /// Adds the name of a field.
    fn field_name(&mut self, name: &Name) {
        self.add(name.span, Role::Field, self.field(name.span, &name.value), false);
    }

    /// Adds the declaration of an argument or a field in the definition of an event or class.
    fn declare_field(&mut self, name: &Name, role: Role) {
        self.add(name.span, role, self.field(name.span, &name.value), true);
    }

    /// Notes that the names in a definition may be fields of it.
    fn own_fields(&mut self, span: Span, owner: Owner) {
        self.owners.extend(self.own().map(|declared| (span, Definition { declared, owner })));
    }

    /// Returns the names of the part. Those of expressions come last: of two for the same span, the first is kept.
    pub(super) fn names(mut self) -> Vec<Named> {
        let file = &self.text.parsed.file;
        let part = self.part;
        for declaration in part.touched(&file.declarations, |declaration| declaration.span) {
            match &declaration.kind {
                DeclarationKind::Use(import) => self.import(import),
                DeclarationKind::Const(constant) => {
                    self.declare(&constant.name, Role::Constant, Space::Value);
                    constant.ty.iter().for_each(|ty| self.ty(ty));
                }
                DeclarationKind::Enum(ty) | DeclarationKind::Flags(ty) => self.enumeration(ty),
                DeclarationKind::Subsystem(name) => self.declare(name, Role::Event, Space::Subsystem),
                DeclarationKind::Header(_) => {}
                DeclarationKind::Class(class) => {
                    self.own_fields(declaration.span, Owner::Class(class.name.value.clone()));
                    self.declare(&class.name, Role::Class, Space::Class);
                    self.body(&class.body);
                }
                DeclarationKind::Event(event) => {
                    let owner = self.own().map(|own| own.owner_of(&event.name.value));
                    owner.into_iter().for_each(|owner| self.own_fields(declaration.span, owner));
                    self.declare(&event.name, Role::Event, Space::Event);
                    match &event.form {
                        EventForm::Whole { body, .. } => self.body(body),
                        EventForm::OfClass { class, .. } => {
                            let own = self.own().and_then(|own| {
                                own.classes
                                    .contains(&class.value)
                                    .then(|| own.key(Space::Class, &class.value))
                            });
                            self.add(class.span, Role::Class, own, false);
                        }
                        EventForm::At(probe) => self.probe(probe),
                    }
                }
                DeclarationKind::Session(session) => self.session(session),
                DeclarationKind::Lint(lint) => self.lint(lint),
            }
        }
        for (id, expr) in file.exprs.ending_in(part.range()) {
            self.expression(id, expr);
        }
        self.names
    }

    fn own(&self) -> Option<&'p Declared> {
        self.declared.get(self.file.index())
    }

    fn add(&mut self, span: Span, role: Role, key: Option<Key>, is_declaration: bool) {
        self.names.push(Named { span, role, key, is_declaration });
    }

    fn plain(&mut self, name: &Name, role: Role) {
        self.add(name.span, role, None, false);
    }

    fn declare(&mut self, name: &Name, role: Role, space: Space) {
        let key = self.own().map(|own| own.key(space, &name.value));
        self.add(name.span, role, key, true);
    }

    /// Returns the text that a name is bound to by a `use`.
    fn imported(&self, name: &str) -> Option<&'p Declared> {
        let import = self.text.imports.iter().find(|import| import.name.value == name)?;
        self.declared.get(import.file.index())
    }

    fn import(&mut self, import: &Use) {
        let parts = match &import.imported {
            Imported::Module(parts) => parts.as_slice(),
            Imported::File(_) => &[],
        };
        for (index, part) in parts.iter().enumerate() {
            // The last part is the name in the text.
            let binds = import.alias.is_none() && index + 1 == parts.len();
            let key = self.own().filter(|_| binds).map(|own| own.key(Space::Import, &part.value));
            self.add(part.span, Role::Module, key, binds);
        }
        import.alias.iter().for_each(|alias| self.declare(alias, Role::Module, Space::Import));
    }

    fn enumeration(&mut self, ty: &Enum) {
        self.declare(&ty.name, Role::Type, Space::Value);
        ty.ty.iter().for_each(|ty| self.ty(ty));
        for member in &ty.members {
            self.declare(&member.name, Role::Member, Space::Member(ty.name.value.clone()));
        }
    }

    fn body(&mut self, body: &EventBody) {
        body.proto.iter().flat_map(|proto| &proto.value).for_each(|param| self.param(param));
        for field in body.entry.iter().flat_map(|entry| &entry.value) {
            self.declare_field(&field.name, Role::Field);
            self.ty(&field.ty);
        }
    }

    fn param(&mut self, param: &Param) {
        self.declare_field(&param.name, Role::Param);
        self.ty(&param.ty);
    }

    fn probe(&mut self, probe: &Probe) {
        use tracec_grammar::syntax::AttachPoint;

        self.plain(&probe.kind, Role::Property);
        match &probe.attach_point {
            AttachPoint::Symbol { module, symbol, .. } => {
                module.iter().for_each(|module| self.plain(module, Role::Module));
                self.plain(symbol, Role::Function);
            }
            AttachPoint::Binary { provider, symbol, .. } => {
                provider.iter().for_each(|provider| self.plain(provider, Role::Module));
                symbol.iter().for_each(|symbol| self.plain(symbol, Role::Function));
            }
            AttachPoint::Event(path) => self.path(path),
        }
        probe
            .params
            .iter()
            .flat_map(|params| &params.value)
            .chain(&probe.result)
            .for_each(|param| self.param(param));
        for field in probe.fields.iter().flat_map(|fields| &fields.value) {
            field.name.iter().for_each(|name| self.declare_field(name, Role::Field));
            field.ty.iter().for_each(|ty| self.ty(ty));
        }
    }

    fn ty(&mut self, ty: &TypeRef) {
        match &ty.base {
            TypeBase::Words(words) => {
                for word in words {
                    let known = self.visible().find_map(|of| of.ty(&word.value));
                    self.add(word.span, Role::Type, known.map(|(_, key)| key), false);
                }
            }
            TypeBase::Path(parts) => self.value_path(parts),
            TypeBase::Tagged { name, .. } => self.plain(name, Role::Type),
            TypeBase::UserString => {}
        }
    }

    fn session(&mut self, session: &Session) {
        session.name.iter().for_each(|name| self.declare(name, Role::Session, Space::Session));
        let name = session.name.as_ref().map_or("", |name| &name.value);
        for param in &session.params {
            self.declare(&param.name, Role::Param, Space::Param(name.to_owned()));
            param.ty.iter().for_each(|ty| self.ty(ty));
        }
        self.clauses(&session.clauses);
    }

    fn clauses(&mut self, clauses: &[Clause]) {
        let part = self.part;
        for clause in part.touched(clauses, |clause| clause.span) {
            match &clause.kind {
                ClauseKind::Trace(content) | ClauseKind::On(content) => {
                    self.own_set(clause.span, &content.events);
                    self.events(content);
                }
                ClauseKind::Clock(name) | ClauseKind::Recorder(name) | ClauseKind::Option { name, .. } => {
                    self.plain(name, Role::Property);
                }
                ClauseKind::Global { clauses, .. } => self.clauses(clauses),
                ClauseKind::Stop(StopRule::On { events, .. }) | ClauseKind::Dump(Dump { events, .. }) => {
                    self.own_set(clause.span, events);
                    self.set(events);
                }
                ClauseKind::Stop(StopRule::Signal(name)) => self.plain(name, Role::Property),
                ClauseKind::Include { session, args } => {
                    self.include(&session.value, args.iter().map(|arg| &arg.name))
                }
                ClauseKind::When(when) => {
                    match &when.feature.kind {
                        FeatureKind::Event(path) => self.path(path),
                        FeatureKind::Field { event, field } => {
                            self.path(event);
                            let key = self.defined(event).and_then(|of| of.field(&field.value));
                            self.add(field.span, Role::Field, key, false);
                        }
                        FeatureKind::Named { name, .. } => self.plain(name, Role::Property),
                    }
                    self.clauses(&when.then);
                    when.otherwise.iter().for_each(|clauses| self.clauses(clauses));
                }
                ClauseKind::Lint(lint) => self.lint(lint),
                ClauseKind::Buffer { .. }
                | ClauseKind::Queue(_)
                | ClauseKind::Subbuffer(_)
                | ClauseKind::Cmdlines(_)
                | ClauseKind::Rotate { .. }
                | ClauseKind::Keep(_)
                | ClauseKind::Scope { .. }
                | ClauseKind::IncludingTracec
                | ClauseKind::Instance(_)
                | ClauseKind::Stream
                | ClauseKind::Ring { .. }
                | ClauseKind::Stop(_)
                | ClauseKind::StartPaused
                | ClauseKind::Marker(_)
                | ClauseKind::Output(_) => {}
            }
        }
    }

    fn lint(&mut self, lint: &LintLevel) {
        lint.names.iter().for_each(|name| self.plain(name, Role::Property));
    }

    fn include<'n>(&mut self, session: &[Name], args: impl Iterator<Item = &'n Name>) {
        let (of, name) = match session {
            [name] => (self.own(), name),
            [module, name] => {
                let key = self.own().map(|own| own.key(Space::Import, &module.value));
                let of = self.imported(&module.value);
                self.add(module.span, Role::Module, key.filter(|_| of.is_some()), false);
                (of, name)
            }
            _ => return,
        };
        let of = of.filter(|of| of.sessions.contains(&name.value));
        self.add(name.span, Role::Session, of.map(|of| of.key(Space::Session, &name.value)), false);
        for arg in args {
            let key = of.map(|of| of.key(Space::Param(name.value.clone()), &arg.value));
            self.add(arg.span, Role::Param, key, false);
        }
    }

    fn events(&mut self, content: &EventClause) {
        self.set(&content.events);
        content.having.iter().for_each(|field| self.field_name(field));
        for item in &content.items {
            match &item.kind {
                ItemKind::Trigger { action, event, .. } => {
                    self.plain(action, Role::Function);
                    event.iter().for_each(|path| self.path(path));
                }
                ItemKind::Drop(fields) | ItemKind::Redact(fields) => {
                    fields.iter().for_each(|field| self.field_name(field));
                }
                ItemKind::Lint(lint) => self.lint(lint),
                // Their names are those of expressions.
                ItemKind::Filter { .. } | ItemKind::Print(_) => {}
            }
        }
    }

    fn set(&mut self, set: &EventSet) {
        set.include.iter().chain(&set.except).for_each(|path| self.path(path));
    }

    fn path(&mut self, path: &EventPath) {
        match &path.kind {
            EventPathKind::Path { system, name } => {
                if let Some(system) = system {
                    let name = name.as_ref().map(|name| name.value.as_str());
                    self.add(system.span, Role::Event, self.subsystem(&system.value, name), false);
                }
                if let Some(name) = name {
                    let key = self.event(system.as_ref().map(|system| system.value.as_str()), &name.value);
                    self.add(name.span, Role::Event, key, false);
                }
            }
            EventPathKind::Bare(name) => {
                let param = self.param_of(path.span, name);
                let role = if param.is_some() { Role::Param } else { Role::Event };
                let key = param.or_else(|| self.event(None, name));
                self.add(path.span, role, key, false);
            }
            EventPathKind::Pattern(_) => {}
        }
    }

    /// Returns the text itself and those that it imports.
    fn visible(&self) -> impl Iterator<Item = &'p Declared> {
        let imports = self.text.imports.iter().filter_map(|import| self.declared.get(import.file.index()));
        self.own().into_iter().chain(imports)
    }

    /// Returns the subsystem that one of the texts declares: the one with the event, if it is one event.
    fn subsystem(&self, system: &str, event: Option<&str>) -> Option<Key> {
        let has_event = |of: &&Declared| event.is_none_or(|event| of.events.contains(event));
        let mut all = self.visible().filter(|of| of.subsystem.as_deref() == Some(system));
        all.find(has_event).map(|of| of.key(Space::Subsystem, system))
    }

    /// Returns the event that one of the texts defines.
    fn event(&self, system: Option<&str>, name: &str) -> Option<Key> {
        self.defining(system, name).map(|of| of.key(Space::Event, name))
    }

    /// Returns the text that defines an event.
    fn defining(&self, system: Option<&str>, name: &str) -> Option<&'p Declared> {
        let mut all = self.visible();
        let of_system = |of: &&Declared| system.is_none_or(|system| of.subsystem.as_deref() == Some(system));
        all.find(|of| of_system(of) && of.events.contains(name))
    }

    /// Returns the parameter with a name of the session around a span.
    fn param_of(&self, span: Span, name: &str) -> Option<Key> {
        let behind = self.sessions.partition_point(|session| session.span.start <= span.start);
        let session = self.sessions.get(behind.checked_sub(1)?).filter(|session| session.span.holds(span))?;
        session.params.iter().find(|param| param.name.value == name)?;
        let of = session.name.as_ref().map_or("", |name| &name.value);
        self.own().map(|own| own.key(Space::Param(of.to_owned()), name))
    }

    fn expression(&mut self, id: ExprId, expr: &Expr) {
        match &expr.kind {
            ExprKind::Name(name) => {
                let Some(span) = self.span_of(name, expr.span) else { return };
                let found = match self.is_pseudo_field(name, span) {
                    true => None,
                    false => {
                        let field = || self.field(span, name).map(|key| (Role::Field, key));
                        let param = self.param_of(span, name).map(|key| (Role::Param, key));
                        param.or_else(field).or_else(|| self.value(id, name, span))
                    }
                };
                let role = found.as_ref().map_or(Role::Field, |(role, _)| *role);
                self.add(span, role, found.map(|(_, key)| key), false);
            }
            ExprKind::Path(parts) => self.value_path(parts),
            ExprKind::Member { member, .. } | ExprKind::Arrow { member, .. } => {
                self.plain(member, Role::Field)
            }
            ExprKind::Cast { ty, .. } => self.ty(ty),
            _ => {}
        }
    }

    /// Returns the span of a name in an expression, whose span has the parentheses around it, and the comments in them.
    fn span_of(&self, name: &str, whole: Span) -> Option<Span> {
        let text = self.texts.sources.text_of(whole);
        if text == name {
            return Some(whole);
        }
        let words = tokens(text).into_iter().filter(|token| token.class == TokenClass::Word);
        let mut ranges = words.map(|token| token.span.range());
        ranges.find(|range| text.get(range.clone()) == Some(name)).map(|range| whole.part(range))
    }

    /// Returns whether a name is a pseudo-field: in a condition they hide what the text declares.
    fn is_pseudo_field(&self, name: &str, span: Span) -> bool {
        let of_task = || CURRENT.iter().any(|property| property.name == name && property.is_pseudo_field);
        (name == "stacktrace" || of_task()) && self.expected.area(span) == Some(Area::Condition)
    }

    /// Returns the constant, type or member that a bare name at a span is. A member needs a path, unless what it is
    /// compared with says which enum it belongs to, or it is of an import.
    fn value(&self, id: ExprId, name: &str, span: Span) -> Option<(Role, Key)> {
        let expected = self.expected.at(id);
        let member = expected.and_then(|ty| self.declared.get(ty.file.index())?.member(&ty.name, name));
        let own = || self.own().and_then(|own| own.constant(name));
        let imported = || {
            let mut imports =
                self.text.imports.iter().filter_map(|import| self.declared.get(import.file.index()));
            imports.find_map(|imported| imported.exported(name))
        };
        let ty = || self.own().and_then(|own| own.ty(name));
        // A value of a type that the text does not say yet.
        let other = || self.own().filter(|_| self.expected.area(span).is_none())?.only_member(name);
        member.or_else(own).or_else(imported).or_else(ty).or_else(other)
    }

    /// Adds the parts of `errno::EIO`, `Status::Ok`, `module::Status::Ok`.
    fn value_path(&mut self, parts: &[Name]) {
        let [first, rest @ ..] = parts else { return };
        // An enum of the text comes before a module of the same name.
        let is_own = rest.len() == 1 && self.own().is_some_and(|own| own.ty(&first.value).is_some());
        let module = self.imported(&first.value).filter(|_| !is_own);
        let (of, rest) = match module {
            Some(of) => {
                let key = self.own().map(|own| own.key(Space::Import, &first.value));
                self.add(first.span, Role::Module, key, false);
                (Some(of), rest)
            }
            None => (self.visible().find(|of| of.ty(&first.value).is_some()), parts),
        };
        match rest {
            [name] => {
                let found = of.and_then(|of| of.exported(&name.value));
                let role = found.as_ref().map_or(Role::Constant, |(role, _)| *role);
                self.add(name.span, role, found.map(|(_, key)| key), false);
            }
            [ty, name] => {
                let found = of.and_then(|of| of.ty(&ty.value));
                self.add(ty.span, Role::Type, found.map(|(_, key)| key), false);
                let found = of.and_then(|of| of.member(&ty.value, &name.value));
                self.add(name.span, Role::Member, found.map(|(_, key)| key), false);
            }
            _ => {}
        }
    }
}
