//! The names of a kernel's functions.

use std::cmp::Ordering;

use super::KernelSource;

/// Names of functions, and the list that they come from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Functions {
    /// The names; never empty.
    pub names: Names,
    /// The list that they come from.
    pub list: FunctionList,
}

/// Names in their order, each once, one behind the other: a kernel has a hundred thousand.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Names {
    text: String,
    /// Where each ends.
    ends: Vec<u32>,
}

impl Names {
    fn of(mut names: Vec<&str>) -> Names {
        names.sort_unstable();
        names.dedup();
        let mut all = Names {
            text: String::with_capacity(names.iter().map(|name| name.len()).sum()),
            ends: Vec::new(),
        };
        all.ends.reserve_exact(names.len());
        for name in names {
            all.text.push_str(name);
            // What is longer than the kernel's memory for names has no place here.
            let Ok(end) = u32::try_from(all.text.len()) else { break };
            all.ends.push(end);
        }
        all
    }

    fn get(&self, index: usize) -> Option<&str> {
        let start = index.checked_sub(1).map_or(Some(0), |before| self.ends.get(before).copied())?;
        self.text.get(start as usize..*self.ends.get(index)? as usize)
    }

    /// Returns the names.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        (0..self.ends.len()).filter_map(|index| self.get(index))
    }

    /// Returns whether there is a name.
    pub fn contains(&self, name: &str) -> bool {
        let (mut from, mut to) = (0, self.ends.len());
        while from < to {
            let middle = from.midpoint(to);
            match self.get(middle).map(|found| found.cmp(name)) {
                Some(Ordering::Less) => from = middle + 1,
                Some(Ordering::Equal) => return true,
                _ => to = middle,
            }
        }
        false
    }
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
        let names = text.lines().filter_map(|line| line.split_whitespace().next());
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
        let mut names = Vec::new();
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
                names.push(plain);
            }
            names.push(name);
        }
        Functions::new(names, FunctionList::Symbols)
    }

    fn new(names: Vec<&str>, list: FunctionList) -> Option<Functions> {
        (!names.is_empty()).then(|| Functions { names: Names::of(names), list })
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
        let names: Vec<&str> = functions.names.iter().collect();
        assert_eq!(names, ["ext4_read", "helper", "helper.llvm.123", "vfs_read", "weak"]);
        assert!(names.iter().all(|name| functions.names.contains(name)));
        assert!(!["", "a", "vfs", "vfs_read2", "z"].iter().any(|name| functions.names.contains(name)));
        for hidden in ["", "0000000000000000 d table\n"] {
            assert_eq!(Functions::symbols(hidden), None);
        }
    }
}
