//! Files of tracefs that are not compared, each with its reason. Their existence, mode and owner are.
//!
//! A file is in this table if it holds data that the kernel has recorded or counted, so that it changes while any
//! session of any user runs and no undo could restore the old contents, or if reading it has an effect. A file that a
//! session can set is never in it, even if the kernel sets it too.

/// Files whose contents do not depend on what a session has set.
struct Volatile {
    /// A path relative to an instance (or to the root, which is one); `*` stands for any part of one name.
    pattern: &'static str,
    /// The reason why it cannot be read or compared.
    why: &'static str,
}

const fn volatile(pattern: &'static str, why: &'static str) -> Volatile {
    Volatile { pattern, why }
}

const VOLATILE: &[Volatile] = &[
    volatile("trace_pipe", PIPE),
    volatile("per_cpu/cpu*/trace_pipe", PIPE),
    volatile("per_cpu/cpu*/trace_pipe_raw", PIPE),
    volatile("per_cpu/cpu*/snapshot_raw", PIPE),
    volatile("trace", "the records of the ring buffer; with option pause-on-trace, reading stops recording"),
    volatile(
        "per_cpu/cpu*/trace",
        "the records of one CPU; with option pause-on-trace, reading stops recording",
    ),
    volatile("per_cpu/cpu*/stats", "counts records, and `now ts` is the time of reading"),
    volatile("saved_cmdlines", "the names of tasks that were seen last by any session"),
    volatile("saved_tgids", "the thread groups of tasks that were seen by any session"),
    volatile("kprobe_profile", "counts hits; the probes themselves are in kprobe_events"),
    volatile("uprobe_profile", "counts hits; the probes themselves are in uprobe_events"),
    volatile("events/*/*/hist", "the counts of a histogram; that there is one is in `trigger`"),
    volatile(
        "osnoise/per_cpu/cpu*/timerlat_fd",
        "reading makes the reader a task of the timerlat tracer and waits for its timer",
    ),
    volatile("trace_stat/*", "statistics that the kernel gathers; whether it does is in their switches"),
    volatile("stack_trace", "the deepest stack so far; its depth is in stack_max_size"),
    volatile("touched_functions", "remembers every function that was ever traced; nothing removes one"),
];

const PIPE: &str = "reading takes records away from another reader, or waits for them";

/// Returns why the file at `path` is not compared, if it is one of them.
pub(super) fn find(path: &str) -> Option<&'static str> {
    let path = within_instance(path);
    VOLATILE.iter().find(|volatile| matches(volatile.pattern, path)).map(|volatile| volatile.why)
}

/// Returns the path relative to its instance.
fn within_instance(path: &str) -> &str {
    let instance = path.strip_prefix("instances/").and_then(|rest| rest.split_once('/'));
    instance.map_or(path, |(_, file)| file)
}

fn matches(pattern: &str, path: &str) -> bool {
    let (mut names, mut patterns) = (path.split('/'), pattern.split('/'));
    loop {
        match (patterns.next(), names.next()) {
            (None, None) => return true,
            (Some(pattern), Some(name)) if name_matches(pattern, name) => {}
            _ => return false,
        }
    }
}

fn name_matches(pattern: &str, name: &str) -> bool {
    match pattern.split_once('*') {
        None => pattern == name,
        Some((start, end)) => name.strip_prefix(start).is_some_and(|rest| rest.ends_with(end)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_star_stays_within_a_name() {
        assert!(matches("per_cpu/cpu*/stats", "per_cpu/cpu11/stats"));
        assert!(matches("a/*", "a/b"));
        assert!(!matches("a/*", "a/b/c"));
        assert!(!matches("a/*", "a"));
        assert!(!matches("per_cpu/cpu*/stats", "per_cpu/cpu1/x/stats"));
        assert!(!matches("ab*ba", "aba"), "the two ends do not overlap");
    }

    #[test]
    fn instances_are_like_the_root() {
        for path in ["trace_pipe", "instances/a/trace_pipe", "instances/trace_pipe/trace_pipe"] {
            assert!(find(path).is_some(), "{path}");
        }
        for path in ["instances/trace_pipe", "trace_pipes", "events/sched/trace_pipe", ""] {
            assert!(find(path).is_none(), "{path}");
        }
    }

    #[test]
    fn state_that_a_session_sets_is_compared() {
        for path in [
            "tracing_on",
            "current_tracer",
            "error_log",
            "set_event",
            "dynamic_events",
            "buffer_size_kb",
            "options/stacktrace",
            "events/enable",
            "events/sched/sched_switch/enable",
            "events/sched/sched_switch/filter",
            "events/sched/sched_switch/trigger",
            "instances/a/events/sched/sched_switch/id",
        ] {
            assert!(find(path).is_none(), "{path}");
        }
    }

    #[test]
    fn each_line_has_a_reason_and_is_needed() {
        for (index, volatile) in VOLATILE.iter().enumerate() {
            assert!(volatile.why.contains(' '), "{}", volatile.pattern);
            let example = volatile.pattern.replace('*', "0");
            let matching = VOLATILE.iter().position(|other| matches(other.pattern, &example));
            assert_eq!(matching, Some(index), "{}", volatile.pattern);
        }
    }
}
