//! Walks over the pages of a ring buffer in memory, counts their records and adds up their time stamps: what
//! `benches/records_peer/walk.c` does, by the iterator of this crate.
//!
//!     walk FILE PASSES PAGE_SIZE [OFFSET LENGTH]...
//!
//! It prints the count, the sum modulo 2^64, and the processor's time of each pass in nanoseconds.

use std::error::Error;
use std::fs::File;
use std::os::unix::fs::FileExt;
use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};
use tracec_kernel::page::{Page, PageError, PageLayout};

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [file, numbers @ ..] = arguments.as_slice() else { return Err("FILE is missing".into()) };
    let numbers = numbers.iter().map(|number| number.parse()).collect::<Result<Vec<u64>, _>>()?;
    let [passes, size, places @ ..] = numbers.as_slice() else { return Err("numbers are missing".into()) };
    let (file, mut pages) = (File::open(file)?, Vec::new());
    for place in places.chunks_exact(2) {
        let from = pages.len();
        pages.resize(from + usize::try_from(place[1])?, 0);
        file.read_exact_at(&mut pages[from..], place[0])?;
    }
    let layout = PageLayout { size: u32::try_from(*size)?, ..PageLayout::default() };
    let sums = walk(&layout, &pages)?;
    print!("{} {}", sums.0, sums.1);
    for _ in 0..*passes {
        let start = now();
        let again = walk(&layout, &pages)?;
        print!(" {}", (now() - start).as_nanos());
        if again != sums {
            return Err("a pass differs".into());
        }
    }
    println!();
    Ok(())
}

/// Returns the number of records, and the sum of their time stamps.
#[inline(never)]
fn walk(layout: &PageLayout, pages: &[u8]) -> Result<(u64, u64), PageError> {
    let (mut records, mut time) = (0, 0_u64);
    for page in pages.chunks_exact(layout.size as usize) {
        for entry in Page::new(layout, page)?.entries() {
            records += 1;
            time = time.wrapping_add(entry?.timestamp);
        }
    }
    Ok((records, time))
}

fn now() -> Duration {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}
