//! Probes: their places, and their fields as fetch arguments.

use tracec_compiler::ir::definition::{AttachPoint, FetchSource, ProbeDef, ProbeField};

use crate::classes::printed;
use crate::with_tables;

/// A probe's fields in words: the name, what fetches it, the kernel's type and the place.
fn probe_fields(probe: &ProbeDef) -> Vec<String> {
    let field = |field: &ProbeField| {
        let source = match &field.source {
            FetchSource::Argument(index) => format!("argument {index}"),
            FetchSource::Result => "result".to_owned(),
            FetchSource::EventField(name) => format!("${name}"),
            FetchSource::Fetch(fetch) => fetch.to_string(),
        };
        let ty = field.fetch_type.map_or("?".to_owned(), |ty| ty.to_string());
        let at = field.layout.map_or("nowhere".to_owned(), |at| format!("{}+{}", at.offset, at.size));
        format!("{} = {source}: {ty} at {at}", field.name.as_deref().unwrap_or("_"))
    };
    probe.fields.iter().map(field).collect()
}

#[test]
fn probes_become_fetch_arguments() {
    let (found, constants, _) = with_tables(
        r#"
        enum How: u8 { Plain, Direct }
        event opened at kprobe do_sys_openat2(dfd: s32, path: *user char, how: How) { path: user string; how; dfd; }
        event wrote at kretprobe vfs_write -> (ret: ssize_t);
        event lines at uprobe "/bin/bash":readline(prompt: *user char);
        event q at usdt "/usr/bin/postgres":postgresql:query__start(query: *char);
        event execs at event sched:sched_process_exec { filename; pid; name = +0($filename): string; print "{filename} {pid}" }
        event ticks at fexit tcp_sendmsg(sk: *struct sock, size: size_t) -> (ret: int);
        event modfn at kprobe ext4:ext4_sync_file+16;
        event raw at kprobe vfs_read+8 { a = %di: u64; b = +4($stack): s32; @jiffies: u64; c = +u0(%si): ustring; d = +0(%si): x8[16]; e = %ax: symbol; print "a={a} {c} {d} {e} {b:x}" }
        event both at fprobe vfs_read(file: *struct file) -> (ret: ssize_t);
        event named at kprobe vfs_read { bits = %si: b3@4/32; file = %di: %pD; }
        event busy at perf cpu_cycles;
        event fixed at uprobe "/bin/x":0x1234;
        "#,
    );
    let all: Vec<(&str, Vec<String>)> =
        found.probes.iter().map(|probe| (probe.name.value.as_str(), probe_fields(probe))).collect();
    let expected: &[(&str, &[&str])] = &[
        (
            "opened",
            &[
                "path = argument 1: ustring at 16+4",
                "how = argument 2: u8 at 20+1",
                "dfd = argument 0: s32 at 21+4",
            ],
        ),
        ("wrote", &["ret = result: s64 at 24+8"]),
        ("lines", &["prompt = argument 0: ustring at 16+4"]),
        ("q", &["query = argument 0: string at nowhere"]),
        (
            "execs",
            &[
                "filename = $filename: string at 8+4",
                "pid = $pid: s32 at 12+4",
                "name = +0($filename): string at 16+4",
            ],
        ),
        (
            "ticks",
            &[
                "sk = argument 0: x64 at nowhere",
                "size = argument 1: u64 at nowhere",
                "ret = result: s32 at nowhere",
            ],
        ),
        ("modfn", &[]),
        (
            "raw",
            &[
                "a = %di: u64 at 16+8",
                "b = +4($stack): s32 at 24+4",
                "_ = @jiffies: u64 at 28+8",
                "c = +u0(%si): ustring at 36+4",
                "d = +0(%si): x8[16] at 40+16",
                "e = %ax: symbol at 56+8",
            ],
        ),
        ("both", &["file = argument 0: x64 at 24+8", "ret = result: s64 at 32+8"]),
        ("named", &["bits = %si: b3@4/32 at 16+4", "file = %di: %pD at 20+4"]),
        ("busy", &[]),
        ("fixed", &[]),
    ];
    let expected: Vec<(&str, Vec<String>)> = expected
        .iter()
        .map(|(name, fields)| (*name, fields.iter().map(|field| (*field).to_owned()).collect()))
        .collect();
    assert_eq!(all, expected);
    let raw = &found.probes[7];
    assert_eq!(
        printed(&raw.print, &constants, &["a", "b", "_", "c", "d", "e"]).concat(),
        "a=<a Unsigned of 8> <c text> <d Array { element: 1 }> <e pS> <b Hex of 4>"
    );
    assert_eq!(raw.size, Some(64));
}

#[test]
fn places_of_probes_are_told_apart() {
    let (found, _, catalogue) = with_tables(
        r#"
        event a at kprobe ext4:ext4_sync_file+16;
        event b at uprobe "/bin/x":0x1234;
        event c at uprobe "/bin/x":main+8;
        event d at usdt "/bin/x":provider:name;
        event e at event sched:sched_switch { prev_prio; }
        event f at tp_btf sched_switch(preempt: bool);
        "#,
    );
    let places: Vec<String> = found
        .probes
        .iter()
        .map(|probe| match &probe.attach_point {
            AttachPoint::Symbol { module, symbol, offset } => {
                format!("{} {} {offset}", module.as_deref().unwrap_or("-"), symbol.value)
            }
            AttachPoint::Binary { path, symbol, offset } => {
                format!("{} {} {offset:#x}", path.value, symbol.as_deref().unwrap_or("-"))
            }
            AttachPoint::Usdt { path, provider, name } => format!("{} {provider} {name}", path.value),
            AttachPoint::Event { event, .. } => catalogue[*event].qualified_name(),
            AttachPoint::Counter(counter) => counter.name.to_owned(),
        })
        .collect();
    assert_eq!(
        places,
        [
            "ext4 ext4_sync_file 16",
            "/bin/x - 0x1234",
            "/bin/x main 0x8",
            "/bin/x provider name",
            "sched:sched_switch",
            "- sched_switch 0",
        ]
    );
}
