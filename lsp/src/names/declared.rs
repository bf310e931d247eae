//! The declarations of a text, by name.

use std::collections::{BTreeMap, BTreeSet};

use tracec_compiler::load::LoadedText;
use tracec_grammar::syntax::DeclarationKind;

use super::{Key, Role, Space};

/// The declarations of a text.
#[derive(Debug, Default)]
pub(super) struct Declared {
    text: String,
    constants: BTreeSet<String>,
    types: BTreeMap<String, BTreeSet<String>>,
    pub(super) sessions: BTreeSet<String>,
    pub(super) events: BTreeSet<String>,
    pub(super) classes: BTreeSet<String>,
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
                DeclarationKind::Event(event) => _ = all.events.insert(event.name.value.clone()),
                DeclarationKind::Class(class) => _ = all.classes.insert(class.name.value.clone()),
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
