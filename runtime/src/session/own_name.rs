//! The instance names that tracec chooses.

use tracec_kernel::plan::{InstanceName, InvalidInstanceName};

/// The number of the first PID namespace (include/linux/proc_ns.h, `PROC_PID_INIT_INO`).
const FIRST_NAMESPACE: &str = "4026531836";
/// The link that names the PID namespace of this process.
const NAMESPACE: &str = "/proc/self/ns/pid";
/// The prefix of every name.
const PREFIX: &str = "tracec.";

/// Returns a name for the instance of a session that no other process uses: `tracec.STEM.PID`. Containers may share a
/// tracefs, and their processes have the same ids: in a PID namespace of its own the name ends with the number of the
/// namespace.
///
/// # Errors
/// [`InvalidInstanceName`] if the stem is longer than 38 bytes, or has characters that a name cannot have.
pub fn own_name(stem: &str) -> Result<InstanceName, InvalidInstanceName> {
    let pid = pid();
    let of_namespace = namespace().map_or(String::new(), |number| format!(".{number}"));
    InstanceName::new(&format!("{PREFIX}{stem}.{pid}{of_namespace}"))
}

/// Returns the id of this process, which is part of the names that it chooses.
pub(super) fn pid() -> u32 {
    std::process::id()
}

/// Returns whether a name was chosen by the process with this id, so that the instance is of its session.
pub(super) fn is_own(name: &InstanceName, pid: u32) -> bool {
    let Some(rest) = name.as_str().strip_prefix(PREFIX) else { return false };
    let pid = pid.to_string();
    let Some((before, last)) = rest.rsplit_once('.') else { return false };
    let is_number = last.bytes().all(|byte| byte.is_ascii_digit());
    last == pid || is_number && before.rsplit_once('.').is_some_and(|(_, part)| part == pid)
}

/// Returns the id of the process that chose a name, if it is one that tracec chooses and the id is one of the PID namespace of
/// this process.
pub(super) fn maker(name: &InstanceName) -> Option<u32> {
    let parts: Vec<&str> = name.as_str().strip_prefix(PREFIX)?.rsplit('.').collect();
    let is_namespace = |part: &str| part.parse::<u64>().is_ok_and(|number| number > MOST_PROCESSES);
    let (pid, of) = match parts.as_slice() {
        [last, pid, _, ..] if is_namespace(last) => (pid, Some(*last)),
        [pid, _, ..] => (pid, None),
        _ => return None,
    };
    let pid = pid.parse().ok().filter(|pid| u64::from(*pid) <= MOST_PROCESSES)?;
    (of == namespace().as_deref()).then_some(pid)
}

/// The greatest id of a process (include/linux/threads.h, `PID_MAX_LIMIT`). The numbers of PID namespaces are greater.
const MOST_PROCESSES: u64 = 4 << 20;

/// Returns whether the ids of processes are those of the first PID namespace, or nothing else is known.
pub(super) fn is_in_first_namespace() -> bool {
    namespace().is_none()
}

/// Returns the number of the PID namespace, unless it is the first or is not known.
fn namespace() -> Option<String> {
    let link = std::fs::read_link(NAMESPACE).ok()?;
    let number = link.to_str()?.strip_prefix("pid:[")?.strip_suffix(']')?.to_owned();
    (number != FIRST_NAMESPACE).then_some(number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chosen_name_is_recognised() {
        let pid = pid();
        let name = own_name("disk").unwrap();
        assert!(is_own(&name, pid) && !is_own(&name, pid + 1), "{name}");
        let is_own = |name: &str| is_own(&InstanceName::new(name).unwrap(), 47);
        assert!(is_own("tracec.disk.47") && is_own("tracec.disk.47.4026532451") && is_own("tracec..47"));
        for name in [
            "disk.47",
            "tracec.disk",
            "tracec.disk.4",
            "tracec.disk.47.x",
            "tracec.disk.47.1.2",
            "tracec.disk.147",
        ] {
            assert!(!is_own(name), "{name}");
        }
    }

    #[test]
    fn maker_of_a_chosen_name_is_known() {
        assert_eq!(maker(&own_name("disk").unwrap()), Some(pid()));
        let other = |name: &str| maker(&InstanceName::new(name).unwrap());
        for name in
            ["disk.47", "tracec.disk", "tracec.disk.x", "tracec.disk.47.4026000000", "tracec.disk.4026532451"]
        {
            assert_eq!(other(name), None, "{name}");
        }
    }

    #[test]
    fn longest_name_is_valid() {
        assert!(own_name(&"x".repeat(38)).is_ok());
        assert!(own_name("a/b").is_err());
        let name = format!("{PREFIX}{}.{}.{}", "x".repeat(38), u32::MAX >> 10, FIRST_NAMESPACE);
        assert!(name.len() <= 64 && InstanceName::new(&name).is_ok(), "{}", name.len());
    }
}
