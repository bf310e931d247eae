//! Decoders in Rust.

use std::process::Command;

use tracec_kernel::format::EventFormat;

use crate::fields::{Printed, printed};
use crate::program::{Language, Planted};

pub(crate) const RUST: Language =
    Language { target: "rust", program: "program.rs", main, fields, compiler, takes_short: false };

const BEHIND: &str = r#"
fn main() {
    let mut input = Vec::new();
    std::io::Read::read_to_end(&mut std::io::stdin().lock(), &mut input).expect("input");
    let mut rest = &input[..];
    let mut output = Vec::new();
    while !rest.is_empty() {
        let (head, behind) = rest.split_at(32);
        let word = |at: usize| u32::from_ne_bytes(*head[at..].first_chunk().expect("a word"));
        let (record, behind) = behind.split_at(word(28) as usize);
        output.push(FILTERS[word(0) as usize](record, word(4), word(8) as i32, &head[12..28]));
        rest = behind;
    }
    std::io::Write::write_all(&mut std::io::stdout(), &output).expect("output");
}
"#;

fn main(decoder: &str, sessions: usize) -> String {
    let mut text = "mod decoder;\n\n".to_owned();
    let mut record = "";
    let mut found = vec![String::new(); sessions];
    for line in decoder.lines() {
        if let Some(name) = line.strip_prefix("impl<'a> ").and_then(|rest| rest.split('<').next()) {
            record = name;
        }
        let Some((name, parameters)) =
            line.trim().strip_prefix("pub fn s").and_then(|rest| rest.split_once('('))
        else {
            continue;
        };
        let Some(number) = name.strip_suffix("_matches").and_then(|number| number.parse::<usize>().ok())
        else {
            continue;
        };
        let argument = |name: &str| {
            if parameters.contains(&format!("{name}: ")) { format!("{name}, ") } else { String::new() }
        };
        let arguments = ["cpu", "tgid", "comm"].map(argument).concat();
        found[number] = format!(
            "fn f{number}(data: &[u8], cpu: u32, tgid: i32, comm: &[u8]) -> u8 {{\n    let _ = (cpu, tgid, comm);\n    \
             match decoder::{record}::new(data) {{\n        None => b'-',\n        \
             Some(record) if record.s{number}_matches({arguments}) => b'1',\n        Some(_) => b'0',\n    }}\n}}\n\n"
        );
    }
    assert!(found.iter().all(|function| !function.is_empty()), "each session has a function");
    text.push_str(&found.concat());
    let names: String = (0..sessions).map(|number| format!("    f{number},\n")).collect();
    text.push_str(&format!("static FILTERS: &[fn(&[u8], u32, i32, &[u8]) -> u8] = &[\n{names}];\n"));
    text + BEHIND
}

/// Returns the program that prints the fields of the records of an event.
fn fields(format: &EventFormat) -> String {
    let mut text = "mod decoder;\n\nfn hex(bytes: Option<&[u8]>) -> String {\n    match bytes {\n        \
                    Some(bytes) => bytes.iter().map(|byte| format!(\"{byte:02x}\")).collect::<String>() + \".\",\n        \
                    None => \"-\".to_owned(),\n    }\n}\n\n\
                    fn joined(numbers: impl Iterator<Item = u64>) -> String {\n    \
                    numbers.map(|number| number.to_string()).collect::<Vec<_>>().join(\",\")\n}\n\n\
                    fn print(data: &[u8]) -> String {\n    \
                    let Some(r) = decoder::TestEverything::new(data) else { return \"short\\n\".to_owned() };\n    \
                    let mut text = String::new();\n"
        .to_owned();
    for field in format.fields.iter() {
        let name = &field.name;
        let is_optional = field.type_text.contains("_loc");
        let value = match printed(field) {
            Printed::Number { .. } | Printed::Argument { .. } => format!("r.{name}().to_string()"),
            Printed::Bytes | Printed::Fixed { .. } if is_optional => format!("hex(r.{name}())"),
            Printed::Bytes | Printed::Fixed { .. } => format!("hex(Some(r.{name}()))"),
            Printed::Numbers { .. } => format!("joined(r.{name}().into_iter().map(u64::from))"),
            Printed::Count { element } => {
                format!("r.{name}().map_or(\"-\".to_owned(), |bytes| (bytes.len() / {element}).to_string())")
            }
            Printed::Cpus => format!("r.{name}().map_or(\"-\".to_owned(), joined)"),
        };
        text.push_str(&format!("    text += &format!(\"{name} {{}}\\n\", {value});\n"));
    }
    text.push_str("    text\n}\n");
    text + &BEHIND.replace(
        "output.push(FILTERS[word(0) as usize](record, word(4), word(8) as i32, &head[12..28]));",
        "output.extend(print(record).into_bytes());",
    )
}

