//! Comparisons, sets and bit tests of integers.

use super::*;
use crate::format::IntegerType;

#[test]
fn integers_are_decimal_and_in_range() {
    use CompareOp::*;
    says(compare(pid(), Ne, -5), "pid != -5");
    says(compare(int("x", "u64", 8, false), Eq, u64::MAX.into()), "x == 18446744073709551615");
    says(compare(int("x", "s64", 8, true), Ge, i64::MIN.into()), "x >= -9223372036854775808");
    says(compare(int("p", "void *", 8, false), Ne, 0), "p != 0");
    refuses(compare(int("x", "u8", 1, false), Eq, 256), "0 to 255");
    refuses(compare(int("x", "u8", 1, false), Eq, -1), "0 to 255");
    refuses(compare(int("x", "s16", 2, true), Lt, 40_000), "-32768 to 32767");
    refuses(compare(int("x", "u64", 8, false), Eq, -1), "0 to 18446744073709551615");
    refuses(compare(int("x", "s64", 8, true), Eq, 1 << 63), "9223372036854775807");
    refuses(compare(Number::Cpu, Eq, 1 << 31), "CPU");
    refuses(compare(int("flags", "unsigned int", 8, false), Eq, -1), "outside");
}

#[test]
fn operand_that_the_kernel_never_matches_is_refused() {
    use CompareOp::*;
    let opaque = |line| Number::Field(field(line));
    let structure = opaque("\tfield:struct timespec64 t;\toffset:8;\tsize:16;\tsigned:0;");
    refuses(compare(structure, Ne, 1), "struct timespec64");
    let array = opaque("\tfield:u8 addr[4];\toffset:8;\tsize:4;\tsigned:0;");
    refuses(compare(array, Eq, 1), "u8[4]");
    let mask = opaque("\tfield:__data_loc cpumask_t cpus;\toffset:8;\tsize:4;\tsigned:0;");
    refuses(compare(mask.clone(), Eq, 1), "cpumask_t");
    refuses(any_bit(mask, 1), "cpumask_t");
    refuses(any_bit(Number::Cpu, 1), "CPU number");
    let Number::Field(number) = pid() else { unreachable!("pid() is a field") };
    refuses(eq(Text::Field(number.clone()), "1"), "`pid` is not a string");
    let mut odd = number;
    odd.size = 3;
    refuses(compare(Number::Field(odd.clone()), Eq, 1), "pid_t");
    odd.name = "a b".into();
    refuses(compare(Number::Field(odd), Eq, 1), "`a b`");
}

#[test]
fn comparison_that_needs_arithmetic_is_refused() {
    use CompareOp::*;
    let wide = || int("x", "u64", 8, false);
    let with = |op, number, constant| Number::binary(op, number, Number::Const(constant));
    refuses(Condition::Atom(Atom::Compare { left: pid(), op: Eq, right: dfd() }), "computes nothing");
    let sum = Number::binary(NumberOp::Add, pid(), Number::Cpu);
    refuses(compare(sum.clone(), Eq, 1), "computes nothing");
    refuses(within(sum, &[(1, 2)]), "computes nothing");
    refuses(bits(pid(), 6, Gt, 1), "computes nothing");
    refuses(compare(with(NumberOp::Rem, pid(), 4), Eq, 1), "computes nothing");
    refuses(compare(with(NumberOp::Xor, pid(), 4), Eq, 1), "computes nothing");
    refuses(compare(with(NumberOp::Div, pid(), 0), Eq, 1), "computes nothing");
    refuses(compare(with(NumberOp::Div, pid(), -2), Eq, 1), "computes nothing");
    // The number wraps more often than is solved.
    refuses(compare(with(NumberOp::Mul, wide(), 7), Eq, 1), "computes nothing");
    refuses(compare(with(NumberOp::Shr, pid(), 64), Eq, 1), "computes nothing");
    let byte = IntegerType { bytes: 1, signed: false };
    refuses(compare(Number::Cast { to: byte, of: Box::new(pid()) }, Gt, 1), "computes nothing");
    refuses(compare(Number::Cast { to: byte, of: Box::new(Number::Cpu) }, Eq, 1), "CPU number");
}

