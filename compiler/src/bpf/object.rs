//! Objects as libbpf loads them: ELF with a section per attachment, `.maps`, constants, types and source lines.

use object::write::{Object, Relocation, SectionId, Symbol, SymbolId, SymbolSection};
use object::{
    Architecture, BinaryFormat, Endianness, RelocationFlags, SectionKind, SymbolFlags, SymbolKind,
    SymbolScope, elf,
};

use super::assemble::Program;
use super::btf::{self, Btf, Described, Line, Relocated, TypeId, VOID};
use super::instruction::{Instruction, MAP, MAP_VALUE};

/// The licence of programs: helpers that read memory are for programs under the GPL (`license_is_gpl_compatible`).
const LICENSE: &[u8] = b"Dual MIT/GPL\0";

/// A map.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Map {
    /// A map that the section `.maps` defines.
    Defined {
        /// Its name.
        name: &'static str,
        /// Its number of entries, or its size in bytes.
        entries: u32,
        /// Its kind.
        kind: MapKind,
    },
    /// The constants in `.rodata`.
    Constants {
        /// The name of the variable.
        name: &'static str,
        /// The contents.
        bytes: Vec<u8>,
    },
    /// A map that no program uses.
    Unused,
}

/// The kind of a map: `enum bpf_map_type` (include/uapi/linux/bpf.h).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MapKind {
    /// A ring buffer.
    RingBuffer,
    /// An array whose values of so many bytes each CPU has for itself.
    PerCpuArray(u32),
}

/// A program of an object.
#[derive(Clone, Debug)]
pub(crate) struct Part {
    /// The section, which says where libbpf attaches it.
    pub(crate) section: String,
    /// The name of the function.
    pub(crate) name: String,
    pub(crate) program: Program,
    /// The source line of each origin.
    pub(crate) lines: Vec<Source>,
}

/// A line of a source text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Source {
    pub(crate) file: String,
    pub(crate) text: String,
    pub(crate) line: u32,
    pub(crate) column: u32,
}

/// Writes an object. The same input gives the same bytes.
///
/// # Errors
/// The message of the writer of ELF.
pub(crate) fn object(parts: &[Part], maps: &[Map]) -> Result<Vec<u8>, String> {
    let mut object = Object::new(BinaryFormat::Elf, Architecture::Bpf, Endianness::Little);
    let mut btf = Btf::new();
    let license = object.add_section(segment(), b"license".to_vec(), SectionKind::Data);
    object.append_section_data(license, LICENSE, 1);
    let symbols = write_maps(&mut object, &mut btf, maps);
    let described = write_parts(&mut object, &mut btf, parts, &symbols)?;
    let ext = btf::ext(&mut btf, &described);
    for (name, bytes) in [(".BTF", btf.bytes()), (".BTF.ext", ext)] {
        let section = object.add_section(Vec::new(), name.as_bytes().to_vec(), SectionKind::Metadata);
        object.append_section_data(section, &bytes, 8);
    }
    object.write().map_err(|error| error.to_string())
}

/// Sections of objects are in no segment.
fn segment() -> Vec<u8> {
    Vec::new()
}

/// Returns a symbol that others can name.
fn symbol(name: &str, kind: SymbolKind, section: SectionId, value: u64, size: u64) -> Symbol {
    Symbol {
        name: name.as_bytes().to_vec(),
        value,
        size,
        kind,
        scope: SymbolScope::Dynamic,
        weak: false,
        section: SymbolSection::Section(section),
        flags: SymbolFlags::None,
    }
}

