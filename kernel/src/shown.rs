//! What a session shows of the records of an event: another text, and fields that are left out or blanked.
//!
//! A field that is left out is in no layout any more, so that no reader names it; its bytes are blanked as well, because
//! the records of a file keep their size. A blanked field stays in the layout with the value 0, or as an empty string.

use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

use crate::bytes::ByteOrder;
use crate::c::Expr;
use crate::format::{EventFormat, Field, FieldKind, parse_field};
use crate::page::PageLayout;

/// What a session shows of the records of an event.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ShownEvent {
    /// The event, `system:name`.
    pub event: String,
    /// The `print fmt` that takes the place of the kernel's; `None` keeps it, unless it needs a field that is left out.
    pub print_fmt: Option<String>,
    /// The names of the fields that are left out.
    pub left_out: Vec<String>,
    /// The names of the fields whose values are blanked.
    pub blanked: Vec<String>,
}

impl ShownEvent {
    /// Returns the first field that the event does not have for itself: such a field cannot be left out or blanked.
    pub fn lacking(&self, format: &EventFormat) -> Option<&str> {
        let mut named = self.left_out.iter().chain(&self.blanked);
        named.find(|name| !format.own_fields().iter().any(|field| field.name == **name)).map(String::as_str)
    }

    fn leaves_out(&self, field: &Field) -> bool {
        self.left_out.iter().any(|name| field.name == *name)
    }

    /// Returns the layout by which the records are shown.
    pub fn layout(&self, format: &EventFormat) -> EventFormat {
        let common = format.common_fields().iter();
        let own = format.own_fields().iter().filter(|field| !self.leaves_out(field));
        let fields: Vec<Field> = common.chain(own).cloned().collect();
        let mut shown = EventFormat { fields: fields.into(), ..format.clone() };
        if let Some(print_fmt) = &self.print_fmt {
            shown.print_fmt = print_fmt.into();
        } else if self.left_out.iter().any(|name| uses(format, name)) {
            shown.print_fmt = print_fmt_of_fields(&shown).into();
        }
        shown
    }

    /// Returns the text of the event's `format` file as it is with this layout; `None` for a text of another form.
    pub fn text(&self, system: &str, text: &str) -> Option<String> {
        let format = EventFormat::parse(system, text).ok()?;
        let print_fmt = self.layout(&format).print_fmt;
        let end = text.find("\nprint fmt:")?;
        let (mut shown, mut own) = (String::new(), false);
        for (number, line) in (1..).zip(text.get(..=end)?.split_inclusive('\n')) {
            own |= line.trim().is_empty();
            let field = parse_field(line.trim(), number).ok();
            if !(own && field.is_some_and(|field| self.leaves_out(&field))) {
                shown.push_str(line);
            }
        }
        shown.push_str("print fmt: ");
        shown.push_str(&print_fmt);
        shown.push('\n');
        Some(shown)
    }
}

/// Returns the layouts by which records are shown.
pub fn layouts_shown(formats: &[EventFormat], shown: &[ShownEvent]) -> Vec<EventFormat> {
    let by_name: FxHashMap<&str, &ShownEvent> =
        shown.iter().map(|event| (event.event.as_str(), event)).collect();
    let layout = |format: &EventFormat| match by_name.is_empty() {
        true => format.clone(),
        false => {
            let event = by_name.get(format.qualified_name().as_str());
            event.map_or_else(|| format.clone(), |event| event.layout(format))
        }
    };
    formats.iter().map(layout).collect()
}

/// Returns whether the `print fmt` of an event needs a field. One that cannot be parsed may need all.
fn uses(format: &EventFormat, field: &str) -> bool {
    let Ok(print) = format.print() else { return true };
    print.tree().expressions().any(|(_, expr)| match expr {
        Expr::Member { name, .. } => **name == *field,
        Expr::Dynamic { field: name, .. } => **name == *field,
        Expr::Name(name) => **name == *field,
        _ => false,
    })
}

