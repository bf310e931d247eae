//! Building a module with the headers of the running kernel.

use std::env;
use std::fs::{self, File};
use std::io;
use std::os::fd::AsRawFd;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use tracec_compiler::Diagnostic;
use tracec_compiler::diagnostic::codes::module_not_built::{
    exported_twice, lacks_a_program, module_not_built, no_headers, no_make, refused_by_gcc,
    undefined_function,
};
use tracec_compiler::diagnostic::codes::residue::residue;
use tracec_compiler::target::{self, Lines};
use tracec_runtime::session::HeldBack;

use super::super::Failure;
use super::workplace::Workplace;

/// A module that was built. Its file may have no name any more: it is there while this value is.
pub(crate) struct Built {
    /// The name of the file, for messages.
    pub(super) name: String,
    pub(super) file: File,
    /// The release of the kernel that it was built for, once it has been looked at.
    pub(super) release: Option<String>,
}

/// The greatest number of lines of gcc that are shown.
const LINES: usize = 20;

/// The variables of the environment that kbuild gets: what finds programs and files. All others could change the module:
/// kbuild takes the architecture, the compiler, its options and those of make from the environment.
const ENVIRONMENT: &[&str] = &["PATH", "HOME", "TMPDIR"];

impl Built {
    fn open(path: &Path) -> Result<Built, Failure> {
        let name = path.display().to_string();
        match File::open(path) {
            Ok(file) => Ok(Built { name, file, release: None }),
            Err(error) => Err(module_not_built(&format!("{name} cannot be read: {error}")).into()),
        }
    }

    /// Returns a path by which this process opens the file.
    pub(crate) fn path(&self) -> PathBuf {
        format!("/proc/self/fd/{}", self.file.as_raw_fd()).into()
    }
}

/// Finds a module in the directory where it was built.
pub(super) fn find(directory: &Path, name: &str) -> Result<Built, Failure> {
    let path = directory.join(format!("{name}.ko"));
    if !path.is_file() {
        let why = format!("there is no {name}.ko in {}", directory.display());
        return Err(module_not_built(&why).into());
    }
    Built::open(&path)
}

/// Why a module is not built.
pub(super) enum Refused {
    /// What kbuild says of it.
    ByKbuild(String),
    /// Another reason.
    Otherwise(Failure),
}

impl From<Diagnostic> for Refused {
    fn from(diagnostic: Diagnostic) -> Self {
        Refused::Otherwise(diagnostic.into())
    }
}

/// Builds a module in a temporary directory, of which nothing is left when this returns. A signal that would end this
/// process ends the programs of kbuild, and then the process, when nothing is left.
pub(super) fn build(sources: &[target::File], name: &str) -> Result<Built, Refused> {
    let headers = headers().map_err(Refused::Otherwise)?;
    let failed = |error: io::Error| Refused::from(module_not_built(&error.to_string()));
    let held = HeldBack::new().map_err(|errno| failed(errno.into()))?;
    let workplace = Workplace::create().map_err(failed)?;
    let built = make(&headers, &workplace, sources, name, &held);
    match workplace.remove() {
        Ok(()) => built,
        Err((path, error)) => {
            Err(residue(&[format!("{} is left behind: {error}", path.display())], false).into())
        }
    }
}

/// Builds a module in a directory.
fn make(
    headers: &Path,
    workplace: &Workplace,
    sources: &[target::File],
    name: &str,
    held: &HeldBack,
) -> Result<Built, Refused> {
    let failed = |error: io::Error| Refused::from(module_not_built(&error.to_string()));
    let directory = workplace.path();
    for file in sources {
        fs::write(directory.join(&file.name), &file.content).map_err(failed)?;
    }
    let mut make = Command::new("make");
    make.arg("-C").arg(headers).arg(format!("M={}", directory.display())).arg("modules");
    // Two builds give the same module: neither debugging information nor `__FILE__` has the directory.
    make.arg(format!("KCFLAGS=-ffile-prefix-map={}/=", directory.display()));
    make.env_clear().env("LC_ALL", "C");
    make.envs(ENVIRONMENT.iter().filter_map(|name| Some((name, env::var_os(name)?))));
    make.stdout(Stdio::null()).stderr(workplace.log().map_err(failed)?);
    let ended = held.run(&mut make);
    drop(make);
    let not_run = |error: io::Error| match error.kind() {
        io::ErrorKind::NotFound => no_make(),
        _ => module_not_built(&format!("make cannot be run: {error}")),
    };
    match ended.map_err(not_run)? {
        None => Err(Refused::Otherwise(Failure::Interrupted)),
        Some(status) if status.success() => {
            Built::open(&directory.join(format!("{name}.ko"))).map_err(Refused::Otherwise)
        }
        Some(_) => {
            // The files are gone when this is read: they are shown by their names.
            let below = format!("{}/", directory.display());
            let said = workplace.written().map_err(failed)?;
            Err(Refused::ByKbuild(said.replace(&below, "").replace("./", "")))
        }
    }
}

