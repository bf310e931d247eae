//! Ring-buffer pages for unit tests.

/// `events/header_page` of a 64-bit kernel with 4 KiB sub-buffers.
pub(crate) const LAYOUT: &str = "\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n\
    \tfield: local_t commit;\toffset:8;\tsize:8;\tsigned:1;\n\
    \tfield: int overwrite;\toffset:8;\tsize:1;\tsigned:1;\n\
    \tfield: char data;\toffset:16;\tsize:4080;\tsigned:0;\n";

/// Returns a page with one 8-byte record at each of the times, whose differences are less than 2^27.
pub(crate) fn page(times: &[u64], lost: Option<u64>) -> Vec<u8> {
    let first = times.first().copied().unwrap_or(0);
    let mut data = Vec::new();
    let mut before = first;
    for &time in times {
        let delta = (time - before) as u32;
        before = time;
        data.extend_from_slice(&(delta << 5 | 2).to_ne_bytes());
        data.extend_from_slice(&[0; 8]);
    }
    let mut commit = data.len() as u64;
    if let Some(lost) = lost {
        commit |= 1 << 31 | 1 << 30;
        data.extend_from_slice(&lost.to_ne_bytes());
    }
    let mut bytes = first.to_ne_bytes().to_vec();
    bytes.extend_from_slice(&commit.to_ne_bytes());
    bytes.extend_from_slice(&data);
    bytes.resize(4096, 0);
    bytes
}
