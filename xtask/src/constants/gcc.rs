//! The C compiler, which decides the names that a text defines, and their values.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use anyhow::{Context, Result, bail};

use super::arch::Arch;

/// The settings of a compilation.
#[derive(Clone, Debug)]
pub(super) struct Setting {
    /// The directories of `<...>` headers; those of the compiler and of the system are not searched.
    pub(super) include: Vec<PathBuf>,
    /// The architecture. Its macros select the headers; all of them have a 64-bit `long`, so that the machine's own
    /// compiler computes their values correctly.
    pub(super) arch: Arch,
    /// Files included before the text.
    pub(super) before: Vec<PathBuf>,
    /// Options of the kernel's configuration that are on.
    pub(super) options: Vec<String>,
}

/// Returns the text with conditionals resolved and with its definitions and comments.
pub(super) fn preprocess(text: &str, setting: &Setting) -> Result<String> {
    let work = Work::new(text)?;
    let output = setting.gcc().args(["-E", "-dD", "-CC"]).arg(work.source()).output();
    stdout(&output.context("cannot start gcc")?, "gcc -E")
}

/// Returns the values of `names` after `text`, all of which have to be integer constants.
pub(super) fn values(text: &str, names: &[&str], setting: &Setting) -> Result<BTreeMap<String, i128>> {
    let mut program = format!("{text}\nint printf(const char *, ...);\n");
    for (index, name) in names.iter().enumerate() {
        // An enumerator has to be a constant, which an argument of printf need not be.
        writeln!(program, "enum {{ constant_{index} = ({name}) != 0 }};")?;
    }
    program.push_str("int main(void) {\n");
    for name in names {
        writeln!(
            program,
            "printf(\"{name} %d %llu\\n\", ({name}) < 0, (unsigned long long)(({name}) < 0 ? -({name}) : ({name})));"
        )?;
    }
    program.push_str("return 0; }\n");
    let work = Work::new(&program)?;
    let binary = work.directory.path().join("values");
    let output = setting.gcc().arg(work.source()).arg("-o").arg(&binary).output();
    stdout(&output.context("cannot start gcc")?, "gcc")?;
    let output = Command::new(&binary).output().context("cannot start the program that prints the values")?;
    parse(&stdout(&output, "the program that prints the values")?)
}

/// Compiles a text for its static assertions; returns how many of them the preprocessor left.
pub(super) fn assert(text: &str, setting: &Setting) -> Result<u64> {
    let work = Work::new(text)?;
    let output = setting.gcc().arg("-fsyntax-only").arg(work.source()).output();
    stdout(&output.context("cannot start gcc")?, "gcc")?;
    let output = setting.gcc().arg("-E").arg(work.source()).output().context("cannot start gcc")?;
    let left = stdout(&output, "gcc -E")?;
    Ok(left.lines().filter(|line| line.starts_with("_Static_assert")).count() as u64)
}

fn parse(lines: &str) -> Result<BTreeMap<String, i128>> {
    let value = |line: &str| {
        let mut words = line.split(' ');
        let (name, negative, magnitude) = (words.next()?, words.next()?, words.next()?);
        let magnitude: i128 = magnitude.parse::<u64>().ok()?.into();
        Some((name.to_owned(), if negative == "1" { -magnitude } else { magnitude }))
    };
    lines.lines().map(|line| value(line).with_context(|| format!("not a value: {line}"))).collect()
}

fn stdout(output: &Output, program: &str) -> Result<String> {
    if !output.status.success() {
        bail!("{program}: {}\n{}", output.status, String::from_utf8_lossy(&output.stderr).trim());
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

impl Setting {
    fn gcc(&self) -> Command {
        let mut command = Command::new("gcc");
        command.env("LC_ALL", "C").args(["-std=gnu11", "-w", "-nostdinc"]);
        for directory in &self.include {
            command.arg("-isystem").arg(directory);
        }
        command.args(Arch::ALL.map(|arch| format!("-U{}", arch.macros()[0])));
        command.args(self.arch.macros().iter().map(|name| format!("-D{name}")));
        for file in &self.before {
            command.arg("-include").arg(file);
        }
        command.args(self.options.iter().map(|option| format!("-D{option}=1")));
        command
    }
}

/// A directory with one C file, which is removed with the value.
struct Work {
    directory: tempfile::TempDir,
}

impl Work {
    fn new(text: &str) -> Result<Self> {
        let directory = tempfile::tempdir().context("cannot create a directory for gcc")?;
        let work = Self { directory };
        fs::write(work.source(), text).context("cannot write what gcc shall compile")?;
        Ok(work)
    }

    fn source(&self) -> PathBuf {
        Path::join(self.directory.path(), "constants.c")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn setting() -> Setting {
        Setting { include: Vec::new(), arch: Arch::X86_64, before: Vec::new(), options: Vec::new() }
    }

    #[test]
    fn values_are_the_compilers() {
        let text = "#define BIT(n) (1UL << (n))\n#define A BIT(63)\n#define B (-A_B)\nenum { A_B = 'a', C };";
        let values = values(text, &["A", "B", "C"], &setting()).unwrap();
        assert_eq!(values["A"], 1 << 63);
        assert_eq!(values["B"], -97);
        assert_eq!(values["C"], 98);
    }

    #[test]
    fn what_is_no_constant_is_refused() {
        for body in ["((void *)0)", "no_such_name", "variable", ""] {
            let text = format!("int variable;\n#define A {body}\n");
            assert!(values(&text, &["A"], &setting()).is_err(), "{body}");
        }
    }

    #[test]
    fn assertions_are_counted_and_can_fail() {
        let text = "#ifdef A\n_Static_assert(A == 1, \"A\");\n#endif\n_Static_assert(1 == 1, \"1\");\n";
        assert_eq!(assert(text, &setting()).unwrap(), 1);
        assert_eq!(assert(&format!("#define A 1\n{text}"), &setting()).unwrap(), 2);
        let error = assert(&format!("#define A 2\n{text}"), &setting()).unwrap_err().to_string();
        assert!(error.contains("static assertion failed: \"A\""), "{error}");
    }

    #[test]
    fn options_and_architectures_are_macros() {
        let on = Setting { options: vec!["CONFIG_X".to_owned()], arch: Arch::Riscv64, ..setting() };
        let text = "#ifdef CONFIG_X\n#define A 1\n#else\n#define A 0\n#endif\n\
            #ifdef __x86_64__\n#define B 1\n#elif defined(__riscv)\n#define B 2\n#endif\n";
        assert_eq!(values(text, &["A", "B"], &on).unwrap().into_values().collect::<Vec<_>>(), [1, 2]);
        assert_eq!(values(text, &["A", "B"], &setting()).unwrap().into_values().collect::<Vec<_>>(), [0, 1]);
    }
}
