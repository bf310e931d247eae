//! The constants of the standard library: for each module its headers, and the sets of its names.

mod internal;
mod user;

/// A module of the standard library.
#[derive(Clone, Copy, Debug)]
pub(super) struct Module {
    /// Its name: `errno` is `std::errno`, in the file or directory `stdlib/errno`.
    pub(super) name: &'static str,
    /// Its content, a sentence.
    pub(super) about: &'static str,
    /// The dependence of its values.
    pub(super) varies: Varies,
    /// Headers of the interface to programs, as a program includes them.
    pub(super) user: &'static [&'static str],
    /// Headers inside the kernel.
    pub(super) kernel: &'static [KernelHeader],
    /// The sets, in the order they are written. A name belongs to the first that matches it.
    pub(super) groups: &'static [Group],
    /// Names that do not belong to a set, because their values are counts, sizes or masks that grow with a release.
    pub(super) leave_out: &'static [&'static str],
    /// The prefix of each name in C that the language leaves out.
    pub(super) prefix: &'static str,
}

/// The dependence of a module's values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Varies {
    /// Nothing: the same on every architecture and in every release that was read.
    Never,
    /// The architecture: one file for each.
    ByArch,
    /// The release: one file for each series that was read.
    ByRelease,
}

/// A header that only the kernel itself can include.
#[derive(Clone, Copy, Debug)]
pub(super) struct KernelHeader {
    /// Its path in the source tree.
    pub(super) path: &'static str,
    /// The names that are taken from it, and those that these need.
    pub(super) keep: &'static [&'static str],
    /// The definitions of other headers inside the kernel that they need, in C.
    pub(super) before: &'static str,
}

/// A set of constants that belong together.
#[derive(Clone, Copy, Debug)]
pub(super) struct Group {
    /// Its form in the language.
    pub(super) form: Form,
    /// Its description.
    pub(super) about: &'static str,
    /// Its names: a `*` stands for any text.
    pub(super) names: &'static [&'static str],
    /// The end of the path of the header that has to define them; empty for any header of the module.
    pub(super) header: &'static str,
    /// The notation of its values.
    pub(super) radix: Radix,
    /// The comments that become documentation.
    pub(super) notes: Notes,
}

/// The form of a set in the language. Names whose values an `enum` has already, and values of `flags` that are not one
/// bit, become `const`s after it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// `enum NAME: TYPE`.
    Enum(&'static str, &'static str),
    /// `flags NAME: TYPE`.
    Flags(&'static str, &'static str),
    /// `const`s of this type.
    Consts(&'static str),
}

/// The notation of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Radix {
    Decimal,
    Hexadecimal,
    Octal,
}

/// The comments of a header that describe a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Notes {
    /// None.
    Nowhere,
    /// Those on its line.
    Beside,
    /// Those above it.
    Above,
    /// Those on the line of the bit `__NAME`, from which `NAME` is made.
    OfBit,
}

/// All modules that are generated, by name.
pub(super) const MODULES: &[Module] = &[
    internal::BLOCK,
    user::CAPABILITY,
    user::ERRNO,
    internal::GFP,
    user::MMAP,
    user::OPEN,
    user::PTRACE,
    internal::SCHED,
    user::SIGNAL,
    internal::SOCKET,
    internal::SOFTIRQ,
    user::STAT,
    user::SYSCALL,
    internal::TCP,
];

impl Module {
    /// Returns the set of a name that the header at `header` defines, as an index into `groups`.
    pub(super) fn group(&self, name: &str, header: &str) -> Option<usize> {
        if any_matches(self.leave_out, name) {
            return None;
        }
        self.groups.iter().position(|group| header.ends_with(group.header) && any_matches(group.names, name))
    }
}

/// Returns whether one of the patterns matches the name; a `*` in it stands for any text.
pub(super) fn any_matches(patterns: &[&str], name: &str) -> bool {
    patterns.iter().any(|pattern| match pattern.split_once('*') {
        Some((begin, end)) => name.strip_prefix(begin).is_some_and(|rest| rest.ends_with(end)),
        None => *pattern == name,
    })
}

impl Form {
    /// Returns the type of its values.
    pub(super) fn ty(self) -> &'static str {
        match self {
            Self::Enum(_, ty) | Self::Flags(_, ty) | Self::Consts(ty) => ty,
        }
    }
}

/// Returns a set of decimal numbers with the comments beside them, the most frequent form.
const fn enumeration(
    name: &'static str,
    ty: &'static str,
    about: &'static str,
    names: &'static [&'static str],
) -> Group {
    let form = Form::Enum(name, ty);
    Group { form, about, names, header: "", radix: Radix::Decimal, notes: Notes::Beside }
}

/// Returns a set of bits with the comments beside them.
const fn flags(
    name: &'static str,
    ty: &'static str,
    about: &'static str,
    names: &'static [&'static str],
) -> Group {
    let form = Form::Flags(name, ty);
    Group { form, about, names, header: "", radix: Radix::Hexadecimal, notes: Notes::Beside }
}

/// Returns a set of names without a common type of their own.
const fn consts(ty: &'static str, radix: Radix, names: &'static [&'static str]) -> Group {
    Group { form: Form::Consts(ty), about: "", names, header: "", radix, notes: Notes::Beside }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modules_are_sorted_and_stand_once() {
        assert!(MODULES.is_sorted_by(|one, next| one.name < next.name));
    }

    #[test]
    fn sets_of_a_module_have_different_names() {
        for module in MODULES {
            let mut names = module.groups.iter().filter_map(|group| match group.form {
                Form::Enum(name, _) | Form::Flags(name, _) => Some(name),
                Form::Consts(_) => None,
            });
            let mut seen = std::collections::BTreeSet::new();
            assert!(names.all(|name| seen.insert(name)), "{}", module.name);
        }
    }

    #[test]
    fn a_star_stands_for_any_text() {
        assert!(
            any_matches(&["A_*"], "A_") && any_matches(&["x", "*_B"], "A_B") && any_matches(&["A*B"], "AB")
        );
        assert!(
            !any_matches(&["A_*"], "XA_") && !any_matches(&["*_B"], "_BC") && !any_matches(&["AB*BA"], "ABA")
        );
        assert!(!any_matches(&["A"], "AB") && !any_matches(&[], ""));
    }

    #[test]
    fn the_first_set_takes_a_name() {
        let form = |module: &Module, name: &str, header: &str| {
            module.group(name, header).map(|group| module.groups[group].form)
        };
        let header = "/x/asm-generic/fcntl.h";
        assert_eq!(form(&user::OPEN, "O_RDWR", header), Some(Form::Enum("AccessMode", "u32")));
        assert_eq!(form(&user::OPEN, "O_EXCL", header), Some(Form::Flags("OpenFlags", "u32")));
        assert_eq!(form(&user::ERRNO, "EIO", "/x/asm/errno.h"), Some(Form::Enum("Errno", "s32")));
        let internal = form(&user::ERRNO, "ENOTSUPP", "include/linux/errno.h");
        assert_eq!(internal, Some(Form::Enum("KernelErrno", "s32")));
        assert_eq!(form(&user::CAPABILITY, "CAP_LAST_CAP", ""), None);
        assert_eq!(form(&user::CAPABILITY, "XCAP", ""), None);
    }
}
