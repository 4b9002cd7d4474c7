//! Compressors: bytes to fewer bytes and back.
