//! Records of an event for a condition.

use crate::bytes::{KERNEL_TEXT, USER_TEXT};
use crate::event::{CPUS, Event, FIXED, FUNCTIONS, INTEGERS, Moment};
use crate::generate::hints::Hints;
use crate::generate::random::Random;

/// Returns any record that a kernel can write.
pub(crate) fn moment(event: &'static Event, hints: &Hints, random: &mut Random) -> Moment {
    let mut moment = Moment::new(event);
    for name in INTEGERS {
        moment.put(name, hints.integer(random));
    }
    for name in ["text_at", "address"] {
        moment.put(name, address(random));
    }
    texts(hints, &mut moment, random);
    moment
}

/// Changes the record to another one; fields that the condition does not ask about stay.
pub(crate) fn another(hints: &Hints, moment: &mut Moment, random: &mut Random) {
    for field in &hints.fields {
        let pointer = matches!(&*field.name, "address" | "text_at" | "u64") && random.once_in(2);
        let value = if pointer { address(random) } else { hints.integer(random) };
        if matches!(field.size, 1 | 2 | 4 | 8) && !field.type_text.contains("_loc") {
            moment.put(&field.name, value);
        }
    }
    moment.put_task(hints.integer(random));
    moment.cpu = match hints.integer(random) {
        cpu if cpu < u64::from(CPUS) => cpu as u32,
        other => (other % u64::from(CPUS)) as u32,
    };
    if hints.beyond_integers() {
        texts(hints, moment, random);
    }
}

fn address(random: &mut Random) -> u64 {
    match random.below(8) {
        0..3 => KERNEL_TEXT,
        3..6 => USER_TEXT,
        6 => 0,
        _ => {
            let (_, range) = random.pick(&FUNCTIONS);
            range.start - 2 + random.below((range.end - range.start) as usize + 4) as u64
        }
    }
}

/// Writes all strings and masks, and those of the kernel's state.
fn texts(hints: &Hints, moment: &mut Moment, random: &mut Random) {
    moment.bytes.truncate(FIXED);
    moment.put("text_at", address(random));
    for name in ["fixed", "addr"] {
        let text = hints.text(random);
        let behind = hints.text(random);
        moment.fill(name, text.into_iter().chain([0]).chain(behind).chain([0; 8]));
        if random.once_in(4) {
            let full = hints.text(random);
            moment.fill(name, full.into_iter().chain(std::iter::repeat(b'a')));
        }
    }
    for name in ["name", "synthetic", "near"].into_iter().chain(moment.event.own_text()) {
        let mut text = hints.text(random);
        match random.below(8) {
            // A probe's string that faulted: length 0, at the offset where the next string begins.
            0 => text.clear(),
            // `__dynamic_array` need not be filled, nor end in a NUL.
            1 => {}
            2 => {
                text.push(0);
                text.extend(hints.text(random));
            }
            _ => text.push(0),
        }
        moment.add(name, &text);
    }
    for name in ["cpus", "near_cpus"] {
        // All of its words, with the bits of CPUs that are not possible.
        let mask = hints.mask(CPUS.next_multiple_of(64), random);
        moment.add(name, &mask.into_iter().flat_map(u64::to_le_bytes).collect::<Vec<_>>());
    }
    let numbers: Vec<u8> = (0..4 * random.below(3)).map(|_| random.bits() as u8).collect();
    moment.add("numbers", &numbers);
    moment.comm = hints.text(random);
    moment.comm.truncate(15);
    (moment.kernel, moment.user) = (hints.text(random), hints.text(random));
    if random.once_in(50) {
        // Longer than the bytes that a filter copies.
        moment.kernel.extend([b'a'; 1020]);
        moment.user.extend([b'a'; 1020]);
    }
}
