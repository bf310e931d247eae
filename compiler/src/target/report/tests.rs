use crate::diagnostic::Diagnostic;
use crate::target::fixture::Files;
use crate::{Choice, Input, SourceText, analyse};

use super::*;

const FORMAT: &str = "name: event\nID: 300\nformat:\n\
    \tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n\
    \tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n\
    \tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n\
    \tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n\
    \tfield:u32 value;\toffset:8;\tsize:4;\tsigned:0;\n\nprint fmt: \"\"\n";

/// Returns the events that a text asks for, or the errors.
fn asked(text: &str) -> Result<Vec<SelectedEvent>, Vec<(&'static str, String)>> {
    let source = SourceText { text: text.to_owned(), one_liner: true, ..SourceText::default() };
    let kernel = Files(&[("events/test/event/format", FORMAT)]);
    let input = Input { target: &REPORT, ..Input::new(&source, &kernel) };
    let (selected, said) = analyse(input, Choice::One(None)).make(selected);
    let error = |said: Diagnostic| (said.code.id, said.message);
    selected.map(|asked| asked.events).ok_or_else(|| said.into_iter().map(error).collect())
}

#[test]
fn every_conjunct_of_an_event_decides() {
    let events = asked("test:event if value > 5 && value * 3 != 21").unwrap();
    let [event] = events.as_slice() else { panic!("{events:?}") };
    assert_eq!(event.format.id, 300);
    let [Numbered { number: 0, condition: Condition::And(parts) }] = event.conditions.as_slice() else {
        panic!("{event:?}")
    };
    assert_eq!(parts.len(), 2);
    let all = asked("test:event").unwrap();
    assert_eq!(all[0].conditions[0].condition, Condition::Const(true));
}

#[test]
fn what_is_not_in_the_records_is_refused() {
    let refused = asked("test:event if current.comm == \"sh\"").unwrap_err();
    assert_eq!(refused.iter().map(|(code, _)| *code).collect::<Vec<_>>(), ["T0408"], "{refused:?}");
    let refused = asked("trace test:event; stop after 1s").unwrap_err();
    assert_eq!(refused.iter().map(|(code, _)| *code).collect::<Vec<_>>(), ["T0408"], "{refused:?}");
}
