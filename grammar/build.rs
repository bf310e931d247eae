//! Generates the parser from `src/grammar.lalrpop`, and notes what that cost.

use std::path::Path;
use std::time::Instant;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let out = std::env::var("OUT_DIR")?;
    // A parser of an earlier build would be kept, and nothing measured.
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
    // Not part of the library, which is the same from one build to the next: tests/generated.rs reads it.
    let figures = format!("grammar: built in {seconds:.2} s, {megabytes:.1} MB generated");
    std::fs::write(Path::new(&out).join("figures"), figures)?;
    Ok(())
}
