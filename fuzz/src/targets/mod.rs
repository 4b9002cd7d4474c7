//! What is fuzzed: functions that take any bytes and panic where the library breaks a promise. The fuzzer
//! and `tests/fuzz_seeds/main.rs`, which replays the seeds, share this module.

mod arrow_c;
mod c_abi;
pub mod files;
mod input;
mod messages;
mod responses;
mod tile;

use tiledb_filters::filter::FilterType;

/// What a target does with the fuzzer's bytes.
pub type Target = fn(&[u8]);

/// Every target by name.
pub const TARGETS: [(&str, Target); 41] = [
    ("gzip", |bytes| tile::one(FilterType::Gzip, bytes)),
    ("zstd", |bytes| tile::one(FilterType::Zstd, bytes)),
    ("lz4", |bytes| tile::one(FilterType::Lz4, bytes)),
    ("rle", |bytes| tile::one(FilterType::Rle, bytes)),
    ("bzip2", |bytes| tile::one(FilterType::Bzip2, bytes)),
    ("double_delta", |bytes| tile::one(FilterType::DoubleDelta, bytes)),
    ("bit_width_reduction", |bytes| tile::one(FilterType::BitWidthReduction, bytes)),
    ("bitshuffle", |bytes| tile::one(FilterType::BitShuffle, bytes)),
    ("byteshuffle", |bytes| tile::one(FilterType::ByteShuffle, bytes)),
    ("positive_delta", |bytes| tile::one(FilterType::PositiveDelta, bytes)),
    ("aes_256_gcm", |bytes| tile::one(FilterType::Aes256Gcm, bytes)),
    ("checksum_md5", |bytes| tile::one(FilterType::ChecksumMd5, bytes)),
    ("checksum_sha256", |bytes| tile::one(FilterType::ChecksumSha256, bytes)),
    ("dictionary", |bytes| tile::one_of_strings(FilterType::Dictionary, bytes)),
    ("rle_strings", |bytes| tile::one_of_strings(FilterType::Rle, bytes)),
    ("scale_float", |bytes| tile::one(FilterType::ScaleFloat, bytes)),
    ("xor", |bytes| tile::one(FilterType::Xor, bytes)),
    ("delta", |bytes| tile::one(FilterType::Delta, bytes)),
    ("webp", |bytes| tile::one(FilterType::Webp, bytes)),
    ("pipeline", tile::several),
    ("filter_list", files::filter_list),
    ("generic_tile", files::generic_tile),
    ("array_schema", files::array_schema),
    ("enumeration", files::enumeration),
    ("fragment", files::fragment),
    ("rtree", files::rtree),
    ("metadata", files::metadata),
    ("group", files::group),
    ("directory", files::directory),
    ("message_config", messages::of_config),
    ("message_schema", messages::of_schema),
    ("message_creation", messages::of_creation),
    ("message_evolution", messages::of_evolution),
    ("message_metadata", messages::of_metadata),
    ("message_domain", messages::of_domain),
    ("message_array", messages::of_array),
    ("message_opening", messages::of_opening),
    ("message_fragment_info", messages::of_fragment_info),
    ("message_group", messages::of_group),
    ("rest_response", responses::of_rest),
    ("arrow_c", arrow_c::streams),
];