/// Writes the maps and returns their symbols.
fn write_maps(object: &mut Object<'_>, btf: &mut Btf, maps: &[Map]) -> Vec<Option<SymbolId>> {
    let int = btf.int("int", 4, true);
    let byte = btf.int("unsigned char", 1, false);
    let number = |btf: &mut Btf, value: u32| {
        let array = btf.array(int, int, value);
        btf.pointer(array)
    };
    let section = object.add_section(segment(), b".maps".to_vec(), SectionKind::Data);
    let (mut symbols, mut variables) = (Vec::new(), Vec::new());
    let mut constants = None;
    for map in maps {
        let (name, entries, kind) = match map {
            Map::Defined { name, entries, kind } => (*name, *entries, *kind),
            Map::Constants { name, bytes } => {
                let section = object.add_section(segment(), b".rodata".to_vec(), SectionKind::ReadOnlyData);
                object.append_section_data(section, bytes, 8);
                symbols.push(Some(object.section_symbol(section)));
                // libbpf wants a symbol for each variable of the types.
                object.add_symbol(symbol(name, SymbolKind::Data, section, 0, bytes.len() as u64));
                constants = Some((*name, bytes.len() as u32));
                continue;
            }
            Map::Unused => {
                symbols.push(None);
                continue;
            }
        };
        let mut members: Vec<(&str, TypeId)> = Vec::new();
        match kind {
            // `BPF_MAP_TYPE_RINGBUF`
            MapKind::RingBuffer => members.push(("type", number(btf, 27))),
            // `BPF_MAP_TYPE_PERCPU_ARRAY`
            MapKind::PerCpuArray(bytes) => {
                members.push(("type", number(btf, 6)));
                members.push(("key_size", number(btf, 4)));
                members.push(("value_size", number(btf, bytes)));
            }
        }
        members.push(("max_entries", number(btf, entries)));
        let placed: Vec<(&str, TypeId, u32)> =
            members.iter().zip(0..).map(|((name, kind), index)| (*name, *kind, 8 * index)).collect();
        let size = 8 * placed.len() as u32;
        let structure = btf.structure("", size, &placed);
        let at = object.append_section_data(section, &vec![0; size as usize], 8);
        variables.push((btf.variable(name, structure), at as u32, size));
        symbols.push(Some(object.add_symbol(symbol(name, SymbolKind::Data, section, at, size.into()))));
    }
    let size = variables.iter().map(|(_, _, size)| size).sum();
    btf.section(".maps", size, &variables);
    if let Some((name, size)) = constants {
        let array = btf.array(byte, int, size);
        let variable = btf.variable(name, array);
        btf.section(".rodata", size, &[(variable, 0, size)]);
    }
    symbols
}

/// Writes the programs, and returns what is said of them.
fn write_parts(
    object: &mut Object<'_>,
    btf: &mut Btf,
    parts: &[Part],
    maps: &[Option<SymbolId>],
) -> Result<Vec<Described>, String> {
    let int = btf.int("int", 4, true);
    let context = btf.pointer(VOID);
    let mut described: Vec<Described> = Vec::new();
    let mut sections = Vec::new();
    for part in parts {
        let known = described.iter().position(|section| section.section == part.section);
        let index_of_section = known.unwrap_or_else(|| {
            let name = part.section.as_bytes().to_vec();
            sections.push(object.add_section(segment(), name, SectionKind::Text));
            described.push(Described { section: part.section.clone(), ..Described::default() });
            described.len() - 1
        });
        let section = sections[index_of_section];
        let instructions = for_elf(&part.program);
        let bytes: Vec<u8> = instructions.iter().flat_map(|one| one.bytes()).collect();
        let at = object.append_section_data(section, &bytes, 8);
        object.add_symbol(symbol(&part.name, SymbolKind::Text, section, at, bytes.len() as u64));
        for (instruction, map) in &part.program.maps {
            let Some(Some(symbol)) = maps.get(map.0 as usize) else {
                return Err(format!("the program `{}` uses a map that the object lacks", part.name));
            };
            let relocation = Relocation {
                offset: at + 8 * *instruction as u64,
                symbol: *symbol,
                // The kind of the pair tells maps from constants, whose offset libbpf takes from the first number.
                addend: 0,
                flags: RelocationFlags::Elf { r_type: elf::R_BPF_64_64 },
            };
            object.add_relocation(section, relocation).map_err(|error| error.to_string())?;
        }
        let function = btf.function(&part.name, int, &[("ctx", context)]);
        described[index_of_section].functions.push((at as u32, function));
        let known =
            part.program.origins.iter().filter_map(|(instruction, origin)| {
                Some((*instruction, part.lines.get((*origin)? as usize)?))
            });
        for (index, (instruction, source)) in known.enumerate() {
            let Source { file, text, line, column } = source;
            let (file, text) = (btf.text(file), btf.text(text));
            // The verifier wants a line for the first instruction (`check_btf_line`).
            let instruction = if index == 0 { 0 } else { instruction as u32 };
            let at = at as u32 + 8 * instruction;
            described[index_of_section].lines.push(Line { at, file, text, line: *line, column: *column });
        }
        for (instruction, _) in &part.program.relocations {
            let Some((access, aspect)) = part.program.relocation(*instruction) else { continue };
            let (root, path) = (btf.access(access), btf.text(&access.path()));
            let at = at as u32 + 8 * *instruction as u32;
            described[index_of_section].relocations.push(Relocated { at, root, path, aspect });
        }
    }
    Ok(described)
}

/// Returns the instructions of a program with the two kinds of pairs right for ELF: libbpf takes the offset of a constant
/// from the first number, and no kind.
fn for_elf(program: &Program) -> Vec<Instruction> {
    let mut instructions = program.instructions.clone();
    for (at, _) in &program.maps {
        let Some([first, second, ..]) = instructions.get_mut(*at..) else { continue };
        if matches!(first.from, MAP | MAP_VALUE) {
            first.from = 0;
            first.number = second.number;
            second.number = 0;
        }
    }
    instructions
}