/// Returns the directory of the headers of the running kernel.
fn headers() -> Result<PathBuf, Failure> {
    let release = rustix::system::uname().release().to_string_lossy().into_owned();
    let directory = Path::new("/lib/modules").join(&release).join("build");
    match directory.join("Makefile").is_file() {
        true => Ok(directory),
        false => Err(no_headers(&directory.display().to_string(), &release).into()),
    }
}

/// Returns what kbuild says of a module that it does not build: each error of gcc at the part of the text that its line
/// is for, each missing function where the text names it, and else all that it says.
pub(super) fn diagnostics(said: &str, lines: Option<&Lines>) -> Vec<Diagnostic> {
    let mut found: Vec<Diagnostic> = Vec::new();
    let mut others: Vec<&str> = Vec::new();
    for line in said.lines() {
        let of_gcc = |lines: &Lines| {
            let (at, message) =
                line.split_once(" error: ").map(|(at, rest)| (at.trim_end_matches(" fatal"), rest))?;
            let number = at.strip_prefix(&lines.file)?.strip_prefix(':')?.split(':').next()?;
            Some(refused_by_gcc(lines.part(number.parse().ok()?)?, message))
        };
        // `check_exports` in scripts/mod/modpost.c.
        let of_modpost = |lines: &Lines| {
            let (name, rest) = line.strip_prefix("ERROR: modpost: \"")?.split_once('"')?;
            let is_undefined = rest.ends_with(" undefined!");
            lines.function(name).filter(|_| is_undefined).map(|span| undefined_function(span, name))
        };
        // `sym_add_exported` there: the symbols of `EXPORT_TRACEPOINT_SYMBOL_GPL` (include/linux/tracepoint.h).
        let of_another = |lines: &Lines| {
            let (_, rest) = line.strip_prefix("ERROR: modpost: ")?.split_once(": '")?;
            let (symbol, rest) = rest.split_once("' exported twice. Previous export was in ")?;
            let before = ["__tracepoint_", "__traceiter_", "__SCK__tp_func_"];
            let name = before.iter().find_map(|before| symbol.strip_prefix(before))?;
            Some(exported_twice(lines.event(name)?, name, rest))
        };
        match lines
            .and_then(|lines| of_gcc(lines).or_else(|| of_modpost(lines)).or_else(|| of_another(lines)))
        {
            Some(error) if found.contains(&error) => {}
            Some(error) => found.push(error),
            None if line.contains("error:") || line.starts_with("ERROR:") => others.push(line),
            None => {}
        }
    }
    if found.is_empty() {
        found.push(of_kbuild(said, &others));
    }
    found.sort_by_key(|said| said.primary.as_ref().map(|label| label.span));
    found.truncate(LINES);
    found
}

/// Returns what kbuild says where no part of the text is the cause: its `errors`, or all if it names none as such.
fn of_kbuild(said: &str, errors: &[&str]) -> Diagnostic {
    // make repeats in each directory that something has failed.
    let by_make = |line: &&str| line.starts_with("make: ") || line.starts_with("make[");
    let mut shown: Vec<&str> = match errors {
        [] => said.lines().filter(|line| !by_make(line)).collect(),
        _ => errors.to_vec(),
    };
    if shown.is_empty() {
        shown = said.lines().collect();
    }
    let shown = shown.into_iter().take(LINES);
    let refused = shown.fold(module_not_built("kbuild refuses it"), Diagnostic::note);
    // The status with which a shell says that there is no such program.
    if said.contains("Error 127") { lacks_a_program(refused) } else { refused }
}

#[cfg(test)]
mod tests {
    use tracec_grammar::span::{Span, Spanned};

    use super::*;

    #[test]
    fn error_of_gcc_is_reported_at_its_definition() {
        let lines =
            Lines::new("s_trace.h", vec![(3, Span::new(1, 4)), (5, Span::new(7, 9))], Vec::new(), Vec::new());
        let said = "In file included from x.h:1,\ns_trace.h:4:9: error: no `x`\ns_trace.h:4:9: error: no `x`\n\
                    s_trace.h:2: fatal error: y.h: No such file\nz.c:3:1: error: other\n";
        let found = diagnostics(said, Some(&lines));
        let places: Vec<_> = found
            .iter()
            .map(|said| (said.code.id, said.primary.as_ref().map(|label| (label.span, label.text.as_str()))))
            .collect();
        let expected = [(Span::new(1, 4), "y.h: No such file"), (Span::new(7, 9), "no `x`")];
        assert_eq!(places, expected.map(|place| ("T0522", Some(place))));
    }

