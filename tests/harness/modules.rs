//! Modules of `tracec build --target module`, in the kernel that they were built for.
//!
//! `TRACEC_TEST_MODULES` names a directory with one directory for each module: the module `*.ko`, the `format` files
//! that the target `format` foresees (`SYSTEM.EVENT.format`), its text (`definitions.trc`), what one round of its calls
//! prints (`expected`), and a session over its events whose comments `// EXPECT: ..` say what it records
//! (`session.trc`). A write to the module's parameter `fire` is one round.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{Read, Seek, SeekFrom, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use libtest_mimic::{Failed, Trial};
use rustix::process::Signal;
use tempfile::NamedTempFile;

use super::bench::{Bench, Finished, TIMEOUT, finish, start};
use super::kbuild;

/// How often each module is loaded and unloaded.
const LOADS: usize = 50;

/// Returns the trials; none where no modules were built.
pub(crate) fn trials(bench: &Bench) -> Vec<Trial> {
    let Some(directory) = std::env::var_os("TRACEC_TEST_MODULES").map(PathBuf::from) else {
        return Vec::new();
    };
    let mut modules: Vec<Module> = match fs::read_dir(&directory) {
        Ok(entries) => {
            let entries = entries.flatten().filter(|entry| entry.file_name() != Refused::DIRECTORY);
            entries.filter_map(|entry| Module::find(&entry.path())).collect()
        }
        Err(error) => {
            let why = format!("{}: {error}", directory.display());
            return vec![Trial::test("module: all", || Err(why.into()))];
        }
    };
    modules.sort_by(|left, right| left.name.cmp(&right.name));
    let refused = Refused { directory: directory.join(Refused::DIRECTORY) };
    let refused =
        bench.trial("module: one that could not be unloaded is refused", move |bench| refused.stays(bench));
    // How a session loads a module does not depend on what the module defines: one shows it.
    let mut of_modules: Vec<Trial> =
        modules.iter().flat_map(|module| module.trials(bench, Module::CHECKS)).collect();
    of_modules.extend(
        modules.first().into_iter().flat_map(|module| module.trials(bench, Module::CHECKS_OF_LOADING)),
    );
    let of_modules = of_modules.into_iter();
    of_modules.chain([refused]).chain(kbuild::trials(bench)).collect()
}

/// A module with what is expected of it.
#[derive(Clone)]
struct Module {
    /// The name of its directory, which is its system too.
    name: String,
    directory: PathBuf,
    file: PathBuf,
}

type Check = fn(&Module, &Bench) -> Result<(), Failed>;

impl Module {
    fn find(directory: &Path) -> Option<Module> {
        let entries = fs::read_dir(directory).ok()?.flatten();
        let file =
            entries.map(|entry| entry.path()).find(|path| path.extension().is_some_and(|end| end == "ko"))?;
        let name = directory.file_name()?.to_str()?.to_owned();
        Some(Module { name, directory: directory.to_owned(), file })
    }

    /// What each module has to show.
    const CHECKS: &[(&str, Check)] = &[
        ("its formats are as foreseen", Module::formats),
        ("it prints as its text says", Module::prints),
        ("a session filters its records", Module::filtered),
        ("fifty loads leave no word of the kernel", Module::loads),
        ("a session loads it, and unloads it at its end", Module::run),
        ("programs record its events", Module::by_programs),
    ];

    /// What the runtime has to show of any module.
    const CHECKS_OF_LOADING: &[(&str, Check)] = &[
        ("a plan says that it is loaded", Module::planned),
        ("a session that is killed leaves it to recover", Module::killed),
        ("recover leaves one that another program has loaded", foreign),
        ("one that is in use is named, and stays until it is free", in_use),
        ("one that is loaded is said before a build", loaded_before),
        ("one of another text or name is not loaded", of_another),
        ("what cannot be loaded is refused", refused),
    ];

    fn trials(&self, bench: &Bench, checks: &'static [(&str, Check)]) -> Vec<Trial> {
        let trials = checks.iter().map(|(what, check)| {
            let module = self.clone();
            bench.trial(&format!("module: {}: {what}", module.name), move |bench| check(&module, bench))
        });
        trials.collect()
    }

