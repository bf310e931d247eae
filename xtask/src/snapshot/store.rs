//! A snapshot on disk: one file, each entry a readable line, followed by the contents unchanged.
//!
//! `KIND MODE UID:GID CONTENTS PATH`, where CONTENTS is `-` (not read), `errno=N` (refused), or the number of bytes
//! that follow the line, with one newline after them.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::path::Path;

use anyhow::{Context, Result, bail};

use super::state::{Contents, Kind, State};

const FILE: &str = "tracefs.snapshot";
const HEADER: &str = "tracing state, form 1\n";

pub(super) fn save(entries: &BTreeMap<String, State>, directory: &Path) -> Result<()> {
    let path = directory.join(FILE);
    fs::create_dir_all(directory).with_context(|| format!("cannot create {}", directory.display()))?;
    fs::write(&path, encode(entries)?).with_context(|| format!("cannot write {}", path.display()))
}

pub(super) fn load(directory: &Path) -> Result<BTreeMap<String, State>> {
    let path = directory.join(FILE);
    let bytes = fs::read(&path).with_context(|| format!("cannot read {}", path.display()))?;
    decode(&bytes).with_context(|| format!("{} is damaged", path.display()))
}

fn encode(entries: &BTreeMap<String, State>) -> Result<Vec<u8>> {
    let mut out = HEADER.as_bytes().to_vec();
    for (path, state) in entries {
        match &state.contents {
            Contents::Unread => writeln!(out, "{state} - {path}")?,
            Contents::Refused(errno) => writeln!(out, "{state} errno={errno} {path}")?,
            Contents::Bytes(bytes) => {
                writeln!(out, "{state} {} {path}", bytes.len())?;
                out.extend_from_slice(bytes);
                out.push(b'\n');
            }
        }
    }
    Ok(out)
}

fn decode(bytes: &[u8]) -> Result<BTreeMap<String, State>> {
    let mut rest = bytes.strip_prefix(HEADER.as_bytes()).context("it does not begin as a picture does")?;
    let mut entries = BTreeMap::new();
    while !rest.is_empty() {
        let end = rest.iter().position(|&byte| byte == b'\n').context("it ends within a line")?;
        let line = std::str::from_utf8(&rest[..end]).context("a line is not text")?;
        rest = &rest[end + 1..];
        let (path, mut state, contents) = head(line).with_context(|| format!("a wrong line: `{line}`"))?;
        state.contents = match contents {
            "-" => Contents::Unread,
            word => match word.strip_prefix("errno=") {
                Some(errno) => Contents::Refused(errno.parse().context("a wrong error number")?),
                None => Contents::Bytes(take(&mut rest, word.parse().context("a wrong length")?)?),
            },
        };
        entries.insert(path.to_owned(), state);
    }
    Ok(entries)
}

/// Reads the path, the state without its contents, and the word for the contents.
fn head(line: &str) -> Option<(&str, State, &str)> {
    let mut words = line.splitn(5, ' ');
    let kind = Kind::parse(words.next()?)?;
    let mode = u32::from_str_radix(words.next()?, 8).ok()?;
    let (uid, gid) = words.next()?.split_once(':')?;
    let (uid, gid) = (uid.parse().ok()?, gid.parse().ok()?);
    let contents = words.next()?;
    Some((words.next()?, State { kind, mode, uid, gid, contents: Contents::Unread }, contents))
}

fn take(rest: &mut &[u8], length: usize) -> Result<Vec<u8>> {
    let Some((bytes, after)) = rest.split_at_checked(length) else { bail!("it ends within a file") };
    *rest = after.strip_prefix(b"\n").context("a file is longer than its line says")?;
    Ok(bytes.to_vec())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn picture() -> BTreeMap<String, State> {
        let state = |kind, contents| State { kind, mode: 0o640, uid: 0, gid: 65534, contents };
        [
            ("events", state(Kind::Directory, Contents::Unread)),
            ("a path", state(Kind::File, Contents::Bytes(b"file 0 0:0 5 x\n\xff\0".to_vec()))),
            ("empty", state(Kind::File, Contents::Bytes(Vec::new()))),
            ("refused", state(Kind::File, Contents::Refused(22))),
            ("mount /x", State::mount(b"rw 0 0")),
        ]
        .map(|(path, state)| (path.to_owned(), state))
        .into()
    }

    #[test]
    fn a_picture_comes_back_as_it_was() {
        let directory = tempfile::tempdir().unwrap();
        let place = directory.path().join("new/deep");
        save(&picture(), &place).unwrap();
        assert_eq!(load(&place).unwrap(), picture());
        assert!(load(directory.path()).is_err());
    }

    #[test]
    fn a_truncated_picture_is_damaged_or_lacks_its_end() {
        let bytes = encode(&picture()).unwrap();
        for length in 0..bytes.len() {
            if let Ok(entries) = decode(&bytes[..length]) {
                assert!(entries.len() < picture().len(), "{length} bytes");
            }
        }
    }

    #[test]
    fn damage_is_found() {
        let with = |line: &str| decode(format!("{HEADER}{line}").as_bytes());
        assert!(with("file 0640 0:0 3 a\nxyz\n").is_ok());
        for line in [
            "file 0640 0:0 2 a\nxyz\n",
            "file 0640 0:0 99999999999999999999 a\nxyz\n",
            "file 0640 0:0 18446744073709551615 a\nxyz\n",
            "fire 0640 0:0 - a\n",
            "file 0980 0:0 - a\n",
            "file 0640 00 - a\n",
            "file 0640 0:0 errno=x a\n",
            "file 0640 0:0 -\n",
            "\n",
        ] {
            assert!(with(line).is_err(), "{line:?}");
        }
        assert!(decode(b"another file\n").is_err());
    }
}
