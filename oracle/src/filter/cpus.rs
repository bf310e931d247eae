//! Sets of CPUs: the list in `CPUS{..}` as `bitmap_parselist` (lib/bitmap-str.c) reads it, and the set itself.

use super::ctype::is_space;
use super::{bytes, number};

/// Bits of a word of a `struct cpumask`. The kernels modelled here are of 64 bits.
const WORD_BITS: u32 = 64;

/// A `struct cpumask`: a bit per possible CPU.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct CpuMask {
    words: Box<[u64]>,
    /// `nr_cpu_ids`.
    cpus: u32,
}

impl CpuMask {
    /// Reads a list of `cpus` CPUs; `None` where the kernel says "Invalid cpulist".
    ///
    /// White space and commas separate; a list of nothing else is the empty set. A line feed directly after a region
    /// ends the list, and the rest is ignored.
    pub(super) fn parse(list: &[u8], cpus: u32) -> Option<CpuMask> {
        let mut mask = CpuMask { words: vec![0; cpus.div_ceil(WORD_BITS) as usize].into(), cpus };
        let mut rest = list;
        loop {
            // `bitmap_find_region`
            let separators = rest.iter().take_while(|&&byte| is_space(byte) || byte == b',').count();
            rest = &rest[separators..];
            if rest.is_empty() {
                return Some(mask);
            }
            let (region, behind) = Region::parse(rest, cpus)?;
            region.check(cpus)?;
            mask.set(&region);
            match behind {
                Some(behind) => rest = behind,
                None => return Some(mask),
            }
        }
    }

    /// Sets bits as `bitmap_set_region`. The start wraps as the kernel's does: with groups of almost 2^32 it steps
    /// backwards.
    fn set(&mut self, region: &Region) {
        let mut start = region.start;
        while start <= region.end {
            for cpu in start..start + region.used.min(region.end - start + 1) {
                self.words[(cpu / WORD_BITS) as usize] |= 1 << (cpu % WORD_BITS);
            }
            start = start.wrapping_add(region.group);
        }
    }

    /// Returns the CPU of a set with exactly one.
    pub(super) fn single(&self) -> Option<u32> {
        let mut cpus = (0..self.cpus).filter(|&cpu| self.contains(cpu));
        let first = cpus.next()?;
        cpus.next().is_none().then_some(first)
    }

    /// Returns the result of `cpumask_test_cpu`.
    pub(super) fn contains(&self, cpu: u32) -> bool {
        let word = self.words.get((cpu / WORD_BITS) as usize);
        cpu < self.cpus && word.is_some_and(|word| word >> (cpu % WORD_BITS) & 1 != 0)
    }

    /// Returns the number of possible CPUs.
    pub(super) fn cpus(&self) -> u32 {
        self.cpus
    }

    /// Returns how many bits of a mask in a record are compared with this one, on a kernel built for `nr_cpus` CPUs.
    ///
    /// For a set of one CPU, those of possible CPUs: `cpumask_nth(1, mask) >= nr_cpu_ids` in
    /// `do_filter_cpumask_scalar`. For any other set, `small_cpumask_bits` (include/linux/cpumask.h), which
    /// `cpumask_equal` and `cpumask_intersects` use.
    pub(super) fn compared_bits(&self, nr_cpus: u32) -> u32 {
        if self.single().is_none() && nr_cpus <= WORD_BITS { nr_cpus.max(self.cpus) } else { self.cpus }
    }

    /// Compares with the first `bits` bits of a mask that lies in a record at `bytes`; `None` if `bytes` is too short.
    /// `bits` is the result of [`compared_bits`](Self::compared_bits).
    pub(super) fn compare(&self, bytes: &[u8], bits: u32) -> Option<Overlap> {
        let mut overlap = Overlap { equal: true, common: false };
        for (index, &word) in self.words.iter().enumerate() {
            let bits = bits - index as u32 * WORD_BITS;
            let valid = if bits >= WORD_BITS { u64::MAX } else { (1 << bits) - 1 };
            let other = bytes::uint(bytes, index * 8, 8)? & valid;
            overlap.equal &= word == other;
            overlap.common |= word & other != 0;
        }
        Some(overlap)
    }
}

/// The relation of two sets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Overlap {
    /// Whether they hold the same CPUs.
    pub(super) equal: bool,
    /// Whether they have a CPU in common.
    pub(super) common: bool,
}

/// `struct region`: of the CPUs from `start` to `end`, the first `used` of each `group`.
struct Region {
    start: u32,
    end: u32,
    used: u32,
    group: u32,
}

impl Region {
    /// Parses as `bitmap_parse_region`: the region and the text after it, `None` if it is the last.
    fn parse(text: &[u8], cpus: u32) -> Option<(Region, Option<&[u8]>)> {
        let (start, end, rest) = match text.get(..3) {
            Some(word) if word.eq_ignore_ascii_case(b"all") => (0, cpus.wrapping_sub(1), &text[3..]),
            _ => {
                let (start, rest) = cpu_number(text, cpus)?;
                if ends_region(rest) {
                    return Some(Region::whole(start, start, rest));
                }
                let (end, rest) = cpu_number(rest.strip_prefix(b"-")?, cpus)?;
                (start, end, rest)
            }
        };
        if ends_region(rest) {
            return Some(Region::whole(start, end, rest));
        }
        let (used, rest) = cpu_number(rest.strip_prefix(b":")?, cpus)?;
        let (group, rest) = cpu_number(rest.strip_prefix(b"/")?, cpus)?;
        Some((Region { start, end, used, group }, Some(rest)))
    }