    /// Each `format` file is the predicted one except for the ID, and each event of the module has a prediction.
    fn formats(&self, bench: &Bench) -> Result<(), Failed> {
        let _loaded = self.load()?;
        let events = bench.tracefs.join("events").join(&self.name);
        let mut compared = 0;
        for entry in fs::read_dir(&events)?.flatten().filter(|entry| entry.path().is_dir()) {
            let event = entry.file_name().to_string_lossy().into_owned();
            let found = fs::read_to_string(entry.path().join("format"))?;
            let foreseen = self.directory.join(format!("{}.{event}.format", self.name));
            let foreseen = fs::read_to_string(&foreseen).map_err(|error| format!("{event}: {error}"))?;
            if without_id(&found) != without_id(&foreseen) {
                return Err(format!("{event}: foreseen\n{foreseen}\nfound\n{found}").into());
            }
            compared += 1;
        }
        let foreseen = fs::read_dir(&self.directory)?.flatten();
        let foreseen =
            foreseen.filter(|entry| entry.file_name().to_string_lossy().ends_with(".format")).count();
        same("events with a format", foreseen, compared)
    }

    /// The kernel prints one round as expected.
    fn prints(&self, bench: &Bench) -> Result<(), Failed> {
        let _loaded = self.load()?;
        let instance = Instance::make(bench, "tracec-modules")?;
        fs::write(instance.0.join("events").join(&self.name).join("enable"), "1")?;
        self.fire()?;
        fs::write(instance.0.join("tracing_on"), "0")?;
        let text = fs::read_to_string(instance.0.join("trace"))?;
        let lines: Vec<&str> = text.lines().filter_map(event_text).collect();
        let expected = fs::read_to_string(self.directory.join("expected"))?;
        let expected: Vec<&str> = expected.lines().collect();
        match expected.len() == lines.len()
            && expected.iter().zip(&lines).all(|(expected, found)| is_as_expected(expected, found))
        {
            true => Ok(()),
            false => same("lines of the kernel", expected, lines),
        }
    }

    /// A session records what its filters let through.
    fn filtered(&self, bench: &Bench) -> Result<(), Failed> {
        let _loaded = self.load()?;
        self.records(bench, &[self.directory.join("session.trc").as_os_str()])
    }

    /// A session beside the definitions of its events, and its records.
    fn run(&self, bench: &Bench) -> Result<(), Failed> {
        let text = self.whole_text()?;
        let module = ["--target", "module", "--built"].map(OsStr::new);
        let [target, name, built] = module;
        self.records(bench, &[text.path().as_os_str(), target, name, built, self.directory.as_os_str()])?;
        self.is_unloaded()
    }

    /// BPF programs at the events of the module record what its filters let through: of one that is loaded, and of one
    /// that the session loads, whose events had no number when the programs were made.
    fn by_programs(&self, bench: &Bench) -> Result<(), Failed> {
        let loaded = self.load()?;
        let session = self.directory.join("session.trc");
        self.records(bench, &[session.as_os_str(), OsStr::new("--target"), OsStr::new("bpf")])?;
        loaded.unload()?;
        let text = fs::read_to_string(self.whole_text()?.path())?;
        let begin = format!("session {} {{", self.name);
        if !text.contains(&begin) {
            return Err(format!("no line has {begin:?}").into());
        }
        let mut file = tempfile::Builder::new().suffix(".trc").tempfile()?;
        file.write_all(text.replace(&begin, &format!("{begin} recorder bpf;")).as_bytes())?;
        let module = ["--target", "module", "--built"].map(OsStr::new);
        let [target, name, built] = module;
        self.records(bench, &[file.path().as_os_str(), target, name, built, self.directory.as_os_str()])?;
        self.is_unloaded()
    }

