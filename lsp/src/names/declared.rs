//! The declarations of a text, by name.

use std::collections::{BTreeMap, BTreeSet};

use tracec_compiler::load::LoadedText;
use tracec_grammar::syntax::{DeclarationKind, EventBody, EventForm, Probe};

use super::{Key, Owner, Role, Space};

/// The declarations of a text.
#[derive(Debug, Default)]
pub(super) struct Declared {
    text: String,
    constants: BTreeSet<String>,
    types: BTreeMap<String, BTreeSet<String>>,
    pub(super) sessions: BTreeSet<String>,
    pub(super) events: BTreeSet<String>,
    pub(super) classes: BTreeSet<String>,
    /// The arguments and fields of each event and class.
    fields: BTreeMap<Owner, BTreeSet<String>>,
    /// The class of each event that has one.
    class_of: BTreeMap<String, String>,
    pub(super) subsystem: Option<String>,
}

impl Declared {
    pub(super) fn of(text: &LoadedText) -> Self {
        let mut all = Declared { text: text.name.clone(), ..Declared::default() };
        for declaration in &text.parsed.file.declarations {
            match &declaration.kind {
                DeclarationKind::Const(constant) => _ = all.constants.insert(constant.name.value.clone()),
                DeclarationKind::Enum(ty) | DeclarationKind::Flags(ty) => {
                    let members = ty.members.iter().map(|member| member.name.value.clone()).collect();
                    all.types.insert(ty.name.value.clone(), members);
                }
                DeclarationKind::Session(session) => {
                    all.sessions.extend(session.name.iter().map(|name| name.value.clone()));
                }
                DeclarationKind::Event(event) => {
                    let name = &event.name.value;
                    all.events.insert(name.clone());
                    let fields = match &event.form {
                        EventForm::Whole { body, .. } => of_body(body),
                        EventForm::At(probe) => of_probe(probe),
                        EventForm::OfClass { class, .. } => {
                            all.class_of.insert(name.clone(), class.value.clone());
                            continue;
                        }
                    };
                    all.fields.insert(Owner::Event(name.clone()), fields);
                }
                DeclarationKind::Class(class) => {
                    all.classes.insert(class.name.value.clone());
                    all.fields.insert(Owner::Class(class.name.value.clone()), of_body(&class.body));
                }
                DeclarationKind::Subsystem(name) => all.subsystem = Some(name.value.clone()),
                DeclarationKind::Use(_) | DeclarationKind::Header(_) | DeclarationKind::Lint(_) => {}
            }
        }
        all
    }

    /// Returns the key of a declaration of this text.
    pub(super) fn key(&self, space: Space, name: &str) -> Key {
        Key { text: self.text.clone(), space, name: name.to_owned() }
    }

    /// Returns what has the fields of an event: itself, or its class.
    pub(super) fn owner_of(&self, event: &str) -> Owner {
        let class = self.class_of.get(event);
        class.map_or_else(|| Owner::Event(event.to_owned()), |class| Owner::Class(class.clone()))
    }

    /// Returns a field of an event or of a class.
    pub(super) fn field(&self, owner: &Owner, name: &str) -> Option<Key> {
        self.fields.get(owner)?.contains(name).then(|| self.key(Space::Field(owner.clone()), name))
    }

    /// Returns a type.
    pub(super) fn ty(&self, name: &str) -> Option<(Role, Key)> {
        self.types.contains_key(name).then(|| (Role::Type, self.key(Space::Value, name)))
    }

    /// Returns a member of a type.
    pub(super) fn member(&self, ty: &str, name: &str) -> Option<(Role, Key)> {
        let members = self.types.get(ty)?;
        members.contains(name).then(|| (Role::Member, self.key(Space::Member(ty.to_owned()), name)))
    }

    /// Returns a constant.
    pub(super) fn constant(&self, name: &str) -> Option<(Role, Key)> {
        self.constants.contains(name).then(|| (Role::Constant, self.key(Space::Value, name)))
    }

    /// Returns a member of the only type that has one with this name: of several, nothing says which is meant.
    pub(super) fn only_member(&self, name: &str) -> Option<(Role, Key)> {
        let mut all = self.types.keys().filter_map(|ty| self.member(ty, name));
        let first = all.next()?;
        all.next().is_none().then_some(first)
    }

    /// Returns what a text that imports this one finds under a name: a constant, a member of any type, or a type.
    pub(super) fn exported(&self, name: &str) -> Option<(Role, Key)> {
        self.constant(name).or_else(|| self.only_member(name)).or_else(|| self.ty(name))
    }
}

fn of_body(body: &EventBody) -> BTreeSet<String> {
    let params = body.proto.iter().flat_map(|proto| &proto.value).map(|param| &param.name);
    let fields = body.entry.iter().flat_map(|entry| &entry.value).map(|field| &field.name);
    params.chain(fields).map(|name| name.value.clone()).collect()
}

fn of_probe(probe: &Probe) -> BTreeSet<String> {
    let params = probe.params.iter().flat_map(|params| &params.value).chain(&probe.result);
    let fields = probe.fields.iter().flat_map(|fields| &fields.value).filter_map(|field| field.name.as_ref());
    params.map(|param| &param.name).chain(fields).map(|name| name.value.clone()).collect()
}