/// Returns a `print fmt` that shows every field by its name. What only the kernel can show is left out.
fn print_fmt_of_fields(format: &EventFormat) -> String {
    let (mut text, mut arguments) = (String::new(), String::new());
    for field in format.own_fields() {
        let Some((directive, argument)) = directive(field) else { continue };
        let gap = if text.is_empty() { "" } else { " " };
        text.push_str(&format!("{gap}{}={directive}", field.name));
        arguments.push_str(&format!(", {argument}"));
    }
    format!("\"{text}\"{arguments}")
}

/// Returns a directive of printf for the values of a field, and its argument.
fn directive(field: &Field) -> Option<(&'static str, String)> {
    let name = &field.name;
    let array = |address: String, bytes: String, element: u32| {
        ("%s", format!("__print_array({address}, {bytes} / {element}, {element})"))
    };
    let located = |helper: &str| format!("{helper}({name})");
    Some(match field.kind {
        FieldKind::Int if field.is_pointer() => ("0x%lx", format!("(unsigned long)REC->{name}")),
        FieldKind::CharPtr => ("0x%lx", format!("(unsigned long)REC->{name}")),
        FieldKind::Int => match field.integer()? {
            integer if integer.bytes == 8 && integer.signed => ("%lld", format!("(long long)REC->{name}")),
            integer if integer.bytes == 8 => ("%llu", format!("(unsigned long long)REC->{name}")),
            integer if integer.signed => ("%d", format!("(int)REC->{name}")),
            _ => ("%u", format!("(unsigned int)REC->{name}")),
        },
        FieldKind::CharArray => ("%s", format!("REC->{name}")),
        FieldKind::DynString => ("%s", located("__get_str")),
        FieldKind::RelString => ("%s", located("__get_rel_str")),
        FieldKind::DynCpumask => ("%s", located("__get_cpumask")),
        FieldKind::RelCpumask => ("%s", located("__get_rel_cpumask")),
        FieldKind::Array { element } => array(format!("REC->{name}"), field.size.to_string(), element),
        FieldKind::DynArray { element } => {
            array(located("__get_dynamic_array"), located("__get_dynamic_array_len"), element)
        }
        FieldKind::RelArray { element } => {
            array(located("__get_rel_dynamic_array"), located("__get_rel_dynamic_array_len"), element)
        }
        FieldKind::Opaque => return None,
    })
}

/// The bytes of records that are not shown: those of the fields that are left out or blanked.
#[derive(Clone, Debug)]
pub struct Blanks {
    by_id: FxHashMap<u16, Vec<Field>>,
    order: ByteOrder,
    type_offset: usize,
}

/// Returns the blanks of records of which everything is shown.
impl Default for Blanks {
    fn default() -> Self {
        Blanks { by_id: FxHashMap::default(), order: ByteOrder::NATIVE, type_offset: 0 }
    }
}

impl Blanks {
    /// Returns the blanks of records with these layouts, which have the fields that are left out, in pages of a layout.
    pub fn new(shown: &[ShownEvent], formats: &[EventFormat], layout: &PageLayout) -> Self {
        let mut by_id = FxHashMap::default();
        for event in shown {
            let of_event = |format: &&EventFormat| format.qualified_name() == event.event;
            let Some(format) = formats.iter().find(of_event) else { continue };
            let is_named =
                |field: &&Field| event.left_out.iter().chain(&event.blanked).any(|name| field.name == *name);
            let fields: Vec<Field> = format.own_fields().iter().filter(is_named).cloned().collect();
            if !fields.is_empty() {
                by_id.insert(format.id, fields);
            }
        }
        // All events of a kernel share the common fields.
        let common = formats.first().map(EventFormat::common_fields).unwrap_or_default();
        let id = common.iter().find(|field| field.name == "common_type");
        let order = ByteOrder::little_if(layout.little_endian);
        Blanks { by_id, order, type_offset: id.map_or(0, |field| field.offset as usize) }
    }

    /// Returns whether every record is shown as it is.
    pub fn is_empty(&self) -> bool {
        self.by_id.is_empty()
    }

