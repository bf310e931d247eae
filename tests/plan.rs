//! The target `plan`: its JSON for sessions of the tree, and what the library reads of it.
//!
//! Sessions are built for the small copy of a kernel in `tests/data/kernel`.

use std::path::PathBuf;
use std::process::Command;

use expect_test::expect_file;
use tracec::Plan;

/// Sessions of `tests/live`: settings, a trigger, a condition that the host decides.
const SESSIONS: [&str; 3] = ["settings", "soft_mode", "host_condition"];

/// The copy of a kernel.
const COPY: &str = "tests/data/kernel";

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// Returns the plan of a `.trc` file of the tree as JSON.
fn build(path: &str) -> String {
    build_for(path, COPY)
}

/// Returns the same for a kernel of the command line.
fn build_for(path: &str, kernel: &str) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tracec"));
    command.current_dir(root()).args(["build", path, "--target", "plan", "-o", "-"]);
    let output = command.args(["--kernel", kernel]).output().expect("tracec runs");
    assert!(output.status.success(), "{path}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("UTF-8")
}

#[test]
fn goldens_hold_what_is_made_for_a_session() {
    for name in SESSIONS {
        let plan = build(&format!("tests/live/{name}.trc"));
        let golden = root().join(format!("compiler/src/target/plan/goldens/{name}.json"));
        expect_file![golden].assert_eq(&plan);
    }
}

#[test]
fn library_reads_a_plan_and_writes_the_same() {
    for name in SESSIONS {
        let text = build(&format!("tests/live/{name}.trc"));
        let plan: Plan = serde_json::from_str(&text).expect("a plan");
        assert_eq!(serde_json::to_string_pretty(&plan).expect("JSON") + "\n", text, "{name}");
    }
}

#[test]
fn plan_of_another_version_is_refused() {
    let plan = build("examples/quickstart.trc");
    assert!(plan.starts_with("{\n  \"version\": 5,\n"), "{plan}");
    let other = plan.replacen("\"version\": 5", "\"version\": 7", 1);
    let said = serde_json::from_str::<Plan>(&other).expect_err("another version").to_string();
    assert!(said.contains("the plan is of version 7, and this program reads version 5"), "{said}");
    let without = plan.replacen("\"version\": 5,", "", 1);
    let said = serde_json::from_str::<Plan>(&without).expect_err("no version").to_string();
    assert!(said.contains("missing field `version`"), "{said}");
}

#[test]
fn plan_lists_the_texts_that_its_spans_refer_to() {
    let text = build("examples/quickstart.trc");
    let plan: Plan = serde_json::from_str(&text).expect("a plan");
    assert_eq!(plan.files, ["quickstart.trc"]);
    let other = text.replacen("\"file\": 0", "\"file\": 1", 1);
    let said = serde_json::from_str::<Plan>(&other).expect_err("another text").to_string();
    assert!(said.contains("the plan refers to text 1, and lists 1"), "{said}");
}

#[test]
fn plan_names_the_kernel_that_it_was_made_for() {
    let kernel = |name| {
        serde_json::from_str::<Plan>(&build_for("examples/quickstart.trc", name)).expect("a plan").kernel
    };
    assert!(kernel("6.12").starts_with("6.12."));
    // A copy of its files does not say which kernel it is.
    assert_eq!(kernel(COPY), "");
}
