//! `kept pack TARGET DIR`: the files of a corpus directory to `kept/TARGET.txt`. `kept unpack TARGET DIR`: the inputs
//! that were kept or found, and the seeds from the tree, to files of a directory, as the fuzzer's initial corpus.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use tracec_fuzz::kept;

/// The greatest size of a target's file, in bytes: all of them together stay below 300 KB.
const LARGEST: usize = 40_000;

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let done = match words.as_slice() {
        ["pack", target, directory] => pack(target, Path::new(directory)),
        ["unpack", target, directory] => unpack(target, Path::new(directory)),
        _ => Err("usage: kept pack|unpack TARGET DIR".to_owned()),
    };
    match done {
        Ok(count) => {
            println!("{count} inputs");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("kept: {error}");
            ExitCode::FAILURE
        }
    }
}

fn here() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Packs the shortest first, as many as fit: of two inputs that reach the same code, the smaller one is more useful.
fn pack(target: &str, directory: &Path) -> Result<usize, String> {
    let mut lines = Vec::new();
    for path in files(directory)? {
        lines.push(kept::line(&read(&path)?));
    }
    lines.sort_unstable_by(|a, b| (a.len(), a).cmp(&(b.len(), b)));
    lines.dedup();
    let mut text = String::new();
    let mut count = 0;
    for line in lines {
        if text.len() + line.len() > LARGEST {
            break;
        }
        text.push_str(&line);
        count += 1;
    }
    let path = here().join(format!("kept/{target}.txt"));
    std::fs::write(&path, text).map_err(|error| format!("{}: {error}", path.display()))?;
    Ok(count)
}

fn unpack(target: &str, directory: &Path) -> Result<usize, String> {
    std::fs::create_dir_all(directory).map_err(|error| format!("{}: {error}", directory.display()))?;
    let mut inputs = Vec::new();
    for kind in ["kept", "found"] {
        let path = here().join(format!("{kind}/{target}.txt"));
        if path.exists() {
            let text = String::from_utf8(read(&path)?).map_err(|error| error.to_string())?;
            inputs.extend(kept::read(&text).map_err(|why| format!("{}: {why}", path.display()))?);
        }
    }
    for (from, ending) in seeds(target) {
        for path in files(&here().join("..").join(from))? {
            if ending.is_none_or(|ending| path.extension().is_some_and(|found| found == ending)) {
                inputs.push(read(&path)?);
            }
        }
    }
    for (index, input) in inputs.iter().enumerate() {
        let path = directory.join(format!("seed-{index}"));
        std::fs::write(&path, input).map_err(|error| format!("{}: {error}", path.display()))?;
    }
    Ok(inputs.len())
}

/// Returns the directories of the tree whose files are inputs, and the file extension of these.
fn seeds(target: &str) -> &'static [(&'static str, Option<&'static str>)] {
    match target {
        "format_file" | "print_fmt" => &[("kernel/tests/data/formats", None)],
        "page" => &[],
        "trace_dat" => &[("runtime/tests/data", Some("dat"))],
        _ => &[("examples", Some("trc")), ("stdlib", Some("trc")), ("tests/live", Some("trc"))],
    }
}

/// Returns the files below a directory.
fn files(directory: &Path) -> Result<Vec<PathBuf>, String> {
    let mut files = Vec::new();
    let mut directories = vec![directory.to_owned()];
    while let Some(directory) = directories.pop() {
        let failed = |error: std::io::Error| format!("{}: {error}", directory.display());
        for entry in std::fs::read_dir(&directory).map_err(failed)? {
            let path = entry.map_err(failed)?.path();
            if path.is_dir() { directories.push(path) } else { files.push(path) }
        }
    }
    files.sort_unstable();
    Ok(files)
}

fn read(path: &Path) -> Result<Vec<u8>, String> {
    std::fs::read(path).map_err(|error| format!("{}: {error}", path.display()))
}
