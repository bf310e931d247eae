//! Words that cannot be names in the C that is generated from a definition. `trace_names` has those that only some
//! kinds of names cannot be.

/// The reason why a word cannot be a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Why {
    /// A keyword of C as the kernel is compiled (`-std=gnu11`).
    Keyword,
    /// A macro that is defined wherever a trace header is read.
    Macro,
}

/// A word and the reason why it cannot be a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CWord {
    /// The word.
    pub name: &'static str,
    /// The reason.
    pub why: Why,
}

const fn keyword(name: &'static str) -> CWord {
    CWord { name, why: Why::Keyword }
}

const fn defined(name: &'static str) -> CWord {
    CWord { name, why: Why::Macro }
}

/// All of them.
pub const ALL: &[CWord] = &[
    keyword("asm"),
    keyword("auto"),
    keyword("break"),
    keyword("case"),
    keyword("char"),
    keyword("const"),
    keyword("continue"),
    keyword("default"),
    keyword("do"),
    keyword("double"),
    keyword("else"),
    keyword("enum"),
    keyword("extern"),
    keyword("float"),
    keyword("for"),
    keyword("goto"),
    keyword("if"),
    keyword("inline"),
    keyword("int"),
    keyword("long"),
    keyword("register"),
    keyword("restrict"),
    keyword("return"),
    keyword("short"),
    keyword("signed"),
    keyword("sizeof"),
    keyword("static"),
    keyword("struct"),
    keyword("switch"),
    keyword("typedef"),
    keyword("typeof"),
    keyword("union"),
    keyword("unsigned"),
    keyword("void"),
    keyword("volatile"),
    keyword("while"),
    keyword("_Bool"),
    keyword("_Alignof"),
    keyword("_Generic"),
    keyword("_Static_assert"),
    // gcc predefines these two for every Linux target unless -std is strict.
    defined("linux"),
    defined("unix"),
    // include/asm-generic/current.h, arch/*/include/asm/current.h
    defined("current"),
    // include/linux/compiler_types.h, compiler.h, kernel.h, minmax.h, stddef.h
    defined("barrier"),
    defined("likely"),
    defined("unlikely"),
    defined("noinline"),
    defined("notrace"),
    defined("offsetof"),
    defined("min"),
    defined("max"),
    defined("clamp"),
    defined("swap"),
    defined("NULL"),
    defined("__entry"),
    defined("__user"),
    defined("__kernel"),
    defined("__iomem"),
    defined("__percpu"),
];

/// Returns the entry of a word that cannot be a name.
pub fn find(name: &str) -> Option<&'static CWord> {
    ALL.iter().find(|word| word.name == name)
}
