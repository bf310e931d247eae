//! Generates the parser from `src/grammar.lalrpop`.

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let out = std::env::var("OUT_DIR")?;
    lalrpop::Configuration::new()
        .emit_rerun_directives(true)
        .set_in_dir("src")
        .set_out_dir(out)
        .log_quiet()
        .process()
}
