//! Compresses the parts of a file, each alone.

use std::io;

use flate2::{Compress, Compression as Level, FlushCompress, Status};
use zstd::bulk::Compressor;
use zstd::zstd_safe::{self, CompressionLevel};

use super::super::Compression;

/// The level of zstd: that of trace-cmd, which is zstd's own.
const ZSTD_LEVEL: CompressionLevel = zstd_safe::CLEVEL_DEFAULT;

/// The version of zlib that is named. Readers ignore it; the form of the data has not changed since 1996 (RFC 1950).
const ZLIB_VERSION: &str = "1.3.1";

/// Something that compresses, with the memory that it needs.
pub(super) struct Encoder {
    way: Way,
    /// What was compressed last.
    stored: Vec<u8>,
}

enum Way {
    Zlib(Compress),
    Zstd(Compressor<'static>),
}

impl Encoder {
    /// Returns what compresses in a way; `None` for parts that are not compressed.
    pub(super) fn new(compression: Compression) -> io::Result<Option<Self>> {
        let way = match compression {
            Compression::None => return Ok(None),
            Compression::Zlib => Way::Zlib(Compress::new(Level::default(), true)),
            Compression::Zstd => Way::Zstd(Compressor::new(ZSTD_LEVEL)?),
        };
        Ok(Some(Encoder { way, stored: Vec::new() }))
    }

    /// Returns the version of the program that compresses.
    pub(super) fn version(&self) -> &'static str {
        match self.way {
            Way::Zlib(_) => ZLIB_VERSION,
            Way::Zstd(_) => zstd_safe::version_string(),
        }
    }

    /// Compresses bytes, and returns what they become.
    pub(super) fn encode(&mut self, bytes: &[u8]) -> io::Result<&[u8]> {
        self.stored.clear();
        match &mut self.way {
            Way::Zstd(compressor) => {
                self.stored.reserve(zstd_safe::compress_bound(bytes.len()));
                compressor.compress_to_buffer(bytes, &mut self.stored)?;
            }
            Way::Zlib(compress) => {
                compress.reset();
                loop {
                    self.stored.reserve((bytes.len() / 2).max(1024));
                    let taken = usize::try_from(compress.total_in()).unwrap_or(usize::MAX);
                    let rest = bytes.get(taken..).unwrap_or_default();
                    if compress.compress_vec(rest, &mut self.stored, FlushCompress::Finish)?
                        == Status::StreamEnd
                    {
                        break;
                    }
                }
            }
        }
        Ok(&self.stored)
    }
}
