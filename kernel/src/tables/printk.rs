//! The placeholders of templates: the `%p` extensions of `pointer()` in lib/vsprintf.c
//! (Documentation/core-api/printk-formats.rst) that a trace event may use, and the helpers of `TP_printk`
//! (include/trace/stages/stage3_trace_output.h).

/// The argument that an extension takes.
///
/// A record is printed long after it was written: the data that an extension reads has to be in the record
/// (`test_event_printk` in kernel/trace/trace_events.c warns of everything else).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Needs {
    /// A value that is an address, and is not followed.
    Address,
    /// A socket address in the record.
    SocketAddress,
    /// This many bytes in the record.
    Bytes(u32),
    /// Any number of bytes in the record.
    Buffer,
    /// Bits in the record.
    Bits,
    /// A `phys_addr_t` in the record.
    PhysicalAddress,
    /// A `dma_addr_t` in the record.
    DmaAddress,
}

/// A `%p` extension.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Extension {
    /// The letters after the percent sign.
    pub letters: &'static str,
    /// The argument that it takes.
    pub needs: Needs,
    /// A description, one line.
    pub doc: &'static str,
}

const fn extension(letters: &'static str, needs: Needs, doc: &'static str) -> Extension {
    Extension { letters, needs, doc }
}

/// All extensions that a template may use.
pub const ALL: &[Extension] = &[
    extension("p", Needs::Address, "an address, hashed"),
    extension("px", Needs::Address, "an address as it is"),
    extension("pK", Needs::Address, "an address, as kptr_restrict wants it"),
    extension("pe", Needs::Address, "an error pointer by its name"),
    extension("pS", Needs::Address, "a symbol with offset and size"),
    extension("ps", Needs::Address, "a symbol"),
    extension("pSR", Needs::Address, "a symbol of a return address, with offset"),
    extension("pB", Needs::Address, "a symbol of a stack trace's address"),
    extension("pIS", Needs::SocketAddress, "an address of any family"),
    extension("pISc", Needs::SocketAddress, "an address of any family, IPv6 compressed"),
    extension("pISp", Needs::SocketAddress, "an address of any family with its port"),
    extension("pISpc", Needs::SocketAddress, "an address of any family with its port, IPv6 compressed"),
    extension("pISps", Needs::SocketAddress, "an address of any family with port and scope"),
    extension(
        "pISpsc",
        Needs::SocketAddress,
        "an address of any family with port and scope, IPv6 compressed",
    ),
    extension("pISpfsc", Needs::SocketAddress, "an address of any family with all it has"),
    extension("piS", Needs::SocketAddress, "an address of any family, leading zeros kept"),
    extension("pI4", Needs::Bytes(4), "an IPv4 address"),
    extension("pi4", Needs::Bytes(4), "an IPv4 address, leading zeros kept"),
    extension("pI4h", Needs::Bytes(4), "an IPv4 address in host order"),
    extension("pI4n", Needs::Bytes(4), "an IPv4 address in network order"),
    extension("pI4b", Needs::Bytes(4), "an IPv4 address, big endian"),
    extension("pI4l", Needs::Bytes(4), "an IPv4 address, little endian"),
    extension("pI6", Needs::Bytes(16), "an IPv6 address"),
    extension("pI6c", Needs::Bytes(16), "an IPv6 address, compressed"),
    extension("pi6", Needs::Bytes(16), "an IPv6 address without colons"),
    extension("pM", Needs::Bytes(6), "a MAC address"),
    extension("pMR", Needs::Bytes(6), "a MAC address, reversed (Bluetooth)"),
    extension("pMF", Needs::Bytes(6), "a MAC address with dashes (FDDI)"),
    extension("pm", Needs::Bytes(6), "a MAC address without colons"),
    extension("pmR", Needs::Bytes(6), "a MAC address without colons, reversed"),
    extension("pU", Needs::Bytes(16), "a UUID, big endian"),
    extension("pUb", Needs::Bytes(16), "a UUID, big endian"),
    extension("pUB", Needs::Bytes(16), "a UUID, big endian, in capitals"),
    extension("pUl", Needs::Bytes(16), "a UUID, little endian"),
    extension("pUL", Needs::Bytes(16), "a UUID, little endian, in capitals"),
    extension("ph", Needs::Buffer, "bytes with blanks"),
    extension("phC", Needs::Buffer, "bytes with colons"),
    extension("phD", Needs::Buffer, "bytes with dashes"),
    extension("phN", Needs::Buffer, "bytes without anything between"),
    extension("pb", Needs::Bits, "a bit map as a hexadecimal number"),
    extension("pbl", Needs::Bits, "a bit map as ranges"),
    extension("pap", Needs::PhysicalAddress, "a physical address"),
    extension("pa", Needs::PhysicalAddress, "a physical address"),
    extension("pad", Needs::DmaAddress, "a DMA address"),
];

