//! What a kernel said.

use tracec_kernel::filter::{Filter, Model, Refusal};
use tracec_kernel::tables::filter_errors::{self, FilterError};

use super::{CONTEXT, MODELS, real_event};

const ANSWERS: &str = include_str!("../data/filter-answers-6.18.txt");

struct Answer {
    event: &'static str,
    text: Vec<u8>,
    errno: i32,
    words: Option<&'static FilterError>,
    log_column: Option<usize>,
    file_column: Option<usize>,
}

fn answers() -> Vec<Answer> {
    let answer = |line: &'static str| {
        let [event, text, errno, words, log, file] = line.split('\t').collect::<Vec<_>>()[..] else {
            panic!("{line}")
        };
        let text: String = serde_json::from_str(text).unwrap();
        let column = |text: &str| (text != "-").then(|| text.parse().unwrap());
        Answer {
            event,
            text: text.chars().map(|c| u8::try_from(c).unwrap()).collect(),
            errno: errno.parse().unwrap(),
            words: (words != "-").then(|| filter_errors::find(words).unwrap()),
            log_column: column(log),
            file_column: column(file),
        }
    };
    ANSWERS.lines().map(answer).collect()
}

#[test]
fn a_real_kernel_gave_the_same_answers() {
    let (mut taken, mut refused) = (0, 0);
    for answer in answers() {
        let text = String::from_utf8_lossy(&answer.text);
        let parsed = Filter::parse(&answer.text, &real_event(answer.event), &Model::LINUX_6_18, &CONTEXT);
        match (answer.words, parsed) {
            (None, Ok(_)) => taken += 1,
            (Some(words), Err(refusal)) => {
                let columns = (refusal.position.or(Some(0)), refusal.column_in_filter_file(&answer.text));
                let seen = (answer.log_column, answer.file_column);
                assert_eq!((refusal.errno, refusal.error, columns), (answer.errno, words, seen), "{text:?}");
                refused += 1;
            }
            (words, parsed) => panic!("{text:?}: the kernel says {words:?}, the model {parsed:?}"),
        }
    }
    assert!(taken > 70 && refused > 140, "{taken} {refused}");
}

/// What is a difference stands in [`Model`]; nothing else may be one.
#[test]
fn the_models_differ_in_nothing_but_what_they_say() {
    for answer in answers() {
        let text = String::from_utf8_lossy(&answer.text);
        let parsed = MODELS.map(|(_, model)| {
            // What a glob does with a class shows in a match alone.
            let model = Model { class_takes_nul: false, ..model };
            Filter::parse(&answer.text, &real_event(answer.event), &model, &CONTEXT)
        });
        let kept = text.trim_end_matches('!').trim_end();
        if (kept.ends_with("&&") || kept.ends_with("||")) && parsed[2].is_ok() {
            let refusal = Refusal {
                error: &filter_errors::INVALID_FILTER,
                position: Some(answer.text.len()),
                errno: 22,
            };
            assert_eq!(parsed[0], Err(refusal), "{text}");
            assert_eq!(parsed[1], Err(refusal), "{text}");
            continue;
        }
        assert_eq!(parsed[1], parsed[2], "{text}");
        let newer = ["CPUS", ".function", "stacktrace", "STACKTRACE"];
        if !newer.iter().any(|word| text.contains(word)) {
            assert_eq!(parsed[0], parsed[1], "{text}");
        }
    }
}
