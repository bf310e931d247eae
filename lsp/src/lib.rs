//! The language server of tracec does not exist yet; this crate reserves its room: positions in, compiler queries out, one file per request.
