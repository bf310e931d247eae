//! The constants and enumerations of a program, each owned once.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::{Index, IndexMut};

use super::value::{EnumId, EnumType, Value};

/// The id of a file's constants in their [`ConstantTable`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ConstantsId(u32);

/// The constants of a file: its own and those of what it imports.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Constants {
    /// Every `const`.
    pub values: BTreeMap<String, Value>,
    /// Every `enum` and `flags`.
    pub enums: BTreeMap<String, EnumId>,
    /// The constants of each import, by the name that the import is bound to.
    pub modules: BTreeMap<String, ConstantsId>,
    /// The constants of the library that the text of `-e` names: they need no import there, and are searched last.
    pub prelude: Option<ConstantsId>,
    /// Names whose declaration has a mistake that was reported. Their values are unknown, and a use of one is not
    /// reported again.
    pub failed: BTreeSet<String>,
    /// Whether an import could not be found or a declaration could not be read: then a name that is not found may
    /// belong to it.
    pub incomplete: bool,
}

/// The constants of a text and of everything it imports, those of the library included.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ConstantTable {
    files: Vec<Constants>,
    enums: Vec<EnumType>,
}

impl ConstantTable {
    /// Adds the constants of a file.
    pub fn add(&mut self, constants: Constants) -> ConstantsId {
        self.files.push(constants);
        ConstantsId(self.files.len() as u32 - 1)
    }

    /// Adds an `enum` or `flags` with all its members.
    pub fn add_enum(&mut self, ty: EnumType) -> EnumId {
        self.enums.push(ty);
        EnumId(self.enums.len() as u32 - 1)
    }

    /// Returns the constants of every file with their id.
    pub fn files(&self) -> impl Iterator<Item = (ConstantsId, &Constants)> {
        self.files.iter().enumerate().map(|(index, constants)| (ConstantsId(index as u32), constants))
    }

    /// Returns every `enum` and `flags` with its id.
    pub fn enums(&self) -> impl Iterator<Item = (EnumId, &EnumType)> {
        self.enums.iter().enumerate().map(|(index, ty)| (EnumId(index as u32), ty))
    }
}

impl Index<ConstantsId> for ConstantTable {
    type Output = Constants;

    fn index(&self, id: ConstantsId) -> &Constants {
        &self.files[id.0 as usize]
    }
}

impl IndexMut<ConstantsId> for ConstantTable {
    fn index_mut(&mut self, id: ConstantsId) -> &mut Constants {
        &mut self.files[id.0 as usize]
    }
}

impl Index<EnumId> for ConstantTable {
    type Output = EnumType;

    fn index(&self, id: EnumId) -> &EnumType {
        &self.enums[id.0 as usize]
    }
}
