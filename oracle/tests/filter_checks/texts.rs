//! Comparisons of text.

use tracec_kernel::filter::Model;

use super::{Bytes, Moment, assert_matches, everything, parse};

fn fixed(name: &[u8; 8]) -> Bytes {
    Bytes::new().put(48, name)
}

#[test]
fn a_fixed_array_ends_at_its_nul_for_some_operators() {
    let record = fixed(b"abc\0xyz\0");
    let passes = [
        "name == 'abc'",
        "name != 'ab'",
        "name ~ 'abc'",
        "name ~ 'ab*'",
        "name ~ 'a?c'",
        "name ~ 'a*c'",
        "name ~ '*b*'",
        "name ~ '*'",
        "name ~ '**'",
        "name ~ '!x*'",
        "name ~ '?*c'",
        "name ~ '*a*c'",
        // After the NUL.
        "name ~ '*yz*'",
        "name ~ '*xyz'",
    ];
    let fails = [
        "name == 'abcd'",
        "name == 'ABC'",
        "name == 'ab'",
        "name == ''",
        "name ~ ''",
        "name ~ '*abc'",
        "name ~ '*bc'",
        "name ~ '!abc'",
        "name ~ 'abc?'",
        "name ~ '*a*yz'",
        "name ~ 'abc?xyz'",
        "name != 'abc'",
        "name ~ 'abc[!-]'",
    ];
    assert_matches(&record, &Moment::default(), &passes, &fails);
    let full = fixed(b"abcdefg\0");
    assert_matches(&full, &Moment::default(), &["name ~ '*efg'", "name ~ '*abcdefg'"], &["name ~ '*ef'"]);
}

#[test]
fn an_inverted_class_takes_the_nul_on_6_1() {
    let event = everything();
    let passes = |text: &str, model: &Model, name: &[u8; 8]| {
        parse(text, &event, model).unwrap().matches(&fixed(name).0, &Moment::default())
    };
    for (text, name, old, new) in [
        ("name ~ 'abc[!-]'", b"abc\0\0\0\0\0", true, false),
        ("name ~ 'abc[!-]*'", b"abc\0\0\0\0\0", true, false),
        ("name ~ 'abc[!-]'", b"abc\0xyz\0", false, false),
        ("name ~ 'abc[!-]xyz'", b"abc\0xyz\0", true, false),
        ("name ~ 'abc[a-z]*'", b"abc\0xyz\0", false, false),
        ("name ~ 'ab[!-]'", b"abc\0xyz\0", true, true),
        ("name ~ 'ab[!c]*'", b"abc\0xyz\0", false, false),
    ] {
        assert_eq!(passes(text, &Model::LINUX_6_1, name), old, "{text}");
        assert_eq!(passes(text, &Model::LINUX_6_12, name), new, "{text}");
        assert_eq!(passes(text, &Model::LINUX_6_18, name), new, "{text}");
    }
}

#[test]
fn a_digit_makes_a_pattern_plain() {
    let record = fixed(b"1ab\0\0\0\0\0");
    let passes = ["name ~ '1ab'", "name ~ '[1]*'", "name ~ '?ab'", "name ~ '!1*'"];
    assert_matches(&record, &Moment::default(), &passes, &["name ~ '1*'", "name ~ '1?b'", "name ~ '!1ab'"]);
    assert_matches(&fixed(b"1*\0\0\0\0\0\0"), &Moment::default(), &["name ~ '1*'"], &["name ~ '!1*'"]);
}

#[test]
fn text_without_a_nul_shows_the_bound() {
    let event = everything();
    let unbounded = Model { bounded_text: false, ..Model::LINUX_6_18 };
    let record = Bytes::new().put(56, b"abcdef").put(62, b"gh");
    for (text, bound, free) in [
        ("addr == 'abcdef'", true, true),
        ("addr == 'abcde'", false, false),
        ("addr == 'abcdefgh'", false, true),
        ("addr == 'abcdefxx'", false, true),
        ("addr != 'abcdefxx'", true, false),
        ("addr ~ 'abcdefxx'", false, true),
        ("addr ~ 'abcdef*'", true, true),
        ("addr ~ 'abcdefg*'", false, false),
        ("addr ~ 'a?cdef'", true, false),
        ("addr ~ 'a?cdefgh'", false, true),
        ("addr ~ 'a?c*'", true, true),
        ("addr ~ '*bcde'", true, true),
        ("addr ~ '*cdef'", false, false),
        ("addr ~ '*def*'", true, true),
        ("addr ~ '*efg*'", false, false),
    ] {
        for (model, expected) in [(Model::LINUX_6_1, bound), (Model::LINUX_6_18, bound), (unbounded, free)] {
            let filter = parse(text, &event, &model).unwrap();
            assert_eq!(filter.matches(&record.0, &Moment::default()), expected, "{text} {model:?}");
        }
    }
}

