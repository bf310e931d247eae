//! The licences of the dependencies: every crate that the lock file names, for every platform.

use anyhow::{Context, Result};
use serde_json::Value;

use crate::workspace;

/// Licences that let anyone use tracec under its own terms. MPL-2.0 is not among them: no dependency needs it, and its
/// obligations per file should be considered when the first one does.
const ALLOWED: &[&str] = &[
    "0BSD",
    "Apache-2.0",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "CC0-1.0",
    "ISC",
    "MIT",
    "Unicode-3.0",
    "Unicode-DFS-2016",
    "Unlicense",
    "Zlib",
];

/// The result of the check.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Licences {
    /// The number of crates that may be used.
    pub allowed: u64,
    /// A sentence for each crate that may not.
    pub refused: Vec<String>,
}

/// Checks the crates of the workspace's lock file.
pub fn check() -> Result<Licences> {
    judge(&workspace::metadata(&["--locked"])?)
}

/// Judges the packages of `cargo metadata`; those without a source are part of the workspace.
fn judge(metadata: &Value) -> Result<Licences> {
    let packages = metadata["packages"].as_array().context("cargo metadata lists no packages")?;
    let mut licences = Licences::default();
    for package in packages.iter().filter(|package| !package["source"].is_null()) {
        let name = package["name"].as_str().unwrap_or("?");
        let version = package["version"].as_str().unwrap_or("?");
        match package["license"].as_str().map(|text| (text, is_allowed(text))) {
            Some((_, Ok(true))) => licences.allowed += 1,
            Some((text, Ok(false))) => {
                licences.refused.push(format!("{name} {version}: {text} is not allowed"))
            }
            Some((text, Err(error))) => licences.refused.push(format!("{name} {version}: {text}: {error}")),
            None => licences.refused.push(format!("{name} {version} names no licence")),
        }
    }
    Ok(licences)
}

/// Returns whether an SPDX expression can be met with the allowed licences alone.
///
/// # Errors
/// The text is not an SPDX expression; the error says why.
fn is_allowed(expression: &str) -> Result<bool, String> {
    // Older crates write `MIT/Apache-2.0` for OR.
    let spaced = expression.replace('/', " OR ").replace('(', " ( ").replace(')', " ) ");
    let words: Vec<&str> = spaced.split_whitespace().collect();
    let mut rest = words.as_slice();
    let allowed = any_of(&mut rest)?;
    match rest.first() {
        None => Ok(allowed),
        Some(word) => Err(format!("{word:?} is not expected")),
    }
}

/// Reads `A OR B`; it binds less than AND.
fn any_of(rest: &mut &[&str]) -> Result<bool, String> {
    let mut allowed = all_of(rest)?;
    while take(rest, "OR") {
        allowed |= all_of(rest)?;
    }
    Ok(allowed)
}

/// Reads `A AND B`.
fn all_of(rest: &mut &[&str]) -> Result<bool, String> {
    let mut allowed = one(rest)?;
    while take(rest, "AND") {
        allowed &= one(rest)?;
    }
    Ok(allowed)
}

/// Reads `( A )`, `ID` or `ID WITH EXCEPTION`. An exception only removes conditions, so that the licence decides.
fn one(rest: &mut &[&str]) -> Result<bool, String> {
    if take(rest, "(") {
        let allowed = any_of(rest)?;
        return if take(rest, ")") { Ok(allowed) } else { Err("a parenthesis is not closed".into()) };
    }
    let licence = id(rest)?;
    if take(rest, "WITH") {
        id(rest)?;
    }
    Ok(ALLOWED.contains(&licence))
}

fn id<'a>(rest: &mut &[&'a str]) -> Result<&'a str, String> {
    match rest.split_first() {
        Some((word, after)) if !["OR", "AND", "WITH", "(", ")"].contains(word) => {
            *rest = after;
            Ok(word)
        }
        Some((word, _)) => Err(format!("a licence is expected in place of {word:?}")),
        None => Err("a licence is expected at the end".into()),
    }
}

fn take(rest: &mut &[&str], word: &str) -> bool {
    match rest.split_first() {
        Some((first, after)) if *first == word => {
            *rest = after;
            true
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expressions_of_real_crates() {
        for allowed in [
            "MIT",
            "MIT OR Apache-2.0",
            "Unlicense/MIT",
            "Apache-2.0 / MIT",
            "Apache-2.0 WITH LLVM-exception OR Apache-2.0 OR MIT",
            "MIT OR Apache-2.0 OR LGPL-2.1-or-later",
            "(MIT OR Apache-2.0) AND Unicode-3.0",
            "GPL-2.0-only AND MIT OR Zlib",
            "((MIT))",
        ] {
            assert_eq!(is_allowed(allowed), Ok(true), "{allowed}");
        }
        for refused in [
            "GPL-3.0-only",
            "LGPL-2.1-only OR BSD-2-Clause AND GPL-2.0-only",
            "(MIT OR Apache-2.0) AND GPL-2.0-only",
            "MPL-2.0",
            "GPL-2.0-only WITH Classpath-exception-2.0",
            "mit",
        ] {
            assert_eq!(is_allowed(refused), Ok(false), "{refused}");
        }
    }

    #[test]
    fn what_is_no_expression_is_an_error() {
        for text in
            ["", "MIT OR", "AND MIT", "(MIT", "MIT)", "MIT Apache-2.0", "MIT WITH", "()", "MIT WITH OR MIT"]
        {
            assert!(is_allowed(text).is_err(), "{text:?}");
        }
    }

    #[test]
    fn our_own_crates_are_not_judged_and_a_missing_licence_is() {
        let metadata = serde_json::json!({"packages": [
            {"name": "own", "version": "1.0.0", "source": null, "license": null},
            {"name": "good", "version": "1.0.0", "source": "registry", "license": "MIT"},
            {"name": "none", "version": "2.0.0", "source": "registry", "license": null},
            {"name": "gpl", "version": "3.0.0", "source": "registry", "license": "GPL-2.0-only"},
        ]});
        let refused =
            vec!["none 2.0.0 names no licence".into(), "gpl 3.0.0: GPL-2.0-only is not allowed".into()];
        assert_eq!(judge(&metadata).unwrap(), Licences { allowed: 1, refused });
        assert!(judge(&serde_json::json!({})).is_err());
    }
}
