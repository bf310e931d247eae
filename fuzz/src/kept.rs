//! Inputs as lines of text, so that the part of a corpus that the tree keeps can be read, searched and compared.
//!
//! A line is one input with its bytes escaped as in a Rust byte string; empty lines and those that begin with `# ` are
//! comments. An input that begins like a comment has its first byte escaped.

/// Returns the inputs of a file.
///
/// # Errors
/// The number of the line that is not valid, and why.
pub fn read(file: &str) -> Result<Vec<Vec<u8>>, String> {
    let lines = file.lines().enumerate().filter(|(_, line)| !line.is_empty() && !line.starts_with("# "));
    lines.map(|(index, line)| unescape(line).map_err(|why| format!("line {}: {why}", index + 1))).collect()
}

/// Returns an input as a line.
pub fn line(input: &[u8]) -> String {
    let escaped = input.escape_ascii().to_string();
    match escaped.strip_prefix('#') {
        Some(rest) => format!("\\x23{rest}\n"),
        None if escaped.is_empty() => "\\\n".to_owned(),
        None => format!("{escaped}\n"),
    }
}

/// Returns the bytes that a line stands for; a lone backslash is the empty input.
fn unescape(line: &str) -> Result<Vec<u8>, String> {
    if line == "\\" {
        return Ok(Vec::new());
    }
    let mut input = Vec::with_capacity(line.len());
    let mut bytes = line.bytes();
    while let Some(byte) = bytes.next() {
        if byte != b'\\' {
            input.push(byte);
            continue;
        }
        let escape = bytes.next().ok_or("ends in a backslash")?;
        input.push(match escape {
            b'n' => b'\n',
            b'r' => b'\r',
            b't' => b'\t',
            b'\\' | b'\'' | b'"' => escape,
            b'x' => {
                let digits = [bytes.next(), bytes.next()];
                let digits: Option<Vec<u8>> = digits.into_iter().collect();
                let digits = digits.and_then(|digits| String::from_utf8(digits).ok());
                let value = digits.and_then(|digits| u8::from_str_radix(&digits, 16).ok());
                value.ok_or("`\\x` wants two hexadecimal digits")?
            }
            other => return Err(format!("`\\{}` is not an escape", other.escape_ascii())),
        });
    }
    Ok(input)
}