    /// Runs a session during one round, and compares its records with those that its text expects.
    fn records(&self, bench: &Bench, arguments: &[&OsStr]) -> Result<(), Failed> {
        let text = fs::read_to_string(self.directory.join("session.trc"))?;
        let expected: Vec<&str> = text.lines().filter_map(|line| line.strip_prefix("// EXPECT: ")).collect();
        let fire = format!("echo 1 > {}", self.parameter().display());
        let mut run = bench.tracec("run");
        run.arg("--fields").args(arguments).args(["--", "sh", "-c", &fire]);
        let finished = finish(run, TIMEOUT)?;
        finished.expect_status(0)?;
        let system = format!(": {}:", self.name);
        let found = |line: &'_ str| line.find(&system).map(|at| line[at + 2..].to_owned());
        let found: Vec<String> = finished.stdout.lines().filter_map(found).collect();
        same("records of the session", expected, found.iter().map(String::as_str).collect())
    }

    /// A plan names the module and what remains of it.
    fn planned(&self, bench: &Bench) -> Result<(), Failed> {
        let text = self.whole_text()?;
        let mut plan = bench.tracec("plan");
        plan.arg(text.path()).args(["--target", "module", "--built"]).arg(&self.directory);
        let finished = finish(plan, TIMEOUT)?;
        finished.expect_status(2)?;
        finished.expect_stdout(&format!("+ module {}_events, which taints the kernel: ", self.name))?;
        self.is_unloaded()
    }

    /// After SIGKILL the module is loaded, and `recover` unloads it.
    fn killed(&self, bench: &Bench) -> Result<(), Failed> {
        self.kill(bench, &[])?;
        finish(bench.tracec("recover"), TIMEOUT)?.expect_status(0)?;
        self.is_unloaded()
    }

