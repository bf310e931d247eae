//! Pages as no kernel writes them: lengths that lie, records that end anywhere, bytes by chance.

use std::time::{Duration, Instant};

use tracec_compiler::target::host::Code;
use tracec_kernel::condition::realisation::Engine;
use tracec_kernel::selection::{Evaluator, Selection};

use crate::cases::cases;
use crate::generate::random::Random;
use crate::guarded::Rooms;
use crate::law::{Memory, entries, outcome, says, selection};
use crate::{compiled, number, seed};

/// The pages of a sample.
const PAGES: usize = 60_000;

/// The pages that one selection is asked about.
const TOGETHER: usize = 2_000;

#[test]
fn code_selects_what_the_evaluator_selects_of_hostile_pages() {
    run(Memory::Both, &compiled).unwrap_or_else(|wrong| panic!("{wrong}"));
}

/// Compares what code and the evaluator select of hostile pages.
pub(crate) fn run(memory: Memory, compile: &dyn Fn(&Selection) -> Code) -> Result<(), String> {
    let until = number("TRACEC_CODE_SECONDS").map(|seconds| Instant::now() + Duration::from_secs(seconds));
    let mut random = Random::new(seed() ^ 1);
    let mut rooms = Rooms::new();
    let (mut pages, mut errors, mut records, mut selected) = (0, 0, 0, 0);
    while until.map_or(pages < PAGES, |until| Instant::now() < until) {
        let cases = cases(Engine::Host, 20, 20, &mut random);
        let selection = selection(&cases, &mut random);
        let code = compile(&selection);
        let evaluator = Evaluator::new(&selection);
        for _ in 0..TOGETHER {
            let index = random.below(cases.len());
            let mut data = match random.below(8) {
                0 => (0..random.below(80)).map(|_| random.bits() as u8).collect(),
                1 => words(&mut random),
                _ => {
                    let asked = &cases[index].asked;
                    let start = random.below(asked.len());
                    let some = &asked[start..asked.len().min(start + 1 + random.below(4))];
                    entries(some, selection.events()[index].format.id, &mut random)
                }
            };
            damage(&mut data, &mut random);
            let cpu = random.below(80) as u32;
            let means = outcome(&evaluator, &data, cpu);
            let says = says(&code, &mut rooms, &data, cpu, (memory, &mut random), &means);
            if says != means {
                return Err(format!("says {says:?}\nmeans {means:?}\n{data:x?}\n{selection:#?}"));
            }
            pages += 1;
            errors += usize::from(means.1.is_err());
            records += means.1.unwrap_or(0);
            selected += means.0.len();
        }
    }
    println!(
        "{pages} pages, {errors} of them with errors; {records} records in the others, {selected} selected"
    );
    assert!(errors * 10 > pages && (pages - errors) * 10 > pages, "{errors} errors on {pages} pages");
    Ok(())
}

/// Returns entries of the rare kinds, with lengths that mostly fit.
fn words(random: &mut Random) -> Vec<u8> {
    let mut data = Vec::new();
    for _ in 0..random.below(12) {
        let kind = random.pick(&[0_u32, 0, 1, 2, 29, 29, 30, 31]);
        let delta = random.pick(&[0_u32, 1, 2, 1 << 26, (1 << 27) - 1]);
        let second = match kind {
            0 | 29 => random.below(14) as u32,
            _ => random.bits() as u32,
        };
        data.extend(((delta << 5) | kind).to_le_bytes());
        data.extend(second.to_le_bytes());
        data.extend((0..4 * random.below(3)).map(|_| random.bits() as u8));
    }
    data
}

/// Changes a few bytes, mostly those of an entry's head, or cuts the page.
fn damage(data: &mut Vec<u8>, random: &mut Random) {
    for _ in 0..random.below(3) {
        if data.is_empty() {
            return;
        }
        let near = if random.once_in(2) { data.len().min(12) } else { data.len() };
        let at = random.below(near);
        data[at] = random.bits() as u8;
    }
    if random.once_in(4) {
        data.truncate(random.below(data.len() + 1));
    }
}
