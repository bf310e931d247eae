//! What conditions are made of by chance, whatever they are about. Shared by path.

use proptest::prelude::*;
use tracec_kernel::condition::ir::CompareOp;
use tracec_kernel::format::IntegerType;

pub(crate) fn integer_type() -> impl Strategy<Value = IntegerType> {
    (proptest::sample::select(&[1u32, 2, 4, 8][..]), any::<bool>())
        .prop_map(|(bytes, signed)| IntegerType { bytes, signed })
}

pub(crate) fn compare_op() -> impl Strategy<Value = CompareOp> {
    use CompareOp::*;
    proptest::sample::select(&[Eq, Ne, Lt, Le, Gt, Ge][..])
}
