//! The dependency file of a build: a rule for GNU make that names the files from which artifacts were made: texts, and
//! the profile of a kernel.
//!
//! make has no single way of quoting. How each character is written was found by trying names with GNU make 4.3, and
//! `tests/depfile.rs` tries them again with the make of the machine; a name for which no form was found is refused.

use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// A name that a rule for make cannot contain.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Unwritable {
    /// The name.
    pub(super) name: PathBuf,
    /// What make does with it, as a clause.
    pub(super) why: &'static str,
}

/// The characters that make a name a pattern of files.
const WILDCARDS: &[u8] = b"*?[";

/// The side of a rule's colon on which a name stands.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    Target,
    Prerequisite,
}

/// Returns a rule for make: the outputs depend on the inputs, and a missing input is not an error.
pub(super) fn rule(outputs: &[PathBuf], inputs: &[PathBuf]) -> Result<Vec<u8>, Unwritable> {
    let of_outputs = outputs.iter().map(|name| (name, unreadable(name).or_else(|| wildcard(name))));
    let of_inputs = inputs.iter().map(|name| (name, unreadable(name)));
    if let Some((name, why)) = of_outputs.chain(of_inputs).find_map(|(name, why)| Some((name, why?))) {
        return Err(Unwritable { name: name.clone(), why });
    }
    let quoted = |names: &[PathBuf], side| names.iter().map(|name| quote(name, side)).collect::<Vec<_>>();
    let join = |names: &[PathBuf], side| quoted(names, side).join(&b' ');
    let mut rule = [join(outputs, Side::Target), join(inputs, Side::Prerequisite)].join(&b": "[..]);
    rule.push(b'\n');
    for input in inputs {
        let colon = if is_made_of_an(outputs, input) { &b": ;\n"[..] } else { b":\n" };
        rule.extend([b"\n", &quote(input, Side::Target)[..], colon].concat());
    }
    Ok(rule)
}

/// Returns whether a built-in rule of make, `%: %.sh`, would overwrite an input `s` with an output `s.sh`.
///
/// Such an input gets an empty recipe. Others get none: it would replace the recipe of a makefile that makes the input.
fn is_made_of_an(outputs: &[PathBuf], input: &Path) -> bool {
    // One directory has many paths. One that does not exist yet contains no input.
    let directory = |name: &Path| {
        let parent = name.parent()?;
        fs::canonicalize(if parent == Path::new("") { Path::new(".") } else { parent }).ok()
    };
    outputs.iter().any(|output| {
        output.extension().is_some_and(|ending| ending == "sh")
            && output.file_stem() == input.file_name()
            && directory(output).is_some_and(|found| Some(found) == directory(input))
    })
}

/// Returns why make cannot read a name, in whatever way it is written; `None` if it can.
fn unreadable(name: &Path) -> Option<&'static str> {
    let name = name.as_os_str().as_bytes();
    let holds = |byte| name.contains(&byte);
    Some(match name {
        _ if holds(b'\n') => "a line break ends the rule",
        _ if holds(b'\t') => "a tab ends the name",
        _ if holds(b';') => "what follows a `;` is a command",
        [0x0b..=0x0d, ..] | [.., 0x0b..=0x0d] => {
            "a vertical tab, form feed or carriage return at an end of the name is not read"
        }
        [.., b' ' | b'\\'] => "a space or a backslash at the end of the line is not read",
        [.., b')'] => "a name that ends with `)` is a member of an archive",
        _ => match without_dot_slash(name) {
            [b'~', ..] => "a `~` at the beginning is a home directory",
            [b'.', rest @ ..] if !rest.contains(&b'/') && !rest.contains(&b'.') => {
                "it is a suffix or a special target"
            }
            _ => return None,
        },
    })
}

/// Returns why make does not find a rule for an output of this name; `None` if it does. Only where the file exists does
/// make replace a quoted `*` by the `*` of the name.
fn wildcard(name: &Path) -> Option<&'static str> {
    let holds = name.as_os_str().as_bytes().iter().any(|byte| WILDCARDS.contains(byte));
    holds.then_some("it finds an output with `*`, `?` or `[` only while the file exists")
}

