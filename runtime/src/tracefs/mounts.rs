//! The mounts of tracefs in `/proc/self/mounts`.

use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::path::PathBuf;

/// Returns directories that are or may contain tracefs, the preferred ones first: tracefs before debugfs (whose
/// `tracing` is kept for old programs, fs/tracefs/inode.c), writable before read-only.
pub(crate) fn candidates(mounts: &[u8]) -> Vec<PathBuf> {
    let mut found: Vec<(u8, PathBuf)> = mounts.split(|&byte| byte == b'\n').filter_map(candidate).collect();
    found.sort_by_key(|(rank, _)| *rank);
    found.into_iter().map(|(_, path)| path).collect()
}

fn candidate(line: &[u8]) -> Option<(u8, PathBuf)> {
    let mut words = line.split(|&byte| byte == b' ');
    let (_device, directory, kind, options) = (words.next()?, words.next()?, words.next()?, words.next()?);
    let read_only = options.split(|&byte| byte == b',').any(|option| option == b"ro");
    let mut path = PathBuf::from(OsString::from_vec(unescape(directory)));
    let rank = match kind {
        b"tracefs" => 0,
        b"debugfs" => {
            path.push("tracing");
            2
        }
        _ => return None,
    };
    Some((rank + u8::from(read_only), path))
}

/// Replaces escapes: blank, tab, newline and backslash are written as three octal digits (fs/proc_namespace.c,
/// `mangle`).
fn unescape(text: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some((&first, behind)) = rest.split_first() {
        match (first, behind) {
            (b'\\', [a @ b'0'..=b'3', b @ b'0'..=b'7', c @ b'0'..=b'7', tail @ ..]) => {
                bytes.push((a - b'0') * 64 + (b - b'0') * 8 + (c - b'0'));
                rest = tail;
            }
            _ => {
                bytes.push(first);
                rest = behind;
            }
        }
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tracefs_comes_first_and_read_only_last() {
        let mounts = b"proc /proc proc rw 0 0\n\
            debugfs /sys/kernel/debug debugfs rw,relatime 0 0\n\
            tracefs /ro tracefs ro,nosuid 0 0\n\
            nodev /sys/kernel/tracing tracefs rw,error=x 0 0\n";
        let expected = ["/sys/kernel/tracing", "/ro", "/sys/kernel/debug/tracing"];
        assert_eq!(candidates(mounts), expected.map(PathBuf::from));
    }

    #[test]
    fn octal_escapes_are_replaced() {
        assert_eq!(candidates(b"x /a\\040b\\134c\\011 tracefs rw 0 0"), [PathBuf::from("/a b\\c\t")]);
        assert_eq!(unescape(b"a\\04"), b"a\\04");
        assert_eq!(unescape(b"\\999\\377\\"), b"\\999\xff\\");
    }

    #[test]
    fn malformed_lines_are_skipped() {
        assert!(candidates(b"").is_empty());
        assert!(candidates(b"tracefs\n\n /a tracefs\nx /a tracefs").is_empty());
    }
}
