//! The door for fuzz targets, benchmarks and a few tests: what they use of the engine. It is no interface for others.
//!
//! The library's interface is C's; all modules are closed, so that the compiler names what nobody uses.
#![allow(missing_docs, reason = "what is handed on here is described where it is defined")]

pub mod array {
    pub use crate::array::{ArrayDirectory, Metadata, OpenArray};
}

pub mod codec {
    pub mod bzip2 {
        pub use crate::codec::bzip2::{compress, decompress};
    }
    pub mod gzip {
        pub use crate::codec::gzip::{compress, decompress};
    }
    pub mod lz4 {
        pub use crate::codec::lz4::{compress, decompress};
    }
    pub mod zstd {
        pub use crate::codec::zstd::{compress, decompress};
    }
}

pub mod config {
    pub use crate::config::Config;
}

pub mod crypto {
    pub use crate::crypto::{Digest, EncryptionKey};
}

pub mod error {
    pub use crate::error::Result;
}

pub mod filter {
    pub use crate::filter::{CHUNK_SIZE, ChunkIndex, DEFAULT_LEVEL, Filter, FilterType, Pipeline, Shape, WebpFormat};
}

pub mod fragment {
    pub use crate::fragment::{FilteredTile, Fragment, FragmentName, FragmentWriter, Keep, Part, RTree, box_of_region};
}

pub mod group {
    pub use crate::group::{Group, OpenGroup, create};
}

pub mod messages {
    pub use crate::remote::convert::schema::Side;
    pub use crate::remote::convert::{
        Form, Reading, array, config, domain, evolution, fragment_info, group, metadata, schema,
    };
}

pub mod query {
    pub use crate::query::{Pairs, sort};
}

pub mod remote {
    pub use crate::remote::reform::{of_json, to_json};
    #[cfg(feature = "rest")]
    pub use crate::remote::rest::responses::Responses;
}

pub mod resources {
    pub use crate::resources::Resources;
}

pub mod schema {
    pub use crate::schema::{ArraySchema, Attribute, Dimension, Domain, Enumeration};
}

pub mod stats {
    pub use crate::stats::Counter;
}

pub mod tile {
    pub use crate::tile::{Fill, TileStats, stats_kind, tile_stats};

    pub mod generic {
        pub use crate::tile::generic::{read, write};
    }
}

pub mod types {
    pub use crate::types::{ArrayType, CURRENT_VERSION, CellRange, CellValNum, Datatype, FormatVersion, QueryType};
}

pub mod vfs {
    pub use crate::vfs::Uri;
}

pub mod wire {
    pub use crate::wire::{Reader, Writer};
}
