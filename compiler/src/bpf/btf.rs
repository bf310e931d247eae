//! Types and source lines in the BPF Type Format (Documentation/bpf/btf.rst), little-endian.

use rustc_hash::FxHashMap;
use tracec_kernel::btf::{Access, Aspect, Leaf, Root, Step};

/// The number of a type; 0 is `void`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TypeId(u32);

/// `void`.
pub(crate) const VOID: TypeId = TypeId(0);

const INT: u32 = 1;
const PTR: u32 = 2;
const ARRAY: u32 = 3;
const STRUCT: u32 = 4;
const UNION: u32 = 5;
const ENUM: u32 = 6;
const TYPEDEF: u32 = 8;
const FUNC: u32 = 12;
const FUNC_PROTO: u32 = 13;
const VAR: u32 = 14;
const DATASEC: u32 = 15;

/// The first two bytes of both sections.
const MAGIC: u16 = 0xeb9f;
/// Bytes of the header of `.BTF`.
const HEADER: u32 = 24;
/// Bytes of the header of `.BTF.ext`.
const EXT_HEADER: u32 = 32;

/// Types, and the texts that they and source lines refer to.
#[derive(Debug)]
pub(crate) struct Btf {
    types: Vec<u8>,
    count: u32,
    texts: Vec<u8>,
    known: FxHashMap<String, u32>,
    accesses: FxHashMap<Access, TypeId>,
}

/// The flag of a struct whose members say how many bits they have (`kind_flag`).
const WITH_BITS: u32 = 1 << 7;

/// The visibility of a function or variable (`BTF_FUNC_GLOBAL`, `BTF_VAR_GLOBAL_ALLOCATED`; 0 is static).
const GLOBAL: u32 = 1;

impl Btf {
    pub(crate) fn new() -> Btf {
        Btf {
            types: Vec::new(),
            count: 0,
            texts: vec![0],
            known: FxHashMap::default(),
            accesses: FxHashMap::default(),
        }
    }

    /// Returns the offset of a text.
    pub(crate) fn text(&mut self, text: &str) -> u32 {
        if text.is_empty() {
            return 0;
        }
        if let Some(at) = self.known.get(text) {
            return *at;
        }
        let at = self.texts.len() as u32;
        self.texts.extend(text.bytes().filter(|byte| *byte != 0));
        self.texts.push(0);
        self.known.insert(text.to_owned(), at);
        at
    }

    fn add(&mut self, name: &str, kind: u32, count: u32, size_or_type: u32, more: &[u32]) -> TypeId {
        let name = self.text(name);
        for word in [name, (kind << 24) | count, size_or_type].iter().chain(more) {
            self.types.extend(word.to_le_bytes());
        }
        self.count += 1;
        TypeId(self.count)
    }

    /// Adds an integer of so many bytes.
    pub(crate) fn int(&mut self, name: &str, bytes: u32, signed: bool) -> TypeId {
        let encoding = u32::from(signed);
        self.add(name, INT, 0, bytes, &[(encoding << 24) | (8 * bytes)])
    }

    pub(crate) fn pointer(&mut self, to: TypeId) -> TypeId {
        self.add("", PTR, 0, to.0, &[])
    }

    pub(crate) fn array(&mut self, of: TypeId, index: TypeId, count: u32) -> TypeId {
        self.add("", ARRAY, 0, 0, &[of.0, index.0, count])
    }

    /// Adds a struct of so many bytes, with the name, the type and the offset in bytes of each member.
    pub(crate) fn structure(&mut self, name: &str, bytes: u32, members: &[(&str, TypeId, u32)]) -> TypeId {
        let mut more = Vec::new();
        for (name, kind, offset) in members {
            more.extend([self.text(name), kind.0, 8 * offset]);
        }
        self.add(name, STRUCT, members.len() as u32, bytes, &more)
    }

    /// Adds the types that lead to a place in a type of the kernel, and only to that: each has one member. Returns the first.
    pub(crate) fn access(&mut self, access: &Access) -> TypeId {
        if let Some(known) = self.accesses.get(access) {
            return *known;
        }
        let int = self.int("int", 4, true);
        let mut at = match access.leaf {
            Leaf::Int { bytes, signed } => {
                self.int(if signed { "signed" } else { "unsigned" }, bytes, signed)
            }
            Leaf::Enum { bytes, .. } => self.add("", ENUM, 0, bytes, &[]),
            Leaf::Pointer => self.pointer(VOID),
            Leaf::Text(count) => {
                let char = self.int("char", 1, true);
                self.array(char, int, count)
            }
        };
        let mut bytes = access.leaf.bytes();
        // From the inside out, each with the step around it.
        for (index, step) in access.steps.iter().enumerate().rev() {
            let outer = index.checked_sub(1).map(|outer| &access.steps[outer]);
            // The size that the elements of an array around have.
            let element = match outer {
                Some(Step::Element { bytes, .. }) => Some(*bytes),
                _ => None,
            };
            match step {
                Step::Element { index, bytes: each } => {
                    let count = element.map_or(index + 1, |whole| whole / (*each).max(1));
                    at = self.array(at, int, count);
                    bytes = count.saturating_mul(*each);
                }
                Step::Member { name, bit_offset, bit_width } => {
                    let is_root = outer.is_none();
                    let end = bit_offset / 8 + bytes.max(bit_width.map_or(0, |_| size_of::<u64>() as u32));
                    bytes = element.unwrap_or(end);
                    let own = if is_root && access.root == Root::Struct { access.name.as_str() } else { "" };
                    let place = bit_width.unwrap_or(0) << 24 | bit_offset;
                    let flag = bit_width.map_or(0, |_| WITH_BITS);
                    let member = [self.text(name), at.0, place];
                    at = self.add(own, STRUCT | flag, 1, bytes, &member);
                }
            }
        }
        at = match access.root {
            Root::Struct => at,
            // Members of a union are at its start: what is behind that is in a struct there.
            Root::Union => self.add(&access.name, UNION, 1, bytes, &[0, at.0, 0]),
            Root::Typedef => self.add(&access.name, TYPEDEF, 0, at.0, &[]),
        };
        self.accesses.insert(access.clone(), at);
        at
    }

