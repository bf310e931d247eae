//! Values that are shared, told apart by which one they are.

use std::hash::{Hash, Hasher};
use std::sync::Arc;

/// A shared value as a key: equal to itself alone, so that it is not read. Kept alive, for no other is to get its place
/// in memory.
#[derive(Debug)]
pub(crate) struct Same<T: ?Sized>(Arc<T>);

impl<T: ?Sized> Same<T> {
    /// This one.
    pub(crate) fn of(value: &Arc<T>) -> Self {
        Same(Arc::clone(value))
    }
}

impl<T: ?Sized> Clone for Same<T> {
    fn clone(&self) -> Self {
        Same::of(&self.0)
    }
}

impl<T: ?Sized> PartialEq for Same<T> {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl<T: ?Sized> Eq for Same<T> {}

impl<T: ?Sized> Hash for Same<T> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        Arc::as_ptr(&self.0).cast::<()>().hash(state);
    }
}
