//! The kernel compares four bytes of an array as the number that they are in memory, as conditions on IPv4 addresses
//! assume.

use tracec_kernel::condition::context::NoContext;
use tracec_kernel::condition::ir::{CompareOp, Condition, Number};
use tracec_kernel::condition::lower::{Lowered, Spelling, lower};
use tracec_kernel::filter::Model;
use tracec_kernel::format::EventFormat;
use tracec_oracle::filter::Filter;

use super::CONTEXT;

#[test]
fn bytes_of_an_address_are_compared_as_a_number() {
    let format = "name: e\nID: 1\nformat:\n\
        \tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n\
        \tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n\
        \tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n\
        \tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n\
        \tfield:__u8 saddr[4];\toffset:8;\tsize:4;\tsigned:0;\n\nprint fmt: \"\"\n";
    let event = EventFormat::parse("s", format).expect("a format");
    let saddr = Number::Field(event.field("saddr").and_then(|field| field.packed()).expect("four bytes"));
    let address = u32::from_le_bytes([10, 0, 0, 1]);
    let condition = Condition::compare(saddr.clone(), CompareOp::Eq, address.into());
    let model = Model::LINUX_6_18;
    let Ok(Lowered::Text(text)) = lower(&condition, &Spelling::USUAL, &model) else { panic!("no text") };
    let filter = Filter::parse(text.as_bytes(), &event, &model, &CONTEXT).expect("a filter");
    let record = |bytes: [u8; 4]| [[1, 0, 0, 0], [0; 4], bytes].concat();

    for (bytes, holds) in [([10, 0, 0, 1], true), ([1, 0, 0, 10], false), ([10, 0, 0, 2], false)] {
        assert_eq!(filter.matches(&record(bytes), &NoContext), holds, "{text}: {bytes:?}");
    }
}
