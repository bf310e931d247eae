//! `tracec build`: the dump of each pass for the examples, and the files of the targets, for the shipped kernel 6.12,
//! which is the same on every machine.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use expect_test::expect_file;
use tracec_compiler::dump::Pass;
use tracec_compiler::target::{DECODER_TARGETS, DEFINITION_TARGETS, DefinitionTarget, TARGETS};

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

fn command(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tracec"));
    command.current_dir(root()).args(["build", "--kernel", "6.12"]).args(args);
    command
}

fn build(args: &[&str]) -> Output {
    command(args).output().expect("tracec runs")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("UTF-8")
}

fn into(args: &[&str], directory: &Path) -> Output {
    build(&[args, &["-o", directory.to_str().expect("UTF-8")]].concat())
}

/// Returns every file of a directory with what it holds, by name.
fn content(directory: &Path) -> Vec<(String, Vec<u8>)> {
    let entries = std::fs::read_dir(directory).expect("a directory").map(|entry| entry.expect("an entry"));
    let mut files: Vec<_> = entries
        .map(|entry| {
            let name = entry.file_name().into_string().expect("UTF-8");
            (name, std::fs::read(entry.path()).expect("a file"))
        })
        .collect();
    files.sort();
    files
}

/// Returns the names of the files of a directory with an extension, without it, in order; those of its directories as
/// `DIRECTORY/NAME`.
fn names(directory: &Path, extension: &str) -> Vec<String> {
    let mut names = Vec::new();
    for entry in std::fs::read_dir(directory).expect("a directory").map(|entry| entry.expect("an entry")) {
        let path = entry.path();
        let name = path.file_stem().and_then(|name| name.to_str()).expect("UTF-8").to_owned();
        if path.is_dir() {
            names.extend(self::names(&path, extension).into_iter().map(|below| format!("{name}/{below}")));
        } else if path.extension().is_some_and(|own| own == extension) {
            names.push(name);
        }
    }
    names.sort();
    names
}

/// Returns the names of the examples that can be parsed: those without clauses that are not implemented yet.
fn examples() -> Vec<String> {
    let mut names = names(&root().join("examples"), "trc");
    names.retain(|name| {
        let text = std::fs::read_to_string(root().join(format!("examples/{name}.trc"))).expect("a file");
        tracec_grammar::parse(&text).errors.is_empty()
    });
    names
}

#[test]
fn dumps_of_the_examples_are_as_recorded() {
    let examples = examples();
    for pass in Pass::ALL {
        let goldens = root().join("tests/dump").join(pass.word());
        for example in &examples {
            let output = build(&[&format!("examples/{example}.trc"), "--dump", pass.word()]);
            expect_file![goldens.join(format!("{example}.txt"))].assert_eq(&text(&output.stdout));
        }
        assert_eq!(names(&goldens, "txt"), examples, "there is a golden of another example");
    }
}

#[test]
fn unknown_target_is_reported_before_the_kernel_is_read() {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tracec"));
    command.args(["build", "-e", "sched:sched_switch", "--target", "nope", "-o", "-"]);
    let said = command.args(["--kernel", "/nonexistent"]).output().expect("tracec runs");
    let errors = text(&said.stderr);
    assert!(errors.contains("there is no target `nope`"), "{errors}");
}

#[test]
fn every_target_is_listed() {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tracec"));
    let listed = text(&command.args(["build", "--target", "list"]).output().expect("tracec runs").stdout);
    let all = TARGETS.len() + DEFINITION_TARGETS.len() + DECODER_TARGETS.len();
    assert_eq!(listed.lines().count(), all, "{listed}");
    assert!(listed.starts_with("plan "), "{listed}");
}