/// A test of a computed number becomes a test of its field.
#[test]
fn arithmetic_with_constants_is_solved() {
    use CompareOp::*;
    use NumberOp::*;
    let u64_ = || int("x", "u64", 8, false);
    let u32_ = || int("x", "u32", 4, false);
    let u8_ = || int("x", "u8", 1, false);
    let s32 = || int("x", "s32", 4, true);
    let s64 = || int("x", "s64", 8, true);
    let with = |number, op, constant| Number::binary(op, number, Number::Const(constant));
    let from = |constant, op, number| Number::binary(op, Number::Const(constant), number);
    let cast = |of, bytes, signed| Number::Cast { to: IntegerType { bytes, signed }, of: Box::new(of) };
    for (number, op, value, text) in [
        (with(u32_(), Add, 1), Eq, 5, "x == 4"),
        (with(u32_(), Add, 1), Ne, 5, "x != 4"),
        (with(u32_(), Add, 1), Lt, 5, "x <= 3"),
        (with(s32(), Sub, 10), Ge, -5, "x >= 5"),
        (from(10, Sub, s32()), Gt, 7, "x <= 2"),
        (from(2, Mul, with(s32(), Add, 3)), Eq, 8, "x == 1"),
        // At 64 bits the sum wraps.
        (with(u64_(), Add, 1), Lt, 2, "x == 0 || x == 18446744073709551615"),
        (with(u64_(), Sub, 1), Ge, 5, "x == 0 || x >= 6"),
        (with(u32_(), Mul, 4), Le, 10, "x <= 2"),
        (with(s32(), Mul, -4), Le, 10, "x >= -2"),
        (with(u32_(), Shl, 2), Gt, 8, "x >= 3"),
        (with(u32_(), Shr, 4), Eq, 3, "x >= 48 && x <= 63"),
        (with(s32(), Shr, 4), Eq, -1, "x >= -16 && x <= -1"),
        (with(u32_(), Div, 10), Eq, 3, "x >= 30 && x <= 39"),
        (with(s32(), Div, 10), Eq, 0, "x >= -9 && x <= 9"),
        (with(s32(), Div, 10), Lt, 0, "x <= -10"),
        (with(s64(), Div, 1000), Gt, 5, "x >= 6000"),
        (cast(u8_(), 1, true), Lt, 0, "x >= 128"),
        (cast(s32(), 8, false), Eq, u64::MAX.into(), "x == -1"),
        (cast(s32(), 4, false), Ge, 1 << 31, "x <= -1"),
        (cast(u64_(), 8, true), Lt, 0, "x >= 9223372036854775808"),
        // A few bytes are tested bit by bit.
        (cast(u32_(), 1, false), Eq, 3, "x & 1 && x & 2 && !(x & 252)"),
        (cast(u64_(), 2, true), Eq, -1, &bits_of("x", 0, 16)),
        (cast(u32_(), 1, false), Ne, 3, "!(x & 1 && x & 2 && !(x & 252))"),
    ] {
        says(compare(number, op, value), text);
    }
    says(within(with(u32_(), Add, 1), &[(1, 2), (7, 9)]), "x <= 1 || x >= 6 && x <= 8");
    assert_eq!(written(&compare(with(u32_(), Mul, 2), Eq, 3)), Ok(Lowered::Nothing));
    assert_eq!(written(&compare(with(u8_(), Add, 1), Ne, 300)), Ok(Lowered::Everything));
    assert_eq!(written(&compare(cast(u32_(), 1, false), Eq, 256)), Ok(Lowered::Nothing));
    assert_eq!(written(&compare(with(Number::Cpu, Add, 1), Eq, 0)), Ok(Lowered::Nothing));
    says(compare(with(Number::Cpu, Shr, 1), Eq, 1), "CPU >= 2 && CPU <= 3");
    // A number of the other sign with the same bits is another number.
    assert_eq!(written(&bits(u64_(), u64::MAX.into(), Eq, -1)), Ok(Lowered::Nothing));
}

/// Returns one test for each of these bits.
fn bits_of(name: &str, first: u32, count: u32) -> String {
    (first..first + count).map(|bit| format!("{name} & {}", 1u64 << bit)).collect::<Vec<_>>().join(" && ")
}

