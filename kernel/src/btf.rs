//! The kernel's types, as `/sys/kernel/btf/vmlinux` describes them: where a member of a struct lies.
//!
//! The format is that of include/uapi/linux/btf.h and Documentation/bpf/btf.rst. Only what a reader of members needs is
//! decoded; functions and variables are skipped. Nothing is copied: a lookup by name walks over the types.

mod access;

use std::fmt;

pub use access::{Access, Aspect, Leaf, Root, Step};

/// `BTF_MAGIC`.
const MAGIC: u16 = 0xeb9f;

/// Bytes of the header up to the length of the strings.
const HEADER: usize = 24;

/// Bytes of a type without what follows it (`struct btf_type`).
const TYPE: usize = 12;

/// How many modifiers and typedefs are followed, so that a damaged description ends.
const DEPTH: usize = 64;

/// How many members of a struct are looked at, those of nameless members included, so that a damaged description ends. The
/// largest struct of a kernel has some hundreds.
const MEMBERS: usize = 1 << 16;

/// The kinds of types (`BTF_KIND_*`).
mod kind {
    pub(super) const INT: u32 = 1;
    pub(super) const PTR: u32 = 2;
    pub(super) const ARRAY: u32 = 3;
    pub(super) const STRUCT: u32 = 4;
    pub(super) const UNION: u32 = 5;
    pub(super) const ENUM: u32 = 6;
    pub(super) const TYPEDEF: u32 = 8;
    pub(super) const VOLATILE: u32 = 9;
    pub(super) const CONST: u32 = 10;
    pub(super) const RESTRICT: u32 = 11;
    pub(super) const FUNC: u32 = 12;
    pub(super) const FUNC_PROTO: u32 = 13;
    pub(super) const VAR: u32 = 14;
    pub(super) const DATASEC: u32 = 15;
    pub(super) const DECL_TAG: u32 = 17;
    pub(super) const TYPE_TAG: u32 = 18;
    pub(super) const ENUM64: u32 = 19;
    /// The last that is known.
    pub(super) const LAST: u32 = ENUM64;
}

/// `BTF_INT_SIGNED` and `BTF_INT_BOOL`.
const SIGNED: u32 = 1;
const BOOL: u32 = 4;

/// The types of a kernel.
pub struct Btf {
    bytes: Vec<u8>,
    /// Where each type begins; the type with the number 0, `void`, has none.
    types: Vec<u32>,
    /// Where the strings begin.
    strings: usize,
}

/// A description of types that cannot be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the description of the kernel's types is damaged at byte {at}: {reason}")]
pub struct BtfError {
    /// The offset in bytes.
    pub at: usize,
    /// Why.
    pub reason: &'static str,
}

/// The number of a type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TypeId(u32);

/// A member of a struct or union.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Member {
    /// Its offset from the start of the struct, bits.
    pub bit_offset: u32,
    /// Its width in bits, where it is a bit field.
    pub bit_width: Option<u32>,
    /// Its type.
    pub ty: TypeId,
}

/// What a type is, behind typedefs and modifiers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape<'b> {
    /// An integer, of so many bytes.
    Int {
        /// Its size, bytes.
        bytes: u32,
        /// Whether it is signed.
        signed: bool,
        /// Whether it is `bool`.
        is_bool: bool,
        /// Whether it is `char` or `unsigned char` by this name: a `u8` is a number.
        is_char: bool,
    },
    /// An enum, of so many bytes.
    Enum {
        /// Its size, bytes.
        bytes: u32,
        /// Whether it is signed.
        signed: bool,
    },
    /// A pointer to a type.
    Pointer(TypeId),
    /// An array.
    Array {
        /// The type of an element.
        element: TypeId,
        /// How many there are.
        count: u32,
    },
    /// A struct or union.
    Aggregate {
        /// Its number, without typedefs.
        id: TypeId,
        /// Its name; empty where it has none.
        name: &'b str,
        /// Its size, bytes.
        bytes: u32,
    },
    /// `void`, a function, a number with a point, or a struct that is only declared.
    Other,
}

impl fmt::Debug for Btf {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Btf").field("types", &self.types.len()).finish_non_exhaustive()
    }
}