/// Returns the arguments that a target of definitions needs, with a kernel tree if it is made for one.
fn for_target(target: &DefinitionTarget, tree: &Path) -> Vec<String> {
    if !target.needs_tree {
        return vec!["--target".to_owned(), target.name.to_owned()];
    }
    let files = [
        ("include/trace/define_trace.h", ""),
        ("include/trace/stages/stage6_event_callback.h", "#define __assign_str(dst) x\n"),
        ("drivers/block/Makefile", "obj-y += a.o\n"),
    ];
    for (path, content) in files {
        let path = tree.join(path);
        std::fs::create_dir_all(path.parent().expect("a directory")).expect("a directory");
        std::fs::write(path, content).expect("a file");
    }
    let into = tree.join("drivers/block").to_str().expect("UTF-8").to_owned();
    vec!["--target".to_owned(), target.name.to_owned(), "--into".to_owned(), into]
}

/// A target of definitions makes files of tracepoints, with or without a session beside them.
#[test]
fn definitions_are_built_without_a_session() {
    for target in DEFINITION_TARGETS {
        let directory = tempfile::tempdir().expect("a directory");
        let tree = tempfile::tempdir().expect("a directory");
        let further = for_target(target, tree.path());
        let with = |file| {
            let mut arguments = vec![file];
            arguments.extend(further.iter().map(String::as_str));
            into(&arguments, directory.path())
        };
        let output = with("examples/storage.trc");
        assert!(output.status.success(), "{}", text(&output.stderr));
        let names: Vec<String> = content(directory.path()).into_iter().map(|(name, _)| name).collect();
        assert!(names.iter().any(|name| name.starts_with("storage")), "{}: {names:?}", target.name);
        let refused = with("examples/quickstart.trc");
        let errors = text(&refused.stderr);
        assert!(errors.contains("there is no tracepoint in this file"), "{errors}");
    }
}

#[test]
fn arguments_of_one_target_are_refused_for_the_others() {
    let directory = tempfile::tempdir().expect("a directory");
    let code = directory.path().join("fire.c");
    std::fs::write(&code, "int x;\n").expect("a file");
    let code = code.to_str().expect("UTF-8");
    for (arguments, said) in [
        (&["--target", "format", "--with", code][..], "the target `format` takes no C file"),
        (&["--target", "plan", "--with", code], "the target `plan` takes no C file"),
        (&["--with", code], "`--with` needs `--target module`"),
        (&["--target", "module", "--into", "/"], "`--into` needs `--target kernel-tree`"),
        (&["--target", "kernel-tree"], "is made for a kernel tree; name the directory"),
        (&["--target", "kernel-tree", "--into", "/"], "it is not in a kernel tree"),
        (&["--target", "kernel-tree", "--into", "/nonexistent"], "No such file"),
        (&["--target", "module", "--with", "/nonexistent.c"], "it cannot be read"),
        (&["--target", "module", "--with", "a b.c"], "its name must end with `.c`"),
        (&["--target", "module", "--with", code, "--with", code], "has two files of the name `fire.c`"),
    ] {
        let output = into(&[&["examples/storage.trc"], arguments].concat(), directory.path());
        let errors = text(&output.stderr);
        assert!(errors.contains(said), "{arguments:?}: {errors}");
        assert_eq!(output.status.code(), Some(64), "{errors}");
    }
}

/// Returns a session that a target can be built of: an object of programs has no part in the life of a session.
fn example(target: &str) -> &'static str {
    if target == "bpf" { "tests/data/recorded.trc" } else { "examples/quickstart.trc" }
}

/// Returns whether a target makes one file of a session, which can be written to standard output.
fn makes_one_file(target: &str) -> bool {
    target != "bpf"
}

#[test]
fn the_same_input_yields_the_same_bytes() {
    let of_records = DECODER_TARGETS.iter().map(|target| target.name);
    for target in TARGETS.iter().map(|target| target.name).chain(of_records) {
        let built = [(), ()].map(|()| {
            let directory = tempfile::tempdir().expect("a directory");
            let made = directory.path().join("made/here");
            let output = into(&[example(target), "--target", target], &made);
            assert!(output.status.success(), "{}", text(&output.stderr));
            // The rule for make names the directory.
            let files = content(&made).into_iter().filter(|(name, _)| !name.ends_with(".d"));
            files.collect::<Vec<_>>()
        });
        assert!(!built[0].is_empty(), "{target}");
        assert_eq!(built[0], built[1], "{target}");
    }
}

