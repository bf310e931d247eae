//! Filters that are most likely wrong: valid ones with one to three changes.

use super::generate::random::Random;

/// The texts that a change inserts.
const PIECES: &[&str] = &[
    "(",
    ")",
    "!",
    "&&",
    "||",
    "&",
    "|",
    "=",
    "==",
    "<",
    "~",
    "'",
    "\"",
    "5",
    "x",
    "CPUS{",
    "CPUS",
    "{",
    "}",
    " ",
    "\t",
    "nosuch",
    "nosuch == 1",
    "-",
    "99999999999999999999999",
    "999999999999999999999999",
    "0x",
    "08",
    "18446744073709551616",
    "-9223372036854775809",
    "5u",
    "+5",
    ".ustring",
    ".function",
    "\\",
    "()",
    "!!",
    "@",
    "é",
    "\n",
    "CPUS{}",
    "CPUS{9-1}",
    "CPUS{x}",
    "CPUS{0-1",
    "'unclosed",
    "\"unclosed",
    "( ",
    "&& ",
    "|| ",
    ",",
    "common_pid == x",
    "CPU == 'x'",
    "COMM == 1",
    "COMM < 'x'",
    "stacktrace ~ 'x'",
    "!=",
    ">=",
    "=!",
    "!~",
];

/// Whole filters that are wrong, or right in an odd way.
pub(crate) const WHOLE: &[&str] = &[
    " ",
    "\t",
    "0 ",
    " 0",
    "00",
    "!",
    "!!",
    "! ",
    "()",
    "(",
    ")",
    "((",
    "))",
    "&&",
    "||",
    "&& common_pid == 1",
    "common_pid",
    "common_pid ",
    "common_pid ==",
    "common_pid == ",
    "common_pid == 1 &&",
    "common_pid == 1 ||",
    "common_pid == 1 && ",
    "(common_pid == 1 &&)",
    "common_pid == 1 & common_pid == 2",
    "common_pid == -",
    "common_pid == 1 | common_pid == 2",
    "common_pid == 1 common_pid == 2",
    "1 == common_pid",
    "common_pid = 1",
    "common_pid == common_pid",
    "COMM == \"",
    "COMM == '",
    "COMM == \"'",
    "COMM == ''",
    "COMM",
    "CPU == CPUS",
    "CPU == CPUS{",
    "CPU == CPUS{}",
    "CPU == CPUS{ 0 }",
    "CPU == CPUS{0",
    "CPU == CPUS{0-}",
    "CPU == CPUS{x}",
    "CPU < CPUS{0}",
    "COMM == CPUS{0}",
    "CPU == CPUS{4096}",
    "CPU == CPUS{0-99999}",
    "CPU == CPUS{all}",
    "CPU == CPUS {0}",
    "common_pid.function == schedule",
    "common_pid.ustring == 1",
    "COMM.ustring == 'x'",
    "common_pid == 0b11",
    "common_pid == 1_000",
    "common_pid == 1.5",
    "common_pid == 1e3",
    "!(common_pid == 1",
    "(!common_pid == 1))",
    "common_pid == 1)",
    "((((common_pid == 1)))",
    "common_pid == 1 && (",
    "nosuch",
    "no-such == 1",
    "common_flags == -1",
    "common_type == -0",
    "common_pid == -0x",
    "stacktrace == 1",
    "COMM ~ 1",
    "common_pid ~ 'x'",
    "common_pid == 'x'",
    "COMM > 'x'",
    "COMM & 'x'",
    "common_pid !=1!",
];

/// Changes a filter in one to three places.
pub(crate) fn mutate(text: &[u8], random: &mut Random) -> Vec<u8> {
    let mut text = text.to_vec();
    for _ in 0..1 + random.below(3) {
        let at = random.below(text.len() + 1);
        let end = (at + 1 + random.below(5)).min(text.len());
        match random.below(6) {
            0 => drop(text.drain(at..end)),
            1 => text.truncate(at),
            2 => {
                let piece = text[at..end].to_vec();
                text.splice(at..at, piece);
            }
            3 => drop(text.splice(at..end, random.pick(PIECES).bytes())),
            4 if random.once_in(6) => drop(text.splice(at..at, long(random))),
            _ => drop(text.splice(at..at, random.pick(PIECES).bytes())),
        }
    }
    // A write of a page or more, or with a NUL, is tested elsewhere.
    text.truncate(4000);
    text
}

/// Returns an operand near the greatest length.
fn long(random: &mut Random) -> Vec<u8> {
    let length = random.pick(&[22, 23, 24, 254, 255, 256]);
    let quote = if random.once_in(2) { "'" } else { "" };
    format!("{quote}{}{quote}", "7".repeat(length)).into_bytes()
}
