//! The vocabulary of the data model: datatypes, layouts, ranges, fill values, format versions.

mod arrow;
mod cell;
mod datatype;
mod fill;
mod format_version;
mod key_index;
mod layout;
mod name;
mod named_list;
mod path_text;
mod physical;
mod range;
mod windows_path;

pub use arrow::ArrowConversion;
pub use cell::CellValNum;
pub use datatype::Datatype;
pub use fill::default_fill;
pub use format_version::{
    CURRENT_VERSION, FormatFeature, FormatVersion, NEWEST_READABLE_VERSION, NEWEST_WRITABLE_VERSION,
    OLDEST_WRITABLE_VERSION, release_order,
};
pub use key_index::KeyIndex;
pub use layout::{ArrayType, DataOrder, EncryptionType, Layout, ObjectType, QueryType};
pub use name::Name;
pub use named_list::{HasName, NamedList};
pub use path_text::{DisplayPath, bytes_of_path, local_path, text_of_path};
pub use physical::dispatch;
pub use physical::{Cell, NumberKind, PhysicalType, cells_of};
pub use range::{CellRange, NdRange};
pub use windows_path::{uri_of_windows_name, uri_of_windows_path, windows_path_of_uri};