/// A text is named relative to the directory of the main one, however its path is written.
#[test]
fn bytes_do_not_depend_on_the_path_of_the_text() {
    let session = "use \"../part.trc\"; session s { include part::p; buffer 2MiB per cpu; }";
    let part = "session p { trace sched:sched_switch if prev_prio < 100; }";
    let of_records = DECODER_TARGETS.iter().map(|target| target.name);
    for target in
        TARGETS.iter().map(|target| target.name).filter(|name| makes_one_file(name)).chain(of_records)
    {
        let mut built = Vec::new();
        for _ in 0..2 {
            let directory = tempfile::tempdir().expect("a directory");
            let at = |name: &str| directory.path().join(name);
            std::fs::create_dir_all(at("p/sub")).expect("a directory");
            // The import is above the text, but in its project.
            std::fs::create_dir(at(".git")).expect("a directory");
            std::fs::write(at("p/main.trc"), session).expect("a file");
            std::fs::write(at("part.trc"), part).expect("a file");
            let whole = at("p/main.trc").into_os_string().into_string().expect("UTF-8");
            for (from, path) in [
                ("p", "main.trc"),
                ("p", "./main.trc"),
                ("p", "sub/../main.trc"),
                ("p", "../p/main.trc"),
                ("p/sub", "../main.trc"),
                ("", "p/main.trc"),
                ("p/sub", &whole),
            ] {
                let mut command = Command::new(env!("CARGO_BIN_EXE_tracec"));
                command.current_dir(at(from)).args(["build", "--kernel", "6.12", "--target", target]);
                let output = command.args(["-o", "-", path]).output().expect("tracec runs");
                assert!(output.status.success(), "{path}: {}", text(&output.stderr));
                built.push(text(&output.stdout));
            }
        }
        assert!(built.iter().all(|bytes| *bytes == built[0]), "{target}");
        if target == "script" {
            assert!(
                built[0].contains("'../part.trc:1:") && built[0].contains("'main.trc:1:"),
                "{}",
                built[0]
            );
        }
    }
}

#[test]
fn a_rule_for_make_names_the_profile_that_was_read() {
    let directory = tempfile::tempdir().expect("a directory");
    let at = |name: &str| directory.path().join(name);
    std::fs::copy(root().join("profiles/6.12.trcprof"), at("k.trcprof")).expect("a copy");
    std::fs::write(at("s.trc"), "session s { trace sched:sched_switch; }").expect("a file");
    let rule = |kernel: &str, saved: &Path| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_tracec"));
        command.current_dir(directory.path()).env("XDG_DATA_HOME", saved);
        command.args(["build", "s.trc", "--target", "plan", "-o", "out", "--kernel", kernel]);
        let output = command.output().expect("tracec runs");
        assert!(output.status.success(), "{}", text(&output.stderr));
        std::fs::read_to_string(at("out/s.plan.json.d")).expect("a rule")
    };
    let none = at("none");
    let with_profile = "out/s.plan.json: s.trc k.trcprof\n\ns.trc:\n\nk.trcprof:\n";
    assert_eq!(rule("k.trcprof", &none), with_profile);
    // One that is shipped is a part of the program, and a directory is a copy of a tracefs.
    let alone = "out/s.plan.json: s.trc\n\ns.trc:\n";
    assert_eq!(rule("6.12", &none), alone);
    assert_eq!(rule(root().join("tests/data/kernel").to_str().expect("UTF-8"), &none), alone);
    let saved = at("data/tracec/kernels/mine.trcprof");
    std::fs::create_dir_all(saved.parent().expect("a directory")).expect("a directory");
    std::fs::copy(at("k.trcprof"), &saved).expect("a copy");
    assert!(rule("mine", &at("data")).contains(&format!(" {}\n", saved.display())));
}

