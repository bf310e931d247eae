//! Structs of the kernel whose layout does not depend on the configuration, so that a record may hold one. All others
//! need type information of the kernel at hand.

/// The content of a struct, where a printk extension can print it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Content {
    /// An IPv4 address in network order.
    Ipv4,
    /// An IPv6 address.
    Ipv6,
    /// A socket address, which holds its own family.
    SocketAddress,
    /// A UUID.
    Uuid,
    /// None of these.
    Other,
}

/// A struct, or a typedef of one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CStruct {
    /// Its tag, or its name where it is a typedef.
    pub name: &'static str,
    /// Whether it is named without the word `struct`.
    pub typedef: bool,
    /// Its size in bytes.
    pub size: u32,
    /// Its alignment in another struct.
    pub align: u32,
    /// Its content.
    pub content: Content,
}

const fn tag(name: &'static str, size: u32, align: u32, content: Content) -> CStruct {
    CStruct { name, typedef: false, size, align, content }
}

const fn typedef(name: &'static str, size: u32, align: u32, content: Content) -> CStruct {
    CStruct { name, typedef: true, size, align, content }
}

/// All of them, each with its header.
pub const ALL: &[CStruct] = &[
    // include/uapi/linux/in.h, in6.h
    tag("in_addr", 4, 4, Content::Ipv4),
    tag("sockaddr_in", 16, 4, Content::SocketAddress),
    tag("in6_addr", 16, 4, Content::Ipv6),
    tag("sockaddr_in6", 28, 4, Content::SocketAddress),
    // include/linux/socket.h, include/uapi/linux/socket.h
    tag("sockaddr", 16, 2, Content::SocketAddress),
    tag("sockaddr_storage", 128, 8, Content::SocketAddress),
    tag("__kernel_sockaddr_storage", 128, 8, Content::SocketAddress),
    // include/linux/time64.h
    tag("timespec64", 16, 8, Content::Other),
    // include/linux/uuid.h
    typedef("uuid_t", 16, 1, Content::Uuid),
    typedef("guid_t", 16, 1, Content::Uuid),
    // include/linux/uidgid.h: a struct around a number
    typedef("kuid_t", 4, 4, Content::Other),
    typedef("kgid_t", 4, 4, Content::Other),
];

/// Returns `struct NAME`.
pub fn find_tag(name: &str) -> Option<&'static CStruct> {
    ALL.iter().find(|c| !c.typedef && c.name == name)
}

/// Returns `NAME`, a typedef of a struct.
pub fn find_typedef(name: &str) -> Option<&'static CStruct> {
    ALL.iter().find(|c| c.typedef && c.name == name)
}
