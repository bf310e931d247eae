//! Lookup of constants by name.

use super::constants::{ConstantTable, Constants};
use super::value::{EnumId, EnumRef, EnumType, Value};

/// The constants that a file can name.
#[derive(Clone, Copy, Debug)]
pub struct VisibleConstants<'a> {
    /// The file's own constants, which may not be in the table yet.
    pub own: &'a Constants,
    /// The table that owns those of its imports, and all enums.
    pub table: &'a ConstantTable,
}

/// The enum of the value that a constant is compared with: its members need no path.
#[derive(Clone, Copy, Debug)]
pub struct Expected<'a> {
    of: EnumRef,
    ty: &'a EnumType,
}

impl<'a> Expected<'a> {
    /// Returns an `enum` or `flags` of a table.
    pub fn declared(id: EnumId, table: &'a ConstantTable) -> Self {
        Expected { of: EnumRef::Declared(id), ty: &table[id] }
    }

    /// Returns an enum that no table has: the names of a field's values, or one that is being declared.
    pub fn undeclared(ty: &'a EnumType) -> Self {
        Expected { of: EnumRef::Undeclared, ty }
    }

    /// Returns the enum.
    pub fn ty(self) -> &'a EnumType {
        self.ty
    }

    /// Returns the value of a member.
    pub(crate) fn member(self, name: &str) -> Option<Value> {
        let value = self.ty.member(name)?.value;
        Some(Value::Int { value, of: Some(self.of) })
    }
}

/// The result of a lookup.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ConstantLookup {
    /// A constant.
    Value(Value),
    /// Several constants of different values, by the paths that distinguish them.
    Ambiguous(Vec<String>),
    /// Something whose declaration has been reported.
    Failed,
    /// The name of an `enum` or `flags` and not of one of its members.
    Type(EnumId),
    /// Nothing.
    Unknown,
}

impl<'a> VisibleConstants<'a> {
    /// Returns what `A`, `Status::Ok`, `errno::EIO` or `module::Status::Ok` stands for. An enum of an import needs no
    /// path.
    ///
    /// A bare name is looked up among the members of `expected`, the file's own constants and everything that its
    /// imports export. If these disagree on the value, the name is ambiguous. The constants of the library that need no
    /// import are searched only for what is not found so; there, a path may begin with `std`.
    pub fn find(self, path: &[&str], expected: Option<Expected<'_>>) -> ConstantLookup {
        let found = match path {
            [name] => self.find_bare(name, expected),
            [first, rest @ ..] => self.find_in(first, rest),
            [] => ConstantLookup::Unknown,
        };
        match (found, self.prelude()) {
            (ConstantLookup::Unknown, Some(prelude)) => {
                prelude.find(path.strip_prefix(&["std"]).unwrap_or(path), None)
            }
            (found, _) => found,
        }
    }

    /// Returns the `enum` or `flags` that `Status` or `module::Status` names.
    pub fn find_enum(self, path: &[&str]) -> Option<EnumId> {
        let found = match path {
            [name] => self.enum_id(name).or_else(|| self.modules().find_map(|(_, m)| m.enum_id(name))),
            [module, name] => self.module(module).and_then(|module| module.enum_id(name)),
            _ => None,
        };
        found.or_else(|| self.prelude()?.find_enum(path))
    }

    /// Returns whether the first part of a path is bound: to an import, or to an enum of the file.
    pub fn is_bound(self, first: &str) -> bool {
        let Constants { enums, modules, failed, .. } = self.own;
        modules.contains_key(first) || enums.contains_key(first) || failed.contains(first)
    }

    /// Returns whether a module of the library needs no import.
    pub fn is_free(self, module: &str) -> bool {
        self.prelude().is_some_and(|prelude| prelude.own.modules.contains_key(module))
    }

    /// Returns every path that can be named, as it is written.
    pub fn names(self) -> Vec<String> {
        let mut names = self.own_names();
        for (module, constants) in self.modules() {
            names.extend(constants.exports().map(|name| format!("{module}::{name}")));
        }
        names
    }

    /// Returns every path to a constant that begins with the parts of a path: a module, an enum, or a module and its enum.
    pub fn names_below(self, path: &[&str]) -> Vec<String> {
        let prefix = path.join("::");
        let module = match path {
            [name] if self.enum_id(name).is_none() => self.module(name),
            _ => None,
        };
        if let Some(module) = module {
            return module.exports().map(|name| format!("{prefix}::{name}")).collect();
        }
        let members = self.find_enum(path).map(|id| self.table[id].members()).unwrap_or_default();
        match members {
            [] => self.prelude().map_or_else(Vec::new, |prelude| prelude.names_below(path)),
            _ => members.iter().map(|member| format!("{prefix}::{}", member.name)).collect(),
        }
    }

