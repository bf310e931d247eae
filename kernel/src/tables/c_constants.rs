//! Lengths of arrays that kernel headers name and records use.

/// A macro that stands for a length.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CConstant {
    /// Its name.
    pub name: &'static str,
    /// Its value.
    pub value: u64,
}

const fn constant(name: &'static str, value: u64) -> CConstant {
    CConstant { name, value }
}

/// Those that do not depend on the configuration, each with its header.
pub const ALL: &[CConstant] = &[
    // include/linux/sched.h
    constant("TASK_COMM_LEN", super::limits::TASK_COMM_LEN as u64),
    // include/uapi/linux/if.h
    constant("IFNAMSIZ", 16),
    // include/uapi/linux/if_ether.h
    constant("ETH_ALEN", 6),
    // include/uapi/linux/limits.h
    constant("NAME_MAX", 255),
    constant("PATH_MAX", 4096),
    // include/linux/blkdev.h
    constant("DISK_NAME_LEN", 32),
    // include/linux/uuid.h
    constant("UUID_SIZE", 16),
    constant("UUID_STRING_LEN", 36),
    // include/linux/netdevice.h
    constant("MAX_ADDR_LEN", 32),
    // include/linux/mod_devicetable.h
    constant("I2C_NAME_SIZE", 20),
    // include/linux/module.h: MAX_PARAM_PREFIX_LEN of include/linux/moduleparam.h, 64 less a pointer
    constant("MODULE_NAME_LEN", 56),
    // include/linux/kallsyms.h since 6.1
    constant("KSYM_NAME_LEN", 512),
];

/// Returns the constant with this name.
pub fn find(name: &str) -> Option<&'static CConstant> {
    ALL.iter().find(|constant| constant.name == name)
}

/// Returns the names of all.
pub fn names() -> impl Iterator<Item = &'static str> {
    ALL.iter().map(|constant| constant.name)
}
