//! A line of a journal: a CRC-32 in eight hexadecimal digits, a blank, JSON.

use std::io;

use serde::Serialize;

/// Appends a line with its checksum.
pub(crate) fn push<T: Serialize>(lines: &mut Vec<u8>, content: &T) -> io::Result<()> {
    let json = serde_json::to_string(content)?;
    lines.extend_from_slice(format!("{:08x} {json}\n", crc32fast::hash(json.as_bytes())).as_bytes());
    Ok(())
}

/// Returns the JSON of a line without its newline, or an error that describes the damage.
pub(crate) fn content(line: &str) -> Result<&str, String> {
    let (sum, json) = line.split_once(' ').ok_or("it has no checksum")?;
    let written = format!("{:08x}", crc32fast::hash(json.as_bytes()));
    if sum == written {
        Ok(json)
    } else {
        Err(format!("its checksum is {written}, not {}", sum.escape_debug()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn change_of_any_byte_is_found() {
        let mut line = Vec::new();
        push(&mut line, &("buffer_percent", 50)).unwrap();
        assert_eq!(line.pop(), Some(b'\n'));
        let line = String::from_utf8(line).unwrap();
        assert_eq!(content(&line), Ok("[\"buffer_percent\",50]"));
        for at in 0..line.len() {
            for bit in 0..7 {
                let mut bytes = line.clone().into_bytes();
                bytes[at] ^= 1 << bit;
                let damaged = String::from_utf8(bytes).unwrap();
                assert!(content(&damaged).is_err(), "{damaged}");
            }
            assert!(content(&line[..at]).is_err(), "{at}");
        }
    }
}