/// The type of a parameter, as far as the text of an argument depends on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Passed {
    /// An integer.
    Number {
        /// Whether it is signed.
        signed: bool,
    },
    /// An enum of at most 32 bits.
    Enum,
    /// A pointer.
    Pointer,
    /// What is passed in parts, or is not printed as a number.
    Parts {
        /// The kernel's name of the kind: `STRUCT`.
        kind: &'static str,
        /// Its size.
        bytes: u32,
    },
    /// `void`: the arguments of a function that takes any number of them.
    Unknown,
}

impl Btf {
    /// Reads a description in the byte order of this machine.
    ///
    /// # Errors
    /// [`BtfError`] if it is cut off, of another byte order, or has a kind of type that is not known.
    pub fn parse(bytes: Vec<u8>) -> Result<Btf, BtfError> {
        let damaged = |at: usize, reason| BtfError { at, reason };
        let word = |at: usize| word(&bytes, at).ok_or(damaged(at, "it ends"));
        let magic = bytes.first_chunk().map(|magic| u16::from_ne_bytes(*magic));
        if magic != Some(MAGIC) {
            return Err(damaged(0, "it is not a description of types, or of another byte order"));
        }
        if bytes.len() < HEADER {
            return Err(damaged(bytes.len(), "it ends"));
        }
        let header = word(4)? as usize;
        let section = |offset: usize| -> Result<(usize, usize), BtfError> {
            let start = header.checked_add(word(offset)? as usize);
            let end = start.and_then(|start| start.checked_add(word(offset + 4).ok()? as usize));
            match (start, end) {
                (Some(start), Some(end)) if end <= bytes.len() => Ok((start, end)),
                _ => Err(damaged(offset, "a section goes beyond the end")),
            }
        };
        let (mut at, end) = section(8)?;
        let (strings, _) = section(16)?;
        let mut types = Vec::with_capacity((end - at) / 40);
        while at < end {
            let info = word(at + 4)?;
            let behind = behind(info).ok_or(damaged(at, "an unknown kind of type"))?;
            if end - at < TYPE + behind {
                return Err(damaged(at, "a type goes beyond the end of the types"));
            }
            types.push(u32::try_from(at).map_err(|_| damaged(at, "it is too large"))?);
            at += TYPE + behind;
        }
        Ok(Btf { types, strings, bytes })
    }

    /// Returns the struct or union of this name that has members.
    pub fn aggregate(&self, name: &str) -> Option<TypeId> {
        let is_it = |(_, at): &(u32, &u32)| {
            let at = **at as usize;
            let is_kind = matches!(self.info(at).map(kind_of), Some(kind::STRUCT | kind::UNION));
            is_kind && self.name(at) == Some(name)
        };
        (1..).zip(&self.types).find(is_it).map(|(id, _)| TypeId(id))
    }

