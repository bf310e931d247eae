//! A module's constants in one source, for one architecture: names from its headers, values from the compiler.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use super::arch::Arch;
use super::extract;
use super::gcc::{self, Setting};
use super::scan::{self, Definition};
use super::table::{Module, Notes, any_matches};

/// The greatest number of configuration options that a module may depend on; each doubles the compilations.
const MAX_OPTIONS: usize = 6;

/// The greatest length of a comment that becomes documentation; longer ones are essays about the kernel's code.
const MAX_NOTE: usize = 90;

/// The headers to read.
#[derive(Clone, Copy, Debug)]
pub(super) struct Headers<'a> {
    /// Directories of headers for programs.
    pub(super) user: &'a [PathBuf],
    /// Their architecture.
    pub(super) arch: Arch,
    /// The source tree, for headers inside the kernel.
    pub(super) tree: &'a Path,
}

/// A constant.
#[derive(Clone, Debug)]
pub(super) struct Constant {
    /// Its name in C.
    pub(super) name: String,
    /// Its value.
    pub(super) value: i128,
    /// The definition of a macro.
    pub(super) body: Option<String>,
    /// The comment in the header.
    pub(super) note: Option<String>,
    /// The header, as a program includes it or by its path in the tree.
    pub(super) header: String,
    /// Its set, as an index into the module's.
    pub(super) group: usize,
}

/// The constants of a module in one source.
#[derive(Clone, Debug)]
pub(super) struct Evaluation {
    /// The constants in the order of the headers.
    pub(super) constants: Vec<Constant>,
    /// Names that have other values, or none, in some configurations of the kernel.
    pub(super) varying: Vec<String>,
}

/// Evaluates a module under every configuration that its headers depend on.
pub(super) fn evaluate(module: &Module, headers: &Headers<'_>) -> Result<Evaluation> {
    let text = text(module, headers.tree)?;
    let settings = settings(&text, headers)?;
    let runs = settings.iter().map(|setting| compile(module, &text, setting));
    let runs: Vec<Vec<Constant>> = runs.collect::<Result<_>>()?;
    let mut evaluation = Evaluation { constants: Vec::new(), varying: Vec::new() };
    for constant in runs.iter().flatten() {
        let is_known = evaluation.constants.iter().any(|known| known.name == constant.name)
            || evaluation.varying.contains(&constant.name);
        let is_it =
            |other: &Constant| (other.name.as_str(), other.value) == (constant.name.as_str(), constant.value);
        if is_known {
            continue;
        } else if runs.iter().all(|run| run.iter().any(is_it)) {
            evaluation.constants.push(constant.clone());
        } else {
            evaluation.varying.push(constant.name.clone());
        }
    }
    Ok(evaluation)
}

/// Returns the C text that defines a module's names.
pub(super) fn text(module: &Module, tree: &Path) -> Result<String> {
    let mut text = String::new();
    // These come before the headers for programs: of two headers with the same name, the guard is the same too.
    for header in module.kernel {
        let path = tree.join(header.path);
        let source = fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
        text.push_str(header.before);
        text.push_str(&format!("# 1 \"{}\"\n", header.path));
        text.push_str(&extract::extract(&source, &|name| any_matches(header.keep, name)));
    }
    text.extend(module.user.iter().map(|header| format!("#include <{header}>\n")));
    Ok(text)
}

/// Returns one setting for each combination of the configuration's options that the text mentions.
pub(super) fn settings(text: &str, headers: &Headers<'_>) -> Result<Vec<Setting>> {
    let options: Vec<String> = extract::options(text).into_iter().collect();
    if options.len() > MAX_OPTIONS {
        bail!("more than {MAX_OPTIONS} options of the configuration decide: {}", options.join(", "));
    }
    let mut include = headers.user.to_vec();
    let mut before = Vec::new();
    if !options.is_empty() {
        // IS_ENABLED() and its relatives. Kbuild includes this file before every other in the same way.
        before.push(headers.tree.join("include/linux/kconfig.h"));
        include.push(headers.tree.join("include"));
    }
    let setting = |chosen: usize| Setting {
        include: include.clone(),
        arch: headers.arch,
        before: before.clone(),
        options: options
            .iter()
            .enumerate()
            .filter(|(index, _)| chosen & (1 << index) != 0)
            .map(|(_, option)| option.clone())
            .collect(),
    };
    Ok((0..1 << options.len()).map(setting).collect())
}

fn compile(module: &Module, text: &str, setting: &Setting) -> Result<Vec<Constant>> {
    let definitions = scan::scan(&gcc::preprocess(text, setting)?);
    let claimed =
        definitions.iter().filter_map(|found| Some((found, module.group(&found.name, &found.header)?)));
    let claimed: Vec<(&Definition, usize)> = claimed.collect();
    let names: Vec<&str> = claimed.iter().map(|(found, _)| found.name.as_str()).collect();
    let values = gcc::values(text, &names, setting)?;
    let constant = |&(found, group): &(&Definition, usize)| {
        Some(Constant {
            name: found.name.clone(),
            value: *values.get(&found.name)?,
            body: found.body.clone(),
            note: note(found, &definitions, module.groups.get(group)?.notes),
            header: header(&found.header, &setting.include),
            group,
        })
    };
    Ok(claimed.iter().filter_map(constant).collect())
}

