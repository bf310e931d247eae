//! Saving the running kernel: the profile equals the kernel, holds no state, and nothing is left behind.

use std::path::Path;
use std::process::Command;

use libtest_mimic::{Failed, Trial};
use tracec::kernel::{ProfileKernel, shipped};

use super::bench::{Bench, Finished, TIMEOUT, finish};

pub(crate) fn trials(bench: &Bench) -> Vec<Trial> {
    let mut trials = vec![
        bench.trial("a saved kernel is the running one", saved_is_running),
        bench.trial("functions and BTF are saved as they are", bulk),
        bench.trial("what a kernel has defined or set is not saved", state_is_not_saved),
        bench.trial("without tracefs the newest shipped kernel is asked", stand_in),
        bench.trial("a directory is not saved as a kernel", directory),
    ];
    if let Some(name) = shipped_here() {
        trials.push(bench.trial("the profile that is shipped is of this kernel", move |bench| {
            shipped_is_running(bench, name)
        }));
    }
    trials
}

/// Returns the shipped profile of exactly the kernel that runs; few kernels have one.
fn shipped_here() -> Option<&'static str> {
    let uname = rustix::system::uname();
    let is_it = |shipped: &&shipped::Shipped| {
        ProfileKernel::of_shipped(shipped.bytes).is_ok_and(|kernel| {
            let facts = kernel.profile().facts();
            facts.release.as_bytes() == uname.release().to_bytes()
                && facts.version.as_bytes() == uname.version().to_bytes()
        })
    };
    shipped::ALL.iter().find(is_it).map(|shipped| shipped.name)
}

/// Returns `tracec kernel SUBCOMMAND ..` on the tracefs of the bench.
fn kernel(bench: &Bench, arguments: &[&str]) -> Result<Finished, Failed> {
    let mut command = Command::new(&bench.tracec);
    command.arg("kernel").args(arguments).arg("--tracefs").arg(&bench.tracefs);
    finish(command, TIMEOUT)
}

/// Saves the kernel without the large files that take long to compress and are copied unchanged.
fn save(bench: &Bench, file: &Path, runtime_dir: &Path) -> Result<Vec<u8>, Failed> {
    let (file, runtime_dir) = (file.to_string_lossy(), runtime_dir.to_string_lossy());
    let without = ["save", "--no-btf", "--no-functions"];
    kernel(bench, &[&without[..], &["-o", &file, "--runtime-dir", &runtime_dir]].concat())?
        .expect_status(0)?;
    Ok(std::fs::read(&*file)?)
}

fn saved_is_running(bench: &Bench) -> Result<(), Failed> {
    let dir = tempfile::tempdir()?;
    let (file, runtime_dir) = (dir.path().join("a.trcprof"), dir.path().join("run"));
    let first = save(bench, &file, &runtime_dir)?;
    if save(bench, &dir.path().join("b.trcprof"), &runtime_dir)? != first {
        return Err("the same kernel gave other bytes".into());
    }
    if std::fs::read_dir(&runtime_dir).is_ok_and(|mut entries| entries.next().is_some()) {
        return Err("a journal is left".into());
    }
    let name = file.to_string_lossy();
    let difference = kernel(bench, &["diff", &name])?;
    difference.expect_status(0)?;

    let mut command = Command::new(&bench.tracec);
    command.args(["check", "-e", "sched:sched_switch if prev_prio < 100", "--kernel", &name]);
    finish(command, TIMEOUT)?.expect_status(0)?;
    every_layout_is_the_kernels(bench, &file)
}

/// Compares with the files themselves, and not through tracec.
fn every_layout_is_the_kernels(bench: &Bench, file: &Path) -> Result<(), Failed> {
    let kernel = ProfileKernel::open(file)?;
    let (profile, mut kept, mut compared) = (kernel.profile(), None, 0);
    for (system, event) in profile.index().all() {
        let id = profile.index().find(system, &event.name).ok_or("an event that is listed is not found")?;
        let path = bench.tracefs.join("events").join(system).join(&event.name).join("format");
        if profile.format(id, &mut kept)? != std::fs::read_to_string(&path)? {
            return Err(format!("{} is another one", path.display()).into());
        }
        compared += 1;
    }
    if compared > 100 { Ok(()) } else { Err(format!("only {compared} events were saved").into()) }
}

