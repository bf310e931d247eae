//! The indentation of functions in the layouts of trace-cmd, by the callers before (the plugin `function` of libtraceevent).
//!
//! Each CPU has a list of functions, each of which was called by the one before it. A function that has a caller of the list
//! is indented by its place and comes behind it; what was further behind stays. Another one begins the list anew, as far as
//! its caller and itself.

use rustc_hash::FxHashMap;

/// The lists, by CPU. trace-cmd has one for all buffers.
#[derive(Debug, Default)]
pub(super) struct Callers {
    cpus: FxHashMap<u32, Vec<Box<[u8]>>>,
}

impl Callers {
    /// Returns the place of the caller of a function, which is noted if it has a name.
    pub(super) fn depth(&mut self, cpu: u32, parent: &[u8], function: Option<&[u8]>) -> usize {
        let list = self.cpus.entry(cpu).or_default();
        let found = list.iter().position(|name| **name == *parent);
        if found.is_none() {
            set(list, 0, parent);
        }
        let depth = found.unwrap_or(0);
        if let Some(function) = function {
            set(list, depth + 1, function);
        }
        depth
    }
}

/// Sets a name of a list, or adds it behind the last.
fn set(list: &mut Vec<Box<[u8]>>, index: usize, name: &[u8]) {
    match list.get_mut(index) {
        Some(place) if **place == *name => {}
        Some(place) => *place = name.into(),
        None => list.push(name.into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_are_indented_behind_their_callers() {
        let mut callers = Callers::default();
        let mut depth = |cpu, parent: &str, function: Option<&str>| {
            callers.depth(cpu, parent.as_bytes(), function.map(str::as_bytes))
        };
        assert_eq!(depth(0, "a", Some("b")), 0);
        assert_eq!(depth(0, "b", Some("c")), 1);
        assert_eq!(depth(0, "c", Some("d")), 2);
        assert_eq!(depth(1, "c", Some("d")), 0);
        // `c` is still behind `x`, though nothing leads there any more.
        assert_eq!(depth(0, "a", Some("x")), 0);
        assert_eq!(depth(0, "c", None), 2);
        assert_eq!(depth(0, "y", None), 0);
        assert_eq!(depth(0, "x", Some("z")), 1);
        assert_eq!(depth(0, "c", Some("e")), 0);
    }
}
