//! Lowering with a planted error: the pairs have to find each of them soon.

use std::time::Instant;

use crate::generate::planted::ERRORS;
use crate::law::{Effort, KERNELS, run};

/// The limit within which each error has to be found, which takes some seconds.
const EFFORT: Effort = Effort { pairs: 2_000_000, records_per_condition: 16 };

#[test]
fn planted_errors_are_found() {
    let mut survivors = Vec::new();
    for (kernel, name, planted) in ERRORS {
        let kernel = KERNELS.iter().find(|known| known.name == *kernel).expect("the kernel is known");
        let start = Instant::now();
        let found = run(kernel, crate::SEED, EFFORT, &|condition, event, model| {
            planted.lower(condition, event, model)
        });
        let took = start.elapsed();
        match found {
            Err(found) => {
                println!("{:5.2} s  {name}: {} as {}", took.as_secs_f64(), found.condition, found.text)
            }
            Ok(seen) => survivors.push(format!("{name}: {seen}")),
        }
    }
    assert_eq!(survivors, [""; 0], "these errors were not found");
}
