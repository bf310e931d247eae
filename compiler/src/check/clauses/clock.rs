//! `clock mono;`

use tracec_grammar::syntax::Name;
use tracec_kernel::nearest::nearest;
use tracec_kernel::tables::clocks;

use crate::diagnostic::codes;

use super::Settings;

impl Settings<'_, '_> {
    /// Returns the clock's name, if the kernel has it. `None` if a mistake was reported.
    pub(super) fn clock(&mut self, name: &Name) -> Option<String> {
        let text = self.read("trace_clock", name.span)?;
        // A saved kernel may have its formats only; then the table of clocks decides.
        let known: Vec<&str> = match &text {
            Some(text) => text.split_whitespace().map(|word| word.trim_matches(['[', ']'])).collect(),
            None => clocks::names().collect(),
        };
        if known.contains(&name.value.as_str()) {
            return Some(name.value.clone());
        }
        let letters = |word: &str| word.to_lowercase().replace(['-', '_'], "");
        let same = known.iter().find(|clock| letters(clock) == letters(&name.value));
        let near = match same.or_else(|| known.iter().find(|clock| is_short_for(clock, &name.value))) {
            Some(clock) => vec![*clock],
            None => nearest(&name.value, known.iter().copied(), 1),
        };
        let kernel = self.kernel.describe();
        self.say(codes::unknown_clock::unknown_clock(name.span, &name.value, &kernel, &near, &known))
    }
}

/// Returns whether each part of `clock` abbreviates a part of `word`: `mono_raw` of `CLOCK_MONOTONIC_RAW`.
fn is_short_for(clock: &str, word: &str) -> bool {
    let word = word.to_lowercase();
    let long: Vec<&str> = word.strip_prefix("clock_").unwrap_or(&word).split(['_', '-']).collect();
    let short: Vec<&str> = clock.split('_').collect();
    long.len() == short.len() && long.iter().zip(&short).all(|(long, short)| long.starts_with(short))
}
