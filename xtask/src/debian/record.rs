//! One paragraph of `apt-cache show`, reduced to the fields for the choice of a kernel (format: deb822(5)).

use anyhow::{Context, Result, bail};

use super::Package;

/// The record of one package.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Record {
    /// The package and its version.
    pub package: Package,
    /// Its `Depends`, in order; of alternatives only the first, which apt prefers.
    pub depends: Vec<Dependency>,
}

/// One entry of `Depends`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dependency {
    /// The name of the package.
    pub name: String,
    /// Its version, if it has to be exactly this one (`= VERSION`).
    pub exact_version: Option<String>,
}

impl Record {
    /// Reads the first paragraph of `text`.
    ///
    /// # Errors
    ///
    /// `Package` or `Version` is missing, or `Depends` is malformed.
    pub fn parse(text: &str) -> Result<Self> {
        let field = |name: &str| {
            let paragraph = text.lines().take_while(|line| !line.trim().is_empty());
            paragraph
                .filter_map(|line| line.split_once(':'))
                .find(|(key, _)| *key == name)
                .map(|(_, value)| value.trim())
        };
        let name = field("Package").context("apt's record has no field Package")?.to_owned();
        let version = field("Version").context("apt's record has no field Version")?.to_owned();
        let depends = field("Depends").unwrap_or_default();
        let depends =
            depends.split(',').filter(|entry| !entry.trim().is_empty()).map(Dependency::parse).collect();
        let depends: Result<_> = depends;
        Ok(Self { package: Package { name, version }, depends: depends? })
    }

    /// Returns the kernel image that a meta-package such as `linux-image-cloud-amd64` stands for.
    ///
    /// # Errors
    ///
    /// It does not depend on a `linux-image-*` package in an exact version.
    pub fn kernel_image(&self) -> Result<Package> {
        let exact = |dependency: &Dependency| {
            let version = dependency.exact_version.clone()?;
            let image = dependency.name.starts_with("linux-image-");
            image.then(|| Package { name: dependency.name.clone(), version })
        };
        let image = self.depends.iter().find_map(exact);
        image.with_context(|| format!("{} names no kernel image in its dependencies", self.package))
    }
}

impl Dependency {
    fn parse(entry: &str) -> Result<Self> {
        let first = entry.split('|').next().unwrap_or(entry).trim();
        let Some((name, restriction)) = first.split_once('(') else {
            return Ok(Self { name: without_architecture(first), exact_version: None });
        };
        let Some(restriction) = restriction.trim_end().strip_suffix(')') else {
            bail!("a dependency without its closing bracket: `{first}`");
        };
        let exact_version = restriction.trim().strip_prefix('=').map(|version| version.trim().to_owned());
        Ok(Self { name: without_architecture(name), exact_version })
    }
}

/// Removes the architecture: `gcc:amd64` and `python3:any` name the packages `gcc` and `python3`.
fn without_architecture(name: &str) -> String {
    let name = name.trim();
    name.split_once(':').map_or(name, |(name, _)| name).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    const CLOUD: &str = "Package: linux-image-cloud-amd64\nSource: linux-signed-amd64 (6.1.192+2)\n\
        Version: 6.1.192-2\nInstalled-Size: 13\n\
        Depends: linux-image-6.1.0-56-cloud-amd64 (= 6.1.192-2)\n\
        Description: Linux for x86-64 cloud (meta-package)\n  Version: not a field\n\n\
        Package: another\nVersion: 9\n";

    #[test]
    fn a_meta_package_names_its_image() {
        let record = Record::parse(CLOUD).unwrap();
        assert_eq!(record.package.key(), "linux-image-cloud-amd64_6.1.192-2");
        let image = record.kernel_image().unwrap();
        assert_eq!(image.name, "linux-image-6.1.0-56-cloud-amd64");
        assert_eq!(image.version, "6.1.192-2");
    }

    #[test]
    fn dependencies_are_split_at_commas_and_alternatives() {
        let text = "Package: a\nVersion: 1\nDepends: b (>= 2), c:any | d, e (= 3~rc1+x)\n";
        let depends = Record::parse(text).unwrap().depends;
        let names: Vec<_> = depends.iter().map(|entry| entry.name.as_str()).collect();
        assert_eq!(names, ["b", "c", "e"]);
        assert_eq!(depends[0].exact_version, None);
        assert_eq!(depends[2].exact_version.as_deref(), Some("3~rc1+x"));
    }

    #[test]
    fn a_package_without_dependencies_is_no_meta_package() {
        let record = Record::parse("Package: linux-source-6.12\nVersion: 6.12.1-1\n").unwrap();
        assert!(record.depends.is_empty());
        let error = record.kernel_image().unwrap_err().to_string();
        assert_eq!(error, "linux-source-6.12 6.12.1-1 names no kernel image in its dependencies");
    }

    #[test]
    fn an_inexact_image_is_not_chosen() {
        let text = "Package: a\nVersion: 1\nDepends: linux-image-1 (>= 1), linux-base (= 4)\n";
        assert!(Record::parse(text).unwrap().kernel_image().is_err());
    }

    #[test]
    fn broken_records_are_refused() {
        assert!(Record::parse("").is_err());
        assert!(Record::parse("\nPackage: a\nVersion: 1\n").is_err(), "the first paragraph is empty");
        assert!(Record::parse("Package: a\n").is_err());
        assert!(Record::parse("Package: a\nVersion: 1\nDepends: b (= 1\n").is_err());
    }
}
