//! Rust source without what is not code of the product: a scanner, no parser.

/// The text with comments, the contents of strings, and inline `#[cfg(test)]` modules blanked. Lines keep their
/// numbers.
pub(super) fn of_product(text: &str) -> String {
    without_tests(&without_comments_and_strings(text))
}

/// The names of the modules that are declared as `#[cfg(test)] mod NAME;`: their text is in files of their own.
pub(super) fn test_modules(text: &str) -> Vec<String> {
    let code = without_comments_and_strings(text);
    let declared = code.match_indices(TEST_ONLY).filter_map(|(at, _)| test_module(&code[at..]));
    let names = declared.filter_map(|item| item.split_once([';', '{']).map(|(name, _)| (name, item)));
    let in_files = names.filter(|(name, item)| item[name.len()..].starts_with(';'));
    in_files.map(|(name, _)| name.trim().to_owned()).collect()
}

/// Whether `pattern` stands in `line` as itself and not as the end or the beginning of a longer name.
pub(super) fn has_word(line: &str, pattern: &str) -> bool {
    let is_name = |c: char| c.is_alphanumeric() || c == '_';
    line.match_indices(pattern).any(|(at, _)| {
        let before = line[..at].chars().next_back();
        let after = line[at + pattern.len()..].chars().next();
        let joins = |outer: Option<char>, inner: Option<char>| {
            outer.is_some_and(is_name) && inner.is_some_and(is_name)
        };
        !joins(before, pattern.chars().next()) && !joins(after, pattern.chars().next_back())
    })
}

/// The names that follow `module::` and where that stands: one name, or each first name of a list in braces.
pub(super) fn after_path<'a>(code: &'a str, module: &str) -> Vec<(usize, &'a str)> {
    let is_name = |c: char| c.is_alphanumeric() || c == '_';
    let mut names = Vec::new();
    for (at, found) in code.match_indices(&format!("{module}::")) {
        if code[..at].ends_with(is_name) {
            continue;
        }
        let rest = &code[at + found.len()..];
        let list = rest.strip_prefix('{').and_then(|list| list.split('}').next());
        for item in list.map_or(vec![rest], |list| list.split(',').collect()) {
            let name = item.trim_start().split(|c| !is_name(c)).next().unwrap_or_default();
            if !name.is_empty() {
                names.push((at, name));
            }
        }
    }
    names
}

fn without_comments_and_strings(text: &str) -> String {
    let mut code = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let joined = code.ends_with(|c: char| c.is_alphanumeric() || c == '_');
        let length = match first {
            '/' if rest.starts_with("//") => rest.find('\n').unwrap_or(rest.len()),
            '/' if rest.starts_with("/*") => block_comment(rest),
            '"' => string(rest),
            'r' | 'b' | 'c' if !joined => prefixed_string(rest).unwrap_or(0),
            '\'' => character(rest).unwrap_or(0),
            _ => 0,
        };
        let skipped = &rest[..length];
        if length == 0 {
            code.push(first);
            rest = &rest[first.len_utf8()..];
        } else {
            code.push(' ');
            code.extend(skipped.matches('\n'));
            rest = &rest[length..];
        }
    }
    code
}

/// The length of a block comment; they nest.
fn block_comment(text: &str) -> usize {
    let mut depth = 0_usize;
    let mut at = 0;
    while at < text.len() {
        let rest = &text.as_bytes()[at..];
        if rest.starts_with(b"/*") {
            (depth, at) = (depth + 1, at + 2);
        } else if rest.starts_with(b"*/") {
            (depth, at) = (depth - 1, at + 2);
            if depth == 0 {
                return at;
            }
        } else {
            at += 1;
        }
    }
    text.len()
}

/// The length of a string with escapes, quotes included.
fn string(text: &str) -> usize {
    let mut escaped = false;
    for (at, byte) in text.bytes().enumerate().skip(1) {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b'"' => return at + 1,
            _ => {}
        }
    }
    text.len()
}

/// The length of `r"..."`, `r##"..."##`, `b"..."`, `br"..."`, `c"..."`; `None` if it is a name.
fn prefixed_string(text: &str) -> Option<usize> {
    let prefix = ["br", "cr", "r", "b", "c"].into_iter().find(|prefix| {
        let rest = text[prefix.len().min(text.len())..].trim_start_matches('#');
        text.starts_with(prefix) && rest.starts_with('"')
    })?;
    let rest = &text[prefix.len()..];
    let hashes = rest.len() - rest.trim_start_matches('#').len();
    if !prefix.ends_with('r') {
        return (hashes == 0).then(|| prefix.len() + string(rest));
    }
    let end = format!("\"{}", "#".repeat(hashes));
    let body = &rest[hashes + 1..];
    let length = body.find(&end).map_or(body.len(), |at| at + end.len());
    Some(prefix.len() + hashes + 1 + length)
}

/// The length of a character; `None` if the quote begins a lifetime.
fn character(text: &str) -> Option<usize> {
    let mut chars = text.char_indices().skip(1);
    match chars.next()?.1 {
        // The character after the backslash may itself be a quote.
        '\\' => chars.skip(1).find(|(_, c)| *c == '\'').map(|(at, _)| at + 1),
        _ => chars.next().filter(|(_, c)| *c == '\'').map(|(at, _)| at + 1),
    }
}

