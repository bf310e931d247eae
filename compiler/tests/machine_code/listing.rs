//! The functions that are written for conditions, as goldens in Cranelift's intermediate form.

use expect_test::expect_file;
use tracec_compiler::target::host::Listing;
use tracec_compiler::{Choice, Input, KernelError, KernelSource, SourceText, analyse};
use tracec_kernel::condition::ir::Condition;
use tracec_kernel::format::EventFormat;
use tracec_kernel::page::PageLayout;
use tracec_kernel::selection::{Numbered, SelectedEvent, Selection};

/// A kernel with one event: the path of its format file, and the file.
struct OneEvent(String, String);

impl KernelSource for OneEvent {
    fn read(&self, path: &str) -> Result<Option<String>, KernelError> {
        Ok((self.0 == path).then(|| self.1.clone()))
    }

    fn directories(&self, _: &str) -> Result<Vec<String>, KernelError> {
        Ok(Vec::new())
    }

    fn describe(&self) -> String {
        "the test kernel".to_owned()
    }
}

/// Returns the selection of the records of an event for which a condition holds.
fn selection(name: &str, condition: &str) -> Selection {
    let file = format!("events/sched/{name}/format");
    let path = format!("{}/../tests/data/kernel/{file}", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(path).expect("a format file");
    let format = EventFormat::parse("sched", &text).expect("a format");
    let kernel = OneEvent(file, text);
    let source =
        SourceText { name: "-e".to_owned(), text: format!("sched:{name} if {condition}"), one_liner: true };
    let analysis = analyse(Input::new(&source, &kernel), Choice::One(None));
    let session = analysis.module.sessions.first();
    let recording = session.and_then(|session| session.events.first()?.record.as_ref());
    let filter = recording.unwrap_or_else(|| panic!("{:?}", analysis.diagnostics)).filter;
    let conjuncts = analysis.module.conditions[filter].iter().map(|conjunct| conjunct.value.clone());
    let numbered = Numbered { number: 1, condition: Condition::all(conjuncts.collect()) };
    let event = SelectedEvent { format, conditions: vec![numbered] };
    Selection::new(PageLayout::default(), vec![event]).expect("the condition can be decided")
}

fn intermediate(name: &str, condition: &str) -> String {
    Listing::new(&selection(name, condition)).expect("the condition becomes code").intermediate
}

#[test]
fn comparison_is_one_check_of_length_and_one_branch() {
    expect_file!["goldens/comparison.clif"].assert_eq(&intermediate("sched_switch", "prev_pid == 4242"));
}

#[test]
fn terms_are_behind_one_check_of_length() {
    let condition = "next_pid != 0 && prev_prio in {1, 5, 120} && prev_state & 1 && next_comm == \"busy\"";
    expect_file!["goldens/terms.clif"].assert_eq(&intermediate("sched_switch", condition));
}

#[test]
fn piece_of_a_name_is_looked_for_at_all_places_at_once() {
    expect_file!["goldens/piece.clif"].assert_eq(&intermediate("sched_switch", "next_comm ~ \"*pkg*\""));
}

#[test]
fn pattern_of_a_dynamic_string_is_a_search() {
    let condition = "filename ~ \"/usr/*/python3*\"";
    expect_file!["goldens/search.clif"].assert_eq(&intermediate("sched_process_exec", condition));
}

#[test]
fn instructions_are_those_of_the_processor() {
    let listing = Listing::new(&selection("sched_switch", "prev_pid == 4242")).expect("code");
    assert!(listing.instructions.contains("4242") || listing.instructions.contains("0x1092"), "{listing}");
    assert!(listing.instructions.contains("ret"), "{listing}");
}