#[test]
fn sets_are_written_out() {
    says(within(pid(), &[(1, 1), (5, 9)]), "pid == 1 || pid >= 5 && pid <= 9");
    says(within(Number::Cpu, &[(0, 3)]), "CPU <= 3");
    says(within(Number::Cpu, &[(-5, 0), (2, 3)]), "CPU == 0 || CPU >= 2 && CPU <= 3");
    says(within(dfd(), &[(3, 3)]), "dfd & 1 && dfd & 2 && !(dfd & 4294967292)");
    // The complement of the set, where that is shorter.
    let byte = || int("x", "u8", 1, false);
    says(within(byte(), &[(0, 4), (6, 255)]), "x != 5");
    says(within(byte(), &[(0, 4), (6, 8), (10, 255)]), "x != 5 && x != 9");
    says(within(byte(), &[(0, 4), (9, 255)]), "x <= 4 || x >= 9");
    says(within(byte(), &[(1, 1), (3, 255)]), "x == 1 || x >= 3");
    says(within(pid(), &[(i32::MIN.into(), -1), (1, i32::MAX.into())]), "pid != 0");
    assert_eq!(written(&within(byte(), &[(0, 255)])), Ok(Lowered::Everything));
    assert_eq!(written(&within(pid(), &[])), Ok(Lowered::Nothing));
    refuses(within(pid(), &[(1, 1 << 40)]), "outside");
}

#[test]
fn all_bits_of_a_mask_are_asked_one_by_one() {
    use CompareOp::*;
    says(bits(pid(), 6, Eq, 6), "pid & 2 && pid & 4");
    says(bits(pid(), 6, Eq, 2), "pid & 2 && !(pid & 4)");
    says(bits(pid(), 6, Eq, 0), "!(pid & 6)");
    says(bits(pid(), 6, Ne, 6), "!(pid & 2 && pid & 4)");
    assert_eq!(written(&bits(pid(), 6, Eq, 1)), Ok(Lowered::Nothing));
    // The bits above the field's width are copies of its sign.
    let clear = 0xffff_ff8f_u32;
    says(bits(pid(), -8, Eq, 112), &format!("pid & 16 && pid & 32 && pid & 64 && !(pid & {})", clear & !7));
    says(bits(pid(), -8, Eq, -8), &bits_of("pid", 3, 29));
    says(bits(pid(), -(1 << 31), Eq, 0), "!(pid & 2147483648)");
    says(bits(pid(), 1 << 40, Ne, 0), "pid & 2147483648");
    says(bits(pid(), 1 << 40 | 1, Eq, 1), "pid & 1 && !(pid & 2147483648)");
    assert_eq!(written(&bits(pid(), 3 << 40, Eq, 1 << 40)), Ok(Lowered::Nothing));
    assert_eq!(written(&bits(pid(), -1, Eq, 1 << 31)), Ok(Lowered::Nothing));
    says(bits(int("x", "u8", 1, false), 0x1ff, Eq, 3), "x & 1 && x & 2 && !(x & 252)");
    assert_eq!(written(&bits(int("x", "u8", 1, false), 0x100, Eq, 0)), Ok(Lowered::Everything));
    assert_eq!(written(&bits(int("x", "u8", 1, false), 0x100, Eq, 0x100)), Ok(Lowered::Nothing));
    says(bits(dfd(), -8, Eq, 8), "dfd & 8 && !(dfd & 4294967280)");
    assert_eq!(written(&bits(pid(), 6, Ne, 1)), Ok(Lowered::Everything));
}

#[test]
fn bit_tests_are_limited_to_the_width_of_the_field() {
    says(any_bit(int("flags", "unsigned int", 4, false), 0x8000_0000), "flags & 2147483648");
    says(any_bit(int("state", "long", 8, true), i128::from(i64::MIN)), "state & -9223372036854775808");
    says(any_bit(int("state", "long", 8, true), 3), "state & 3");
    says(any_bit(int("x", "u64", 8, false), 1 << 63), "x & 9223372036854775808");
    says(any_bit(dfd(), 0x8000_0000), "dfd & 2147483648");
    assert_eq!(written(&any_bit(int("flags", "unsigned int", 4, false), 1 << 32)), Ok(Lowered::Nothing));
    says(any_bit(dfd(), 1 << 32), "dfd & 2147483648");
}

