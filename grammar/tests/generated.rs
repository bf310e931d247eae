//! The cost of the generation of the parser, for the summary of `cargo xtask test`.

use std::path::Path;

/// The limit of the generated code in bytes: above it, every build of the crate is slow.
const LARGEST: u64 = 4_000_000;

#[test]
fn the_generated_parser_is_small() {
    let out = Path::new(env!("OUT_DIR"));
    let figures = std::fs::read_to_string(out.join("figures")).expect("build.rs has written it");
    println!("NOTE: {figures}");
    let length = std::fs::metadata(out.join("grammar.rs")).expect("build.rs has generated it").len();
    assert!(length < LARGEST, "{figures}");
}
