//! What is left of long conditions. What that costs is measured by the benchmark `check`.

use tracec_kernel::condition::ir::Condition;
use tracec_kernel::condition::simplify::simplify_condition;

use crate::spelling::read;

const PARTS: usize = 1_000;

fn long(all: bool, part: impl Fn(usize) -> String) -> Condition {
    let parts = (0..PARTS).map(|index| read(&part(index))).collect();
    if all { Condition::And(parts) } else { Condition::Or(parts) }
}

#[test]
fn a_thousand_parts() {
    let fields = ["byte", "word", "half", "large", "deep", "count", "small"];
    let field = |index: usize| fields[index % fields.len()];
    let cases: [(&str, Condition, usize); 9] = [
        ("one number, all different", long(true, |index| format!("word != {}", 2 * index)), 1000),
        ("one number, any of many", long(false, |index| format!("large == {}", 3 * index)), 1),
        ("nested bounds", long(true, |index| format!("deep > {index}")), 1),
        ("nested bounds, the strongest first", long(true, |index| format!("deep > {}", PARTS - index)), 1),
        ("one text", long(false, |index| format!("name == \"{index}\"")), 1),
        ("patterns of one text", long(true, |index| format!("name ~ \"*{index}*\"")), 968),
        ("many fields", long(true, |index| format!("{} != {}", field(index), index % 100)), 7),
        ("many pairs", long(true, |index| format!("{} != 1 || word == {index}", field(index))), 858),
        ("computed", long(true, |index| format!("large + {index} != 0")), 1000),
    ];
    for (name, condition, left) in cases {
        assert_eq!(simplify_condition(&condition).conjuncts.len(), left, "{name}");
    }
}

/// Each link takes the number that it is asked of one on, so that none can hold. Backwards that is not looked for to
/// the end.
#[test]
fn a_chain_of_implications_in_either_order() {
    let link = |index: usize| {
        format!("(large != {index} || deep == {index}) && (deep != {index} || large == {})", index + 1)
    };
    for (forward, left) in [(true, 0), (false, 2)] {
        let links = (0..PARTS / 2).map(|index| read(&link(if forward { index } else { PARTS / 2 - index })));
        let condition = Condition::And([read("large == 0")].into_iter().chain(links).collect());
        let simplified = simplify_condition(&condition);
        assert_eq!((simplified.conjuncts.len(), simplified.always), (left, !forward), "forward {forward}");
    }
}