/// The upper half of the register does not belong to the argument.
#[test]
fn int_argument_is_compared_by_its_low_bits() {
    use CompareOp::*;
    says(compare(dfd(), Eq, 5), "dfd & 1 && dfd & 4 && !(dfd & 4294967290)");
    says(compare(dfd(), Ne, 5), "!(dfd & 1 && dfd & 4 && !(dfd & 4294967290))");
    says(compare(dfd(), Eq, 0), "!(dfd & 4294967295)");
    says(
        compare(dfd(), Eq, -100),
        &format!("dfd & 4 && dfd & 8 && dfd & 16 && {} && !(dfd & 99)", bits_of("dfd", 7, 25)),
    );
    says(compare(dfd(), Lt, 0), "dfd & 2147483648");
    says(compare(dfd(), Ge, 0), "!(dfd & 2147483648)");
    says(
        compare(dfd(), Gt, 4),
        "!(dfd & 2147483648) && (dfd & 2147483640 || dfd & 4 && (dfd & 2 || dfd & 1))",
    );
    says(compare(dfd(), Le, 0), "!(!(dfd & 2147483648) && (dfd & 2147483646 || dfd & 1))");
    assert_eq!(written(&compare(dfd(), Gt, i32::MAX.into())), Ok(Lowered::Nothing));
    refuses(compare(dfd(), Eq, 0xffff_ff9c), "-2147483648 to 2147483647");
}

#[test]
fn unsigned_argument_is_compared_by_its_low_bits() {
    use CompareOp::*;
    let fd = || int("fd", "unsigned int", 8, false);
    let mode = || int("mode", "umode_t", 8, false);
    says(compare(fd(), Eq, 77), "fd & 1 && fd & 4 && fd & 8 && fd & 64 && !(fd & 4294967218)");
    says(compare(fd(), Ne, 0), "fd & 4294967295");
    says(compare(fd(), Eq, u32::MAX.into()), &bits_of("fd", 0, 32));
    says(compare(fd(), Gt, 2), "fd & 4294967292 || fd & 2 && fd & 1");
    says(compare(fd(), Lt, 3), "!(fd & 4294967292 || fd & 2 && fd & 1)");
    says(compare(fd(), Ge, 1 << 31), "fd & 2147483648");
    says(within(fd(), &[(0, 2)]), "!(fd & 4294967292 || fd & 2 && fd & 1)");
    says(within(fd(), &[(1, 1), (4, 4)]), "fd & 1 && !(fd & 4294967294) || fd & 4 && !(fd & 4294967291)");
    says(any_bit(mode(), 0o111), "mode & 73");
    says(compare(mode(), Eq, 0o600), "mode & 128 && mode & 256 && !(mode & 65151)");
    says(bits(mode(), 0o700, Eq, 0o600), "mode & 128 && mode & 256 && !(mode & 64)");
    says(bits(fd(), -8, Eq, 8), "fd & 8 && !(fd & 4294967280)");
    assert_eq!(written(&compare(fd(), Gt, u32::MAX.into())), Ok(Lowered::Nothing));
    assert_eq!(written(&compare(fd(), Ge, 0)), Ok(Lowered::Everything));
    assert_eq!(written(&any_bit(mode(), 1 << 16)), Ok(Lowered::Nothing));
    refuses(compare(fd(), Eq, 0xdead_beef_0000_004d), "0 to 4294967295");
    refuses(compare(mode(), Eq, 1 << 16), "0 to 65535");
}

#[test]
fn long_argument_is_compared_as_the_whole_register() {
    use CompareOp::*;
    let long = || int("n", "long", 8, false);
    says(compare(long(), Eq, -1), "n == 18446744073709551615");
    says(compare(long(), Ne, 3), "n != 3");
    says(compare(long(), Lt, 0), "n >= 9223372036854775808");
    says(compare(long(), Lt, 3), "n < 3 || n >= 9223372036854775808");
    says(compare(long(), Le, -2), "n >= 9223372036854775808 && n <= 18446744073709551614");
    says(compare(long(), Gt, -2), "n < 9223372036854775808 || n > 18446744073709551614");
    says(compare(long(), Ge, 3), "n >= 3 && n < 9223372036854775808");
}
