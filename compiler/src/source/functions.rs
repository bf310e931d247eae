//! The names of a kernel's functions.

use std::collections::BTreeSet;

use super::KernelSource;

/// Names of functions, and the list that they come from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Functions {
    /// The names; never empty.
    pub names: BTreeSet<String>,
    /// The list that they come from.
    pub list: FunctionList,
}

/// A list of the kernel's functions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FunctionList {
    /// `available_filter_functions`: the functions that can be traced, which are nearly all.
    Traceable,
    /// `/proc/kallsyms`: the symbols in which the kernel itself looks a name up.
    Symbols,
}

impl Functions {
    /// Returns the functions of a kernel and of its modules that can be traced; `None` where
    /// `available_filter_functions` is missing, empty or unreadable.
    pub fn traceable<K: KernelSource + ?Sized>(kernel: &K) -> Option<Functions> {
        let text = kernel.read("available_filter_functions").ok().flatten()?;
        // `NAME`, or `NAME [MODULE]`.
        let names = text.lines().filter_map(|line| line.split_whitespace().next()).map(str::to_owned);
        Functions::new(names.collect(), FunctionList::Traceable)
    }

    /// Returns the functions in a text like `/proc/kallsyms`: `ADDRESS TYPE NAME`, and `[MODULE]` after a tab. A reader
    /// without the privilege to see addresses gets zeros, with the same names. `None` if there are no functions: then
    /// the list is hidden.
    ///
    /// The kernel's filter looks a name up with `kallsyms_lookup_name` (kernel/kallsyms.c), which knows the kernel and
    /// its modules, and does not know the entries of `/proc/kallsyms` marked `[bpf]`, `[__builtin__ftrace]` and
    /// `[__builtin__kprobes]`.
    pub fn symbols(text: &str) -> Option<Functions> {
        let mut names = BTreeSet::new();
        for line in text.lines() {
            let mut words = line.split_whitespace().skip(1);
            let (Some(kind), Some(name)) = (words.next(), words.next()) else { continue };
            let is_made_up =
                words.next().is_some_and(|owner| owner == "[bpf]" || owner.starts_with("[__builtin__"));
            if !matches!(kind, "t" | "T" | "w" | "W") || is_made_up {
                continue;
            }
            // Clang's link-time optimisation appends a hash to static names; some kernels look them up without it.
            if let Some((plain, _)) = name.split_once(".llvm.") {
                names.insert(plain.to_owned());
            }
            names.insert(name.to_owned());
        }
        Functions::new(names, FunctionList::Symbols)
    }

    fn new(names: BTreeSet<String>, list: FunctionList) -> Option<Functions> {
        (!names.is_empty()).then_some(Functions { names, list })
    }
}

#[cfg(test)]
mod tests {
    use super::{FunctionList, Functions};

    #[test]
    fn symbols_are_functions_of_the_kernel_and_its_modules() {
        let text = "0000000000000000 T vfs_read\n0000000000000000 t helper.llvm.123\n\
                    0000000000000000 t ext4_read\t[ext4]\n0000000000000000 W weak\n\
                    0000000000000000 d table\n0000000000000000 t bpf_prog_1\t[bpf]\n\
                    0000000000000000 t ftrace_trampoline\t[__builtin__ftrace]\nbroken\n";
        let functions = Functions::symbols(text).expect("a list");
        assert_eq!(functions.list, FunctionList::Symbols);
        let names: Vec<&str> = functions.names.iter().map(String::as_str).collect();
        assert_eq!(names, ["ext4_read", "helper", "helper.llvm.123", "vfs_read", "weak"]);
        for hidden in ["", "0000000000000000 d table\n"] {
            assert_eq!(Functions::symbols(hidden), None);
        }
    }
}