    /// Returns what a type is. Modifiers, tags and typedefs are left out.
    pub fn shape(&self, mut id: TypeId) -> Shape<'_> {
        let mut is_renamed = false;
        for _ in 0..DEPTH {
            let Some(at) = self.at(id) else { return Shape::Other };
            let (Some(info), Some(size)) = (self.info(at), self.word(at + 8)) else { return Shape::Other };
            return match kind_of(info) {
                kind::TYPEDEF | kind::VOLATILE | kind::CONST | kind::RESTRICT | kind::TYPE_TAG => {
                    is_renamed |= kind_of(info) == kind::TYPEDEF;
                    id = TypeId(size);
                    continue;
                }
                kind::INT => {
                    let encoding = self.word(at + TYPE).unwrap_or(0) >> 24 & 0xf;
                    let name = self.name(at).unwrap_or_default();
                    Shape::Int {
                        bytes: size,
                        signed: encoding & SIGNED != 0,
                        is_bool: encoding & BOOL != 0,
                        is_char: matches!(name, "char" | "unsigned char") && !is_renamed,
                    }
                }
                kind::ENUM | kind::ENUM64 => Shape::Enum { bytes: size, signed: info >> 31 != 0 },
                kind::PTR => Shape::Pointer(TypeId(size)),
                kind::ARRAY => Shape::Array {
                    element: TypeId(self.word(at + TYPE).unwrap_or(0)),
                    count: self.word(at + TYPE + 8).unwrap_or(0),
                },
                kind::STRUCT | kind::UNION => {
                    Shape::Aggregate { id, name: self.name(at).unwrap_or_default(), bytes: size }
                }
                _ => Shape::Other,
            };
        }
        Shape::Other
    }

    /// Returns the name by which other kernels know a struct or union: its own, or that of its typedef. `None` for another
    /// type, and where there is no name.
    pub fn root(&self, mut id: TypeId) -> Option<(Root, &str)> {
        let mut typedef = None;
        for _ in 0..DEPTH {
            let at = self.at(id)?;
            let name = self.name(at)?;
            match kind_of(self.info(at)?) {
                kind::STRUCT if !name.is_empty() => return Some((Root::Struct, name)),
                kind::UNION if !name.is_empty() => return Some((Root::Union, name)),
                kind::STRUCT | kind::UNION => return typedef.map(|name| (Root::Typedef, name)),
                kind::TYPEDEF => typedef = Some(name),
                kind::VOLATILE | kind::CONST | kind::RESTRICT | kind::TYPE_TAG => {}
                _ => return None,
            }
            id = TypeId(self.word(at + 8)?);
        }
        None
    }

    /// Returns the size of a type in bytes; `None` where it has none.
    pub fn size(&self, mut id: TypeId) -> Option<u32> {
        let mut elements = 1_u32;
        for _ in 0..DEPTH {
            let bytes = match self.shape(id) {
                Shape::Int { bytes, .. } | Shape::Enum { bytes, .. } | Shape::Aggregate { bytes, .. } => {
                    bytes
                }
                // Kernels with BPF programs have pointers of 8 bytes, or no types here.
                Shape::Pointer(_) => size_of::<u64>() as u32,
                Shape::Array { element, count } => {
                    elements = elements.checked_mul(count)?;
                    id = element;
                    continue;
                }
                Shape::Other => return None,
            };
            return bytes.checked_mul(elements);
        }
        None
    }

    /// Returns a member of a struct or union, also of one without a name in it.
    pub fn member(&self, aggregate: TypeId, name: &str) -> Option<Member> {
        self.all(aggregate).into_iter().find(|(own, _)| *own == name).map(|(_, member)| member)
    }

    /// Returns the functions, each with the number of its type.
    pub fn functions(&self) -> impl Iterator<Item = (&str, TypeId)> {
        let all = self.types.iter().map(|at| *at as usize);
        all.filter(|at| self.info(*at).is_some_and(|info| kind_of(info) == kind::FUNC))
            .filter_map(|at| Some((self.name(at)?, TypeId(self.word(at + 8)?))))
    }

    /// Returns the names and types of the parameters of a function's type.
    pub fn parameters(&self, function: TypeId) -> Vec<(&str, Passed)> {
        let at = self.at(function);
        let Some((at, info)) = at.and_then(|at| Some((at, self.info(at)?))) else { return Vec::new() };
        if kind_of(info) != kind::FUNC_PROTO {
            return Vec::new();
        }
        let parameter = |index: usize| {
            let at = at + TYPE + 8 * index;
            Some((self.name(at)?, self.passed(TypeId(self.word(at + 4)?))))
        };
        (0..(info & 0xffff) as usize).filter_map(parameter).collect()
    }

    /// Returns how the kernel prints an argument of a type (`print_function_args`, kernel/trace/trace_output.c).
    fn passed(&self, mut id: TypeId) -> Passed {
        for _ in 0..DEPTH {
            let found = self.at(id).and_then(|at| Some((self.info(at)?, self.word(at + 8)?, at)));
            let Some((info, size, at)) = found else { return Passed::Unknown };
            let parts = |kind| Passed::Parts { kind, bytes: size };
            return match kind_of(info) {
                kind::TYPEDEF | kind::VOLATILE | kind::CONST | kind::RESTRICT | kind::TYPE_TAG => {
                    id = TypeId(size);
                    continue;
                }
                kind::INT => {
                    let encoding = self.word(at + TYPE).unwrap_or(0) >> 24 & 0xf;
                    Passed::Number { signed: encoding & SIGNED != 0 }
                }
                kind::PTR => Passed::Pointer,
                kind::ENUM => Passed::Enum,
                kind::STRUCT => parts("STRUCT"),
                kind::UNION => parts("UNION"),
                kind::ENUM64 => parts("ENUM64"),
                kind::ARRAY => parts("ARRAY"),
                _ => parts("UNKNOWN"),
            };
        }
        Passed::Unknown
    }

    /// Returns all enumerators with their values, in the order of the description. A name may occur more than once.
    pub fn enumerators(&self) -> impl Iterator<Item = (&str, i128)> {
        self.types.iter().flat_map(move |&at| {
            let at = at as usize;
            let info = self.info(at).unwrap_or(0);
            let (size, signed) = (entry_size(info), info >> 31 != 0);
            let count = if size > 0 { (info & 0xffff) as usize } else { 0 };
            (0..count).filter_map(move |index| {
                let at = at + TYPE + size * index;
                let low = self.word(at + 4)?;
                let value = match (size, signed) {
                    (8, true) => i128::from(low as i32),
                    (8, false) => i128::from(low),
                    (_, signed) => {
                        let value = u64::from(self.word(at + 8)?) << 32 | u64::from(low);
                        if signed { i128::from(value as i64) } else { i128::from(value) }
                    }
                };
                Some((self.name(at)?, value))
            })
        })
    }

    /// Returns the names of the members, for suggestions.
    pub fn members(&self, aggregate: TypeId) -> Vec<&str> {
        self.all(aggregate).into_iter().map(|(name, _)| name).collect()
    }

    /// Returns the members with names, those of nameless members included, in their order.
    fn all(&self, aggregate: TypeId) -> Vec<(&str, Member)> {
        let mut all = Vec::new();
        // The members that are still to be looked at, the next one last, each with the offset of what it is in.
        let mut next = self.own(aggregate, 0);
        next.reverse();
        let mut looked_at = 0;
        while let Some((name, member)) = next.pop() {
            looked_at += 1;
            if looked_at > MEMBERS {
                break;
            }
            if !name.is_empty() {
                all.push((name, member));
                continue;
            }
            let mut inner = self.own(member.ty, member.bit_offset);
            inner.reverse();
            next.append(&mut inner);
        }
        all
    }

    /// Returns the members of a struct or union, with the offset of what it is in added.
    fn own(&self, aggregate: TypeId, base: u32) -> Vec<(&str, Member)> {
        let Shape::Aggregate { id, .. } = self.shape(aggregate) else { return Vec::new() };
        let Some(at) = self.at(id) else { return Vec::new() };
        let info = self.info(at).unwrap_or(0);
        let members = (0..(info & 0xffff) as usize).map_while(|index| {
            let at = at + TYPE + 12 * index;
            let (ty, place) = (self.word(at + 4)?, self.word(at + 8)?);
            // With `kind_flag` the upper byte is the width of a bit field.
            let (offset, width) = match info >> 31 {
                0 => (place, 0),
                _ => (place & 0xff_ffff, place >> 24),
            };
            let bit_offset = base.saturating_add(offset);
            let member = Member { bit_offset, bit_width: (width > 0).then_some(width), ty: TypeId(ty) };
            Some((self.name(at).unwrap_or_default(), member))
        });
        members.collect()
    }

    fn at(&self, TypeId(id): TypeId) -> Option<usize> {
        let index = usize::try_from(id).ok()?.checked_sub(1)?;
        self.types.get(index).map(|at| *at as usize)
    }

    fn info(&self, at: usize) -> Option<u32> {
        self.word(at + 4)
    }

    fn word(&self, at: usize) -> Option<u32> {
        word(&self.bytes, at)
    }

    /// Returns the name whose offset is the first word of a type or member.
    fn name(&self, at: usize) -> Option<&str> {
        let start = self.strings.checked_add(self.word(at)? as usize)?;
        let rest = self.bytes.get(start..)?;
        let end = rest.iter().position(|byte| *byte == 0)?;
        std::str::from_utf8(rest.get(..end)?).ok()
    }
}