    #[test]
    fn function_that_no_file_has_is_reported_at_its_name() {
        let up = Spanned { value: "up".to_owned(), span: Span::new(3, 5) };
        let lines = Lines::new("s_trace.h", Vec::new(), vec![up], Vec::new());
        let said = "ERROR: modpost: \"up\" [s_events.ko] undefined!\nmake[1]: *** [x] Error 1\n";
        let [found] = &diagnostics(said, Some(&lines))[..] else { panic!("one diagnostic") };
        assert_eq!(found.primary.as_ref().map(|label| label.span), Some(Span::new(3, 5)));
        let [other] = &diagnostics(&said.replace("up", "down"), Some(&lines))[..] else { panic!("one") };
        assert_eq!(other.primary, None);
    }

    #[test]
    fn event_that_the_kernel_exports_is_reported_at_its_name() {
        let event = Spanned { value: "cpu_idle".to_owned(), span: Span::new(3, 11) };
        let lines = Lines::new("s_trace.h", Vec::new(), Vec::new(), vec![event]);
        let line = |symbol: &str| {
            format!(
                "ERROR: modpost: s_events: '{symbol}cpu_idle' exported twice. Previous export was in vmlinux\n"
            )
        };
        let said = ["__tracepoint_", "__traceiter_", "__SCK__tp_func_"].map(line).concat();
        let [found] = &diagnostics(&said, Some(&lines))[..] else { panic!("one diagnostic") };
        assert_eq!(found.primary.as_ref().map(|label| label.span), Some(Span::new(3, 11)));
        let [other] = &diagnostics(&said.replace("cpu_idle", "idle"), Some(&lines))[..] else {
            panic!("one")
        };
        assert_eq!(other.primary, None);
    }

    /// Builds with a directory of headers that has only a Makefile, whose rule this is.
    fn built(rule: &str) -> Result<Built, Refused> {
        let headers = tempfile::tempdir().expect("a directory");
        fs::write(headers.path().join("Makefile"), format!("modules:\n\t{rule}\n")).expect("a Makefile");
        let (held, workplace) =
            (HeldBack::new().expect("signals"), Workplace::create().expect("a directory"));
        let built = make(headers.path(), &workplace, &[], "s_events", &held);
        workplace.remove().expect("nothing is left");
        built
    }

    #[test]
    fn kbuild_gets_no_variable_that_could_change_the_module() {
        let Err(Refused::ByKbuild(said)) = built("@env >&2; false") else { panic!("it is built") };
        let names: Vec<&str> = said.lines().filter_map(|line| Some(line.split_once('=')?.0)).collect();
        assert!(names.contains(&"PATH") && env::var_os("CARGO_MANIFEST_DIR").is_some());
        // make and the shell set some for the programs that they start.
        let own = [
            "KCFLAGS",
            "LC_ALL",
            "M",
            "MAKEFLAGS",
            "MAKELEVEL",
            "MAKEOVERRIDES",
            "MAKE_TERMERR",
            "MFLAGS",
            "PWD",
            "SHLVL",
            "_",
        ];
        let others: Vec<_> =
            names.iter().filter(|name| !own.contains(name) && !ENVIRONMENT.contains(name)).collect();
        assert_eq!(others, [&""; 0]);
        // The directory is left out of what is shown.
        assert!(said.lines().any(|line| line == "KCFLAGS=-ffile-prefix-map=="), "{said}");
    }

    #[test]
    fn module_is_there_after_its_directory_is_gone() {
        let Ok(built) = built("@echo module > $(M)/s_events.ko") else { panic!("it is not built") };
        assert_eq!(fs::read_to_string(built.path()).expect("a file"), "module\n");
    }

    #[test]
    fn message_without_a_line_of_the_header_is_shown_as_it_is() {
        let said = "make: entering\nERROR: modpost: \"x\" [y.ko] undefined!\nmake: *** [x] Error 2\n";
        let [found] = &diagnostics(said, None)[..] else { panic!("one diagnostic") };
        assert_eq!(found.notes[1..], ["ERROR: modpost: \"x\" [y.ko] undefined!"]);
        let said = "/bin/sh: gcc-12: not found\nmake[2]: *** [Makefile.build:234: x.o] Error 127\nmake: *** [y] Error 2\n";
        let [found] = &diagnostics(said, None)[..] else { panic!("one diagnostic") };
        assert_eq!(
            (&found.notes[1..], found.helps.len()),
            (&["/bin/sh: gcc-12: not found".to_owned()][..], 2)
        );
        let said = "make: *** No rule to make target 'modules'.  Stop.\n";
        let [found] = &diagnostics(said, None)[..] else { panic!("one diagnostic") };
        assert_eq!((&found.notes[1..], found.helps.len()), (&[said.trim().to_owned()][..], 0));
    }
}
