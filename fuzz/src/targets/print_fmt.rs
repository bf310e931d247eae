//! Print formats, and records that are shown by them.

use tracec_kernel::format::EventFormat;
use tracec_kernel::text::{Nothing, Text};

/// The most bytes of text for one byte of the print format or of the record: a width such as `%64d` makes some of one byte.
const MOST: usize = 4096;

/// Reads a format file that ends in a NUL, or at the end, and compiles its print format; if it is valid, shows the record
/// behind the NUL, one of zeroes and one of ones.
pub fn print_fmt(data: &[u8]) {
    let end = data.iter().position(|byte| *byte == 0).unwrap_or(data.len());
    let (text, behind) = data.split_at(end);
    let Ok(text) = std::str::from_utf8(text) else { return };
    let Ok(format) = EventFormat::parse("fuzz", text) else { return };
    let text = match Text::compile(&format, &Nothing) {
        Ok(text) => text,
        Err(error) => return assert!(!error.to_string().is_empty()),
    };
    let fields = format.fields.iter().map(|field| field.offset as usize + field.size as usize);
    let length = fields.max().unwrap_or(0).min(4096);
    for record in [behind.get(1..).unwrap_or_default(), &vec![0; length], &vec![0xff; length]] {
        let (mut first, mut second, mut line) = (Vec::new(), Vec::new(), Vec::new());
        text.render(record, &Nothing, &mut first);
        text.render(record, &Nothing, &mut second);
        assert_eq!(first, second, "a text depends on what was shown before");
        text.render_line(record, &Nothing, &mut line);
        let most = MOST * (data.len() + record.len() + 1);
        assert!(first.len() <= most && line.len() <= most, "{} bytes of text", first.len());
    }
}