fn word(bytes: &[u8], at: usize) -> Option<u32> {
    bytes.get(at..)?.first_chunk().map(|word| u32::from_ne_bytes(*word))
}

fn kind_of(info: u32) -> u32 {
    info >> 24 & 0x1f
}

/// Returns how many bytes follow a type; `None` for a kind that is not known.
fn behind(info: u32) -> Option<usize> {
    let each = match kind_of(info) {
        kind::INT | kind::VAR | kind::DECL_TAG => return Some(4),
        kind::ARRAY => return Some(12),
        kind::STRUCT | kind::UNION | kind::DATASEC | kind::ENUM64 => 12,
        kind::ENUM | kind::FUNC_PROTO => 8,
        0 => return None,
        known if known <= kind::LAST => return Some(0),
        _ => return None,
    };
    Some(each * (info & 0xffff) as usize)
}

/// Returns the bytes of an enumerator of a type; 0 for one that is not an enum.
fn entry_size(info: u32) -> usize {
    match kind_of(info) {
        kind::ENUM => 8,
        kind::ENUM64 => 12,
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A description that is written by hand.
    #[derive(Default)]
    struct Written {
        types: Vec<u8>,
        strings: Vec<u8>,
    }

    impl Written {
        fn name(&mut self, name: &str) -> u32 {
            if self.strings.is_empty() || name.is_empty() {
                self.strings.extend((self.strings.is_empty()).then_some(0));
            }
            if name.is_empty() {
                return 0;
            }
            let at = self.strings.len() as u32;
            self.strings.extend(name.bytes().chain([0]));
            at
        }

        fn words(&mut self, words: &[u32]) {
            self.types.extend(words.iter().flat_map(|word| word.to_ne_bytes()));
        }

        fn ty(&mut self, name: &str, info: u32, size: u32, behind: &[u32]) {
            let name = self.name(name);
            self.words(&[name, info, size]);
            self.words(behind);
        }

        fn bytes(self) -> Vec<u8> {
            let mut bytes = MAGIC.to_ne_bytes().to_vec();
            bytes.extend([1, 0]);
            let (types, strings) = (self.types.len() as u32, self.strings.len() as u32);
            for word in [HEADER as u32, 0, types, types, strings] {
                bytes.extend(word.to_ne_bytes());
            }
            bytes.extend(self.types);
            bytes.extend(self.strings);
            bytes
        }
    }

    /// `struct task { int pid; union { struct task *parent; unsigned long word; }; const char comm[16]; u8 low: 3; }`.
    fn written() -> Vec<u8> {
        let mut all = Written::default();
        all.ty("int", kind::INT << 24, 4, &[SIGNED << 24 | 32]);
        all.ty("char", kind::INT << 24, 1, &[SIGNED << 24 | 8]);
        all.ty("unsigned long", kind::INT << 24, 8, &[64]);
        all.ty("", kind::PTR << 24, 9, &[]);
        let (parent, number) = (all.name("parent"), all.name("word"));
        all.ty("", kind::UNION << 24 | 2, 8, &[parent, 4, 0, number, 3, 0]);
        all.ty("", kind::CONST << 24, 2, &[]);
        all.ty("", kind::ARRAY << 24, 0, &[6, 1, 16]);
        all.ty("pid_t", kind::TYPEDEF << 24, 1, &[]);
        let (pid, comm, low) = (all.name("pid"), all.name("comm"), all.name("low"));
        let members = [pid, 8, 0, 0, 5, 64, comm, 7, 128, low, 2, 3 << 24 | 257];
        all.ty("task", 1 << 31 | kind::STRUCT << 24 | 4, 40, &members);
        all.bytes()
    }

    #[test]
    fn members_are_found_with_their_types() {
        let btf = Btf::parse(written()).unwrap();
        let task = btf.aggregate("task").unwrap();
        let member = |name: &str| btf.member(task, name).unwrap();
        assert_eq!(btf.members(task), ["pid", "parent", "word", "comm", "low"]);
        assert_eq!(
            btf.shape(member("pid").ty),
            Shape::Int { bytes: 4, signed: true, is_bool: false, is_char: false }
        );
        let parent = member("parent");
        assert_eq!((parent.bit_offset, parent.bit_width), (64, None));
        let Shape::Pointer(to) = btf.shape(parent.ty) else { panic!("no pointer") };
        assert_eq!(btf.shape(to), Shape::Aggregate { id: task, name: "task", bytes: 40 });
        assert_eq!((member("comm").bit_offset, btf.size(member("comm").ty)), (128, Some(16)));
        assert_eq!((member("low").bit_offset, member("low").bit_width), (257, Some(3)));
        assert_eq!((btf.member(task, "none"), btf.aggregate("int")), (None, None));
    }

    #[test]
    fn functions_have_parameters() {
        let mut all = Written::default();
        all.ty("int", kind::INT << 24, 4, &[SIGNED << 24 | 32]);
        all.ty("unsigned int", kind::INT << 24, 4, &[32]);
        all.ty("", kind::PTR << 24, 0, &[]);
        all.ty("pair", kind::STRUCT << 24, 16, &[]);
        all.ty("mode", kind::TYPEDEF << 24, 2, &[]);
        all.ty("kind", kind::ENUM << 24, 4, &[]);
        let names = ["a", "b", "c", "d", "e"].map(|name| all.name(name));
        let types = [1, 3, 4, 5, 6];
        let parameters: Vec<u32> = names.into_iter().zip(types).flat_map(|(name, ty)| [name, ty]).collect();
        all.ty("", kind::FUNC_PROTO << 24 | 6, 1, &[&parameters[..], &[0, 0]].concat());
        all.ty("work", kind::FUNC << 24, 7, &[]);
        let btf = Btf::parse(all.bytes()).unwrap();
        let [(name, ty)] = btf.functions().collect::<Vec<_>>()[..] else { panic!("one function") };
        assert_eq!(name, "work");
        assert_eq!(
            btf.parameters(ty),
            [
                ("a", Passed::Number { signed: true }),
                ("b", Passed::Pointer),
                ("c", Passed::Parts { kind: "STRUCT", bytes: 16 }),
                ("d", Passed::Number { signed: false }),
                ("e", Passed::Enum),
                ("", Passed::Unknown),
            ]
        );
        assert_eq!(btf.parameters(TypeId(1)), []);
    }

    #[test]
    fn damaged_descriptions_are_refused_or_read() {
        let whole = written();
        for length in 0..whole.len() {
            assert!(Btf::parse(whole[..length].to_vec()).is_err(), "{length}");
        }
        for at in 0..whole.len() {
            for value in [0, 1, 0x7f, 0xff] {
                let mut other = whole.clone();
                other[at] = value;
                // What it says then is read to an end.
                let Ok(btf) = Btf::parse(other) else { continue };
                for id in 0..20 {
                    btf.size(TypeId(id));
                    btf.members(TypeId(id));
                    btf.parameters(TypeId(id));
                }
            }
        }
    }

    #[test]
    fn types_that_are_parts_of_themselves_end() {
        let mut all = Written::default();
        // Two arrays, each the element of the other; a struct with two nameless members of its own type.
        all.ty("", kind::ARRAY << 24, 0, &[2, 2, 2]);
        all.ty("", kind::ARRAY << 24, 0, &[1, 1, 2]);
        all.ty("own", kind::STRUCT << 24 | 2, 8, &[0, 3, 0, 0, 3, 32]);
        all.ty("", kind::TYPEDEF << 24, 4, &[]);
        let btf = Btf::parse(all.bytes()).unwrap();
        assert_eq!((btf.size(TypeId(1)), btf.size(TypeId(2))), (None, None));
        let own = btf.aggregate("own").unwrap();
        assert_eq!((btf.members(own).len(), btf.member(own, "none")), (0, None));
        assert_eq!((btf.shape(TypeId(4)), btf.root(TypeId(4))), (Shape::Other, None));
    }

    #[test]
    fn running_kernel_has_the_members_that_every_kernel_has() {
        let Ok(bytes) = std::fs::read("/sys/kernel/btf/vmlinux") else {
            return println!("SKIPPED: the running kernel has no BTF");
        };
        let btf = Btf::parse(bytes).unwrap();
        let task = btf.aggregate("task_struct").unwrap();
        let comm = btf.member(task, "comm").unwrap();
        assert_eq!((btf.size(comm.ty), comm.bit_offset % 8), (Some(16), 0));
        let parent = btf.member(task, "real_parent").unwrap();
        let Shape::Pointer(to) = btf.shape(parent.ty) else { panic!("no pointer") };
        assert_eq!(to, task);
    }
}
