//! Words that name nothing here, and what their authors mean by them: a constant in another spelling, a function, a
//! property of a task.

use tracec_kernel::tables::features::Support;
use tracec_kernel::tables::measures::Measure;

use crate::stdlib::{self, Lookup, Uname};

use super::Checker;
use super::operand::{NamedOperand, Operand, ValueNames, measured};

/// What a word could mean that is compared with a number.
pub(super) enum Meant {
    /// Names of values, each with the minus that it needs.
    Values(Vec<String>),
    /// A function of the kernel, whose address the number is.
    Function,
}

/// A word for a property of a task, in other tools.
pub(super) struct TaskWord {
    word: &'static str,
    /// The property that a record has for it.
    pub(super) has: Option<&'static str>,
    /// What it is.
    pub(super) what: &'static str,
}

/// Words for properties of the task that runs. bpftrace has most of them.
const TASK_WORDS: &[TaskWord] = &[
    TaskWord { word: "tid", has: Some("current.pid"), what: "the id of the thread that runs" },
    TaskWord { word: "pid", has: Some("current.pid"), what: "the id of the thread that runs" },
    TaskWord { word: "uid", has: None, what: "the user of a task" },
    TaskWord { word: "euid", has: None, what: "the user of a task" },
    TaskWord { word: "user", has: None, what: "the user of a task" },
    TaskWord { word: "username", has: None, what: "the user of a task" },
    TaskWord { word: "gid", has: None, what: "the group of a task" },
    TaskWord { word: "cgroup", has: None, what: "the cgroup of a task" },
    TaskWord { word: "ppid", has: None, what: "the parent of a task" },
    TaskWord { word: "parent", has: None, what: "the parent of a task" },
];

/// The fields that hold the number of a system call: those of raw_syscalls, of the syscalls' own events, and of seccomp
/// and audit.
const CALL_NUMBERS: &[&str] = &["id", "nr", "__syscall_nr", "syscall_nr", "syscall"];

/// Returns whether an operand may hold the number of a system call.
pub(super) fn is_call_number(named: &NamedOperand) -> bool {
    matches!(&named.operand, Operand::Field(field) if CALL_NUMBERS.contains(&field.name.as_str()))
}

/// Words that stand for a number in examples and manuals.
const PLACEHOLDERS: &[&str] = &["PID", "TID", "PPID", "UID", "N", "NUMBER", "NUM", "VALUE", "ID"];

/// Returns the property of a task that a word means in other tools.
pub(super) fn task_word(word: &str) -> Option<&'static TaskWord> {
    TASK_WORDS.iter().find(|known| known.word == word)
}

/// Returns whether a word stands for a number in examples.
pub(super) fn is_placeholder(word: &str) -> bool {
    PLACEHOLDERS.contains(&word)
}

/// Returns the system call of `SYS_openat` and `__NR_openat`.
pub(super) fn system_call(word: &str) -> Option<&str> {
    let call = ["SYS_", "__NR_"].into_iter().find_map(|prefix| word.strip_prefix(prefix))?;
    stdlib::holders(call).iter().any(|holder| holder.module == "syscall").then_some(call)
}

impl Checker<'_> {
    /// Returns what a word that is compared with a number could mean.
    pub(super) fn meant_by(&self, word: &str, named: &NamedOperand) -> Meant {
        if let Some(own) = self.own_spelling(word, named) {
            return Meant::Values(vec![own]);
        }
        if let Operand::Field(field) = &named.operand
            && field.integer().is_some()
            && field.size == 8
            && self.may_be_function(word, &field.type_text)
        {
            return Meant::Function;
        }
        let scope = self.scope(None);
        if !scope.needs_no_import() {
            return Meant::Values(Vec::new());
        }
        let upper = word.to_ascii_uppercase();
        let signal = match &named.operand {
            Operand::Field(field) if measured(field) == Some(Measure::Signal) => Some(format!("SIG{upper}")),
            _ => None,
        };
        let kernel = self.context.group.machine.kernel;
        let (arch, release) = (kernel.arch(), kernel.release());
        let uname = Uname { arch: &arch, release: &release };
        let known = [Some(upper), signal].into_iter().flatten().filter_map(|name| {
            let [holder] = stdlib::holders(&name)[..] else { return None };
            let is_error = holder.module == "errno" && named.is_signed_field();
            let is_known = matches!(stdlib::module(&["std", holder.module], uname), Lookup::Found { .. });
            is_known.then(|| if is_error { format!("-{name}") } else { name })
        });
        Meant::Values(known.collect())
    }

    /// Returns whether a word is a function of the kernel; where functions are not known, whether it is written like
    /// one and compared with a number of C's type for addresses.
    fn may_be_function(&self, word: &str, field_type: &str) -> bool {
        let machine = self.context.group.machine;
        match machine.functions() {
            Some(known) => known.names.contains(word),
            None => {
                field_type == "unsigned long"
                    && word.contains('_')
                    && !word.contains(|c: char| c.is_ascii_uppercase())
                    && machine.kernel.feature("filter-function") == Support::Yes
            }
        }
    }

    /// Returns the name of an operand's own value that differs from a word in case and `_` only.
    fn own_spelling(&self, word: &str, named: &NamedOperand) -> Option<String> {
        let plain = |name: &str| name.replace('_', "").to_ascii_lowercase();
        let wanted = plain(word);
        let find = |names: &crate::ir::definition::EnumType| {
            let names = || names.members().iter().map(|member| &member.name);
            // `tcp` for `IPPROTO_TCP`.
            let last = |name: &str| name.rsplit_once('_').is_some_and(|(_, last)| plain(last) == wanted);
            names().find(|name| plain(name) == wanted).or_else(|| names().find(|name| last(name))).cloned()
        };
        let found = match named.operand.value_names()? {
            ValueNames::Field(field) => find(self.context.event.names(&field)?.as_ref())?,
            ValueNames::Enum(id) => find(self.context.group.names.expected(id).ty())?,
        };
        let is_word = found.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
        (is_word && !self.is_operand(&found)).then_some(found)
    }

    /// Returns the names that are suggested for a word of another tool, the property of the task first; `None` where
    /// the word means none that a record has.
    pub(super) fn before_near(&self, word: &str, near: Vec<String>) -> Option<Vec<String>> {
        let Some(known) = task_word(word) else { return Some(near) };
        let mut names = vec![known.has?.to_owned()];
        names.extend(near);
        Some(names)
    }
}