    fn whole(start: u32, end: u32, rest: &[u8]) -> (Region, Option<&[u8]>) {
        let all = end.wrapping_add(1);
        let behind = (!matches!(rest.first(), None | Some(b'\n'))).then_some(rest);
        (Region { start, end, used: all, group: all }, behind)
    }

    /// Checks as `bitmap_check_region`.
    fn check(&self, cpus: u32) -> Option<()> {
        let sound = self.start <= self.end && self.group != 0 && self.used <= self.group;
        (sound && self.end < cpus).then_some(())
    }
}

/// Reads a number as `bitmap_getnum`: a decimal number below 2^32, or `N` for the last CPU.
fn cpu_number(text: &[u8], cpus: u32) -> Option<(u32, &[u8])> {
    if let Some(rest) = text.strip_prefix(b"N") {
        return Some((cpus.wrapping_sub(1), rest));
    }
    let (number, length) = number::leading(text, 10)?;
    Some((u32::try_from(number).ok()?, &text[length..]))
}

/// Returns the result of `end_of_region`.
fn ends_region(text: &[u8]) -> bool {
    text.first().is_none_or(|&byte| is_space(byte) || byte == b',')
}

#[cfg(test)]
mod tests {
    use super::CpuMask;

    fn cpus(list: &str, count: u32) -> Option<Vec<u32>> {
        let mask = CpuMask::parse(list.as_bytes(), count)?;
        Some((0..count + 70).filter(|&cpu| mask.contains(cpu)).collect())
    }

    #[test]
    fn lists_are_read_as_the_kernel_reads_them() {
        let some = |cpus: &[u32]| Some(cpus.to_vec());
        for (list, set) in [
            ("0", some(&[0])),
            ("0-3", some(&[0, 1, 2, 3])),
            ("1,3", some(&[1, 3])),
            (" 1 ,, 3 ", some(&[1, 3])),
            ("", some(&[])),
            (" , ", some(&[])),
            ("N", some(&[7])),
            ("6-N", some(&[6, 7])),
            ("all", some(&[0, 1, 2, 3, 4, 5, 6, 7])),
            ("ALL:1/4", some(&[0, 4])),
            ("0-7:2/4", some(&[0, 1, 4, 5])),
            ("0-7:0/4", some(&[])),
            ("0-1:1/2 5", some(&[0, 5])),
            ("0-1:1/2N", some(&[0, 7])),
            ("1-1:1/4294967295", some(&[0, 1])),
            ("3\n99", some(&[3])),
            ("3 \n4", some(&[3, 4])),
            ("007", some(&[7])),
            ("8", None),
            ("0-8", None),
            ("3-1", None),
            ("1-", None),
            ("-1", None),
            ("x", None),
            ("0x1", None),
            ("0-3:2/0", None),
            ("0-3:3/2", None),
            ("0-3:1", None),
            ("all-3", None),
            ("4294967295", None),
            ("4294967296", None),
            ("99999999999999999999", None),
        ] {
            assert_eq!(cpus(list, 8), set, "{list:?}");
        }
        assert_eq!(cpus("63-64,129", 130), some(&[63, 64, 129]));
    }

    #[test]
    fn masks_of_a_record_are_compared_up_to_some_bit() {
        let mask = CpuMask::parse(b"0,65", 66).unwrap();
        let mut bytes = [0; 16];
        (bytes[0], bytes[8]) = (1, 2);
        assert_eq!(mask.compared_bits(8192), 66);
        let same = mask.compare(&bytes, 66).unwrap();
        assert!(same.equal && same.common);
        // The CPUs from 66 on are not possible.
        bytes[8] |= 0xfc;
        assert!(mask.compare(&bytes, 66).unwrap().equal);
        (bytes[0], bytes[8]) = (2, 0);
        let other = mask.compare(&bytes, 66).unwrap();
        assert!(!other.equal && !other.common);
        assert_eq!(mask.compare(&bytes[..15], 66), None);
    }

    #[test]
    fn a_kernel_for_few_cpus_looks_at_all_of_their_bits() {
        let bits = |list: &str, nr_cpus| CpuMask::parse(list.as_bytes(), 2).unwrap().compared_bits(nr_cpus);
        assert_eq!((bits("0-1", 8), bits("0-1", 64), bits("0-1", 65), bits("0-1", 8192)), (8, 64, 2, 2));
        assert_eq!((bits(",", 8), bits(",", 256)), (8, 2));
        assert_eq!((bits("0", 8), bits("1", 64), bits("1", 256)), (2, 2, 2));
        let both = CpuMask::parse(b"0-1", 2).unwrap();
        let overlap = |mask: u64, bits| both.compare(&mask.to_ne_bytes(), bits).unwrap();
        assert!(overlap(0b111, 2).equal && !overlap(0b111, 8).equal);
        assert!(overlap(0x103, 8).equal && overlap(0x103, 8).common);
    }
}
