//! The layouts by which the records of a trace.dat file are shown: the texts of `format` files, and the section that has
//! them.

use std::io;

use tracec_kernel::format::EventFormat;
use tracec_kernel::shown::ShownEvent;

/// Makes the text of a `format` file that of the layout by which the records of its event are shown.
///
/// # Errors
/// The text is of another form, so that it might name what is not to be shown.
pub(crate) fn show(system: &str, text: &mut Vec<u8>, shown: &[ShownEvent]) -> io::Result<()> {
    let is_of_system = |event: &&ShownEvent| event.event.split_once(':').is_some_and(|(of, _)| of == system);
    let mut of_system = shown.iter().filter(is_of_system).peekable();
    if of_system.peek().is_none() {
        return Ok(());
    }
    let read = std::str::from_utf8(text).map_err(|_| unreadable())?;
    let event = EventFormat::parse(system, read).map_err(|_| unreadable())?.qualified_name();
    if let Some(event) = of_system.find(|shown| shown.event == event) {
        *text = event.text(system, read).ok_or_else(unreadable)?.into_bytes();
    }
    Ok(())
}

/// Returns the body of a section of layouts with those by which records are shown: a number of systems, each with its name,
/// the number of its events, and the texts behind their sizes (trace-cmd.dat.v7(5)).
///
/// # Errors
/// The body ends early, or a text is of another form.
pub(crate) fn formats_shown(body: &[u8], big_endian: bool, shown: &[ShownEvent]) -> io::Result<Vec<u8>> {
    let mut reader = Reader { rest: body, big_endian };
    let mut out = Vec::with_capacity(body.len());
    let systems = reader.number::<4>(&mut out)?;
    for _ in 0..systems {
        let end = reader.rest.iter().position(|byte| *byte == 0).ok_or_else(unreadable)?;
        let name = reader.take(end + 1)?;
        out.extend_from_slice(name);
        let system = String::from_utf8_lossy(name.get(..end).unwrap_or_default());
        for _ in 0..reader.number::<4>(&mut out)? {
            let size = reader.number::<8>(&mut Vec::new())?;
            let mut text = reader.take(usize::try_from(size).map_err(|_| unreadable())?)?.to_vec();
            show(&system, &mut text, shown)?;
            let size = text.len() as u64;
            out.extend(if big_endian { size.to_be_bytes() } else { size.to_le_bytes() });
            out.append(&mut text);
        }
    }
    out.extend_from_slice(reader.rest);
    Ok(out)
}

/// The bytes of a section that are still to be read.
struct Reader<'b> {
    rest: &'b [u8],
    big_endian: bool,
}

impl<'b> Reader<'b> {
    fn take(&mut self, size: usize) -> io::Result<&'b [u8]> {
        let (taken, rest) = self.rest.split_at_checked(size).ok_or_else(unreadable)?;
        self.rest = rest;
        Ok(taken)
    }

    /// Reads a number of `N` bytes, and copies it.
    fn number<const N: usize>(&mut self, copy: &mut Vec<u8>) -> io::Result<u64> {
        let bytes = self.take(N)?;
        copy.extend_from_slice(bytes);
        let add = |sum: u64, byte: &u8| sum << 8 | u64::from(*byte);
        Ok(if self.big_endian { bytes.iter().fold(0, add) } else { bytes.iter().rev().fold(0, add) })
    }
}

fn unreadable() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, "the layouts of the events cannot be understood")
}

#[cfg(test)]
mod tests {
    use super::*;

    const FORMAT: &str = "name: b\nID: 7\nformat:\n\
        \tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n\n\
        \tfield:u32 x;\toffset:8;\tsize:4;\tsigned:0;\n\
        \tfield:u32 y;\toffset:12;\tsize:4;\tsigned:0;\n\nprint fmt: \"%u\", REC->y\n";

    fn body(texts: &[&str], big_endian: bool) -> Vec<u8> {
        let short = |number: u32| if big_endian { number.to_be_bytes() } else { number.to_le_bytes() };
        let mut body = [&short(2)[..], b"other\0", &short(0), b"a\0", &short(texts.len() as u32)].concat();
        for text in texts {
            let size = text.len() as u64;
            body.extend(if big_endian { size.to_be_bytes() } else { size.to_le_bytes() });
            body.extend(text.as_bytes());
        }
        body
    }

    #[test]
    fn section_has_the_layouts_that_are_shown() {
        let hidden =
            ShownEvent { event: "a:b".to_owned(), left_out: vec!["x".to_owned()], ..ShownEvent::default() };
        let other = FORMAT.replace("name: b", "name: c");
        let expected = hidden.text("a", FORMAT).unwrap();
        assert!(!expected.contains("u32 x"));
        for big_endian in [false, true] {
            let shown = formats_shown(
                &body(&[FORMAT, &other], big_endian),
                big_endian,
                std::slice::from_ref(&hidden),
            );
            assert_eq!(shown.unwrap(), body(&[&expected, &other], big_endian));
        }
    }

    #[test]
    fn damaged_section_and_layout_that_cannot_be_read_are_refused() {
        let hidden =
            ShownEvent { event: "a:b".to_owned(), left_out: vec!["x".to_owned()], ..ShownEvent::default() };
        let whole = body(&[FORMAT], false);
        for length in 0..whole.len() {
            assert!(
                formats_shown(&whole[..length], false, std::slice::from_ref(&hidden)).is_err(),
                "{length}"
            );
        }
        assert!(formats_shown(&body(&["name: b\n"], false), false, &[hidden]).is_err());
    }
}