/// Returns a name without the `./` at its beginning, which make removes.
fn without_dot_slash(mut name: &[u8]) -> &[u8] {
    while let Some(mut rest) = name.strip_prefix(b"./") {
        while let Some(after) = rest.strip_prefix(b"/") {
            rest = after;
        }
        name = rest;
    }
    name
}

/// Returns a name as make reads it on one side of the colon.
fn quote(name: &Path, side: Side) -> Vec<u8> {
    let name = name.as_os_str().as_bytes();
    // Only a name with one of these is a pattern of files, in which a backslash quotes each character.
    let is_pattern = name.iter().any(|byte| WILDCARDS.contains(byte));
    let mut quoted = Vec::with_capacity(name.len());
    // These are directives, in a list of prerequisites too.
    if [&b"define"[..], b"undefine"].contains(&name) {
        quoted.extend(b"./");
    }
    let mut backslashes = 0;
    for &byte in name {
        match (byte, side) {
            (b'\\', _) => {
                let written = if is_pattern { 2 } else { 1 };
                quoted.resize(quoted.len() + written, b'\\');
                backslashes += written;
                continue;
            }
            // Backslashes are literal except before a character that a backslash quotes.
            (b' ' | b'#' | b':', _) | (b'%', Side::Target) | (b'|', Side::Prerequisite) => {
                quoted.resize(quoted.len() + backslashes, b'\\');
                quoted.extend([b'\\', byte]);
            }
            (b'*' | b'?' | b'[', _) => quoted.extend([b'\\', byte]),
            (b'$', _) => quoted.extend(b"$$"),
            // These have no quoted form: `a=b` sets a variable, and `a&:` groups targets.
            (b'=' | b'&', _) => quoted.extend([b"$(subst x,", &[byte][..], b",x)"].concat()),
            _ => quoted.push(byte),
        }
        backslashes = 0;
    }
    quoted
}

#[cfg(test)]
mod tests {
    use std::ffi::OsStr;

    use super::*;

    fn both(name: &str) -> [String; 2] {
        let quoted = |side| String::from_utf8(quote(Path::new(name), side)).unwrap();
        [quoted(Side::Target), quoted(Side::Prerequisite)]
    }

    #[test]
    fn ordinary_names_are_written_as_they_are() {
        for name in ["out/s.plan.json", "/a/b.trc", "../x-1_2,+@^.trc", "\u{e4}{a}'\"`!<>()-.trc", "a\\b"] {
            assert_eq!(both(name), [name, name]);
        }
    }

    #[test]
    fn characters_are_quoted_by_their_side() {
        for (name, target, prerequisite) in [
            ("a b#c:d", r"a\ b\#c\:d", r"a\ b\#c\:d"),
            ("$x", "$$x", "$$x"),
            ("a%b", r"a\%b", "a%b"),
            ("a|b", "a|b", r"a\|b"),
            ("a=b", "a$(subst x,=,x)b", "a$(subst x,=,x)b"),
            (r"a\ b\c", r"a\\\ b\c", r"a\\\ b\c"),
            (r"a*\c", r"a\*\\c", r"a\*\\c"),
        ] {
            assert_eq!(both(name), [target, prerequisite]);
        }
    }

    #[test]
    fn name_that_is_not_utf8_keeps_its_bytes() {
        let name = PathBuf::from(OsStr::from_bytes(b"a\xff"));
        assert_eq!(rule(&[name], &["b".into()]).unwrap(), b"a\xff: b\n\nb:\n");
    }

    #[test]
    fn only_an_input_that_make_would_make_of_an_output_gets_a_recipe() {
        let of = |outputs: &[&str], inputs: &[&str]| {
            let [outputs, inputs] =
                [outputs, inputs].map(|names| names.iter().map(PathBuf::from).collect::<Vec<_>>());
            String::from_utf8(rule(&outputs, &inputs).unwrap()).unwrap()
        };
        assert_eq!(of(&["out/s.sh"], &["s", "k.trcprof"]), "out/s.sh: s k.trcprof\n\ns:\n\nk.trcprof:\n");
        assert_eq!(of(&["./s.sh"], &["s", "src/s", "t"]), "./s.sh: s src/s t\n\ns: ;\n\nsrc/s:\n\nt:\n");
        assert_eq!(of(&["s.plan.json"], &["s"]), "s.plan.json: s\n\ns:\n");
    }
}
