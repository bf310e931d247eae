//! The standard library: the text of every `std::` module, embedded in the program.
//!
//! A module is one text, or one for each architecture or release whose numbers differ; [`module`] selects it by the
//! kernel. A text is parsed only when it is imported.
//!
//! Members of an `enum` or of `flags` of a module are members of the module too: `errno::EIO` is `errno::Errno::EIO`.
//! Each name is unique in a module.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use rustc_hash::FxHashSet;
use tracec_grammar::syntax::{Declaration, DeclarationKind, ExprId, ExprKind, Exprs, UnaryOp};
use tracec_kernel::nearest::nearest;

/// The kernel for which a module's numbers are selected, as uname(2) describes it. Unknown values are empty.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Uname<'a> {
    /// The machine: `x86_64`, `aarch64`, `riscv64`; `arm64`, as in the kernel's source, means `aarch64`.
    pub arch: &'a str,
    /// The release: `6.12.117+deb12-cloud-amd64`. Only its series counts: `6.12`.
    pub release: &'a str,
}

/// The result of the search for a module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Lookup {
    /// The module exists.
    Found {
        /// Its text.
        text: &'static str,
        /// The name of the text in diagnostics: `std/syscall/arm64.trc`.
        name: &'static str,
    },
    /// The module exists, but its numbers for this kernel are not known.
    NoVariant {
        /// The property that they depend on.
        varies: Varies,
        /// The values for which they are known.
        known: Vec<&'static str>,
    },
    /// The module does not exist.
    Unknown {
        /// Modules of similar names, the nearest first.
        nearest: Vec<&'static str>,
    },
}

/// The property of a kernel that a module's numbers depend on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Varies {
    /// The architecture.
    ByArch,
    /// The release.
    ByRelease,
}

/// A module in the list of modules.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StdModule {
    /// The name after `std::`.
    pub name: &'static str,
    texts: Texts,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Texts {
    One(Text),
    Variants(Varies, &'static [Variant]),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Text {
    name: &'static str,
    text: &'static str,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Variant {
    /// The architecture or the series of releases.
    key: &'static str,
    text: Text,
}

/// The number of names that a diagnostic suggests.
const SUGGESTIONS: usize = 3;

/// Expands to the text of a file of the directory `stdlib/`.
macro_rules! text {
    ($($part:literal),+) => {
        Text { name: concat!("std/", $($part),+), text: include_str!(concat!("../../stdlib/", $($part),+)) }
    };
}

/// Expands to a module of one text.
macro_rules! one {
    ($name:literal) => {
        StdModule { name: $name, texts: Texts::One(text!($name, ".trc")) }
    };
}

/// Expands to a module with a text for each of the keys.
macro_rules! variants {
    ($name:literal, $varies:ident: $($key:literal),+) => {
        StdModule {
            name: $name,
            texts: Texts::Variants(
                Varies::$varies,
                &[$(Variant { key: $key, text: text!($name, "/", $key, ".trc") }),+],
            ),
        }
    };
}

/// The modules, sorted by name.
static MODULES: &[StdModule] = &[
    variants!("block", ByRelease: "6.1", "6.12"),
    one!("capability"),
    one!("errno"),
    variants!("gfp", ByRelease: "6.1", "6.12", "6.18"),
    variants!("mmap", ByArch: "x86_64", "arm64", "riscv64"),
    variants!("open", ByArch: "x86_64", "arm64", "riscv64"),
    one!("process"),
    variants!("ptrace", ByArch: "x86_64", "arm64", "riscv64"),
    one!("sched"),
    one!("signal"),
    one!("socket"),
    one!("softirq"),
    one!("stat"),
    variants!("syscall", ByArch: "x86_64", "arm64", "riscv64"),
    one!("tcp"),
];

/// Returns all modules, sorted by name: for lists and completion.
pub fn modules() -> &'static [StdModule] {
    MODULES
}

