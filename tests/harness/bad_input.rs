//! Mistakes around a session: the machine, the disk, the text. Each is a coded diagnostic and exit status 1, and
//! nothing is left behind.

use std::os::unix::process::CommandExt;
use std::process::Command;

use libtest_mimic::{Failed, Trial};

use super::bench::{Bench, Finished, TIMEOUT, finish};

pub(crate) fn trials(bench: &Bench) -> Vec<Trial> {
    let text: Vec<(&str, Vec<u8>, &str)> = vec![
        ("unknown event", b"session s { trace sched:sched_swich; }".to_vec(), "sched:sched_switch"),
        (
            "unknown field",
            b"session s { trace sched:sched_switch if next_com == \"a\"; }".to_vec(),
            "next_comm",
        ),
        ("wrong type", b"session s { trace sched:sched_switch if next_comm == 5; }".to_vec(), "T0201"),
        ("invalid UTF-8", b"session s { trace sched:\xff; }".to_vec(), "T0513"),
        ("10 MB of clauses", b"trace a:b;\n".repeat(1_000_000), "T0"),
        ("10,000 parentheses", nested(10_000), "T0"),
        ("a name with a slash", b"session s { trace \"../sched:sched_switch\"; }".to_vec(), "T0109"),
        ("a name with dots", b"session s { trace \"..:sched_switch\"; }".to_vec(), "T0109"),
        ("a name with a newline", b"session s { trace \"sched:\\nx\"; }".to_vec(), "T0109"),
        ("a name with a quote", b"session s { trace \"sched:\\\"x\"; }".to_vec(), "T0109"),
        (
            "an option outside options/",
            b"session s { option \"../trace\"; trace sched:sched_switch; }".to_vec(),
            "T0",
        ),
        (
            "an unknown option",
            b"session s { option stack-trace; trace sched:sched_switch; }".to_vec(),
            "stacktrace",
        ),
        ("an unknown clock", b"session s { clock monotonic; trace sched:sched_switch; }".to_vec(), "mono"),
        ("an empty file", Vec::new(), "T0308"),
        ("NUL bytes", vec![0; 4096], "T0"),
    ];
    let mut trials: Vec<Trial> = text
        .into_iter()
        .map(|(name, text, wanted)| {
            bench.trial(&format!("bad text: {name}"), move |bench| bad_text(bench, &text, wanted))
        })
        .collect();
    trials.push(bench.trial("no tracefs", no_tracefs));
    trials.push(bench.trial("not root", not_root));
    trials.push(bench.trial("a directory that is not a tracefs", not_a_tracefs));
    trials.push(bench.trial("a directory within a tracefs", within_a_tracefs));
    trials.push(bench.trial("no /proc", no_proc));
    trials.push(bench.trial("a read-only tracefs", read_only));
    trials.push(bench.trial("a full runtime directory", full_runtime_dir));
    trials.push(bench.trial("no room for a journal leaves no directory", no_room_for_a_journal));
    trials.push(bench.trial("a full disk under the output", full_disk));
    trials.push(bench.trial("an output that cannot be created", no_output));
    trials.push(bench.trial("names that cannot be an instance's", instance_names));
    trials.push(bench.trial("two forms of output at once", json_and_output));
    trials.push(bench.trial("a session that ends with a command, without one", no_command));
    trials
}

fn nested(depth: usize) -> Vec<u8> {
    let (open, close) = ("(".repeat(depth), ")".repeat(depth));
    format!("session s {{ trace sched:sched_switch if {open}prev_prio == 1{close}; }}").into_bytes()
}

fn bad_text(bench: &Bench, text: &[u8], wanted: &str) -> Result<(), Failed> {
    let dir = tempfile::tempdir()?;
    let file = dir.path().join("bad.trc");
    std::fs::write(&file, text)?;
    for subcommand in ["check", "run"] {
        let mut command = bench.tracec(subcommand);
        command.arg(&file);
        coded(&finish(command, TIMEOUT)?)?.expect_stderr(wanted)?;
    }
    Ok(())
}

/// Checks for exit status 1, a code, and no panic.
fn coded(finished: &Finished) -> Result<&Finished, Failed> {
    finished.expect_status(1)?.expect_stderr("error[T0")?;
    if finished.stderr.contains("panicked") { Err(finished.to_string().into()) } else { Ok(finished) }
}

/// Runs in a mount namespace without a tracefs.
fn no_tracefs(bench: &Bench) -> Result<(), Failed> {
    let script = "for i in 1 2 3 4; do awk '$3==\"tracefs\"||$3==\"debugfs\"{print $2}' /proc/self/mounts | \
                  while read d; do umount -l \"$d\"; done; done; exec \"$0\" run -e sched:sched_switch";
    coded(&in_mount_namespace(bench, script)?)?.expect_stderr("T0501")?;
    Ok(())
}

fn within_a_tracefs(bench: &Bench) -> Result<(), Failed> {
    for below in ["events", "instances", "events/sched"] {
        let mut command = Command::new(&bench.tracec);
        command.args(["run", "--tracefs"]).arg(bench.tracefs.join(below)).args(["-e", "sched:sched_switch"]);
        let finished = finish(command, TIMEOUT)?;
        let root = format!("--tracefs {}", bench.tracefs.canonicalize()?.display());
        coded(&finished)?
            .expect_stderr("T0516")?
            .expect_stderr("not the root of one")?
            .expect_stderr(&root)?;
    }
    Ok(())
}