/// Checks the two parts that are not layouts. A kernel may lack or refuse either; then the command reports that and
/// saves the rest.
fn bulk(bench: &Bench) -> Result<(), Failed> {
    let dir = tempfile::tempdir()?;
    let (file, runtime_dir) = (dir.path().join("a.trcprof"), dir.path().join("run"));
    let (name, runtime_dir) = (file.to_string_lossy(), runtime_dir.to_string_lossy());
    let saved = kernel(bench, &["save", "-o", &name, "--runtime-dir", &runtime_dir])?;
    saved.expect_status(0)?;
    let kernel = ProfileKernel::open(&file)?;
    match std::fs::read("/sys/kernel/btf/vmlinux") {
        Ok(btf) if kernel.profile().btf()? == btf => {}
        Ok(_) => return Err("the BTF is another one".into()),
        Err(_) => {
            saved.expect_stderr("no BTF")?;
        }
    }
    match std::fs::read_to_string(bench.tracefs.join("available_filter_functions")) {
        Ok(text) => {
            let sorted = |text: &str| {
                let words = |line: &str| line.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
                let mut lines: Vec<Vec<String>> = text.lines().map(words).collect();
                lines.sort_unstable();
                lines
            };
            if sorted(&kernel.profile().functions()?) != sorted(&text) {
                return Err("the functions are others".into());
            }
        }
        Err(_) => {
            saved.expect_stderr("no names of functions")?;
        }
    }
    Ok(())
}

/// Checks an option that is set, a clock, an event that is recorded and, where possible, one that is defined.
fn state_is_not_saved(bench: &Bench) -> Result<(), Failed> {
    let dir = tempfile::tempdir()?;
    let before = save(bench, &dir.path().join("a.trcprof"), dir.path())?;
    let instance = bench.tracefs.join("instances/tracec-test-state");
    std::fs::create_dir(&instance)?;
    let changed = (|| {
        std::fs::write(instance.join("events/sched/sched_switch/enable"), "1")?;
        std::fs::write(instance.join("trace_clock"), "mono")?;
        std::fs::write(instance.join("options/overwrite"), "0")?;
        save(bench, &dir.path().join("b.trcprof"), dir.path())
    })();
    std::fs::remove_dir(&instance)?;
    let defined = match bench.has("uprobe_events") {
        true => with_uprobe(bench, || save(bench, &dir.path().join("c.trcprof"), dir.path()))?,
        false => before.clone(),
    };
    match (changed? == before, defined == before) {
        (true, true) => Ok(()),
        (false, _) => Err("what an instance has set is in the profile".into()),
        (_, false) => Err("an event that somebody has defined is in the profile".into()),
    }
}

/// Runs a function while an event of the test is defined.
fn with_uprobe<T>(bench: &Bench, run: impl FnOnce() -> Result<T, Failed>) -> Result<T, Failed> {
    let events = bench.tracefs.join("uprobe_events");
    let write = |text: &str| -> std::io::Result<()> {
        let mut file = std::fs::OpenOptions::new().append(true).open(&events)?;
        std::io::Write::write_all(&mut file, text.as_bytes())
    };
    write(&format!("p:tracec_test/probe {}:0x100\n", bench.tracec.display()))?;
    let result = run();
    write("-:tracec_test/probe\n")?;
    result
}

fn shipped_is_running(bench: &Bench, name: &str) -> Result<(), Failed> {
    let dir = tempfile::tempdir()?;
    let file = dir.path().join("fresh.trcprof");
    save(bench, &file, dir.path())?;
    let difference = kernel(bench, &["diff", name, &file.to_string_lossy()])?;
    difference.expect_status(0)?;
    let same = difference.stdout.starts_with("no differences: ") && difference.stdout.lines().count() == 1;
    if same { Ok(()) } else { Err(difference.to_string().into()) }
}

/// Runs in a mount namespace without a tracefs. A mount below another is removed with it, and is then not a mount
/// point.
fn stand_in(bench: &Bench) -> Result<(), Failed> {
    let script = "for i in 1 2 3 4; do awk '$3==\"tracefs\"||$3==\"debugfs\"{print $2}' /proc/self/mounts | \
                  while read d; do umount -l \"$d\" 2> /dev/null; done; done; exec \"$0\" \"$@\"";
    let without_tracefs = |arguments: &[&str]| {
        let mut command = Command::new("unshare");
        command.args(["-m", "sh", "-c", script]).arg(&bench.tracec).args(arguments);
        finish(command, TIMEOUT)
    };
    let newest = shipped::newest().ok_or("nothing is shipped")?;
    let checked = without_tracefs(&["check", "-e", "sched:sched_switch"])?;
    checked.expect_status(0)?.expect_stderr(&format!("shipped with tracec as `{}`", newest.name))?;
    if checked.stderr.lines().count() != 1 {
        return Err(format!("more than one line\n{checked}").into());
    }
    // A session runs only on this kernel, and a plan is for this one too.
    for subcommand in ["run", "plan"] {
        without_tracefs(&[subcommand, "-e", "sched:sched_switch"])?
            .expect_status(1)?
            .expect_stderr("T0501")?;
    }
    Ok(())
}

fn directory(bench: &Bench) -> Result<(), Failed> {
    let dir = tempfile::tempdir()?;
    let file = dir.path().join("a.trcprof");
    let mut command = Command::new(&bench.tracec);
    command.args(["kernel", "save", "--tracefs"]).arg(bench.data.join("data/kernel")).arg("-o").arg(&file);
    finish(command, TIMEOUT)?.expect_status(1)?.expect_stderr("T0516")?;
    if file.exists() { Err("a file was written".into()) } else { Ok(()) }
}
