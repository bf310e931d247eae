//! Format files, and records that are read by them.

use tracec_kernel::format::EventFormat;
use tracec_kernel::record::Decoder;

/// Reads a format file; if it is valid, reads records by it: one of zeroes, and the file's own bytes.
pub fn format_file(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let Ok(format) = EventFormat::parse("fuzz", text) else { return };
    assert!(format.common <= format.fields.len());
    for field in format.fields.iter() {
        assert!(!field.name.is_empty());
        let integer = field.integer();
        assert!(integer.is_none_or(|integer| matches!(integer.bytes, 1 | 2 | 4 | 8)), "{integer:?}");
        let _ = (field.is_pointer(), field.is_argument());
    }
    let id = format.id;
    let decoder = Decoder::new(vec![format]);
    assert!(decoder.format(id).is_some());
    let mut zeroes = vec![0; data.len().min(4096)];
    record(&decoder, &zeroes);
    record(&decoder, data);
    for at in [0, 1] {
        if let Some(place) = zeroes.get_mut(at..at + 2) {
            place.copy_from_slice(&id.to_ne_bytes());
            record(&decoder, &zeroes);
        }
    }
}

/// Reads every part of a record.
fn record(decoder: &Decoder, data: &[u8]) {
    let Ok(record) = decoder.record(data) else { return };
    let _ = (record.common_pid(), record.common_flags(), record.common_preempt_count());
    for (field, value) in record.fields() {
        match value {
            Ok(value) => drop(format!("{value:?}")),
            Err(error) => assert!(!error.to_string().is_empty(), "{}", field.name),
        }
    }
    if let Some(stack) = record.stack() {
        assert!(stack.count() <= data.len());
    }
}
