//! Answers of real kernels.

use tracec_kernel::filter::Model;
use tracec_kernel::tables::filter_errors::{self, FilterError};
use tracec_oracle::filter::{Filter, Refusal};

use super::{CONTEXT, MODELS, real_event};

/// The answers of the kernels of [`MODELS`], in their order.
const ANSWERS: [&str; 3] = [
    include_str!("../data/filter-answers-6.1.txt"),
    include_str!("../data/filter-answers-6.12.txt"),
    include_str!("../data/filter-answers-6.18.txt"),
];

struct Answer {
    event: &'static str,
    text: Vec<u8>,
    /// `None` if it was not seen; 0 for an accepted text.
    errno: Option<i32>,
    words: Option<&'static FilterError>,
    log_column: Option<usize>,
    file_column: Option<usize>,
}

fn answers(file: &'static str) -> Vec<Answer> {
    let answer = |line: &'static str| {
        let [event, text, errno, words, log, file] = line.split('\t').collect::<Vec<_>>()[..] else {
            panic!("{line}")
        };
        let text: String = serde_json::from_str(text).unwrap();
        let column = |text: &str| (text != "-").then(|| text.parse().unwrap());
        Answer {
            event,
            text: text.chars().map(|c| u8::try_from(c).unwrap()).collect(),
            errno: (errno != "?").then(|| errno.parse().unwrap()),
            words: (words != "-").then(|| filter_errors::find(words).unwrap()),
            log_column: column(log),
            file_column: column(file),
        }
    };
    file.lines().map(answer).collect()
}

#[test]
fn real_kernels_gave_the_same_answers() {
    for ((version, model), file) in MODELS.iter().zip(ANSWERS) {
        let (mut taken, mut refused) = (0, 0);
        for answer in answers(file) {
            let text = String::from_utf8_lossy(&answer.text);
            let parsed = Filter::parse(&answer.text, &real_event(answer.event), model, &CONTEXT);
            match (answer.words, parsed) {
                (None, Ok(_)) => taken += 1,
                (Some(words), Err(refusal)) => {
                    let columns = (refusal.position.or(Some(0)), refusal.column_in_filter_file(&answer.text));
                    let seen = (answer.log_column, answer.file_column);
                    assert_eq!((refusal.error, columns), (words, seen), "{version}: {text:?}");
                    assert_eq!(refusal.errno, answer.errno.unwrap_or(refusal.errno), "{version}: {text:?}");
                    refused += 1;
                }
                (words, parsed) => panic!("{version}: {text:?}: {words:?} and {parsed:?}"),
            }
        }
        assert!(taken > 45 && refused > 140, "{version}: {taken} {refused}");
    }
}

/// [`Model`] has every difference between the models.
#[test]
fn the_models_differ_in_nothing_but_what_they_say() {
    for answer in answers(ANSWERS[2]) {
        let text = String::from_utf8_lossy(&answer.text);
        let parsed = MODELS.map(|(_, model)| {
            // The class of a glob shows only in a match.
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