/// Finds the text of the module that a `use` names, with its path as written: `["std", "errno"]`.
pub fn module(path: &[&str], uname: Uname<'_>) -> Lookup {
    let &[root, name] = path else { return unknown(path) };
    match MODULES.iter().find(|module| root == "std" && module.name == name) {
        Some(module) => module.choose(uname),
        None => unknown(path),
    }
}

/// A module that has a constant of some name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Holder {
    /// The module's name after `std::`.
    pub module: &'static str,
    /// The constant's value, if it is a plain number and the same in every text of the module.
    pub value: Option<i128>,
}

/// Returns the modules that have a constant of this name. Parses only texts that contain the word, if one declares it.
pub fn holders(name: &str) -> Vec<Holder> {
    // The word may be any, and a short one is in each text.
    if !may_be_declared(name) {
        return Vec::new();
    }
    let of_module = |module: &'static StdModule| {
        let texts = module.texts().into_iter().filter(|(_, text)| text.contains(name));
        let values: Vec<Option<i128>> = texts.filter_map(|(_, text)| constant(text, name)).collect();
        let &first = values.first()?;
        let value = first.filter(|_| values.iter().all(|value| *value == first));
        Some(Holder { module: module.name, value })
    };
    MODULES.iter().filter_map(of_module).collect()
}

/// Returns whether a line of a text begins with a word, or with `const` and the word: each constant has a line of its own.
fn may_be_declared(word: &str) -> bool {
    static FIRST_WORDS: OnceLock<FxHashSet<&str>> = OnceLock::new();
    fn first(line: &'static str) -> &'static str {
        let line = line.trim_start();
        let line = line.strip_prefix("const ").unwrap_or(line);
        let end = line.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).unwrap_or(line.len());
        &line[..end]
    }
    let all = || MODULES.iter().flat_map(StdModule::texts).flat_map(|(_, text)| text.lines().map(first));
    !word.is_empty() && FIRST_WORDS.get_or_init(|| all().collect()).contains(word)
}

/// Returns the names of constants that need no path in a text without imports: those of one module, whose value is the
/// same for all kernels.
pub fn bare_constants() -> Vec<&'static str> {
    let mut modules: BTreeMap<&str, Option<&StdModule>> = BTreeMap::new();
    for module in MODULES {
        for (_, text) in module.texts() {
            for name in text.lines().filter_map(declared) {
                let holder = modules.entry(name).or_insert(Some(module));
                *holder = holder.filter(|holder| holder.name == module.name);
            }
        }
    }
    let is_the_same = |holder: &Option<&StdModule>| holder.is_some_and(|module| module.varies().is_none());
    modules.into_iter().filter(|(_, holder)| is_the_same(holder)).map(|(name, _)| name).collect()
}