    /// Kills a session that has loaded the module, with further arguments.
    fn kill(&self, bench: &Bench, arguments: &[&OsStr]) -> Result<(), Failed> {
        let text = self.whole_text()?;
        let mut run = bench.tracec("run");
        run.arg(text.path()).args(["--target", "module", "--built"]).arg(&self.directory).args(arguments);
        let running = start(run)?;
        let begun = Instant::now();
        while !self.parameter().exists() {
            if begun.elapsed() > TIMEOUT {
                running.signal(Signal::KILL)?;
                let said = running.wait(TIMEOUT)?.stderr;
                return Err(format!("the module is not loaded:\n{said}").into());
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        running.signal(Signal::KILL)?;
        running.wait(TIMEOUT)?;
        same("a loaded module", true, self.parameter().exists())
    }

    /// Returns a file with the definitions and the session.
    fn whole_text(&self) -> Result<NamedTempFile, Failed> {
        let mut file = tempfile::Builder::new().suffix(".trc").tempfile()?;
        for part in ["definitions.trc", "session.trc"] {
            file.write_all(&fs::read(self.directory.join(part))?)?;
        }
        Ok(file)
    }

    fn is_unloaded(&self) -> Result<(), Failed> {
        same("a loaded module", false, self.parameter().exists())
    }

    /// The kernel does not warn while the module comes and goes, with and without its events in use.
    fn loads(&self, bench: &Bench) -> Result<(), Failed> {
        let mut messages = KernelMessages::from_now()?;
        for round in 0..LOADS {
            let loaded = self.load()?;
            if round % 10 == 0 {
                let instance = Instance::make(bench, "tracec-modules")?;
                fs::write(instance.0.join("events").join(&self.name).join("enable"), "1")?;
                self.fire()?;
                drop(instance);
            }
            loaded.unload()?;
        }
        same("warnings of the kernel", Vec::new(), messages.warnings()?)
    }

    fn load(&self) -> Result<Loaded, Failed> {
        successful(Command::new("insmod").arg(&self.file))?;
        Ok(Loaded { module: Some(self.stem()) })
    }

    /// Returns the name of the module.
    fn stem(&self) -> String {
        self.file.file_stem().unwrap_or_default().to_string_lossy().into_owned()
    }

    fn parameter(&self) -> PathBuf {
        Path::new("/sys/module").join(self.stem()).join("parameters/fire")
    }

    fn fire(&self) -> Result<(), Failed> {
        let parameter = self.parameter();
        fs::write(&parameter, "1").map_err(|error| format!("{}: {error}", parameter.display()).into())
    }
}

/// A session that is killed between the line of its journal and the load has no module: one of its name is another's, even
/// of the same build. With the name of the session it is the session's.
fn foreign(module: &Module, bench: &Bench) -> Result<(), Failed> {
    let directory = tempfile::tempdir()?;
    let journal = directory.path().join("tracec-modules.journal");
    let arguments = ["--instance", "tracec-modules", "--runtime-dir"].map(OsStr::new);
    module.kill(bench, &[arguments[0], arguments[1], arguments[2], directory.path().as_os_str()])?;
    let recover = || -> Result<Finished, Failed> {
        let mut recover = bench.tracec("recover");
        recover.arg("--runtime-dir").arg(directory.path());
        finish(recover, TIMEOUT)
    };
    let whole = fs::read_to_string(&journal)?;
    let lines: Vec<&str> = whole.split_inclusive('\n').collect();
    let intends = |line: &&str| line.contains("\"undo\":\"unload\"");
    let before = lines.iter().position(intends).ok_or_else(|| format!("no line of the load in\n{whole}"))?;
    let (_, session) = lines[before].split_once("\"session\":\"").ok_or("no session in the line")?;
    let (session, _) = session.split_once('"').ok_or("no end of the session")?;
    successful(Command::new("rmmod").arg(module.stem()))?;
    fs::write(&journal, lines[..=before].concat())?;
    let others = module.load()?;
    let found = recover()?;
    found.expect_status(1)?.expect_stdout(&format!("/sys/module/{} is left as it is", module.stem()))?;
    same("a loaded module", true, module.parameter().exists())?;
    others.unload()?;
    fs::write(&journal, lines[..=before].concat())?;
    successful(Command::new("insmod").arg(&module.file).arg(format!("tracec_session={session}")))?;
    recover()?.expect_status(0)?;
    module.is_unloaded()
}

/// The session and its plan are refused before anything is built or looked for.
fn loaded_before(module: &Module, bench: &Bench) -> Result<(), Failed> {
    let text = module.whole_text()?;
    let loaded = module.load()?;
    for subcommand in ["run", "plan"] {
        let mut command = bench.tracec(subcommand);
        command.arg(text.path()).args(["--target", "module"]);
        let finished = finish(command, TIMEOUT)?;
        finished.expect_status(1)?.expect_stderr("error[T0523]")?.expect_stderr("is loaded already")?;
    }
    loaded.unload()
}

/// A module is loaded only if it has the tracepoints of the text, and the name of its subsystem.
fn of_another(module: &Module, bench: &Bench) -> Result<(), Failed> {
    let built = tempfile::tempdir()?;
    let is_refused = |text: &str, why: &str| -> Result<(), Failed> {
        let path = built.path().join("other.trc");
        fs::write(&path, text)?;
        for subcommand in ["run", "plan"] {
            let mut command = bench.tracec(subcommand);
            command.arg(&path).args(["--target", "module", "--built"]).arg(built.path());
            let finished = finish(command, TIMEOUT)?;
            finished.expect_status(1)?.expect_stderr("error[T0524]")?.expect_stderr(why)?;
        }
        module.is_unloaded()
    };
    fs::copy(&module.file, built.path().join("tracec_other_events.ko"))?;
    let text = "subsystem tracec_other; event e { proto (a: int) } session s { trace tracec_other:e; }";
    is_refused(text, &format!("has the module `{}`, and not `tracec_other_events`", module.stem()))?;
    fs::copy(&module.file, built.path().join(format!("{}.ko", module.stem())))?;
    let name = &module.name;
    let text = format!("subsystem {name}; event e {{ proto (a: int) }} session s {{ trace {name}:e; }}");
    is_refused(&text, "has other tracepoints than the text")
}

/// Modules that no session loads.
struct Refused {
    directory: PathBuf,
}

impl Refused {
    /// The directory beside those of the other modules.
    const DIRECTORY: &str = "refused";

    /// The kernel could not unload a module without `module_exit`: it is not loaded.
    fn stays(&self, bench: &Bench) -> Result<(), Failed> {
        let text = self.directory.join("stays.trc");
        for subcommand in ["run", "plan"] {
            let mut command = bench.tracec(subcommand);
            command.arg(&text).args(["--target", "module", "--built"]).arg(&self.directory);
            let finished = finish(command, TIMEOUT)?;
            finished.expect_status(1)?.expect_stderr("error[T0524]")?.expect_stderr("no `module_exit`")?;
        }
        same("a loaded module", false, Path::new("/sys/module/stays_events").exists())
    }
}

/// A trigger of another instance holds the module: the session ends with an error that names it, and `recover` unloads it
/// when the instance is gone.
fn in_use(module: &Module, bench: &Bench) -> Result<(), Failed> {
    let text = module.whole_text()?;
    let holder = Instance::make(bench, "tracec-holder")?;
    let event = first_event(module)?;
    let trigger = holder.0.join("events/sched/sched_process_exit/trigger");
    let hold = format!("echo enable_event:{}:{event} > {}", module.name, trigger.display());
    let mut run = bench.tracec("run");
    run.arg(text.path()).args(["--target", "module", "--built"]).arg(&module.directory);
    run.args(["--", "sh", "-c", &hold]);
    let finished = finish(run, TIMEOUT)?;
    finished.expect_status(1)?.expect_stderr("error[T0511]")?;
    finished.expect_stderr(&format!("/sys/module/{}_events", module.name))?;
    same("a loaded module", true, module.parameter().exists())?;
    drop(holder);
    finish(bench.tracec("recover"), TIMEOUT)?.expect_status(0)?;
    module.is_unloaded()
}

/// Returns an event of a module, by the file that foresees its format.
fn first_event(module: &Module) -> Result<String, Failed> {
    let before = format!("{}.", module.name);
    let names = fs::read_dir(&module.directory)?.flatten().map(|entry| entry.file_name());
    let event = names
        .filter_map(|name| Some(name.to_str()?.strip_prefix(&before)?.strip_suffix(".format")?.to_owned()));
    event.min().ok_or_else(|| "a module without events".into())
}

/// A directory without the module, a damaged one, and one that the kernel does not take: each has its message, and
/// nothing is left.
fn refused(module: &Module, bench: &Bench) -> Result<(), Failed> {
    let text = module.whole_text()?;
    let built = tempfile::tempdir()?;
    let run = || -> Result<Finished, Failed> {
        let mut run = bench.tracec("run");
        run.arg(text.path()).args(["--target", "module", "--built"]).arg(built.path()).args(["--", "true"]);
        finish(run, TIMEOUT)
    };
    run()?.expect_status(1)?.expect_stderr("error[T0522]")?;
    let copy = built.path().join(module.file.file_name().unwrap_or_default());
    fs::write(&copy, "no module")?;
    run()?.expect_status(1)?.expect_stderr("error[T0524]")?.expect_stderr("is not a kernel module")?;
    // The kernel compares what `vermagic` says of its features.
    let mut bytes = fs::read(&module.file)?;
    let magic = bytes.windows(4).position(|bytes| bytes == b"SMP ").ok_or("no word of vermagic")?;
    bytes[magic..magic + 3].copy_from_slice(b"UP ");
    fs::write(&copy, bytes)?;
    run()?.expect_status(1)?.expect_stderr("error[T0523]")?.expect_stderr("ENOEXEC")?;
    module.is_unloaded()
}

/// A module that is loaded, until its end.
struct Loaded {
    module: Option<String>,
}

impl Loaded {
    fn unload(mut self) -> Result<(), Failed> {
        match self.module.take() {
            Some(module) => successful(Command::new("rmmod").arg(module)),
            None => Ok(()),
        }
    }
}

impl Drop for Loaded {
    fn drop(&mut self) {
        // The test has failed already where this does.
        if let Some(module) = self.module.take()
            && let Err(error) = successful(Command::new("rmmod").arg(&module))
        {
            eprintln!("NOTE: {module} stays loaded: {error:?}");
        }
    }
}

/// An instance, until its end.
struct Instance(PathBuf);

impl Instance {
    fn make(bench: &Bench, name: &str) -> Result<Instance, Failed> {
        let path = bench.tracefs.join("instances").join(name);
        fs::create_dir(&path)?;
        Ok(Instance(path))
    }
}

impl Drop for Instance {
    fn drop(&mut self) {
        if let Err(error) = fs::remove_dir(&self.0) {
            eprintln!("NOTE: {} stays: {error}", self.0.display());
        }
    }
}

/// The kernel's log from one moment on.
struct KernelMessages(File);

/// What the kernel says of every module that is not its own.
const OF_EVERY_MODULE: [&str; 2] = ["loading out-of-tree module taints kernel", "module verification failed"];

/// The last level of messages that are warnings (include/linux/kern_levels.h).
const WARNING: u32 = 4;

impl KernelMessages {
    fn from_now() -> Result<KernelMessages, Failed> {
        let mut log = fs::OpenOptions::new()
            .read(true)
            .custom_flags(rustix::fs::OFlags::NONBLOCK.bits() as i32)
            .open("/dev/kmsg")?;
        log.seek(SeekFrom::End(0))?;
        Ok(KernelMessages(log))
    }

    /// Returns the warnings and errors since then. A read is one message.
    fn warnings(&mut self) -> Result<Vec<String>, Failed> {
        let mut warnings = Vec::new();
        let mut message = vec![0; 8192];
        loop {
            let length = match self.0.read(&mut message) {
                Ok(length) => length,
                Err(error) if error.kind() == std::io::ErrorKind::WouldBlock => return Ok(warnings),
                Err(error) => return Err(format!("/dev/kmsg: {error}").into()),
            };
            let text = String::from_utf8_lossy(&message[..length]).into_owned();
            let level =
                text.split(',').next().and_then(|level| level.parse::<u32>().ok()).map(|level| level & 7);
            let is_known = OF_EVERY_MODULE.iter().any(|known| text.contains(known));
            if level.is_none_or(|level| level <= WARNING) && !is_known {
                warnings.push(text);
            }
        }
    }
}

fn successful(command: &mut Command) -> Result<(), Failed> {
    let output = command.output()?;
    match output.status.success() {
        true => Ok(()),
        false => Err(format!("{command:?}: {}", String::from_utf8_lossy(&output.stderr)).into()),
    }
}

fn same<T: PartialEq + std::fmt::Debug>(what: &str, expected: T, found: T) -> Result<(), Failed> {
    match expected == found {
        true => Ok(()),
        false => Err(format!("{what}: expected\n{expected:#?}\nfound\n{found:#?}").into()),
    }
}

/// Returns whether a line is as expected, where `<hex>` stands for an address of the kernel, which it hashes.
fn is_as_expected(expected: &str, mut found: &str) -> bool {
    let mut parts = expected.split("<hex>");
    let Some(rest) = parts.next().and_then(|first| found.strip_prefix(first)) else { return false };
    found = rest;
    for part in parts {
        let digits = found.bytes().take_while(u8::is_ascii_hexdigit).count();
        match found[digits..].strip_prefix(part) {
            Some(rest) if digits == 16 => found = rest,
            _ => return false,
        }
    }
    found.is_empty()
}

/// Returns a `format` file without the line of its ID.
fn without_id(format: &str) -> Vec<&str> {
    format.lines().filter(|line| !line.starts_with("ID: ")).collect()
}

/// Returns `event: text` of a line of `trace`: `task-pid [cpu] flags seconds: event: text`; a further line of a text is
/// all that it shows.
fn event_text(line: &str) -> Option<&str> {
    if line.starts_with('#') {
        return None;
    }
    let text = line.split_once("] ").and_then(|(_, rest)| Some(rest.split_once(": ")?.1));
    Some(text.unwrap_or(line))
}
