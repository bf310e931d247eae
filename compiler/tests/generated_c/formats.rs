//! What the checker accepts as a format, gcc takes without a warning, and of what it refuses for a flag or a precision gcc
//! warns.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::fs;
use std::process::Command;

use tracec_kernel::tables::printk::DIRECTIVES;

use crate::common::{Copy, check, text};

/// The declaration of a value of each letter of printf.
fn declared(letter: char) -> &'static str {
    match letter {
        'd' | 'c' => "a: int",
        's' => "a: *char",
        'p' => "a: *void",
        _ => "a: u32",
    }
}

#[test]
fn formats_are_those_that_gcc_does_not_warn_of() {
    let letters = ["", "-", "+", " ", "#", "0"];
    let flags: BTreeSet<String> = (0..6 * 6 * 6)
        .map(|number| [number % 6, number / 6 % 6, number / 36].map(|at| letters[at]).concat())
        .collect();
    let mut formats = Vec::new();
    for directive in DIRECTIVES {
        for flags in &flags {
            for width in ["", "7"] {
                for precision in ["", ".", ".3"] {
                    formats
                        .push((directive.letter, format!("{flags}{width}{precision}{}", directive.letter)));
                }
            }
        }
    }
    let accepted: Vec<bool> = formats.iter().map(|(letter, format)| is_accepted(*letter, format)).collect();
    let warned = warned(&formats);
    let differing: Vec<&str> = formats
        .iter()
        .enumerate()
        .filter(|(index, _)| accepted[*index] == warned.contains(index))
        .map(|(_, (_, format))| format.as_str())
        .collect();
    assert_eq!(differing, [""; 0], "accepted and warned of, or neither");
    assert!(accepted.iter().filter(|is| **is).count() > 100);
}

fn is_accepted(letter: char, format: &str) -> bool {
    let definition = format!("event e {{ proto ({}) print \"{{a:{format}}}\" }}", declared(letter));
    let said = check(&text(&format!("subsystem s; {definition}")), &Copy);
    assert!(said.iter().all(|said| said.code.id == "T0739"), "{format}: {said:?}");
    said.is_empty()
}

/// Returns the indices of the formats that gcc warns of.
fn warned(formats: &[(char, String)]) -> BTreeSet<usize> {
    let mut program = String::from(
        "int printk(const char *, ...) __attribute__((format(printf, 1, 2)));\nint i; char *s; void *p;\nvoid f(void) {\n",
    );
    let first = program.lines().count() + 1;
    for (letter, format) in formats {
        let value = match letter {
            's' => "s",
            'p' => "p",
            _ => "i",
        };
        let _ = writeln!(program, "printk(\"%{format}\", {value});");
    }
    program.push_str("}\n");
    let source = crate::directory("formats").join("formats.c");
    fs::write(&source, program).expect("a program");
    let mut gcc = Command::new("gcc");
    gcc.args(["-Wall", "-Wformat", "-std=gnu11", "-fsyntax-only", "-fdiagnostics-plain-output"]).arg(&source);
    let output = gcc.env("LC_ALL", "C").output().expect("gcc");
    let said = String::from_utf8_lossy(&output.stderr);
    let line = |said: &str| {
        let (_, rest) = said.split_once("formats.c:").filter(|(_, rest)| rest.contains(" warning: "))?;
        rest.split(':').next()?.parse::<usize>().ok()?.checked_sub(first)
    };
    said.lines().filter_map(line).collect()
}