/// Extensions that follow a pointer to an object that may be freed before the record is printed, and what to record
/// instead.
pub const UNSAFE: &[(&str, &str)] = &[
    ("pd", "record the name as text"),
    ("pD", "record the name as text"),
    ("pg", "record the device number"),
    ("pr", "record start and end"),
    ("pR", "record start and end"),
    ("pNF", "record the bits"),
    ("pt", "record the time"),
    ("pC", "record the clock's name"),
    ("pO", "record the node's name as text"),
    ("pf", "record the node's name as text"),
    ("pV", "record the text"),
    ("pE", "record the text"),
    ("pG", "use flags"),
    ("p4c", "record the four bytes"),
    ("pA", "record the text"),
    ("pks", "record the text"),
    ("pus", "record the text"),
];

/// Returns the extension with these letters.
pub fn find(letters: &str) -> Option<&'static Extension> {
    ALL.iter().find(|extension| extension.letters == letters)
}

/// Returns the letters of all extensions.
pub fn names() -> impl Iterator<Item = &'static str> {
    ALL.iter().map(|extension| extension.letters)
}

/// A directive of printf, and what gcc lets stand in it without a warning (`-Wformat`, `print_char_table` of
/// gcc/c-family/c-format.c).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Directive {
    /// The letter.
    pub letter: char,
    /// The flags that it takes.
    pub flags: &'static str,
    /// Whether it takes a precision.
    pub has_precision: bool,
    /// Whether it shows a number, whose precision decides over zeros in front.
    pub is_number: bool,
}

const fn number(letter: char, flags: &'static str) -> Directive {
    Directive { letter, flags, has_precision: true, is_number: true }
}

/// Those that templates use.
pub const DIRECTIVES: &[Directive] = &[
    number('d', "-+ 0"),
    number('u', "-0"),
    number('x', "-#0"),
    number('X', "-#0"),
    number('o', "-#0"),
    Directive { letter: 'c', flags: "-", has_precision: false, is_number: false },
    Directive { letter: 's', flags: "-", has_precision: true, is_number: false },
    Directive { letter: 'p', flags: "-", has_precision: false, is_number: false },
];

/// What gcc warns of in a directive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Misuse {
    /// A flag that stands there twice.
    Repeated(char),
    /// A flag that the directive does not take.
    Flag(char),
    /// A flag that means nothing beside another part.
    Beside(char, &'static str),
    /// A precision.
    Precision,
}

impl Directive {
    /// Returns the directive with a letter.
    pub fn find(letter: char) -> Option<&'static Directive> {
        DIRECTIVES.iter().find(|directive| directive.letter == letter)
    }

    /// Returns what is wrong first with flags and a precision.
    pub fn misuse(&self, flags: &str, has_precision: bool) -> Option<Misuse> {
        let of_flag = |(at, flag): (usize, char)| match flag {
            _ if flags[..at].contains(flag) => Some(Misuse::Repeated(flag)),
            _ if !self.flags.contains(flag) => Some(Misuse::Flag(flag)),
            ' ' if flags.contains('+') => Some(Misuse::Beside(flag, "`+`")),
            '0' if flags.contains('-') => Some(Misuse::Beside(flag, "`-`")),
            '0' if has_precision && self.is_number => Some(Misuse::Beside(flag, "a precision")),
            _ => None,
        };
        let precision = (has_precision && !self.has_precision).then_some(Misuse::Precision);
        flags.char_indices().find_map(of_flag).or(precision)
    }

    /// Returns the flags that have a meaning beside a precision.
    pub fn kept(&self, flags: &str, has_precision: bool) -> String {
        let has_precision = has_precision && self.has_precision;
        let mut kept = String::new();
        for flag in flags.chars().filter(|flag| self.flags.contains(*flag)) {
            if !kept.contains(flag) {
                kept.push(flag);
            }
        }
        while let Some(Misuse::Beside(flag, _)) = self.misuse(&kept, has_precision) {
            kept.retain(|other| other != flag);
        }
        kept
    }
}

/// A word after the colon that names a helper and not a conversion of printf.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Helper {
    /// The word.
    pub name: &'static str,
    /// A description, one line.
    pub doc: &'static str,
}

/// All of them.
pub const HELPERS: &[Helper] = &[
    Helper { name: "dev", doc: "a dev_t as MAJOR,MINOR" },
    Helper { name: "flags", doc: "the names of the flags that are set: flags(\"|\")" },
    Helper { name: "name", doc: "the name of an enum's member" },
    Helper { name: "hex", doc: "the bytes of an array with blanks" },
    Helper { name: "hexstr", doc: "the bytes of an array without blanks" },
    Helper {
        name: "hexdump",
        doc: "the bytes of an array as lines: hexdump(\"prefix\", offset, row 32, group 4, ascii)",
    },
    Helper { name: "secs", doc: "nanoseconds as SECONDS.NANOSECONDS" },
    Helper { name: "ns_to_secs", doc: "the whole seconds of nanoseconds" },
    Helper { name: "ns_without_secs", doc: "the nanoseconds behind the last whole second" },
    Helper { name: "array", doc: "the elements of an array in braces" },
];
