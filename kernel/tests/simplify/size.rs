//! Long conditions take no time to speak of.

use std::time::{Duration, Instant};

use tracec_kernel::condition::ir::Condition;
use tracec_kernel::condition::simplify::simplify;

use crate::spelling::read;

const PARTS: usize = 5_000;

/// Far above what it takes, far below what anything quadratic takes.
const LIMIT: Duration = Duration::from_secs(2);

fn long(all: bool, part: impl Fn(usize) -> String) -> Condition {
    let parts = (0..PARTS).map(|index| read(&part(index))).collect();
    if all { Condition::And(parts) } else { Condition::Or(parts) }
}

#[test]
fn five_thousand_parts() {
    let fields = ["byte", "word", "half", "large", "deep", "count", "small"];
    let field = |index: usize| fields[index % fields.len()];
    let cases: [(&str, Condition); 9] = [
        ("one number, all different", long(true, |index| format!("word != {}", 2 * index))),
        ("one number, any of many", long(false, |index| format!("large == {}", 3 * index))),
        ("nested bounds", long(true, |index| format!("deep > {index}"))),
        ("nested bounds, the strongest first", long(true, |index| format!("deep > {}", PARTS - index))),
        ("one text", long(false, |index| format!("name == \"{index}\""))),
        ("patterns of one text", long(true, |index| format!("name ~ \"*{index}*\""))),
        ("many fields", long(true, |index| format!("{} != {}", field(index), index % 100))),
        ("many pairs", long(true, |index| format!("{} != 1 || word == {index}", field(index)))),
        ("computed", long(true, |index| format!("large + {index} != 0"))),
    ];
    for (name, condition) in cases {
        let start = Instant::now();
        let simplified = simplify(&condition);
        let took = start.elapsed();
        println!("{name}: {} parts in {took:?}", simplified.conjuncts.len());
        assert!(took < LIMIT, "{name}: {took:?}");
    }
}

#[test]
fn a_chain_of_implications_in_either_order() {
    let link = |index: usize| {
        format!("(large != {index} || deep == {index}) && (deep != {index} || large == {})", index + 1)
    };
    for forward in [true, false] {
        let links = (0..PARTS / 2).map(|index| read(&link(if forward { index } else { PARTS / 2 - index })));
        let condition = Condition::And([read("large == 0")].into_iter().chain(links).collect());
        let start = Instant::now();
        simplify(&condition);
        println!("forward {forward}: {:?}", start.elapsed());
        assert!(start.elapsed() < LIMIT, "{:?}", start.elapsed());
    }
}