const TEST_ONLY: &str = "#[cfg(test)]";

/// Blanks each `#[cfg(test)] mod NAME { ... }`, with braces counted in text that has no strings any more.
fn without_tests(code: &str) -> String {
    let mut kept = String::with_capacity(code.len());
    let mut rest = code;
    while let Some(at) = rest.find(TEST_ONLY) {
        let (before, found) = rest.split_at(at);
        kept.push_str(before);
        let length = if test_module(found).is_some() { module(found) } else { TEST_ONLY.len() };
        kept.extend(found[..length].matches('\n'));
        rest = &found[length..];
    }
    kept.push_str(rest);
    kept
}

/// What stands behind the attribute and the word `mod`, if it is a module.
fn test_module(code: &str) -> Option<&str> {
    let item = code.strip_prefix(TEST_ONLY)?.trim_start();
    let item = item.strip_prefix("pub(crate) ").or_else(|| item.strip_prefix("pub(super) ")).unwrap_or(item);
    item.strip_prefix("mod ")
}

/// The length up to the brace that closes the first one, or to the semicolon of `mod tests;`.
fn module(code: &str) -> usize {
    let mut depth = 0_usize;
    for (at, byte) in code.bytes().enumerate() {
        match byte {
            b';' if depth == 0 => return at + 1,
            b'{' => depth += 1,
            b'}' if depth <= 1 => return at + 1,
            b'}' => depth -= 1,
            _ => {}
        }
    }
    code.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_strings_are_blank_and_lines_keep_their_numbers() {
        let text = "a // unsafe\nb /* unsafe /* \n unsafe */ unsafe */ c\n\"unsafe \\\" \n unsafe\" d\n/// unsafe\ne";
        let code = of_product(text);
        assert!(!code.contains("unsafe"), "{code}");
        assert_eq!(code.lines().count(), text.lines().count());
        for (line, name) in ["a", "b", "c", "", "d", "", "e"].into_iter().enumerate() {
            assert!(code.lines().nth(line).unwrap().contains(name), "{line}: {code}");
        }
    }

    #[test]
    fn raw_byte_and_c_strings_end_where_they_end() {
        let text =
            r####"x(r"\", r#"a " unsafe"#, b"\"unsafe", br##"unsafe"##, c"unsafe", bare, r#type) unsafe"####;
        assert_eq!(of_product(text).matches("unsafe").count(), 1);
        assert!(of_product(text).contains("bare") && of_product(text).contains("r#type"));
        assert!(of_product("var\"unsafe\" + 1").contains("+ 1"));
    }

    #[test]
    fn characters_are_no_lifetimes() {
        assert_eq!(of_product(r"f('\'', '{', b'\\', 'é') unsafe").matches("unsafe").count(), 1);
        assert!(of_product("fn f<'a>(x: &'a str) -> &'static str { unsafe }").contains("unsafe"));
        assert!(!of_product("f('\"', \"unsafe\")").contains("unsafe"));
    }

    #[test]
    fn what_is_not_closed_ends_with_the_file() {
        for text in ["/* a", "\"a", "r#\"a\"", "'", "'\\", "b\"", "#[cfg(test)] mod t {", "é'", "r"] {
            of_product(text);
        }
    }

    #[test]
    fn test_modules_are_blank_and_the_rest_stays() {
        let text = "a\n#[cfg(test)]\nmod tests {\n fn f() { unsafe }\n}\nb\n#[cfg(test)]\nmod more;\nc\n#[cfg(test)]\nfn d() {}";
        let code = of_product(text);
        assert!(!code.contains("unsafe") && !code.contains("more"));
        assert_eq!(code.lines().nth(5), Some("b"));
        assert_eq!(code.lines().nth(8), Some("c"));
        assert!(code.contains("fn d()"));
    }

    #[test]
    fn test_modules_in_files_are_named() {
        let text = "#[cfg(test)]\nmod a;\n#[cfg(test)]\npub(crate) mod b ;\n#[cfg(test)] mod c { mod d; }\n\
            mod e;\n// #[cfg(test)] mod f;\n#[cfg(test)]\nfn g() {}\n#[cfg(test)]";
        assert_eq!(test_modules(text), ["a", "b"]);
    }

    #[test]
    fn words_are_whole() {
        assert!(has_word("unsafe {", "unsafe"));
        assert!(!has_word("forbid(unsafe_code)", "unsafe"));
        assert!(has_word("std::println!(", "println!"));
        assert!(!has_word("eprintln!(", "println!"));
        assert!(has_word("    File::open(path)", "File::open"));
        assert!(!has_word("MyFile::open(path)", "File::open"));
        assert!(has_word("use std::fs::{self}", "std::fs"));
    }

    #[test]
    fn names_after_a_path_are_found_in_lists_too() {
        let names = |code| after_path(code, "target").into_iter().map(|(_, name)| name).collect::<Vec<_>>();
        assert_eq!(names("use crate::target::bpf::Elf;"), ["bpf"]);
        assert_eq!(names("use crate::target::{\n    bpf::Elf,\n    tracefs,\n};"), ["bpf", "tracefs"]);
        assert_eq!(names("target::a::f(target::b::g())"), ["a", "b"]);
        assert!(names("a_target::bpf").is_empty());
        assert!(names("target").is_empty());
    }
}
