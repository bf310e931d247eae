//! Generator of the parser from `src/grammar.lalrpop`, with the facts about it that the layout needs, and a record of
//! the parser's cost.

mod outline;
mod productions;

use std::path::Path;
use std::time::Instant;

const GRAMMAR: &str = "src/grammar.lalrpop";

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let out = std::env::var("OUT_DIR")?;
    let grammar = productions::read(&std::fs::read_to_string(GRAMMAR)?)?;
    std::fs::write(Path::new(&out).join("outline.rs"), outline::write(&grammar)?)?;
    println!("cargo::rerun-if-changed=build");
    // A parser of an earlier build would be kept, and nothing would be measured.
    let parser = Path::new(&out).join("grammar.rs");
    if parser.exists() {
        std::fs::remove_file(&parser)?;
    }
    let start = Instant::now();
    lalrpop::Configuration::new()
        .emit_rerun_directives(true)
        .set_in_dir("src")
        .set_out_dir(&out)
        .log_quiet()
        .process()?;
    let seconds = start.elapsed().as_secs_f64();
    let megabytes = std::fs::metadata(&parser)?.len() as f64 / 1e6;
    // The cost is not part of the library, which is the same from one build to the next: tests/generated.rs reads it.
    let figures = format!("grammar: built in {seconds:.2} s, {megabytes:.1} MB generated");
    std::fs::write(Path::new(&out).join("figures"), figures)?;
    Ok(())
}