/// Returns the constant that a line of a text declares: every constant has a line of its own, and is in capitals.
fn declared(line: &str) -> Option<&str> {
    let line = line.trim_start();
    let line = line.strip_prefix("const ").unwrap_or(line);
    let end = line.find(|c: char| !(c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_'))?;
    let (name, rest) = line.split_at(end);
    let declares = rest.trim_start().starts_with(['=', ':']) && !rest.starts_with("::");
    (declares && name.len() > 1).then_some(name)
}

/// Returns the modules that declare an `enum` or `flags` of this name.
pub fn declaring(name: &str) -> Vec<&'static str> {
    // Every declaration of the library has its type behind its name.
    let heads = [format!("enum {name}:"), format!("flags {name}:")];
    let declares = |module: &&StdModule| {
        module.texts().iter().any(|(_, text)| heads.iter().any(|head| text.contains(head.as_str())))
    };
    MODULES.iter().filter(declares).map(|module| module.name).collect()
}

/// Returns the value of a constant in a text, if that is a plain number. `None` if the text does not define it.
fn constant(text: &str, name: &str) -> Option<Option<i128>> {
    let file = tracec_grammar::parse(text).file;
    let of_declaration = |declaration: &Declaration| match &declaration.kind {
        DeclarationKind::Const(constant) if constant.name.value == name => Some(Some(constant.value)),
        DeclarationKind::Enum(set) | DeclarationKind::Flags(set) => {
            set.members.iter().find(|member| member.name.value == name).map(|member| member.value)
        }
        _ => None,
    };
    let value = file.declarations.iter().find_map(of_declaration)?;
    Some(value.and_then(|value| plain_number(&file.exprs, value)))
}

/// Returns the value of a number, or of a number with a minus.
fn plain_number(exprs: &Exprs, id: ExprId) -> Option<i128> {
    match &exprs[id].kind {
        ExprKind::Int(value) => Some(i128::from(*value)),
        ExprKind::Unary { op, operand } if op.value == UnaryOp::Neg => match &exprs[*operand].kind {
            ExprKind::Int(value) => Some(-i128::from(*value)),
            _ => None,
        },
        _ => None,
    }
}

fn unknown(path: &[&str]) -> Lookup {
    // The last word is the module's name, even if other words precede it.
    let word = path.last().copied().unwrap_or_default();
    Lookup::Unknown { nearest: nearest(word, MODULES.iter().map(|module| module.name), SUGGESTIONS) }
}

impl StdModule {
    /// Returns the property that its numbers depend on; `None` where they are the same everywhere.
    pub fn varies(&self) -> Option<Varies> {
        match self.texts {
            Texts::One(_) => None,
            Texts::Variants(varies, _) => Some(varies),
        }
    }

    /// Returns the values for which its numbers are known, if they vary.
    pub fn known(&self) -> Vec<&'static str> {
        match self.texts {
            Texts::One(_) => Vec::new(),
            Texts::Variants(_, variants) => variants.iter().map(|variant| variant.key).collect(),
        }
    }

    /// Returns the summary of the module: the first sentence of its text.
    pub fn about(&self) -> &'static str {
        let text = match self.texts {
            Texts::One(text) => text.text,
            Texts::Variants(_, variants) => variants.first().map_or("", |variant| variant.text.text),
        };
        let line = text.lines().next().unwrap_or_default().trim_start_matches("//!").trim();
        line.split_once(". ").map_or(line, |(sentence, _)| sentence).trim_end_matches('.')
    }

    /// Returns its texts with their names: one, or one for each variant.
    pub fn texts(&self) -> Vec<(&'static str, &'static str)> {
        match self.texts {
            Texts::One(text) => vec![(text.name, text.text)],
            Texts::Variants(_, variants) => {
                variants.iter().map(|variant| (variant.text.name, variant.text.text)).collect()
            }
        }
    }

    fn choose(&self, uname: Uname<'_>) -> Lookup {
        let (varies, variants) = match self.texts {
            Texts::One(Text { name, text }) => return Lookup::Found { text, name },
            Texts::Variants(varies, variants) => (varies, variants),
        };
        let key = match varies {
            Varies::ByArch => source_arch(uname.arch),
            Varies::ByRelease => series(uname.release),
        };
        match variants.iter().find(|variant| variant.key == key) {
            Some(Variant { text: Text { name, text }, .. }) => Lookup::Found { text, name },
            None => Lookup::NoVariant { varies, known: self.known() },
        }
    }
}

/// Returns the name of an architecture in the kernel's source.
fn source_arch(machine: &str) -> &str {
    if machine == "aarch64" { "arm64" } else { machine }
}

