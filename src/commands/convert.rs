//! `tracec convert IN -o OUT`: writes a recording in another version or compression.

use std::process::ExitCode;

use tracec_kernel::grouped::Grouped;
use tracec_runtime::record::{Compression, Extract, Form, Version};

use super::{Failure, recording};
use crate::cli::{Convert, FileCompression, FileVersion};
use crate::print;

/// Writes a trace.dat file in another form.
pub(crate) fn convert(arguments: &Convert) -> Result<ExitCode, Failure> {
    let Convert { file, output, compression, file_version, quiet } = arguments;
    let version = match file_version {
        FileVersion::Six => Version::Six,
        FileVersion::Seven => Version::Seven,
    };
    let asked = compression.map(|compression| match compression {
        FileCompression::None => Compression::None,
        FileCompression::Zlib => Compression::Zlib,
        FileCompression::Zstd => Compression::Zstd,
    });
    let mut recording = recording::open(file)?;
    let outline = recording.outline().map_err(|error| recording::damaged(file, &error))?;
    let compression = match (version, asked) {
        (Version::Six, Some(Compression::Zlib | Compression::Zstd)) => {
            let why = "version 6 has no compression: leave out `--compression`, or `--file-version 6`";
            return Err(Failure::Usage(why.to_owned()));
        }
        (Version::Six, _) => Compression::None,
        (Version::Seven, Some(asked)) => asked,
        // As before, where there was a choice.
        (Version::Seven, None) if outline.version == Version::Seven => outline.compression,
        (Version::Seven, None) => Compression::Zstd,
    };
    let form = Form { version, compression };
    let extract = Extract::default();
    let written = recording::write((file, &mut recording), output, (form, &extract), None, *quiet)?;
    if *quiet {
        return recording::copied(file, &written);
    }
    let size = std::fs::metadata(output).map_or(0, |found| found.len());
    print::complain(&format!(
        "{}: version {}, compression {}, {} bytes from {}\n",
        output.display(),
        version.number(),
        compression.name(),
        Grouped(size),
        Grouped(outline.size)
    ));
    recording::copied(file, &written)
}