fn compiler(planted: bool) -> Command {
    let mut command = Command::new(std::env::var_os("RUSTC").unwrap_or("rustc".into()));
    // Debug assertions find an operation that overflows.
    command.args(["--edition=2021", "-Cdebuginfo=0", "-Cdebug-assertions=on", "-o", "program"]);
    if planted {
        command.arg("-Awarnings")
    } else {
        command.arg("-Dwarnings")
    };
    command
}

/// Errors in a module.
pub(crate) const ERRORS: &[Planted] = &[
    Planted {
        name: "a comparison of signed numbers is one of unsigned ones",
        text: "Some((n0 as i64) < ",
        instead: "Some((n0 as i64 ^ i64::MIN) < i64::MIN ^ ",
    },
    Planted {
        name: "an int is not extended by its sign",
        text: ")? as i32 as u64",
        instead: ")? as u32 as u64",
    },
    Planted {
        name: "an unsigned argument is the whole register",
        text: ", 8)? as u32 as u64",
        instead: ", 8)?",
    },
    Planted { name: "a mask is dropped", text: " = n0 & ", instead: " = n0 + 0 * " },
    Planted { name: "the end of a range is exclusive", text: "..=", instead: ".." },
    Planted {
        name: "located bytes may be one byte too short",
        text: "data.get(start..)?.get(..bytes)",
        instead: "data.get(start..)?.get(..bytes - 1)",
    },
    Planted {
        name: "located bytes of length 0 have a place",
        text: "    if bytes == 0 {\n        return Some(&[]);\n    }",
        instead: "",
    },
    Planted {
        name: "a location that leads outside is empty",
        text: "?.get(..bytes)",
        instead: "?.get(..bytes).or(Some(&[]))",
    },
    Planted {
        name: "a text goes on behind its NUL",
        text: "bytes.split(|byte| *byte == 0).next().unwrap_or(bytes)",
        instead: "bytes",
    },
    Planted { name: "different texts are equal", text: "Some(text != ", instead: "Some(text == " },
    Planted {
        name: "a class is not inverted",
        text: "if !is_first => return (found != inverted, rest)",
        instead: "if !is_first => return (found, rest)",
    },
    Planted {
        name: "a star takes one byte at least",
        text: "star = Some((rest, text));\n            pattern = rest;",
        instead: "star = Some((rest, text));\n            text = text.get(1..).unwrap_or(text);\n            pattern = rest;",
    },
    Planted {
        name: "a __rel_loc is a __data_loc",
        text: "if relative { word + 4 + offset }",
        instead: "if relative { offset }",
    },
    Planted { name: "a quotient by 0 is 0", text: "0 => None,", instead: "0 => Some(0)," },
    Planted {
        name: "a count of 64 shifts by 0",
        text: "a.checked_shl(u32::try_from(count).ok()?)",
        instead: "Some(a.wrapping_shl(count as u32))",
    },
    Planted {
        name: "a right shift of a negative number loses its sign",
        text: "if signed { (a as i64).checked_shr(count).map(|bits| bits as u64) }",
        instead: "if signed { a.checked_shr(count) }",
    },
    Planted {
        name: "a set is equal to a larger one",
        text: "members(mask).count() as u64 == listed",
        instead: "members(mask).count() as u64 <= listed",
    },
    Planted {
        name: "a conjunction is a disjunction",
        text: ".unwrap_or(false) && ",
        instead: ".unwrap_or(false) || ",
    },
    Planted {
        name: "a process id has no sign",
        text: "i64::from(tgid) as u64",
        instead: "u64::from(tgid as u32)",
    },
    Planted {
        name: "a test that cannot be decided is true",
        text: ".unwrap_or(false)",
        instead: ".unwrap_or(true)",
    },
];