#[test]
fn dynamic_text_has_its_length() {
    let absolute = Bytes::new().located(72, 0, 4).tail(b"abc\0rest");
    let relative = Bytes::new().located(76, 80, 4).tail(b"abc\0rest");
    for (field, record) in [("text", absolute), ("rel", relative)] {
        let texts = |texts: &[&str]| texts.iter().map(|text| text.replace("F", field)).collect::<Vec<_>>();
        let passes = texts(&[
            "F == 'abc'",
            "F != 'abcd'",
            "F ~ '*abc'",
            "F ~ '*bc'",
            "F ~ '*c'",
            "F ~ 'a*'",
            "F ~ 'a?c'",
            "F ~ '*'",
            "F ~ '!x'",
        ]);
        let fails =
            texts(&["F == 'ab'", "F ~ '*rest*'", "F ~ 'abcr*'", "F ~ '*ab'", "F != 'abc'", "F ~ 'abc?'"]);
        let slices = |texts: &'static [String]| texts.iter().map(String::as_str).collect::<Vec<_>>();
        let (passes, fails) = (slices(passes.leak()), slices(fails.leak()));
        assert_matches(&record, &Moment::default(), &passes, &fails);
    }
}

#[test]
fn a_length_of_zero_reads_on_to_a_nul() {
    let record = Bytes::new().located(72, 0, 0).tail(b"ab\0");
    let passes =
        ["text == 'ab'", "text ~ 'a*'", "text ~ '*b*'", "rest == 'ab'", "rest ~ 'a*'", "rest ~ '**'"];
    // A suffix and a bounded glob use the length as it is.
    let fails = ["text ~ '*b'", "text ~ '*'", "text ~ 'a?'", "text == ''", "rest ~ '?b'"];
    assert_matches(&record, &Moment::default(), &passes, &fails);
    let empty = Bytes::new().located(72, 0, 0);
    assert_matches(&empty, &Moment::default(), &["text == ''", "text ~ '**'"], &["text ~ '*'", "text != ''"]);
    // A location word that points outside of the record.
    let outside = Bytes::new().put(72, &(4_u32 << 16 | 81).to_ne_bytes());
    assert_matches(&outside, &Moment::default(), &[], &["text == ''", "text != 'x'", "text ~ '*'"]);
}

#[test]
fn pointers_are_followed_in_their_memory() {
    let moment = |text: &[u8]| Moment { text: text.to_vec(), ..Moment::default() };
    let kernel = Bytes::new().put(64, &1000_u64.to_ne_bytes());
    let user = Bytes::new().put(64, &2000_u64.to_ne_bytes());
    let passes =
        ["pointer == 'abc'", "pointer ~ '*bc'", "pointer ~ 'a*'", "pointer ~ 'a?c'", "pointer != 'ab'"];
    let faults = [
        "pointer.ustring == 'abc'",
        "pointer.ustring != 'abc'",
        "pointer.ustring ~ '*'",
        "pointer.ustring ~ '!x'",
    ];
    assert_matches(&kernel, &moment(b"abc"), &passes, &faults);
    // The bytes after a NUL are not copied.
    assert_matches(
        &kernel,
        &moment(b"abc\0def"),
        &["pointer == 'abc'", "pointer ~ '*bc'"],
        &["pointer ~ '*def*'"],
    );
    let user_passes =
        ["pointer.ustring == 'abc'", "pointer.ustring != 'x'", "!pointer == 'abc'", "!pointer != 'abc'"];
    assert_matches(&user, &moment(b"abc"), &user_passes, &["pointer == 'abc'", "pointer != 'x'"]);
    assert_matches(
        &user,
        &moment(b""),
        &["pointer.ustring == ''", "pointer.ustring ~ '*'"],
        &["pointer.ustring != ''"],
    );
}

#[test]
fn a_copy_is_cut_at_1023_bytes() {
    let user = Bytes::new().put(64, &2000_u64.to_ne_bytes());
    let with_end = |length: usize| {
        let mut text = vec![b'a'; length];
        text.extend(b"xyz");
        Moment { text, ..Moment::default() }
    };
    assert_matches(&user, &with_end(1020), &["pointer.ustring ~ '*xyz'"], &["pointer.ustring ~ '*xy'"]);
    assert_matches(&user, &with_end(1021), &["pointer.ustring ~ '*xy'"], &["pointer.ustring ~ '*xyz'"]);
    assert_matches(&user, &with_end(1023), &["pointer.ustring ~ '*aa'"], &["pointer.ustring ~ '*x*'"]);
}

#[test]
fn the_name_of_the_task_is_a_fixed_array() {
    let task = |comm| Moment { comm, ..Moment::default() };
    let passes =
        ["COMM == 'abc'", "comm == 'abc'", "COMM ~ 'a*'", "COMM ~ '*bc*'", "COMM != 'ab'", "COMM ~ '?*c'"];
    assert_matches(&Bytes::new(), &task("abc"), &passes, &["COMM ~ '*abc'", "COMM == ''", "COMM ~ '*bc'"]);
    assert_matches(
        &Bytes::new(),
        &task("0123456789abcde"),
        &["COMM ~ '*cde'", "COMM ~ '*e'"],
        &["COMM ~ '*cd'"],
    );
    // A name that is too long is not the name of a task; the kernel cuts names.
    assert_matches(
        &Bytes::new(),
        &task("0123456789abcdefgh"),
        &["COMM == '0123456789abcde'"],
        &["COMM ~ '*f*'"],
    );
    assert_matches(&Bytes::new(), &task("abc\0old"), &["COMM == 'abc'"], &["COMM ~ '*old*'"]);
}
