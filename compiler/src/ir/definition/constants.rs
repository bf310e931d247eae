//! Lookup of constants by name.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::value::{EnumType, Value};

/// The constants of a file: its own and those of what it imports.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Constants {
    /// Every `const`.
    pub values: BTreeMap<String, Value>,
    /// Every `enum` and `flags`.
    pub enums: BTreeMap<String, Arc<EnumType>>,
    /// The constants of each import, by the name that the import is bound to.
    pub modules: BTreeMap<String, Arc<Constants>>,
    /// Names whose declaration has a mistake that was reported. Their values are unknown, and a use of one is not
    /// reported again.
    pub failed: BTreeSet<String>,
    /// Whether an import could not be found or a declaration could not be read: then a name that is not found may
    /// belong to it.
    pub incomplete: bool,
}

/// The result of a lookup.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Found {
    /// A constant.
    Value(Value),
    /// Several constants of different values, by the paths that distinguish them.
    Ambiguous(Vec<String>),
    /// Something whose declaration has been reported.
    Failed,
    /// The name of an `enum` or `flags` and not of one of its members.
    Type(Arc<EnumType>),
    /// Nothing.
    Unknown,
}

impl Constants {
    /// Returns what `A`, `Status::Ok`, `errno::EIO` or `module::Status::Ok` stands for.
    ///
    /// A bare name is looked up among the members of `expected` (the enum of the value that it is compared with), the
    /// file's own constants and everything that its imports export. If these disagree on the value, the name is
    /// ambiguous.
    pub fn find(&self, path: &[&str], expected: Option<&Arc<EnumType>>) -> Found {
        match path {
            [name] => self.find_bare(name, expected),
            [first, rest @ ..] => self.find_in(first, rest),
            [] => Found::Unknown,
        }
    }

    /// Returns the `enum` or `flags` that `Status` or `module::Status` names.
    pub fn find_enum(&self, path: &[&str]) -> Option<&Arc<EnumType>> {
        match path {
            [name] => {
                self.enums.get(*name).or_else(|| self.modules.values().find_map(|m| m.enums.get(*name)))
            }
            [module, name] => self.modules.get(*module)?.enums.get(*name),
            _ => None,
        }
    }

    /// Returns whether the first part of a path is bound: to an import, or to an enum of the file.
    pub fn is_bound(&self, first: &str) -> bool {
        self.modules.contains_key(first) || self.enums.contains_key(first) || self.failed.contains(first)
    }

    /// Returns every path that can be named, as it is written.
    pub fn names(&self) -> Vec<String> {
        let mut names = self.own_names();
        for (module, constants) in &self.modules {
            names.extend(constants.exports().map(|name| format!("{module}::{name}")));
        }
        names
    }

    /// Returns every path that begins with `first`.
    pub fn names_below(&self, first: &str) -> Vec<String> {
        if let Some(ty) = self.enums.get(first) {
            return ty.members().iter().map(|member| format!("{first}::{}", member.name)).collect();
        }
        match self.modules.get(first) {
            Some(module) => module.exports().map(|name| format!("{first}::{name}")).collect(),
            None => Vec::new(),
        }
    }

    fn own_names(&self) -> Vec<String> {
        let members = self
            .enums
            .values()
            .flat_map(|ty| ty.members().iter().map(|member| format!("{}::{}", ty.name, member.name)));
        self.values.keys().cloned().chain(members).collect()
    }

    /// Returns the names that an importing file can write after the name of the import: constants, and members of enums
    /// without the name of their enum.
    fn exports(&self) -> impl Iterator<Item = &str> {
        let members =
            self.enums.values().flat_map(|ty| ty.members().iter().map(|member| member.name.as_str()));
        self.values.keys().map(String::as_str).chain(members)
    }

    fn find_bare(&self, name: &str, expected: Option<&Arc<EnumType>>) -> Found {
        if self.failed.contains(name) {
            return Found::Failed;
        }
        let mut found: Vec<(String, Value)> = Vec::new();
        if let Some(ty) = expected
            && let Some(value) = member(ty, name)
        {
            found.push((format!("{}::{name}", ty.name), value));
        }
        if let Some(value) = self.values.get(name) {
            found.push((name.to_owned(), value.clone()));
        }
        let mut failed = false;
        for (module, constants) in &self.modules {
            match constants.exported(name) {
                Found::Value(value) => found.push((format!("{module}::{name}"), value)),
                Found::Ambiguous(paths) => {
                    return Found::Ambiguous(paths.iter().map(|path| format!("{module}::{path}")).collect());
                }
                Found::Failed => failed = true,
                Found::Type(_) | Found::Unknown => {}
            }
        }
        settle(found).unwrap_or_else(|| match self.enums.get(name) {
            Some(ty) => Found::Type(Arc::clone(ty)),
            None if failed || self.incomplete => Found::Failed,
            None => Found::Unknown,
        })
    }

    fn find_in(&self, first: &str, rest: &[&str]) -> Found {
        if self.failed.contains(first) {
            return Found::Failed;
        }
        if let (Some(ty), [name]) = (self.enums.get(first), rest) {
            return member(ty, name).map_or(Found::Unknown, Found::Value);
        }
        match (self.modules.get(first), rest) {
            (Some(module), [name]) => module.exported(name),
            (Some(module), [ty, name]) if module.enums.contains_key(*ty) || module.failed.contains(*ty) => {
                module.find_in(ty, &[name])
            }
            (None, _) if self.incomplete && !self.enums.contains_key(first) => Found::Failed,
            _ => Found::Unknown,
        }
    }

    /// Returns the constant, or the member of any enum, that an importing file finds under a name.
    fn exported(&self, name: &str) -> Found {
        if self.failed.contains(name) {
            return Found::Failed;
        }
        let own = self.values.get(name).map(|value| (name.to_owned(), value.clone()));
        let members =
            self.enums.values().filter_map(|ty| Some((format!("{}::{name}", ty.name), member(ty, name)?)));
        let found: Vec<_> = own.into_iter().chain(members).collect();
        settle(found)
            .unwrap_or_else(|| self.enums.get(name).map_or(Found::Unknown, |ty| Found::Type(Arc::clone(ty))))
    }
}

/// Returns one value if all candidates are equal; the first determines the enum that it belongs to.
fn settle(found: Vec<(String, Value)>) -> Option<Found> {
    let (_, first) = found.first()?;
    if found.iter().all(|(_, value)| value.is_same(first)) {
        return Some(Found::Value(first.clone()));
    }
    Some(Found::Ambiguous(found.into_iter().map(|(path, _)| path).collect()))
}

fn member(ty: &Arc<EnumType>, name: &str) -> Option<Value> {
    let value = ty.member(name)?.value;
    Some(Value::Int { value, of: Some(Arc::clone(ty)) })
}
