//! The time shifts of a guest (the option TIME_SHIFT): how the clock of each of its CPUs becomes that of its host.
//!
//! While a guest is recorded, the two clocks are compared now and then. Each sample has the guest's time, what is added to
//! it, and a factor (`tsync_cpu_offsets_load` and `timestamp_host_sync` in lib/trace-cmd/trace-input.c).

use std::io::{Read, Seek};
use std::sync::Arc;

use super::TraceDatError;
use super::head::MOST_CPUS;
use super::input::Input;

/// The bit of the flags that says that what is between two samples is interpolated (`TRACECMD_TSYNC_FLAG_INTERPOLATE`).
const INTERPOLATE: u32 = 1;

/// The largest accepted number of samples of a CPU. One is taken each second or so.
const MOST_SAMPLES: u32 = 1 << 20;

/// A comparison of the clocks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Sample {
    time: i64,
    offset: i64,
    scaling: u64,
    /// The number of bits of the factor that are behind the point.
    fraction: u32,
}

/// The samples of a CPU, in the order of time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Shift {
    samples: Box<[Sample]>,
    interpolates: bool,
}

/// Reads the option at the current position, `length` bytes: the shifts of each CPU; `None` for a CPU without samples.
pub(super) fn read<R: Read + Seek>(
    input: &mut Input<R>,
    length: u64,
) -> Result<Vec<Option<Arc<Shift>>>, TraceDatError> {
    let (what, begin) = ("the time shifts of a guest", input.position());
    // An older one has nothing else.
    if length < 16 {
        return Ok(Vec::new());
    }
    input.u64(what)?;
    let interpolates = input.u32(what)? & INTERPOLATE != 0;
    let count = input.u32(what)?;
    let unexpected = TraceDatError::Unexpected { what: "a number of cpus", offset: begin + 12 };
    if count > MOST_CPUS {
        return Err(unexpected);
    }
    let mut cpus = Vec::new();
    for _ in 0..count {
        let offset = input.position();
        let count = input.u32(what)?;
        let room = (begin + length).saturating_sub(input.position());
        if count > MOST_SAMPLES || u64::from(count) * 24 > room {
            return Err(TraceDatError::Unexpected { what: "a number of samples", offset });
        }
        let mut samples = vec![Sample { scaling: 1, ..Sample::default() }; count as usize];
        for sample in &mut samples {
            sample.time = input.u64(what)? as i64;
        }
        for sample in &mut samples {
            sample.offset = input.u64(what)? as i64;
        }
        for sample in &mut samples {
            sample.scaling = input.u64(what)?;
        }
        cpus.push(samples);
    }
    // An older one has no fractions.
    let has_fractions = input.position() < begin + length;
    for sample in cpus.iter_mut().flatten().filter(|_| has_fractions) {
        sample.fraction = u32::try_from(input.u64(what)?).unwrap_or(u32::MAX);
    }
    Ok(cpus.into_iter().map(|samples| Shift::new(samples, interpolates).map(Arc::new)).collect())
}

impl Shift {
    fn new(mut samples: Vec<Sample>, interpolates: bool) -> Option<Self> {
        samples.sort_by_key(|sample| sample.time);
        samples.dedup_by_key(|sample| sample.time);
        (!samples.is_empty()).then(|| Shift { samples: samples.into(), interpolates })
    }

    /// Returns the host's time.
    pub(super) fn apply(&self, timestamp: u64) -> u64 {
        let time = timestamp as i64;
        let Some(last) = self.samples.len().checked_sub(2) else {
            // The factor of a single sample is not used.
            let offset = self.samples.first().map_or(0, |sample| sample.offset);
            return timestamp.wrapping_add_signed(offset);
        };
        let behind = self.samples.partition_point(|sample| sample.time <= time);
        let index = behind.saturating_sub(1).min(last);
        match self.samples.get(index..) {
            Some([first, second, ..]) => first.apply(timestamp, self.interpolates.then_some(second)),
            _ => timestamp,
        }
    }
}

impl Sample {
    /// Returns the host's time by this sample and, if that is interpolated, the next one.
    fn apply(&self, timestamp: u64, next: Option<&Sample>) -> u64 {
        let offset = match next {
            Some(next) => {
                let wide = |from: i64, to: i64| i128::from(to) - i128::from(from);
                let distance = wide(self.time, next.time);
                let part = wide(self.time, timestamp as i64) * wide(self.offset, next.offset);
                i128::from(self.offset) + (part + distance / 2) / distance
            }
            None => i128::from(self.offset),
        };
        let scaled = u128::from(timestamp) * u128::from(self.scaling);
        let scaled = scaled.checked_shr(self.fraction).unwrap_or(0);
        (scaled as u64).wrapping_add(offset as u64)
    }
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use super::*;

    /// The bytes of the option: its flags, and for each CPU times, offsets and factors, then fractions.
    fn option(flags: u32, cpus: &[&[[u64; 3]]], fractions: &[u64]) -> Vec<u8> {
        let mut bytes = 7_u64.to_le_bytes().to_vec();
        bytes.extend(flags.to_le_bytes());
        bytes.extend((cpus.len() as u32).to_le_bytes());
        for samples in cpus {
            bytes.extend((samples.len() as u32).to_le_bytes());
            for column in 0..3 {
                samples.iter().for_each(|sample| bytes.extend(sample[column].to_le_bytes()));
            }
        }
        fractions.iter().for_each(|fraction| bytes.extend(fraction.to_le_bytes()));
        bytes
    }

    fn read_option(bytes: &[u8]) -> Result<Vec<Option<Arc<Shift>>>, TraceDatError> {
        read(&mut Input::new(Cursor::new(bytes.to_vec())).unwrap(), bytes.len() as u64)
    }

    const BACK: u64 = 5_u64.wrapping_neg();

    #[test]
    fn times_are_those_of_the_sample_before() {
        let samples = [[300, 30, 1], [100, 10, 1], [200, BACK, 1], [200, 99, 1]];
        let shifts = read_option(&option(0, &[&samples, &[], &[[0, 7, 9]]], &[])).unwrap();
        let [Some(first), None, Some(single)] = &shifts[..] else { panic!("{shifts:?}") };
        // The last interval begins at the last sample but one.
        for (time, shown) in [(50, 60), (100, 110), (199, 209), (200, 195), (250, 245), (900, 895)] {
            assert_eq!(first.apply(time), shown, "{time}");
        }
        assert_eq!(single.apply(1000), 1007);
    }

    #[test]
    fn offsets_are_interpolated_and_times_scaled() {
        let shifts = read_option(&option(1, &[&[[100, 10, 3], [200, 30, 3]]], &[1, 1])).unwrap();
        let shift = shifts[0].as_ref().unwrap();
        assert_eq!(shift.apply(150), 150 * 3 / 2 + 20);
        assert_eq!(shift.apply(300), 300 * 3 / 2 + 50);
    }

    #[test]
    fn damaged_option_is_an_error() {
        let whole = option(0, &[&[[1, 2, 1], [3, 4, 1]]], &[0, 0]);
        assert_eq!(read_option(&whole[..15]).unwrap(), []);
        for length in 16..whole.len() - 16 {
            assert!(read_option(&whole[..length]).is_err(), "{length}");
        }
        let mut many = whole.clone();
        many[16..20].copy_from_slice(&u32::MAX.to_le_bytes());
        assert!(read_option(&many).is_err());
        many[12..16].copy_from_slice(&u32::MAX.to_le_bytes());
        assert!(read_option(&many).is_err());
    }
}