fn no_proc(bench: &Bench) -> Result<(), Failed> {
    let script = "umount -l /proc && exec \"$0\" run -e sched:sched_switch";
    coded(&in_mount_namespace(bench, script)?)?.expect_stderr("T0501")?.expect_stderr("/proc/self/mounts")?;
    let script = "mount -t tracefs nodev $1 && umount -l /proc && \
                  exec \"$0\" run --tracefs $1 -e sched:sched_switch -- true";
    coded(&in_mount_namespace(bench, script)?)?
        .expect_stderr("T0508")?
        .expect_stderr("the id of this boot")?;
    Ok(())
}

fn read_only(bench: &Bench) -> Result<(), Failed> {
    // Read-only for this mount alone: with `mount -t tracefs`, `ro` would apply to all mounts on older kernels.
    let script = "mount -t tracefs nodev $1 && mount -o remount,bind,ro $1 && \
                  exec \"$0\" run --tracefs $1 -e sched:sched_switch";
    coded(&in_mount_namespace(bench, script)?)?.expect_stderr("T0503")?;
    Ok(())
}

/// A journal needs a few hundred bytes; this file system has no room for them.
fn full_runtime_dir(bench: &Bench) -> Result<(), Failed> {
    let script = "mount -t tmpfs -o size=4k nodev $1 && (head -c 100000 /dev/zero > $1/full; true) && \
                  exec \"$0\" run --runtime-dir $1/tracec -e sched:sched_switch";
    coded(&in_mount_namespace(bench, script)?)?.expect_stderr("T0508")?;
    Ok(())
}

/// This file system has room for the directory, and not for a journal in it.
fn no_room_for_a_journal(bench: &Bench) -> Result<(), Failed> {
    let script = "mount -t tmpfs -o nr_inodes=2 nodev $1 && \
                  { \"$0\" run --runtime-dir $1/tracec -e sched:sched_switch -- true; status=$?; } && \
                  if [ -e $1/tracec ]; then echo left >&2; exit 2; fi; exit $status";
    coded(&in_mount_namespace(bench, script)?)?.expect_stderr("T0508")?;
    Ok(())
}

fn full_disk(bench: &Bench) -> Result<(), Failed> {
    let script = "mount -t tmpfs -o size=16k nodev $1 && cd $1 && \
                  exec \"$0\" run -e 'trace raw_syscalls:sys_enter; output \"full.txt\";' -- \
                  sh -c 'i=0; while [ $i -lt 20000 ]; do i=$((i+1)); echo; done > /dev/null'";
    coded(&in_mount_namespace(bench, script)?)?.expect_stderr("T0509")?.expect_stderr("-e:1:38")?;
    Ok(())
}

/// Runs a script whose `$0` is the command under test and whose `$1` is a directory to mount something on.
fn in_mount_namespace(bench: &Bench, script: &str) -> Result<Finished, Failed> {
    let place = tempfile::tempdir()?;
    let mut command = Command::new("unshare");
    command.args(["-m", "sh", "-c", script]).arg(&bench.tracec).arg(place.path());
    finish(command, TIMEOUT)
}

fn not_root(bench: &Bench) -> Result<(), Failed> {
    // A copy, since other users may not be able to enter the build directory.
    let dir = tempfile::tempdir()?;
    let copy = dir.path().join("tracec");
    std::fs::copy(&bench.tracec, &copy)?;
    for path in [dir.path(), &copy] {
        std::fs::set_permissions(path, std::os::unix::fs::PermissionsExt::from_mode(0o755))?;
    }
    let mut command = Command::new(&copy);
    command.args(["run", "--tracefs"]).arg(&bench.tracefs).args(["-e", "sched:sched_switch"]);
    command.uid(65534).gid(65534).current_dir("/");
    coded(&finish(command, TIMEOUT)?)?.expect_stderr("T0502")?;
    Ok(())
}

fn not_a_tracefs(bench: &Bench) -> Result<(), Failed> {
    let mut command = Command::new(&bench.tracec);
    command.args(["run", "--tracefs", "/tmp", "-e", "sched:sched_switch"]);
    coded(&finish(command, TIMEOUT)?)?.expect_stderr("T0516")?;
    Ok(())
}

fn no_output(bench: &Bench) -> Result<(), Failed> {
    let mut command = bench.tracec("run");
    command.args(["-e", "trace sched:sched_switch; output \"/nowhere/at/all.txt\";", "--", "true"]);
    coded(&finish(command, TIMEOUT)?)?.expect_stderr("T0509")?;
    Ok(())
}

fn json_and_output(bench: &Bench) -> Result<(), Failed> {
    let mut command = bench.tracec("run");
    command.args(["--json", "-e", "trace sched:sched_switch; output \"a.txt\";", "--", "true"]);
    coded(&finish(command, TIMEOUT)?)?.expect_stderr("T0520")?.expect_stderr("-e:1:34")?;
    Ok(())
}

fn no_command(bench: &Bench) -> Result<(), Failed> {
    let run = |text: &str, command: &[&str]| {
        let mut tracec = bench.tracec("run");
        tracec.args(["-e", text]).args(command);
        finish(tracec, TIMEOUT)
    };
    let session = "trace sched:sched_switch; stop with command;";
    coded(&run(session, &[])?)?.expect_stderr("T0521")?.expect_stderr("-e:1:27")?;
    run(session, &["--", "true"])?.expect_status(0)?;
    run(&format!("{session} stop after 100ms;"), &[])?.expect_status(0)?;
    Ok(())
}

fn instance_names(bench: &Bench) -> Result<(), Failed> {
    for name in ["../x", "a/b", "..", "a\nb", "a\"b", "a b", ""] {
        let mut command = bench.tracec("run");
        command.args(["--instance", name, "-e", "sched:sched_switch", "--", "true"]);
        coded(&finish(command, TIMEOUT)?)?.expect_stderr("T0507")?;
    }
    Ok(())
}