#[test]
fn text_is_not_replaced_by_its_artifact() {
    let directory = tempfile::tempdir().expect("a directory");
    for (name, target) in [("s.plan.json", "plan"), ("s.sh.d", "script")] {
        let file = directory.path().join(name);
        let session = "session s { trace sched:sched_switch; }";
        std::fs::write(&file, session).expect("a file");
        let output = into(&[file.to_str().expect("UTF-8"), "--target", target], directory.path());
        assert_eq!(output.status.code(), Some(1));
        assert!(text(&output.stderr).contains("the artifacts are made from it"), "{}", text(&output.stderr));
        assert_eq!(std::fs::read_to_string(&file).expect("a file"), session);
        assert_eq!(content(directory.path()).len(), 1, "{name}");
        std::fs::remove_file(&file).expect("a file");
    }
}

#[test]
fn two_builds_at_once_do_not_mix_their_files() {
    let directory = tempfile::tempdir().expect("a directory");
    let out = directory.path().join("out");
    let texts = ["one.trc", "two.trc"].map(|name| directory.path().join(name));
    for file in &texts {
        std::fs::write(file, "session s { trace sched:sched_switch; }").expect("a file");
    }
    for _ in 0..40 {
        std::thread::scope(|scope| {
            for file in &texts {
                let file = file.to_str().expect("UTF-8");
                scope.spawn(|| assert!(into(&[file, "--target", "script"], &out).status.success()));
            }
        });
        let script = std::fs::read_to_string(out.join("s.sh")).expect("a script");
        let rule = std::fs::read_to_string(out.join("s.sh.d")).expect("a rule");
        let made_of = ["one.trc", "two.trc"].map(|name| (script.contains(name), rule.contains(name)));
        assert!(made_of.iter().all(|(script, rule)| script == rule), "{made_of:?}");
    }
}

#[test]
fn a_rule_for_make_names_all_texts() {
    let directory = tempfile::tempdir().expect("a directory");
    let at = |name: &str| directory.path().join(name);
    let session = "use \"part.trc\"; use std::errno; session s { include part::p; }";
    std::fs::write(at("main.trc"), session).expect("a file");
    std::fs::write(at("part.trc"), "session p { trace sched:sched_switch; }").expect("a file");
    let main = at("main.trc");
    let output = into(&[main.to_str().expect("UTF-8"), "--target", "plan"], &at("out"));
    assert!(output.status.success(), "{}", text(&output.stderr));
    let rule = std::fs::read_to_string(at("out/s.plan.json.d")).expect("a rule");
    let [out, main, part] =
        ["out/s.plan.json", "main.trc", "part.trc"].map(|name| at(name).display().to_string());
    assert_eq!(rule, format!("{out}: {main} {part}\n\n{main}:\n\n{part}:\n"));
}

#[test]
fn sessions_built_into_one_directory_have_a_rule_each() {
    let directory = tempfile::tempdir().expect("a directory");
    let texts = tempfile::tempdir().expect("a directory");
    for name in ["a", "b"] {
        let file = texts.path().join(name);
        std::fs::write(&file, format!("session {name} {{ trace sched:*; }}")).expect("a file");
        let output = into(&[file.to_str().expect("UTF-8"), "--target", "plan"], directory.path());
        assert!(output.status.success(), "{}", text(&output.stderr));
    }
    let files = content(directory.path());
    assert_eq!(
        files.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>(),
        ["a.plan.json", "a.plan.json.d", "b.plan.json", "b.plan.json.d"]
    );
}

