//! `scope process 123, comm "x*", cpus 0-3 and children;`

use tracec_grammar::span::{Span, Spanned};
use tracec_grammar::syntax::{ExprId, ScopeKind, ScopeSubject};
use tracec_kernel::condition::glob::Glob;
use tracec_kernel::tables::limits;

use crate::diagnostic::codes;
use crate::ir;
use crate::ir::definition::Value;
use crate::source::possible_cpus;

use super::super::scoped::is_pattern;
use super::Settings;

impl Settings<'_, '_> {
    /// Checks one subject of a scope. `None` if a mistake was reported.
    pub(super) fn subject(&mut self, subject: &ScopeSubject) -> Option<Spanned<ir::ScopeSubject>> {
        let kind = match &subject.kind {
            ScopeKind::Process(id) => ir::ScopeSubject::Process(self.task(*id)?),
            ScopeKind::Thread(id) => ir::ScopeSubject::Thread(self.task(*id)?),
            ScopeKind::Command => ir::ScopeSubject::Command,
            ScopeKind::Comm(text) => {
                ir::ScopeSubject::Comm(self.text(*text).and_then(|text| self.comm(&text))?)
            }
            ScopeKind::Cgroup(path) => {
                ir::ScopeSubject::Cgroup(self.text(*path).and_then(|path| self.cgroup(&path))?)
            }
            ScopeKind::Cpus { first, last } => {
                let last = last.as_ref().unwrap_or(first);
                self.cpu_range(first, last)?
            }
        };
        Some(Spanned::new(kind, subject.span))
    }

    /// Returns the id of a process or thread: 1 to the largest that a kernel assigns.
    pub(super) fn task(&mut self, id: ExprId) -> Option<u32> {
        let span = self.names.exprs()[id].span;
        let bad = |reason: &str| codes::bad_scope::bad_scope(span, reason);
        match self.value(id)? {
            Value::Int { value: 0, .. } => {
                self.say(bad("the idle tasks, one per CPU, have the id 0 and are not a process"))
            }
            Value::Int { value, .. } => match u32::try_from(value) {
                Ok(id) if id <= limits::PID_MAX => Some(id),
                _ => self.say(bad(&format!("ids of tasks are 1 to {}", limits::PID_MAX))),
            },
            other => self.say(bad(&format!("expected the id of a task, found {}", other.kind().describe()))),
        }
    }

    fn comm(&mut self, text: &Spanned<String>) -> Option<String> {
        let longest = limits::TASK_COMM_LEN - 1;
        if text.value.is_empty() {
            return self.say(codes::bad_scope::bad_scope(text.span, "no task has an empty name"));
        }
        if is_pattern(&text.value) {
            if let Err(mistake) = Glob::parse(&text.value) {
                return self.say(codes::bad_scope::bad_scope(text.span, &mistake.to_string()));
            }
        } else if text.value.len() > longest {
            let length = text.value.len();
            return self.say(codes::text_too_long::text_too_long(text.span, "comm", length, longest, None));
        }
        Some(text.value.clone())
    }

    fn cgroup(&mut self, path: &Spanned<String>) -> Option<String> {
        let parts = path.value.trim_start_matches('/').split('/');
        if path.value.is_empty() || path.value.contains('\0') || parts.clone().any(|part| part == "..") {
            let why = "expected a path below the cgroup file system, without `..`";
            return self.say(codes::bad_scope::bad_scope(path.span, why));
        }
        Some(path.value.clone())
    }

    fn cpu_range(&mut self, first: &Spanned<u64>, last: &Spanned<u64>) -> Option<ir::ScopeSubject> {
        let span = first.span.to(last.span);
        let cpus = self.known(span, possible_cpus(self.kernel))?;
        // A saved kernel has the CPUs of its machine, which need not be the one that the session runs on.
        let limit = cpus.filter(|_| self.kernel.is_running());
        let number = |cpu: &Spanned<u64>| {
            u32::try_from(cpu.value).ok().filter(|cpu| limit.is_none_or(|limit| *cpu < limit))
        };
        match (number(first), number(last)) {
            (Some(first), Some(last)) if first <= last => {
                if let Some(count) = cpus.filter(|count| last >= *count) {
                    let kernel = self.kernel.describe();
                    self.diagnostics.push(codes::no_such_cpu::no_such_cpu(span, last, &kernel, count));
                }
                Some(ir::ScopeSubject::Cpus { first, last })
            }
            (Some(_), Some(_)) => self.say(codes::bad_scope::bad_scope(span, "the range runs backwards")),
            (None, _) => self.no_such_cpu(first, cpus),
            (_, None) => self.no_such_cpu(last, cpus),
        }
    }

    fn no_such_cpu<T>(&mut self, cpu: &Spanned<u64>, cpus: Option<u32>) -> Option<T> {
        let kernel = self.kernel.describe();
        let why = match cpus {
            Some(numbers) if u32::try_from(cpu.value).is_ok() => {
                codes::no_such_cpu::none_above(&kernel, numbers)
            }
            _ => "no kernel has so many CPUs".to_owned(),
        };
        self.say(codes::bad_scope::bad_scope(cpu.span, &why))
    }

    /// Checks `and children`, which follows the processes and threads of the scope: without one it has no meaning.
    pub(super) fn children(&mut self, subjects: &[ScopeSubject], children: Option<Span>) {
        let has_parents = subjects.iter().any(|subject| {
            matches!(subject.kind, ScopeKind::Process(_) | ScopeKind::Thread(_) | ScopeKind::Command)
        });
        if let Some(span) = children
            && !has_parents
        {
            let why = "only a process, a thread or the command has children to follow";
            self.mistake(codes::bad_scope::bad_scope(span, why));
        }
    }
}