    /// Returns the names of the file's `enum`s and `flags`, and the paths of those of its imports.
    pub fn type_names(self) -> impl Iterator<Item = String> + use<'a> {
        let imported = self.modules().flat_map(|(module, imported)| {
            imported.own.enums.keys().map(move |name| format!("{module}::{name}"))
        });
        self.own.enums.keys().cloned().chain(imported)
    }

    /// Returns each constant of the file and of its imports with its path, members of enums included.
    pub fn values(self) -> impl Iterator<Item = (String, Value)> {
        let imported = self.modules().flat_map(|(module, imported)| {
            imported.own_values().map(move |(name, value)| (format!("{module}::{name}"), value))
        });
        self.own_values().chain(imported)
    }

    fn own_values(self) -> impl Iterator<Item = (String, Value)> + use<'a> {
        let values = self.own.values.iter().map(|(name, value)| (name.clone(), value.clone()));
        let members = self.enums().flat_map(|(id, ty)| {
            ty.members().iter().map(move |member| {
                let value = Value::Int { value: member.value, of: Some(EnumRef::Declared(id)) };
                (format!("{}::{}", ty.name, member.name), value)
            })
        });
        values.chain(members)
    }

    /// Returns the constants that need no import.
    fn prelude(self) -> Option<VisibleConstants<'a>> {
        let VisibleConstants { own, table } = self;
        own.prelude.map(|id| VisibleConstants { own: &table[id], table })
    }

    fn enum_id(self, name: &str) -> Option<EnumId> {
        self.own.enums.get(name).copied()
    }

    /// Returns the enums of the file, by name.
    fn enums(self) -> impl Iterator<Item = (EnumId, &'a EnumType)> + use<'a> {
        let VisibleConstants { own, table } = self;
        own.enums.values().map(move |id| (*id, &table[*id]))
    }

    fn module(self, name: &str) -> Option<VisibleConstants<'a>> {
        let VisibleConstants { own, table } = self;
        own.modules.get(name).map(|id| VisibleConstants { own: &table[*id], table })
    }

    fn modules(self) -> impl Iterator<Item = (&'a str, VisibleConstants<'a>)> + use<'a> {
        let VisibleConstants { own, table } = self;
        own.modules
            .iter()
            .map(move |(name, id)| (name.as_str(), VisibleConstants { own: &table[*id], table }))
    }

    fn own_names(self) -> Vec<String> {
        let members = self
            .enums()
            .flat_map(|(_, ty)| ty.members().iter().map(|member| format!("{}::{}", ty.name, member.name)));
        self.own.values.keys().cloned().chain(members).collect()
    }

    /// Returns the names that an importing file can write after the name of the import: constants, and members of enums
    /// without the name of their enum.
    fn exports(self) -> impl Iterator<Item = &'a str> + use<'a> {
        let members = self.enums().flat_map(|(_, ty)| ty.members().iter().map(|member| member.name.as_str()));
        self.own.values.keys().map(String::as_str).chain(members)
    }

    fn find_bare(self, name: &str, expected: Option<Expected<'_>>) -> ConstantLookup {
        if self.own.failed.contains(name) {
            return ConstantLookup::Failed;
        }
        let mut found: Vec<(String, Value)> = Vec::new();
        if let Some(expected) = expected
            && let Some(value) = expected.member(name)
        {
            found.push((format!("{}::{name}", expected.ty.name), value));
        }
        if let Some(value) = self.own.values.get(name) {
            found.push((name.to_owned(), value.clone()));
        }
        let mut failed = false;
        for (module, constants) in self.modules() {
            match constants.exported(name) {
                ConstantLookup::Value(value) => found.push((format!("{module}::{name}"), value)),
                ConstantLookup::Ambiguous(paths) => {
                    return ConstantLookup::Ambiguous(
                        paths.iter().map(|path| format!("{module}::{path}")).collect(),
                    );
                }
                ConstantLookup::Failed => failed = true,
                ConstantLookup::Type(_) | ConstantLookup::Unknown => {}
            }
        }
        settle(found).unwrap_or_else(|| match self.enum_id(name) {
            Some(id) => ConstantLookup::Type(id),
            None if failed || self.own.incomplete => ConstantLookup::Failed,
            None => ConstantLookup::Unknown,
        })
    }

    fn find_in(self, first: &str, rest: &[&str]) -> ConstantLookup {
        if self.own.failed.contains(first) {
            return ConstantLookup::Failed;
        }
        if let (Some(id), [name]) = (self.enum_id(first), rest) {
            return self.member(id, name).map_or(ConstantLookup::Unknown, ConstantLookup::Value);
        }
        match (self.module(first), rest) {
            (None, [name]) if self.modules().any(|(_, module)| module.enum_id(first).is_some()) => {
                let members = self.modules().filter_map(|(module, constants)| {
                    let value = constants.member(constants.enum_id(first)?, name)?;
                    Some((format!("{module}::{first}::{name}"), value))
                });
                settle(members.collect()).unwrap_or(ConstantLookup::Unknown)
            }
            (Some(module), [name]) => module.exported(name),
            (Some(module), [ty, name])
                if module.own.enums.contains_key(*ty) || module.own.failed.contains(*ty) =>
            {
                module.find_in(ty, &[name])
            }
            (None, _) if self.own.incomplete && self.enum_id(first).is_none() => ConstantLookup::Failed,
            _ => ConstantLookup::Unknown,
        }
    }

    /// Returns the constant, or the member of any enum, that an importing file finds under a name.
    fn exported(self, name: &str) -> ConstantLookup {
        if self.own.failed.contains(name) {
            return ConstantLookup::Failed;
        }
        let own = self.own.values.get(name).map(|value| (name.to_owned(), value.clone()));
        let members = self
            .enums()
            .filter_map(|(id, ty)| Some((format!("{}::{name}", ty.name), self.member(id, name)?)));
        let found: Vec<_> = own.into_iter().chain(members).collect();
        settle(found)
            .unwrap_or_else(|| self.enum_id(name).map_or(ConstantLookup::Unknown, ConstantLookup::Type))
    }

    fn member(self, id: EnumId, name: &str) -> Option<Value> {
        Expected::declared(id, self.table).member(name)
    }
}

/// Returns one value if all candidates are equal; the first determines the enum that it belongs to.
fn settle(found: Vec<(String, Value)>) -> Option<ConstantLookup> {
    let (_, first) = found.first()?;
    if found.iter().all(|(_, value)| value.is_same(first)) {
        return Some(ConstantLookup::Value(first.clone()));
    }
    Some(ConstantLookup::Ambiguous(found.into_iter().map(|(path, _)| path).collect()))
}
