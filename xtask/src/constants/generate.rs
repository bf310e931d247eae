//! All generated files of the standard library, in memory.

use std::collections::BTreeMap;
use std::path::PathBuf;

use anyhow::{Context, Result, bail};

use super::arch::Arch;
use super::evaluate::{Evaluation, Headers, evaluate, every_pattern_takes};
use super::source::Source;
use super::table::{MODULES, Module, Varies};
use super::write;

/// One file.
#[derive(Clone, Debug)]
pub(super) struct Generated {
    /// Its path, below the root of the tree.
    pub(super) path: String,
    /// The package it was read from, with its version.
    pub(super) package: String,
    /// Its text.
    pub(super) text: String,
}

/// The source of a file's values: the source of its headers inside the kernel, and the architecture.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cell<'a> {
    /// The source.
    pub(super) source: &'a Source,
    /// The architecture of headers for programs.
    pub(super) arch: Arch,
}

/// A file of a module: its path, its variant, and the source of its values.
pub(super) struct Variant<'a> {
    /// Its path, below the root of the tree.
    pub(super) path: String,
    /// `arm64`, `6.1`; `None` for a module without variants.
    pub(super) name: Option<&'static str>,
    /// The cell that the text is made from; the others have to agree with it.
    pub(super) cell: Cell<'a>,
    /// Architectures and older releases where the values have to be the same.
    pub(super) others: Vec<Cell<'a>>,
}

/// Makes every file; `sources` begin with the newest.
pub(super) fn generate(sources: &[Source]) -> Result<Vec<Generated>> {
    let mut files = Vec::new();
    for module in MODULES {
        for variant in variants(module, sources)? {
            files.push(file(module, &variant, sources).with_context(|| variant.path.clone())?);
        }
    }
    Ok(files)
}

/// Returns the files of a module.
pub(super) fn variants<'a>(module: &Module, sources: &'a [Source]) -> Result<Vec<Variant<'a>>> {
    let newest = sources.first().context("no source")?;
    let variant = |name: &'static str, cell: Cell<'a>| Variant {
        path: format!("stdlib/{}/{name}.trc", module.name),
        name: Some(name),
        cell,
        others: Vec::new(),
    };
    Ok(match module.varies {
        Varies::Never => {
            let archs = Arch::ALL.into_iter().skip(1).filter(|_| !module.user.is_empty());
            let mut others: Vec<Cell<'a>> = archs.map(|arch| Cell { source: newest, arch }).collect();
            let older = sources.iter().skip(1).filter(|_| !module.kernel.is_empty());
            others.extend(older.map(|source| Cell { source, arch: Arch::ALL[0] }));
            let path = format!("stdlib/{}.trc", module.name);
            vec![Variant { path, name: None, cell: Cell { source: newest, arch: Arch::ALL[0] }, others }]
        }
        Varies::ByArch => {
            Arch::ALL.into_iter().map(|arch| variant(arch.name(), Cell { source: newest, arch })).collect()
        }
        Varies::ByRelease => {
            let cell = |source: &'a Source| variant(source.series, Cell { source, arch: Arch::ALL[0] });
            sources.iter().map(cell).collect()
        }
    })
}

impl Cell<'_> {
    /// Evaluates a module here.
    pub(super) fn evaluate(&self, module: &Module, sources: &[Source]) -> Result<Evaluation> {
        evaluate(module, &Headers { user: &self.user(sources), arch: self.arch, tree: &self.source.tree })
    }

    /// Returns the directories of headers for programs, which come from the newest source.
    pub(super) fn user(&self, sources: &[Source]) -> Vec<PathBuf> {
        sources.iter().take(1).map(|newest| newest.user(self.arch)).collect()
    }
}

fn file(module: &Module, variant: &Variant<'_>, sources: &[Source]) -> Result<Generated> {
    let evaluation = variant.cell.evaluate(module, sources)?;
    every_pattern_takes(module, &evaluation)?;
    for other in &variant.others {
        let place = format!("{} for {}", other.source.package, other.arch.name());
        agree(&evaluation, &other.evaluate(module, sources)?).with_context(|| place)?;
    }
    let source = variant.cell.source;
    let text = write::file(module, variant.name, &evaluation, source)?;
    Ok(Generated { path: variant.path.clone(), package: source.package.to_string(), text })
}

/// Refuses a name that has another value elsewhere: its module has variants, which the table has to state.
fn agree(one: &Evaluation, other: &Evaluation) -> Result<()> {
    let values: BTreeMap<&str, i128> =
        one.constants.iter().map(|constant| (constant.name.as_str(), constant.value)).collect();
    for constant in &other.constants {
        if let Some(value) = values.get(constant.name.as_str()).filter(|value| **value != constant.value) {
            bail!("{} is {value} and {}", constant.name, constant.value);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::constants::evaluate::Constant;

    #[test]
    fn names_of_two_places_have_one_value() {
        let evaluation = |constants: &[(&str, i128)]| {
            let constant = |&(name, value): &(&str, i128)| Constant {
                name: name.to_owned(),
                value,
                body: None,
                note: None,
                header: String::new(),
                group: 0,
            };
            Evaluation { constants: constants.iter().map(constant).collect(), varying: Vec::new() }
        };
        let one = evaluation(&[("A", 1), ("B", 2)]);
        assert!(agree(&one, &evaluation(&[("B", 2), ("C", 3)])).is_ok());
        assert_eq!(agree(&one, &evaluation(&[("B", 3)])).unwrap_err().to_string(), "B is 2 and 3");
    }
}
