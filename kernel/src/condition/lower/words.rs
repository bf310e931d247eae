//! Operands that only some kernels support: masks of CPUs, and addresses in a function.

use super::LowerError;
use super::error::Leaf;
use super::filter::{Filter, Work};
use crate::condition::ir::MaskTest;
use crate::condition::ranges::Ranges;
use crate::filter::Model;
use crate::format::{Field, FieldKind};

/// The highest number that `bitmap_parselist` (lib/bitmap-str.c) accepts as a CPU.
pub(in crate::condition) const LAST_CPU: i128 = i32::MAX as i128;

/// Returns `field & CPUS{..}`, the one test that depends only on the listed CPUs' bits.
pub(super) fn mask(
    leaf: &Leaf,
    of: &Field,
    test: MaskTest,
    cpus: &Ranges,
    model: &Model,
) -> Result<Filter, LowerError> {
    // `filter_assign_type` does not know the relative type.
    if of.kind != FieldKind::DynCpumask {
        return Err(LowerError::NotMask { leaf: leaf.clone(), type_text: of.type_text.to_string() });
    }
    for (first, last) in cpus.iter() {
        let outside = if first < 0 { first } else { last };
        if !(0..=LAST_CPU).contains(&outside) {
            return Err(LowerError::OutOfRange { leaf: leaf.clone(), value: outside, min: 0, max: LAST_CPU });
        }
    }
    if test != MaskTest::Any {
        return Err(LowerError::WholeMask { leaf: leaf.clone() });
    }
    if !model.cpu_lists {
        return Err(LowerError::Feature { leaf: leaf.clone(), feature: "filter-cpus" });
    }
    let last = cpus.iter().next_back().map(|(_, last)| last);
    if let (Some(cpu), Some(count)) = (last, model.cpus)
        && cpu >= i128::from(count)
    {
        return Err(LowerError::NoSuchCpu { leaf: leaf.clone(), cpu, count });
    }
    let region = |(first, last)| if first == last { format!("{first}") } else { format!("{first}-{last}") };
    let list: Vec<String> = cpus.iter().map(region).collect();
    // A list without any CPU has to be a valid list all the same: `CPUS{}` is not one.
    let list = if list.is_empty() { ",".to_owned() } else { list.join(",") };
    Ok(Filter::Predicate(format!("{} & CPUS{{{list}}}", leaf.operand), Work::Compare))
}

/// Returns `field.function == name`.
pub(super) fn function(leaf: &Leaf, of: &Field, name: &str, model: &Model) -> Result<Filter, LowerError> {
    if !matches!(of.kind, FieldKind::Int | FieldKind::CharPtr) || of.size != 8 {
        return Err(LowerError::NotAddress { leaf: leaf.clone(), size: of.size });
    }
    // With a digit in front it would be parsed as an address. The name of a module's function has a colon.
    let of_a_symbol = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'$' | b':');
    if name.is_empty() || name.as_bytes()[0].is_ascii_digit() || !name.bytes().all(of_a_symbol) {
        return Err(LowerError::FunctionName { leaf: leaf.clone(), name: name.to_owned() });
    }
    if !model.functions {
        return Err(LowerError::Feature { leaf: leaf.clone(), feature: "filter-function" });
    }
    Ok(Filter::Function(format!("{}.function == {name}", leaf.operand)))
}