    /// Adds a global function with a prototype.
    pub(crate) fn function(&mut self, name: &str, returns: TypeId, parameters: &[(&str, TypeId)]) -> TypeId {
        let mut more = Vec::new();
        for (name, kind) in parameters {
            more.extend([self.text(name), kind.0]);
        }
        let prototype = self.add("", FUNC_PROTO, parameters.len() as u32, returns.0, &more);
        self.add(name, FUNC, GLOBAL, prototype.0, &[])
    }

    /// Adds a global variable.
    pub(crate) fn variable(&mut self, name: &str, kind: TypeId) -> TypeId {
        self.add(name, VAR, 0, kind.0, &[GLOBAL])
    }

    /// Adds a section of so many bytes, with the variable, the offset and the size of each part.
    pub(crate) fn section(&mut self, name: &str, bytes: u32, parts: &[(TypeId, u32, u32)]) -> TypeId {
        let more: Vec<u32> = parts.iter().flat_map(|(variable, at, size)| [variable.0, *at, *size]).collect();
        self.add(name, DATASEC, parts.len() as u32, bytes, &more)
    }

    /// Returns the contents of `.BTF`.
    pub(crate) fn bytes(&self) -> Vec<u8> {
        let (types, texts) = (self.types.len() as u32, self.texts.len() as u32);
        let mut bytes = header(HEADER);
        for word in [0, types, types, texts] {
            bytes.extend(u32::to_le_bytes(word));
        }
        bytes.extend(&self.types);
        bytes.extend(&self.texts);
        bytes
    }
}

/// The programs of one section, for `.BTF.ext`.
#[derive(Debug, Default)]
pub(crate) struct Described {
    /// The name of the section.
    pub(crate) section: String,
    /// The offset of each function in bytes, and its type.
    pub(crate) functions: Vec<(u32, TypeId)>,
    /// The source lines.
    pub(crate) lines: Vec<Line>,
    /// The relocations by the kernel's types.
    pub(crate) relocations: Vec<Relocated>,
}

/// An instruction whose number the kernel's types decide (`struct bpf_core_relo`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Relocated {
    /// The offset of the instruction in bytes.
    pub(crate) at: u32,
    /// The type that the path begins at.
    pub(crate) root: TypeId,
    /// The path, a text of the types.
    pub(crate) path: u32,
    /// What it takes from there.
    pub(crate) aspect: Aspect,
}

/// The source line of an instruction and of those behind it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Line {
    /// The offset of the instruction in bytes.
    pub(crate) at: u32,
    /// The name of the file, a text of the types.
    pub(crate) file: u32,
    /// The line, a text of the types.
    pub(crate) text: u32,
    /// The number of the line, from 1.
    pub(crate) line: u32,
    /// The column, from 1.
    pub(crate) column: u32,
}

/// Returns the contents of `.BTF.ext`.
pub(crate) fn ext(btf: &mut Btf, sections: &[Described]) -> Vec<u8> {
    let functions = table(btf, sections, |described| {
        described.functions.iter().map(|(at, function)| [*at, function.0]).collect()
    });
    let lines = table(btf, sections, |described| {
        let words = |Line { at, file, text, line, column }: &Line| {
            // The number of the line and the column share a word (`BPF_LINE_INFO_LINE_NUM`).
            [*at, *file, *text, (line << 10) | (*column).min(1023)]
        };
        described.lines.iter().map(words).collect()
    });
    let relocations = table(btf, sections, |described| {
        let words = |one: &Relocated| [one.at, one.root.0, one.path, one.aspect as u32];
        described.relocations.iter().map(words).collect()
    });
    let mut bytes = header(EXT_HEADER);
    let mut at = 0;
    for table in [&functions, &lines, &relocations] {
        bytes.extend(u32::to_le_bytes(at));
        bytes.extend((table.len() as u32).to_le_bytes());
        at += table.len() as u32;
    }
    bytes.extend([functions, lines, relocations].concat());
    bytes
}

/// Returns a table of what is said of the instructions of each section. One without rows is empty.
fn table<const WORDS: usize>(
    btf: &mut Btf,
    sections: &[Described],
    rows: impl Fn(&Described) -> Vec<[u32; WORDS]>,
) -> Vec<u8> {
    let mut bytes = Vec::new();
    for section in sections {
        let rows = rows(section);
        if rows.is_empty() {
            continue;
        }
        if bytes.is_empty() {
            bytes.extend((4 * WORDS as u32).to_le_bytes());
        }
        for word in [btf.text(&section.section), rows.len() as u32].iter().chain(rows.as_flattened()) {
            bytes.extend(word.to_le_bytes());
        }
    }
    bytes
}

/// Returns the start of a header of so many bytes.
fn header(length: u32) -> Vec<u8> {
    let mut bytes = MAGIC.to_le_bytes().to_vec();
    // The version, and no flags.
    bytes.extend([1, 0]);
    bytes.extend(length.to_le_bytes());
    bytes
}