    /// Returns what is shown of a record: the record, or a copy in `buffer` without what is not.
    pub fn shown<'r>(&self, record: &'r [u8], buffer: &'r mut Vec<u8>) -> &'r [u8] {
        if self.by_id.is_empty() || self.fields(record).is_none() {
            return record;
        }
        buffer.clear();
        buffer.extend_from_slice(record);
        self.blank(buffer);
        buffer
    }

    fn fields(&self, record: &[u8]) -> Option<&[Field]> {
        let id = self.order.u16(record, self.type_offset)?;
        self.by_id.get(&id).map(Vec::as_slice)
    }

    /// Sets the bytes that are not shown to 0: those of the fields, and the data behind the fields that they locate. The
    /// words that locate it stay, so that readers find an empty string or an array of zeroes.
    fn blank(&self, record: &mut [u8]) {
        let Some(fields) = self.fields(record) else { return };
        for field in fields {
            let at = field.offset as usize;
            let words = location_words(field);
            if words == 0 {
                // The last field of a record may be an array that ends with it.
                let end = if field.size == 0 { record.len() } else { at.saturating_add(field.size as usize) };
                zero(record, at, end);
            }
            for word in (0..words).map(|index| at.saturating_add(4 * index)) {
                let Some(location) = self.order.u32(record, word) else { continue };
                let (offset, length) = ((location & 0xffff) as usize, (location >> 16) as usize);
                let start = if field.type_text.starts_with(REL) { word + 4 + offset } else { offset };
                zero(record, start, start.saturating_add(length));
            }
        }
    }
}

/// How the type of data begins whose location counts from the word.
const REL: &str = "__rel_loc ";

/// Returns the number of words of a field that say where its data is.
fn location_words(field: &Field) -> usize {
    let located = field.type_text.starts_with("__data_loc ") || field.type_text.starts_with(REL);
    match field.kind {
        // An array of strings of a probe has several.
        FieldKind::Opaque if located => field.size as usize / 4,
        _ => usize::from(located),
    }
}

