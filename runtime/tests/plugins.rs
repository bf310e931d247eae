//! Events that plugins of trace-cmd print, and all others of their systems, beside `trace-cmd report` 3.1.6.
//!
//! `plugins.dat.gz` has six records of each event of `jbd2`, `kmem`, `kvm`, `kvmmmu`, `sched`, `timer` and `tlb`, with the
//! formats of Linux 6.18: one of zeros, three of small numbers, and two of random ones. `plugins-xen.dat.gz` has those of
//! `xen` with the formats of Linux 6.1. `NAME.trace-cmd.txt.gz` is the report.

mod common;

use std::collections::BTreeMap;

use tracec_runtime::record::{TraceDat, report};
use tracec_runtime::sink::{TRACE_CMD_3_1, Timestamps};

use common::{Shared, data};

/// The events of which trace-cmd prints lines that are wrong, and what is wrong with them. tracec prints what the kernel
/// does.
const WRONG: &[(&str, &str)] = &[
    ("hrtimer_setup", "a negative number without a name is cut to 32 bits"),
    ("itimer_state", "a negative number is divided as an unsigned one"),
    ("kvm_inj_exception", NOT_PARSED),
    ("kvm_nested_vmenter", "a `?:` behind the `:` of another is not read as in C"),
    ("kvm_nested_vmexit", "the plugin complains of a field that newer kernels do not have"),
    ("kvm_pic_set_irq", "a shift of an `int` is done in 64 bits"),
    ("kvm_pvclock_update", "a signed byte is printed as an unsigned one"),
    ("kvm_userspace_exit", "a negative number is compared as an unsigned one"),
    ("kvm_wait_lapic_expire", "a negative number is compared as an unsigned one"),
    ("mm_page_alloc_extfrag", "a `?:` behind `<` is taken for the condition of the comparison"),
    ("rss_stat", "a negative number without a name is cut to 32 bits"),
    ("sched_skip_cpuset_numa", "`%*pbl` is not known"),
    ("xen_mc_batch", ENUMERATOR),
    ("xen_mc_extend_args", ENUMERATOR),
    ("xen_mc_flush_reason", ENUMERATOR),
    ("xen_mc_issue", ENUMERATOR),
    ("xen_mmu_ptep_modify_prot_commit", NOT_PARSED),
    ("xen_mmu_ptep_modify_prot_start", NOT_PARSED),
    ("xen_mmu_set_p4d", NOT_PARSED),
    ("xen_mmu_set_pmd", NOT_PARSED),
    ("xen_mmu_set_pte", NOT_PARSED),
    ("xen_mmu_set_pud", NOT_PARSED),
    ("tick_stop", "a negative number without a name is cut to 32 bits"),
    ("timer_start", "`flags & (A | B)` is computed as `(flags & A) | B`"),
];

const NOT_PARSED: &str = "the print fmt is not parsed";
const ENUMERATOR: &str = "the name of an enumerator has no value";

/// Returns the name of the event of a line.
fn event(line: &str) -> &str {
    line.split(": ").nth(1).unwrap_or_default()
}

/// Returns the lines of a recording in the layout of trace-cmd, each with that of trace-cmd.
fn lines(name: &str) -> Vec<(String, String)> {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("x.dat");
    std::fs::write(&file, data(&format!("{name}.dat.gz"))).unwrap();
    let shared = Shared::default();
    let mut sink = TRACE_CMD_3_1.sink(Box::new(shared.clone()), Timestamps::Nanoseconds);
    report(&mut TraceDat::open(&file).unwrap(), sink.as_mut()).unwrap();
    let found = String::from_utf8(shared.0.lock().unwrap().clone()).unwrap();
    let expected = String::from_utf8(data(&format!("{name}.trace-cmd.txt.gz"))).unwrap();
    assert_eq!(found.lines().count(), expected.lines().count());
    found.lines().map(str::to_owned).zip(expected.lines().map(str::to_owned)).collect()
}

#[test]
fn lines_are_those_of_trace_cmd_unless_they_are_listed() {
    let lines = [lines("plugins"), lines("plugins-xen")].concat();
    let mut events: BTreeMap<&str, usize> = BTreeMap::new();
    let mut differing = String::new();
    for (found, expected) in &lines {
        let differs = events.entry(event(expected)).or_default();
        if found != expected {
            *differs += 1;
            if !WRONG.iter().any(|(name, _)| *name == event(expected)) {
                differing += &format!("{expected}\n{found}\n");
            }
        }
    }
    assert!(differing.is_empty(), "\n{differing}");
    assert!(events.len() > 200, "{} events", events.len());
    for (name, why) in WRONG {
        assert!(events.get(name).is_some_and(|count| *count > 0), "{name}: {why}: this is not so any more");
    }
    println!("{} events have the lines of trace-cmd, {} do not", events.len() - WRONG.len(), WRONG.len());
}
