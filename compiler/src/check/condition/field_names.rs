//! stub
use super::Checker;
use super::operand::Target;
use crate::ir::definition::EnumType;
use std::sync::Arc;
impl Checker<'_> {
    pub(super) fn own_names(&self, _target: &Target) -> Option<Arc<EnumType>> {
        None
    }
}