#[test]
fn dash_as_directory_writes_the_file_to_standard_output() {
    let directory = tempfile::tempdir().expect("a directory");
    for target in TARGETS.iter().filter(|target| makes_one_file(target.name)) {
        let made = directory.path().join(target.name);
        let arguments = ["examples/quickstart.trc", "--target", target.name];
        assert!(into(&arguments, &made).status.success());
        let printed = build(&[&arguments[..], &["-o", "-"]].concat());
        assert!(printed.status.success(), "{}", text(&printed.stderr));
        assert_eq!(printed.stdout, content(&made)[0].1, "{}", target.name);
    }
}

#[test]
fn output_that_cannot_be_written_is_an_error() {
    let directory = tempfile::tempdir().expect("a directory");
    let file = directory.path().join("file");
    std::fs::write(&file, "mine").expect("a file");
    for place in [file.clone(), file.join("below"), PathBuf::from("/proc/nothing")] {
        let output = into(&["examples/quickstart.trc", "--target", "plan"], &place);
        assert_eq!(output.status.code(), Some(1), "{place:?}");
        assert!(text(&output.stderr).contains("error[T0509]: cannot write"), "{}", text(&output.stderr));
    }
    assert_eq!(std::fs::read(&file).expect("a file"), b"mine");
}

#[test]
fn file_that_cannot_be_replaced_leaves_every_file_as_it_was() {
    for target in TARGETS {
        let directory = tempfile::tempdir().expect("a directory");
        let arguments = [example(target.name), "--target", target.name];
        assert!(into(&arguments, directory.path()).status.success());
        for (name, _) in content(directory.path()) {
            let scene = tempfile::tempdir().expect("a directory");
            for (other, _) in content(directory.path()) {
                std::fs::write(scene.path().join(other), "mine").expect("a file");
            }
            let obstacle = scene.path().join(&name);
            std::fs::remove_file(&obstacle).expect("a file");
            std::fs::create_dir(&obstacle).expect("a directory");
            let output = into(&arguments, scene.path());
            let said = text(&output.stderr);
            assert_eq!(output.status.code(), Some(1), "{said}");
            let expected = format!("cannot write {}: it is a directory", obstacle.display());
            assert!(said.contains(&expected), "{said}");
            std::fs::remove_dir(&obstacle).expect("still empty");
            let left = content(scene.path());
            assert_eq!(left.len(), content(directory.path()).len() - 1, "{left:?}");
            assert!(left.iter().all(|(_, content)| content == b"mine"), "{left:?}");
        }
    }
}