/// Returns the comment of a definition that its set takes as documentation.
fn note(found: &Definition, all: &[Definition], notes: Notes) -> Option<String> {
    let note = match notes {
        Notes::Nowhere => None,
        Notes::Beside => found.beside.clone(),
        Notes::Above => found.above.clone(),
        Notes::OfBit => {
            let bit = format!("__{}", found.name);
            all.iter().find(|definition| definition.name == bit).and_then(|bit| bit.beside.clone())
        }
    };
    note.filter(|note| !note.is_empty() && note.len() <= MAX_NOTE)
}

/// Returns the name by which a program includes the header at `path`; headers inside the kernel are named by their path
/// in the tree.
fn header(path: &str, include: &[PathBuf]) -> String {
    let below = include.iter().find_map(|directory| Path::new(path).strip_prefix(directory).ok());
    below.map_or_else(|| path.to_owned(), |rest| format!("<{}>", rest.display()))
}

/// Refuses a pattern that takes no name: either the table has a mistake, or the header has been removed.
pub(super) fn every_pattern_takes(module: &Module, evaluation: &Evaluation) -> Result<()> {
    for (index, group) in module.groups.iter().enumerate() {
        for pattern in group.names {
            let takes =
                |constant: &Constant| constant.group == index && any_matches(&[pattern], &constant.name);
            let varies = || evaluation.varying.iter().any(|name| any_matches(&[pattern], name));
            if !evaluation.constants.iter().any(takes) && !varies() {
                bail!("{}: no header has {pattern} of {:?}", module.name, group.form);
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::constants::table::{Form, Group, KernelHeader, Radix, Varies};

    const MODULE: Module = Module {
        name: "x",
        about: "X.",
        varies: Varies::Never,
        user: &[],
        kernel: &[KernelHeader {
            path: "x.h",
            keep: &["X_*", "__X_*"],
            before: "#define BIT(n) (1UL << (n))\n",
        }],
        groups: &[Group {
            form: Form::Flags("X", "u32"),
            about: "Xs.",
            names: &["X_*"],
            header: "x.h",
            radix: Radix::Hexadecimal,
            notes: Notes::OfBit,
        }],
        leave_out: &["X_LAST"],
        prefix: "",
    };

    /// The definitions of include/linux/kconfig.h: a macro that is 1 adds an argument, one that is not defined does
    /// not.
    const KCONFIG: &str = "#define ARGUMENT_1 0,\n#define SECOND(first, second, ...) second\n\
        #define IS(...) SECOND(__VA_ARGS__)\n#define PASTE(value) IS(ARGUMENT_##value 1, 0)\n\
        #define IS_ENABLED(option) PASTE(option)\n";

    fn evaluated(header: &str) -> Result<Evaluation> {
        let tree = tempfile::tempdir()?;
        fs::create_dir_all(tree.path().join("include/linux"))?;
        fs::write(tree.path().join("include/linux/kconfig.h"), KCONFIG)?;
        fs::write(tree.path().join("x.h"), header)?;
        evaluate(&MODULE, &Headers { user: &[], arch: Arch::X86_64, tree: tree.path() })
    }

    #[test]
    fn what_a_configuration_decides_is_left_out() {
        let evaluation = evaluated(
            "#include <none.h>\nenum {\n\t__X_A, /* a */\n#ifdef CONFIG_B\n\t__X_B,\n#endif\n\t__X_C,\n};\n\
             #define X_A BIT(__X_A)\n#define X_C BIT(__X_C)\n#ifdef CONFIG_B\n#define X_B BIT(__X_B)\n#endif\n\
             #define X_D (4 * IS_ENABLED(CONFIG_D))\n#define X_E 8\n#define X_LAST 9\n",
        )
        .unwrap();
        let names: Vec<_> =
            evaluation.constants.iter().map(|found| (found.name.as_str(), found.value)).collect();
        assert_eq!(names, [("X_A", 1), ("X_E", 8)]);
        assert_eq!(evaluation.varying, ["X_C", "X_D", "X_B"]);
        assert_eq!(evaluation.constants[0].note.as_deref(), Some("a"));
        assert_eq!(evaluation.constants[0].header, "x.h");
    }

    #[test]
    fn too_many_options_are_refused() {
        let header = (0..7).map(|n| format!("#ifdef CONFIG_{n}\n#define X_{n} 1\n#endif\n"));
        let error = evaluated(&header.collect::<String>()).unwrap_err().to_string();
        assert!(error.starts_with("more than 6 options"), "{error}");
    }

    #[test]
    fn a_pattern_has_to_take_a_name() {
        assert!(every_pattern_takes(&MODULE, &evaluated("#define X_A 1\n").unwrap()).is_ok());
        let error = every_pattern_takes(&MODULE, &evaluated("#define Y 1\n").unwrap()).unwrap_err();
        assert_eq!(error.to_string(), "x: no header has X_* of Flags(\"X\", \"u32\")");
    }
}
