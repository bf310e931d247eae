//! Reads the pages of CPUs, also of a file that a session completes meanwhile.
//!
//! At the end of a session the pages of its CPUs are moved together (`writer/live.rs`), and the file gets shorter. What is
//! read at an offset of before may then be the pages of another CPU, or a hole, in which there are no records. The options
//! always say where the pages are, and the writer changes them before it gives up their place. So they are read again after
//! the pages: if these are still at the same place, so they were meanwhile; if not, they are read from their new place.
//! Pages do not change when they are moved.

use std::io::{Read, Seek};

use super::input::Input;
use super::places::Places;
use super::{TraceDatError, v7};

const WHAT: &str = "the pages of a cpu";

/// Reads bytes of the pages of a CPU, which were at an offset when the file was opened.
pub(super) fn fill_pages<R: Read + Seek>(
    input: &mut Input<R>,
    of: (u32, u64),
    bytes: &mut [u8],
) -> Result<(), TraceDatError> {
    match input.take_places() {
        Some(mut places) => {
            let filled = fill_moving(input, &mut places, of, bytes);
            input.set_places(places);
            filled?;
        }
        None => {
            input.seek(of.1)?;
            input.fill(bytes, WHAT)?;
        }
    }
    input.count_pages(bytes);
    Ok(())
}

fn fill_moving<R: Read + Seek>(
    input: &mut Input<R>,
    places: &mut Places,
    of: (u32, u64),
    bytes: &mut [u8],
) -> Result<(), TraceDatError> {
    // The pages of a CPU move with each CPU before it, and once by themselves.
    let mut attempts = places.count() + 2;
    loop {
        let place = places.place(of);
        let filled = input.seek(place).and_then(|()| input.fill(bytes, WHAT));
        let now = input.measure().and_then(|()| v7::begins(input, places.options));
        attempts -= 1;
        match now {
            Ok(now) => places.set(now),
            Err(error) if attempts == 0 => return filled.and(Err(error)),
            Err(_) => continue,
        }
        if place == places.place(of) || attempts == 0 {
            return filled;
        }
    }
}