#[test]
fn what_stands_in_the_place_of_the_directory_is_named() {
    let directory = tempfile::tempdir().expect("a directory");
    let at = |name: &str| directory.path().join(name);
    std::fs::write(at("file"), "mine").expect("a file");
    for (link, target) in [("dangling", "nowhere"), ("loop", "loop"), ("to_file", "file")] {
        std::os::unix::fs::symlink(target, at(link)).expect("a link");
    }
    for (place, expected) in [
        ("file", "it is a file; `-o` names a directory".to_owned()),
        ("file/below", format!("`{}` is a file", at("file").display())),
        ("to_file", "it is a file".to_owned()),
        ("dangling", "it is a symbolic link to `nowhere`, which does not exist".to_owned()),
        ("dangling/below", format!("`{}` is a symbolic link to `nowhere`", at("dangling").display())),
        ("loop", "it is a symbolic link to `loop`, which cannot be followed".to_owned()),
    ] {
        let output = into(&["examples/quickstart.trc", "--target", "plan"], &at(place));
        let said = text(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{said}");
        assert!(said.contains(&format!("cannot write {}: {expected}", at(place).display())), "{said}");
    }
    assert!(!at("nowhere").exists());
}

#[test]
fn directory_in_which_no_file_can_be_created_is_named() {
    let output = into(&["examples/quickstart.trc", "--target", "plan"], Path::new("/proc"));
    let said = text(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(
        said.contains("cannot write /proc: no file can be created in it") && !said.contains(".tracec"),
        "{said}"
    );
}

#[test]
fn new_files_have_the_modes_that_the_umask_permits() {
    for (umask, mode) in [("022", 0o755), ("027", 0o750), ("077", 0o700), ("002", 0o775)] {
        let directory = tempfile::tempdir().expect("a directory");
        let made = directory.path().join("made");
        let mut command = Command::new("sh");
        command.current_dir(root()).args(["-c", &format!("umask {umask}; exec \"$@\""), "sh"]);
        command.args([env!("CARGO_BIN_EXE_tracec"), "build", "--kernel", "6.12", "--target", "script"]);
        let output = command.args(["examples/quickstart.trc", "-o"]).arg(&made).output().expect("a shell");
        assert!(output.status.success(), "{}", text(&output.stderr));
        let mode_of = |name: &str| {
            let found = std::fs::metadata(made.join(name)).expect("a file");
            found.permissions().mode() & 0o7777
        };
        assert_eq!(mode_of("quickstart.sh"), mode, "umask {umask}");
        assert_eq!(mode_of("quickstart.sh.d"), mode & 0o666, "umask {umask}");
    }
}

#[test]
fn bytes_do_not_depend_on_the_directory_of_the_kernel() {
    let directory = tempfile::tempdir().expect("a directory");
    for target in TARGETS.iter().filter(|target| makes_one_file(target.name)) {
        let built = ["first", "second"].map(|name| {
            let kernel = directory.path().join(name);
            if !kernel.exists() {
                std::os::unix::fs::symlink(root().join("tests/data/kernel"), &kernel).expect("a link");
            }
            let mut command = Command::new(env!("CARGO_BIN_EXE_tracec"));
            command.args(["build", "-e", "sched:sched_switch if next_prio < 100", "--target", target.name]);
            let output = command.args(["-o", "-", "--kernel"]).arg(kernel).output().expect("tracec runs");
            assert!(output.status.success(), "{}", text(&output.stderr));
            text(&output.stdout)
        });
        assert_eq!(built[0], built[1], "{}", target.name);
    }
}

#[test]
fn two_builds_at_once_leave_whole_files() {
    let directory = tempfile::tempdir().expect("a directory");
    let place = directory.path().to_str().expect("UTF-8");
    let args = ["examples/quickstart.trc", "--target", "plan", "-o", place];
    let children: Vec<_> = (0..4).map(|_| command(&args).spawn().expect("tracec runs")).collect();
    for mut child in children {
        assert!(child.wait().expect("an end").success());
    }
    let files = content(directory.path());
    assert_eq!(
        files.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>(),
        ["quickstart.plan.json", "quickstart.plan.json.d"]
    );
    serde_json::from_slice::<tracec::Plan>(&files[0].1).expect("a whole plan");
}

#[test]
fn list_refuses_each_other_argument() {
    let (file, other) = ("takes no file", "takes no other argument");
    for (args, expected) in [
        (&["a.trc"][..], file),
        (&["-e", "sched:*"], file),
        (&["a.trc", "-o", "x"], file),
        (&["-o", "x"], other),
        (&["--instance", "x"], other),
        (&["--kernel", "6.12"], other),
        (&["--mount"], other),
        (&["--set", "a=1"], other),
        (&["-D", "warnings"], other),
    ] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_tracec"));
        let output = command.args(["build", "--target", "list"]).args(args).output().expect("tracec runs");
        assert_eq!(output.status.code(), Some(64), "{args:?}");
        let said = text(&output.stderr);
        assert!(said.contains(&format!("`tracec build --target list` {expected}")), "{args:?}: {said}");
        assert!(output.stdout.is_empty(), "{args:?}");
    }
}

#[test]
fn session_that_is_not_in_the_file_is_reported_with_the_parts_of_the_argument() {
    let directory = tempfile::tempdir().expect("a directory");
    for (file, expected) in [
        ("examples/quickstart.trc#", "the name of a session is missing after `#`"),
        ("examples/quickstart.trc#quick", "there is no session `quick` in this file"),
        ("examples/a#b.trc", "the name of a session follows the last `#`"),
    ] {
        let output = into(&[file, "--target", "plan"], directory.path());
        assert_eq!(output.status.code(), Some(1), "{file}");
        assert!(text(&output.stderr).contains(expected), "{}", text(&output.stderr));
    }
}

#[test]
fn wrong_words_are_usage_errors_that_name_the_right_ones() {
    for (args, expected) in [
        (
            &["examples/quickstart.trc", "--target", "plna", "-o", "x"][..],
            "there is no target `plna`: did you mean `plan`? there are `plan`",
        ),
        (
            &["tests/modules/forms.trc", "--target", "kernel_tree", "-o", "x"],
            "there is no target `kernel_tree`: did you mean `kernel-tree`?",
        ),
        (
            &["examples/quickstart.trc", "--dump", "parse"],
            "there is no pass `parse`; in their order they are `load`",
        ),
        (&["examples/quickstart.trc", "--target", "plan"], "`-o DIR`"),
        (&["--target", "plan"], "name a .trc file"),
    ] {
        let output = build(args);
        assert_eq!(output.status.code(), Some(64), "{args:?}");
        assert!(text(&output.stderr).contains(expected), "{}", text(&output.stderr));
    }
}

#[test]
fn clause_that_no_target_carries_out_is_refused_at_its_place() {
    let directory = tempfile::tempdir().expect("a directory");
    for target in TARGETS {
        let session = "trace sched:sched_switch; scope cgroup \"a\";";
        let output = into(&["-e", session, "--target", target.name], directory.path());
        let said = text(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{said}");
        assert!(said.contains("error[T0403]: `scope cgroup`") && said.contains("-e:1:33"), "{said}");
    }
    assert!(content(directory.path()).is_empty());
}

/// A target without lists of tasks offers a condition, which checks.
#[test]
fn conditions_that_are_offered_instead_of_a_scope_are_valid() {
    let directory = tempfile::tempdir().expect("a directory");
    let session = "scope thread 7, process 9, command; trace sched:sched_switch;";
    let output = into(&["-e", session, "--target", "script"], directory.path());
    let said = text(&output.stderr);
    let conditions: Vec<&str> = said.split('`').filter(|text| text.starts_with("if ")).collect();
    assert_eq!(conditions, ["if current.pid == 7", "if current.pid == 9"], "{said}");
    for condition in conditions {
        let session = format!("sched:sched_switch {condition}");
        let output = into(&["-e", &session, "--target", "script"], directory.path());
        assert_eq!(output.status.code(), Some(0), "{condition}: {}", text(&output.stderr));
    }
}

/// What is shown of records is decided where tracec reads them.
#[test]
fn print_drop_and_redact_are_refused_by_targets_whose_records_others_read() {
    let directory = tempfile::tempdir().expect("a directory");
    for target in ["script", "bpf", "c", "rust"] {
        for (word, item) in
            [("print", "print \"x\""), ("drop", "drop prev_comm;"), ("redact", "redact prev_comm;")]
        {
            let session = format!("trace sched:sched_switch {{ {item} }}");
            let output = into(&["-e", &session, "--target", target], directory.path());
            let said = text(&output.stderr);
            assert_eq!(output.status.code(), Some(1), "{said}");
            let refusal = format!("error[T0408]: the target `{target}` does not support `{word}`");
            assert!(said.contains(&refusal) && said.contains("run the session with `tracec run`"), "{said}");
        }
    }
    assert!(content(directory.path()).is_empty());
}

#[test]
fn what_only_another_target_carries_out_is_refused_at_its_place() {
    let directory = tempfile::tempdir().expect("a directory");
    let session = "sched:sched_switch if prev_prio * 2 > next_prio";
    let output = into(&["-e", session, "--target", "script"], directory.path());
    let said = text(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.contains("error[T0408]: the target `script` does not support a condition"), "{said}");
    assert!(said.contains("-e:1:23") && said.contains("help: run the session with `tracec run`"), "{said}");
}