/// Returns the series of a release: `6.12` of `6.12.117+deb12-cloud-amd64` and of `6.12-rc3`.
fn series(release: &str) -> &str {
    let mut dots = 0;
    let end = release.find(|character: char| {
        dots += usize::from(character == '.');
        dots > 1 || !(character == '.' || character.is_ascii_digit())
    });
    end.map_or(release, |end| release.get(..end).unwrap_or(release))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    fn found(path: &[&str], arch: &str, release: &str) -> Option<&'static str> {
        match module(path, Uname { arch, release }) {
            Lookup::Found { name, .. } => Some(name),
            _ => None,
        }
    }

    /// A constant of a text. If it is not in a set, the set is `const`.
    #[derive(Debug)]
    struct Constant {
        set: String,
        /// Whether the set's members are bits.
        bit: bool,
        name: String,
        value: i128,
    }

    /// Returns every constant of a text, which must be without mistakes and contain nothing else.
    fn constants(name: &str, text: &str) -> Vec<Constant> {
        let parsed = tracec_grammar::parse(text);
        assert!(parsed.errors.is_empty(), "{name}: {:?}", parsed.errors);
        let value =
            |id: ExprId| plain_number(&parsed.file.exprs, id).unwrap_or_else(|| panic!("{name}: no number"));
        let mut constants = Vec::new();
        for declaration in &parsed.file.declarations {
            let (set, bit) = match &declaration.kind {
                DeclarationKind::Enum(set) => (set, false),
                DeclarationKind::Flags(set) => (set, true),
                DeclarationKind::Const(constant) => {
                    let (name, value) = (constant.name.value.clone(), value(constant.value));
                    constants.push(Constant { set: "const".to_owned(), bit: false, name, value });
                    continue;
                }
                other => panic!("{name}: {other:?}"),
            };
            constants.extend(set.members.iter().map(|member| Constant {
                set: set.name.value.clone(),
                bit,
                name: member.name.value.clone(),
                value: member.value.map_or_else(|| panic!("{name}: a member without value"), value),
            }));
        }
        constants
    }

    /// Returns every text that contains constants: all except the sessions of `process`.
    fn texts() -> impl Iterator<Item = (&'static str, &'static str, &'static str)> {
        let modules = modules().iter().filter(|module| module.name != "process");
        modules.flat_map(|module| module.texts().into_iter().map(|(name, text)| (module.name, name, text)))
    }

    #[test]
    fn constants_are_found_in_the_modules_that_hold_them() {
        let one = |name| match holders(name).as_slice() {
            [holder] => Some((holder.module, holder.value)),
            _ => None,
        };
        assert_eq!(one("SIGKILL"), Some(("signal", Some(9))));
        assert_eq!(one("SI_TKILL"), Some(("signal", Some(-6))));
        assert_eq!(one("ENOENT"), Some(("errno", Some(2))));
        assert_eq!(one("O_DIRECTORY"), Some(("open", None)), "architectures differ");
        assert_eq!(holders("SIGKIL"), []);
        assert_eq!(holders(""), []);
        for (_, name, text) in texts() {
            let mut all = constants(name, text).into_iter();
            assert_eq!(
                all.find(|constant| !may_be_declared(&constant.name)).map(|constant| constant.name),
                None
            );
        }
    }

    #[test]
    fn bare_constants_have_one_module_and_one_value() {
        let names = bare_constants();
        for name in ["SIGKILL", "ENOENT", "IPPROTO_TCP"] {
            assert!(names.contains(&name), "{name}");
        }
        for name in ["O_DIRECTORY", "GFP_KERNEL", "openat", "Errno", "E"] {
            assert!(!names.contains(&name), "{name}");
        }
        for name in &names {
            assert!(matches!(holders(name).as_slice(), [_]), "{name}");
        }
        let all: BTreeSet<String> = texts()
            .filter(|(module, ..)| {
                !matches!(*module, "block" | "gfp" | "mmap" | "open" | "ptrace" | "syscall")
            })
            .flat_map(|(_, name, text)| constants(name, text))
            .map(|constant| constant.name)
            .filter(|name| !name.contains(|c: char| c.is_ascii_lowercase()))
            .collect();
        let missing = all.iter().filter(|name| !names.contains(&name.as_str())).count();
        assert!(missing * 20 < all.len(), "{missing} of {} names", all.len());
    }

    #[test]
    fn types_are_found_in_the_modules_that_declare_them() {
        assert_eq!(declaring("Errno"), ["errno"]);
        assert_eq!(declaring("Gfp"), ["gfp"]);
        assert!(declaring("Err").is_empty() && declaring("").is_empty());
        let declared = modules().iter().flat_map(StdModule::texts).flat_map(|(_, text)| text.lines());
        let mut heads = declared.filter(|line| line.starts_with("enum ") || line.starts_with("flags "));
        assert!(heads.all(|head| head.contains(": ") && head.split_once(':').is_some()));
    }

    #[test]
    fn a_module_without_variants_is_the_same_for_every_target() {
        assert_eq!(found(&["std", "errno"], "", ""), Some("std/errno.trc"));
        assert_eq!(found(&["std", "errno"], "s390x", "7.2"), Some("std/errno.trc"));
    }

    #[test]
    fn the_target_chooses_the_variant() {
        let syscall = ["std", "syscall"];
        assert_eq!(found(&syscall, "x86_64", "6.1"), Some("std/syscall/x86_64.trc"));
        assert_eq!(found(&syscall, "aarch64", ""), Some("std/syscall/arm64.trc"));
        assert_eq!(found(&syscall, "arm64", ""), Some("std/syscall/arm64.trc"));
        let gfp = ["std", "gfp"];
        assert_eq!(found(&gfp, "", "6.1.0-56-cloud-amd64"), Some("std/gfp/6.1.trc"));
        assert_eq!(found(&gfp, "", "6.12.117+deb12-cloud-amd64"), Some("std/gfp/6.12.trc"));
        assert_eq!(found(&gfp, "", "6.12-rc3"), Some("std/gfp/6.12.trc"));
    }

    #[test]
    fn unknown_target_has_no_variant() {
        let lookup = |name, arch, release| module(&["std", name], Uname { arch, release });
        let by_release = Lookup::NoVariant { varies: Varies::ByRelease, known: vec!["6.1", "6.12"] };
        for release in ["6.18.3", "6.11", "6", "", "6.120.1", "x"] {
            assert_eq!(lookup("block", "x86_64", release), by_release, "{release}");
        }
        let known = vec!["x86_64", "arm64", "riscv64"];
        for arch in ["i686", "s390x", "", "armv7l"] {
            let expected = Lookup::NoVariant { varies: Varies::ByArch, known: known.clone() };
            assert_eq!(lookup("syscall", arch, "6.1"), expected, "{arch}");
        }
    }

    #[test]
    fn unknown_module_suggests_the_nearest() {
        let nearest = |path: &[&str]| match module(path, Uname::default()) {
            Lookup::Unknown { nearest } => nearest,
            found => panic!("{found:?}"),
        };
        assert_eq!(nearest(&["std", "erno"]), ["errno"]);
        assert_eq!(nearest(&["errno"]), ["errno"]);
        assert_eq!(nearest(&["core", "errno"]), ["errno"]);
        assert_eq!(nearest(&["std", "errno", "Errno"]), ["errno"]);
        assert!(nearest(&["std", "qqqqqqqq"]).is_empty());
        assert!(nearest(&[]).is_empty());
    }

    #[test]
    fn every_file_of_the_directory_is_a_text() {
        let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../stdlib");
        let mut files = BTreeSet::new();
        let mut directories = vec![(root, "std".to_owned())];
        while let Some((directory, name)) = directories.pop() {
            for entry in directory.read_dir().unwrap() {
                let path = entry.unwrap().path();
                let name = format!("{name}/{}", path.file_name().unwrap().to_str().unwrap());
                if path.is_dir() {
                    directories.push((path, name));
                } else {
                    files.insert(name);
                }
            }
        }
        let texts: BTreeSet<String> =
            modules().iter().flat_map(StdModule::texts).map(|(name, _)| name.to_owned()).collect();
        assert_eq!(files, texts);
        assert!(modules().is_sorted_by(|one, next| one.name < next.name));
    }

    #[test]
    fn every_module_has_a_summary() {
        for module in modules() {
            assert!(module.about().len() > 10, "{}: {}", module.name, module.about());
        }
    }

    /// The minimum number of constants, from the counts of 6.1's headers, rounded down: with fewer, a header was not
    /// read.
    const AT_LEAST: &[(&str, usize)] = &[
        ("block", 35),
        ("capability", 41),
        ("errno", 150),
        ("gfp", 30),
        ("mmap", 60),
        ("open", 40),
        ("ptrace", 50),
        ("sched", 65),
        ("signal", 95),
        ("socket", 120),
        ("softirq", 10),
        ("stat", 23),
        ("syscall", 300),
        ("tcp", 24),
    ];

    #[test]
    fn modules_have_at_least_the_constants_of_their_headers() {
        let least: BTreeMap<_, _> = AT_LEAST.iter().copied().collect();
        for (module, name, text) in texts() {
            let count = constants(name, text).len();
            println!("{name}: {count} constants");
            assert!(count >= least[module], "{name}: {count}");
        }
    }

    #[test]
    fn sessions_of_the_library_parse() {
        let Lookup::Found { text, .. } = module(&["std", "process"], Uname::default()) else {
            panic!("std::process is not there");
        };
        let parsed = tracec_grammar::parse(text);
        assert!(parsed.errors.is_empty(), "{:?}", parsed.errors);
        assert_eq!(parsed.file.sessions().count(), 1);
    }

    #[test]
    fn names_of_a_module_and_values_of_a_set_are_unique() {
        for (_, file, text) in texts() {
            let (mut names, mut values) = (BTreeSet::new(), BTreeSet::new());
            for Constant { set, bit, name, value } in constants(file, text) {
                assert!(names.insert(name.clone()), "{file}: {name}");
                assert!(set == "const" || values.insert((set, value)), "{file}: {name} = {value}");
                assert!(!bit || (value > 0 && value & (value - 1) == 0), "{file}: {name} = {value}");
            }
        }
    }

    #[test]
    fn well_known_values_are_there() {
        let value = |module_name, arch, release, name| {
            let Lookup::Found { text, .. } = module(&["std", module_name], Uname { arch, release }) else {
                return None;
            };
            let constant = constants(module_name, text).into_iter().find(|found| found.name == name);
            constant.map(|found| found.value)
        };
        assert_eq!(value("errno", "", "", "EIO"), Some(5));
        assert_eq!(value("errno", "", "", "ERESTARTSYS"), Some(512));
        assert_eq!(value("errno", "", "", "EWOULDBLOCK"), Some(11));
        assert_eq!(value("signal", "", "", "SI_QUEUE"), Some(-1));
        assert_eq!(value("syscall", "x86_64", "", "openat"), Some(257));
        assert_eq!(value("syscall", "aarch64", "", "openat"), Some(56));
        assert_eq!(value("syscall", "riscv64", "", "riscv_flush_icache"), Some(259));
        assert_eq!(value("open", "x86_64", "", "O_DIRECTORY"), Some(0x10000));
        assert_eq!(value("open", "arm64", "", "O_DIRECTORY"), Some(0x4000));
        assert_eq!(value("gfp", "", "6.1.9", "GFP_ATOMIC"), Some(0xa20));
        assert_eq!(value("gfp", "", "6.12.9", "GFP_ATOMIC"), Some(0x820));
        assert_eq!(value("gfp", "", "6.12.9", "__GFP_NOLOCKDEP"), None);
        assert_eq!(value("gfp", "", "6.18.44", "GFP_ATOMIC"), Some(0x820));
        assert_eq!(value("stat", "", "", "S_IFREG"), Some(0o100_000));
        assert_eq!(value("sched", "", "", "TASK_REPORT_MAX"), Some(0x100));
    }
}