/// Sets bytes of a record to 0, as far as they are in it.
fn zero(record: &mut [u8], start: usize, end: usize) {
    let end = end.min(record.len());
    if let Some(bytes) = record.get_mut(start..end) {
        bytes.fill(0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::Decoder;
    use crate::text::{Nothing, Text};

    const FORMAT: &str = "name: b\nID: 7\nformat:\n\
        \tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n\
        \tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n\
        \tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n\
        \tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n\
        \tfield:char comm[4];\toffset:8;\tsize:4;\tsigned:0;\n\
        \tfield:int x;\toffset:12;\tsize:4;\tsigned:1;\n\
        \tfield:__data_loc char[] name;\toffset:16;\tsize:4;\tsigned:0;\n\
        \tfield:__rel_loc u16[] list;\toffset:20;\tsize:4;\tsigned:0;\n\n\
        print fmt: \"comm=%s x=%d\", REC->comm, REC->x\n";

    fn format() -> EventFormat {
        EventFormat::parse("a", FORMAT).unwrap()
    }

    fn layout() -> PageLayout {
        PageLayout::default()
    }

    /// Returns a record with `comm`, `x`, a name and a list.
    fn record() -> Vec<u8> {
        let mut record = [7_u16.to_ne_bytes().as_slice(), &[0, 0], &9_i32.to_ne_bytes(), b"abc\0"].concat();
        record.extend((-5_i32).to_ne_bytes());
        record.extend((5 << 16 | 24_u32).to_ne_bytes());
        // Behind the word at 20 there are the eight bytes of the name.
        record.extend((4 << 16 | 8_u32).to_ne_bytes());
        record.extend(b"name\0\0\0\0");
        record.extend([1_u16, 2].map(u16::to_ne_bytes).concat());
        record
    }

    fn shown(left_out: &[&str], blanked: &[&str]) -> ShownEvent {
        let [left_out, blanked] =
            [left_out, blanked].map(|names| names.iter().map(|name| (*name).to_owned()).collect());
        ShownEvent { event: "a:b".to_owned(), print_fmt: None, left_out, blanked }
    }

    fn text(shown: &ShownEvent, record: &[u8]) -> String {
        let text = Text::compile(&shown.layout(&format()), &Nothing).unwrap();
        let mut out = Vec::new();
        text.render(record, &Nothing, &mut out);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn field_that_the_print_fmt_needs_is_left_out_of_a_text_of_the_other_fields() {
        assert_eq!(text(&shown(&["comm"], &[]), &record()), "x=-5 name=name list={0x1,0x2}");
        assert_eq!(text(&shown(&["name"], &[]), &record()), "comm=abc x=-5");
    }

    #[test]
    fn text_of_a_session_takes_the_place_of_the_kernels() {
        let print_fmt = Some("\"%d!\", REC->x".to_owned());
        let shown = ShownEvent { print_fmt, ..shown(&["comm"], &[]) };
        assert_eq!(text(&shown, &record()), "-5!");
        assert!(shown.layout(&format()).field("comm").is_none());
    }

    #[test]
    fn bytes_of_fields_and_of_what_they_locate_are_blanked() {
        let formats = [format()];
        for (field, range) in [("comm", 8..12), ("x", 12..16), ("name", 24..29), ("list", 32..36)] {
            for shown in [shown(&[field], &[]), shown(&[], &[field])] {
                let blanks = Blanks::new(&[shown], &formats, &layout());
                let (whole, mut buffer) = (record(), Vec::new());
                let mut expected = record();
                expected[range.clone()].fill(0);
                assert_eq!(blanks.shown(&whole, &mut buffer), expected, "{field}");
            }
        }
        let decoder = Decoder::new(formats.to_vec());
        let blanks = Blanks::new(&[shown(&[], &["name"])], &formats, &layout());
        let mut blanked = record();
        blanks.blank(&mut blanked);
        let read = decoder.record(&blanked).unwrap();
        assert_eq!(format!("{:?}", read.get("name").unwrap().unwrap()), "Text([])");
    }

    #[test]
    fn location_outside_of_the_record_and_other_events_are_left_alone() {
        let formats = [format()];
        let blanks = Blanks::new(&[shown(&["name"], &["list"])], &formats, &layout());
        let mut outside = record();
        outside[16..20].copy_from_slice(&(0xffff_fff0_u32).to_ne_bytes());
        outside[20..24].copy_from_slice(&(0xffff_ffff_u32).to_ne_bytes());
        let before = outside.clone();
        blanks.blank(&mut outside);
        assert_eq!(outside, before);
        let mut other = record();
        other[..2].copy_from_slice(&8_u16.to_ne_bytes());
        let mut buffer = Vec::new();
        assert_eq!(blanks.shown(&other, &mut buffer), other);
        assert!(blanks.shown(&[], &mut buffer).is_empty());
        (1..record().len()).for_each(|length| blanks.blank(&mut record()[..length]));
    }

    #[test]
    fn text_of_the_format_file_has_the_lines_of_the_kernel_but_those_left_out() {
        let shown = shown(&["comm"], &["x"]);
        let text = shown.text("a", FORMAT).unwrap();
        let (fields, print_fmt) = FORMAT.split_once("print fmt: ").unwrap();
        let without: Vec<&str> =
            fields.split_inclusive('\n').filter(|line| !line.contains("comm[4]")).collect();
        let (kept, last) = text.split_once("print fmt: ").unwrap();
        assert_eq!(kept, without.concat());
        assert_ne!(last, print_fmt);
        assert_eq!(EventFormat::parse("a", &text).unwrap(), shown.layout(&format()));
    }

    #[test]
    fn field_that_the_event_lacks_or_shares_is_found() {
        assert_eq!(shown(&["x"], &["name"]).lacking(&format()), None);
        assert_eq!(shown(&["x", "y"], &[]).lacking(&format()), Some("y"));
        assert_eq!(shown(&[], &["common_pid"]).lacking(&format()), Some("common_pid"));
    }
}
