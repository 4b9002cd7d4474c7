//! `Debug` of types whose contents are of no use in a log: their names.

use std::fmt;

use crate::config::ConfigBuilder;
use crate::maintenance::{Consolidation, Maintenance, Rewrite, Vacuum, Verify};
use crate::metadata::Metadata;
use crate::query::{Batches, Blobs, Buffers, Cells, GlobalWrite, Lists, ReadQuery, Reader, Strings, WriteQuery};
use crate::vfs::{VfsReader, VfsWriter};

macro_rules! opaque {
    ($($type:ident $(<$lifetime:lifetime>)?,)+) => {
        $(
            impl fmt::Debug for $type $(<$lifetime>)? {
                fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                    f.debug_struct(stringify!($type)).finish_non_exhaustive()
                }
            }
        )+
    };
}

opaque! {
    Batches<'_>,
    Blobs<'_>,
    Buffers<'_>,
    Cells<'_>,
    ConfigBuilder,
    Consolidation<'_>,
    GlobalWrite,
    Maintenance<'_>,
    Metadata,
    ReadQuery<'_>,
    Reader,
    Rewrite<'_>,
    Strings<'_>,
    Vacuum<'_>,
    Verify<'_>,
    VfsReader,
    VfsWriter,
    WriteQuery<'_>,
}

impl<T> fmt::Debug for Lists<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Lists").finish_non_exhaustive()
    }
}
