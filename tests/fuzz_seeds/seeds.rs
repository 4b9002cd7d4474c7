//! Generates the seeds: small inputs of every target, from data that the library writes, in the layout that the targets
//! expect.

use std::sync::Arc;

use tiledb_array::fragment::{CoordinateBounds, FilteredTile, FragmentWriter};
use tiledb_array::schema::{ArraySchema, Enumeration};
use tiledb_core::config::Config;
use tiledb_core::types::{CURRENT_VERSION, CellRange, Datatype};
use tiledb_core::wire::WireWriter;
use tiledb_filters::crypto::EncryptionKey;
use tiledb_filters::filter::{Filter, FilterType, Pipeline, TileShape, WebpFormat};
use tiledb_filters::tile::{TileStats, generic};
use tiledb_storage::resources::Resources;
use tiledb_storage::vfs::Uri;

use crate::targets::files::{SCHEMAS, unfiltered};

/// Target, name and bytes of a seed.
pub type Seed = (&'static str, String, Vec<u8>);
const KEY: EncryptionKey = EncryptionKey::Aes256([7; 32]);

/// Every seed.
pub fn all() -> Vec<Seed> {
    let mut seeds = tiles();
    seeds.extend(files());
    seeds.extend(messages());
    seeds.extend(responses());
    seeds.extend(arrow_streams());
    for (number, schema) in SCHEMAS.iter().enumerate() {
        seeds.extend(fragment(number, schema));
    }
    seeds
}

/// For each field of the target a few streams in which most is as it should be: no byte asks for something else.
fn arrow_streams() -> Vec<Seed> {
    let stream = |(field, format): (u8, u8)| {
        let mut state = u64::from(field) * 7 + u64::from(format);
        let rest = std::iter::repeat_with(move || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 56) as u8 % 240
        });
        let dictionary = if format == 2 { 210 } else { 0 };
        let head = [field, 0, 0, format, dictionary, 0, [2, 1, 3][usize::from(format)], 0];
        ("arrow_c", format!("field_{field}_{format}"), head.into_iter().chain(rest.take(900)).collect())
    };
    (0..12).flat_map(|field| (0..3).map(move |format| (field, format))).map(stream).collect()
}

/// The samples of messages, with the form in front.
fn messages() -> Vec<Seed> {
    const SAMPLES: [(&str, &[&str]); 10] = [
        ("message_config", &["config"]),
        ("message_schema", &["array_schema-dense-server", "array_schema-current-server", "array_schema-labels-server"]),
        ("message_creation", &["array_create"]),
        ("message_evolution", &["array_schema_evolution"]),
        ("message_metadata", &["array_metadata-written"]),
        ("message_domain", &["nonempty_domain-dense", "non_empty_domain_all-sparse"]),
        ("message_array", &["array-dense-t10-server", "array-sparse-server"]),
        ("message_opening", &["array_open-dense"]),
        ("message_fragment_info", &["fragment_info"]),
        ("message_group", &["group"]),
    ];
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/serialized");
    let seed = |target, name: &str, form: u8, ending: &str| {
        let bytes = std::fs::read(folder.join(format!("{name}.{ending}"))).unwrap();
        (target, format!("{name}_{ending}"), [&[form][..], &bytes].concat())
    };
    let both = |target, name: &str| [seed(target, name, 0, "capnp"), seed(target, name, 1, "json")];
    SAMPLES
        .iter()
        .flat_map(|&(target, names)| names.iter().flat_map(|name| both(target, name)).collect::<Vec<_>>())
        .collect()
}

/// Responses of a server: what is asked, which fields are read and how the body is coded stand in front.
fn responses() -> Vec<Seed> {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/serialized");
    let body = |name: &str| std::fs::read(folder.join(name)).unwrap();
    let frame = |bytes: &[u8]| [&(bytes.len() as u64).to_le_bytes(), bytes].concat();
    let seed =
        |name: &str, head: [u8; 3], bytes: &[u8]| ("rest_response", name.to_owned(), [&head[..], bytes].concat());
    let (sparse, dense) = (frame(&body("query-sparse-read-reply.capnp")), frame(&body("query-dense-read-reply.capnp")));
    vec![
        seed("sparse", [0, 255, 0], &sparse),
        seed("sparse_twice", [0, 255, 0], &[&sparse[..], &sparse].concat()),
        seed("dense", [1, 255, 0], &dense),
        seed("estimates", [2, 0, 0], &body("query-est_result_sizes.capnp")),
        seed("estimates_json", [2, 0, 4], &body("query-est_result_sizes.json")),
        seed("domain", [22, 0, 0], &body("non_empty_domain_all-sparse.capnp")),
        seed("domain_json", [22, 0, 4], &body("non_empty_domain_all-sparse.json")),
    ]
}

/// Numbers that ascend slowly, of as many bytes as their type has.
fn numbers(datatype: Datatype) -> Vec<u8> {
    let number = |i: u64| match datatype {
        Datatype::Float32 => (i as f32 / 4.0).to_le_bytes().to_vec(),
        Datatype::Float64 => (i as f64 / 4.0).to_le_bytes().to_vec(),
        _ => (i * i / 9).to_le_bytes()[..datatype.size()].to_vec(),
    };
    (0..40).flat_map(number).collect()
}

/// A filter of each kind under the name of its target, with its bytes of options.
fn filters() -> Vec<(&'static str, Filter, Vec<u8>)> {
    let windows = 64u32.to_le_bytes().to_vec();
    let scale = [1.0f64.to_le_bytes(), 0.0f64.to_le_bytes()].concat();
    let level = |kind: FilterType| (Filter::new(kind), vec![5]);
    let plain = |kind: FilterType| (Filter::new(kind), Vec::new());
    let window = |kind: FilterType| match kind {
        FilterType::PositiveDelta => (Filter::PositiveDelta { max_window: 64 }, windows.clone()),
        _ => (Filter::BitWidthReduction { max_window: 64 }, windows.clone()),
    };
    let named = |name, (filter, options)| (name, filter, options);
    vec![
        named("gzip", level(FilterType::Gzip)),
        named("zstd", level(FilterType::Zstd)),
        named("lz4", level(FilterType::Lz4)),
        named("rle", plain(FilterType::Rle)),
        named("bzip2", level(FilterType::Bzip2)),
        named("double_delta", (Filter::new(FilterType::DoubleDelta), vec![17])),
        named("bit_width_reduction", window(FilterType::BitWidthReduction)),
        named("bitshuffle", plain(FilterType::BitShuffle)),
        named("byteshuffle", plain(FilterType::ByteShuffle)),
        named("positive_delta", window(FilterType::PositiveDelta)),
        named("aes_256_gcm", plain(FilterType::Aes256Gcm)),
        named("checksum_md5", plain(FilterType::ChecksumMd5)),
        named("checksum_sha256", plain(FilterType::ChecksumSha256)),
        named("scale_float", (Filter::new(FilterType::ScaleFloat), [scale, vec![3]].concat())),
        named("xor", plain(FilterType::Xor)),
        named("delta", (Filter::new(FilterType::Delta), vec![17])),
        named("webp", webp()),
    ]
}

/// Images of 5 rows of 8 bytes: two pixels, and two bytes more in which no pixel lies.
fn webp() -> (Filter, Vec<u8>) {
    let filter = Filter::Webp { quality: 80.0, format: WebpFormat::Rgb, lossless: true, y_extent: 5, x_extent: 8 };
    (filter, vec![1 | 8, 80, 5, 0, 8, 0])
}

/// Each filter's tile to decode, and cells to encode; pipelines of two and three.
fn tiles() -> Vec<Seed> {
    let mut seeds = Vec::new();
    for (target, filter, options) in filters() {
        let datatypes = match target {
            "scale_float" => &[Datatype::Float32, Datatype::Float64][..],
            "webp" => &[Datatype::Uint8],
            _ => &[Datatype::Int64, Datatype::Uint16],
        };
        let key = if target == "aes_256_gcm" { KEY } else { EncryptionKey::None };
        for &datatype in datatypes {
            let head = [&[0, datatype.number(), 0][..], &options].concat();
            seeds.extend(tile(target, datatype, Pipeline::new(vec![filter]), &head, &key));
        }
    }
    let kinds: Vec<FilterType> = FilterType::all().collect();
    for [first, second] in [
        [FilterType::Delta, FilterType::Zstd],
        [FilterType::ByteShuffle, FilterType::Lz4],
        [FilterType::Rle, FilterType::ChecksumMd5],
        [FilterType::DoubleDelta, FilterType::Bzip2],
    ] {
        let mut head = vec![0, Datatype::Int32.number(), 0, 2 | 8];
        let mut list = Vec::new();
        for kind in [first, second] {
            let (_, filter, options) = filters().into_iter().find(|(_, filter, _)| filter.kind() == kind).unwrap();
            head.push(kinds.iter().position(|&known| known == kind).unwrap() as u8);
            head.extend(options);
            list.push(filter);
        }
        let name = format!("{first}_{second}");
        for (_, form, bytes) in tile("pipeline", Datatype::Int32, Pipeline::new(list), &head, &KEY) {
            seeds.push(("pipeline", format!("{name}_{form}"), bytes));
        }
    }
    for (target, kind) in [("dictionary", FilterType::Dictionary), ("rle_strings", FilterType::Rle)] {
        seeds.extend(strings(target, kind));
    }
    seeds
}

/// A fixed-size tile in three forms: filtered, its only chunk alone, and the cells.
fn tile(target: &'static str, datatype: Datatype, pipeline: Pipeline, head: &[u8], key: &EncryptionKey) -> Vec<Seed> {
    let shape = TileShape { datatype, cell_size: datatype.size(), is_var: false, version: CURRENT_VERSION };
    let cells = numbers(datatype);
    let mut filtered = Vec::new();
    pipeline.forward(&shape, key, &cells, None, &mut filtered).unwrap();
    forms(target, datatype.name(), head, &cells, &filtered, [0; 8])
}

fn strings(target: &'static str, kind: FilterType) -> Vec<Seed> {
    let shape = TileShape { datatype: Datatype::StringAscii, cell_size: 1, is_var: true, version: CURRENT_VERSION };
    let cells = b"aabbaabbaabbccddeeffaabb";
    let starts: Vec<u64> = (0..12).map(|cell| cell * 2).collect();
    let mut filtered = Vec::new();
    let pipeline = Pipeline::new(vec![Filter::new(kind)]);
    pipeline.forward(&shape, &EncryptionKey::None, cells, Some(&starts), &mut filtered).unwrap();
    forms(target, "text", &[0, 0, 0, 0, 0], cells, &filtered, [2; 8])
}

fn forms(target: &'static str, name: &str, head: &[u8], cells: &[u8], filtered: &[u8], lengths: [u8; 8]) -> Vec<Seed> {
    let size = (cells.len() as u16).to_le_bytes();
    let range = [3u32.to_le_bytes(), 17u32.to_le_bytes()].concat();
    let word = |at: usize| [filtered[at], filtered[at + 1]];
    vec![
        (target, format!("{name}_tile"), [&[0], head, &size, &range, filtered].concat()),
        (target, format!("{name}_chunk"), [&[1], head, &size, &word(16), &range, &filtered[20..]].concat()),
        (target, format!("{name}_cells"), [&[2], head, &[0], &lengths, cells].concat()),
    ]
}

/// The other files, all but fragments' metadata.
fn files() -> Vec<Seed> {
    let mut w = WireWriter::new();
    w.u8(0);
    Pipeline::new(FilterType::all().map(Filter::new).collect()).write(&mut w, CURRENT_VERSION);
    let mut seeds = vec![("filter_list", "every_filter".to_owned(), w.finish().unwrap())];

    let mut tile = vec![0];
    generic::write(b"payload of the tile", CURRENT_VERSION, &EncryptionKey::None, &mut tile).unwrap();
    seeds.push(("generic_tile", "zlib".to_owned(), tile));
    seeds.push(("generic_tile", "unfiltered".to_owned(), [&[0][..], &unfiltered(b"payload")].concat()));
    let mut tile = vec![1];
    generic::write(b"payload of the tile", CURRENT_VERSION, &KEY, &mut tile).unwrap();
    seeds.push(("generic_tile", "encrypted".to_owned(), tile));
    seeds.push(("generic_tile", "payload".to_owned(), b"\x02payload payload".to_vec()));

    for (number, schema) in SCHEMAS.iter().enumerate() {
        seeds.push(("array_schema", format!("schema_{number}"), schema.write().unwrap()));
    }
    let colours = Enumeration::new("colours", Datatype::StringAscii, u32::MAX, false, b"redgreen", Some(&[0, 3]));
    let days = Enumeration::new("days", Datatype::Int32, 1, true, &[1, 0, 0, 0, 2, 0, 0, 0], None);
    seeds.push(("enumeration", "strings".to_owned(), colours.unwrap().write().unwrap()));
    seeds.push(("enumeration", "numbers".to_owned(), days.unwrap().write().unwrap()));

    let mut w = WireWriter::new();
    w.u32(3).bytes(b"key").u8(0).u8(Datatype::Int32.number()).u32(2).i32(5).i32(-5);
    w.u32(4).bytes(b"gone").u8(1);
    w.u32(4).bytes(b"text").u8(0).u8(Datatype::StringUtf8.number()).u32(3).bytes(b"abc");
    seeds.push(("metadata", "put_and_delete".to_owned(), w.finish().unwrap()));
    for version in [1, 2] {
        let mut w = WireWriter::new();
        w.u32(version).u64(2);
        w.u32(version).u8(2).u8(1).str64("array").u8(1).str64("name");
        w.bytes(if version == 1 { &[] } else { &[0] });
        w.u32(version).u8(1).u8(0).str64("mem://fuzz/group").u8(0).bytes(if version == 1 { &[] } else { &[1] });
        seeds.push(("group", format!("version_{version}"), w.finish().unwrap()));
    }
    seeds.push(("directory", "commits".to_owned(), directory()));
    seeds
}

/// Consolidated commits with a delete, ignored and vacuumed ones, and consolidated footers.
fn directory() -> Vec<u8> {
    let mut con = b"__commits/__1_2_00000000000000000000000000000009_22.wrt\n".to_vec();
    con.extend_from_slice(b"__commits/__3_3_00000000000000000000000000000008_22.del\n");
    con.extend_from_slice(&[4, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4]);
    let ign = b"__commits/__1_2_00000000000000000000000000000009_22.wrt\n";
    let vac = b"/__fragments/__1_2_00000000000000000000000000000009_22\n";
    let mut meta = WireWriter::new();
    meta.u32(1).str64("__4_4_00000000000000000000000000000004_22").u64(65).words(&[0; 12]);
    let meta = meta.finish().unwrap();
    let mut input = vec![5];
    for (kind, content) in [(1, &con[..]), (2, ign), (3, vac), (5 | 1 << 3, &meta), (0, b"")] {
        input.extend_from_slice(&[kind, 0x44]);
        input.extend_from_slice(&(content.len() as u16).to_le_bytes());
        input.extend_from_slice(content);
    }
    input
}

/// The metadata of a fragment of two tiles as it is written, and with its tables in the open; and its
/// R-tree.
fn fragment(number: usize, schema: &Arc<ArraySchema>) -> Vec<Seed> {
    let resources = Resources::new(Config::new()).unwrap();
    let array = Uri::parse("mem://seeds").unwrap();
    let (key, dense) = (EncryptionKey::None, schema.is_dense());
    let mut writer = FragmentWriter::create(&resources, &array, schema.clone(), &key, dense, (1, 1)).unwrap();
    for field in schema.fields().iter().filter(|field| !dense || !field.is_dimension) {
        let value = vec![1; if field.is_var() { 1 } else { field.cell_size() }];
        let tile = FilteredTile {
            data: vec![0; 20],
            var: field.is_var().then(|| (vec![0; 30], 10)),
            validity: field.nullable.then(|| vec![0; 20]),
            stats: TileStats { min: value.clone(), max: value, sum: [1; 8], null_count: 1, valid_count: 4 },
            ..FilteredTile::default()
        };
        writer.append(field, &tile).unwrap();
        writer.append(field, &tile).unwrap();
    }
    let boxed = |dimension: &tiledb_array::schema::Dimension| match dimension.datatype() {
        Datatype::StringAscii => CellRange::var(b"a", b"bb"),
        Datatype::Float64 => CellRange::of(-1.5, 2.5),
        Datatype::Int32 => CellRange::of(1, 20),
        _ => CellRange::of(3i64, 33),
    };
    let around: Vec<CellRange> = schema.domain().dimensions().iter().map(|d| boxed(d)).collect();
    if dense {
        writer.set_non_empty_domain([CellRange::of(1, 20), CellRange::of(-50, -44)].to_vec());
    } else {
        let bounds: Vec<_> = around.into_iter().map(|range| CoordinateBounds { range, ends: None }).collect();
        writer.push_bounds(&bounds).unwrap();
        writer.push_bounds(&bounds).unwrap();
        writer.set_last_tile_cells(7);
    }
    writer.set_processed_conditions(vec!["__commits/__1_1_x_22.del".to_owned()]);
    let uri = writer.uri().clone();
    writer.finish().unwrap();
    let file = resources.vfs().read(&uri.join("__fragment_metadata.tdb")).unwrap();
    let head = [number as u8, 0, 0, 0, 0];
    let (opened, rtree) = opened(&file);
    vec![
        ("fragment", format!("schema_{number}"), [&head, &file[..]].concat()),
        ("fragment", format!("schema_{number}_open"), [&head, &opened[..]].concat()),
        ("rtree", format!("schema_{number}"), [&head, &rtree[..]].concat()),
    ]
}

/// The metadata file with tables that no filter hides, and the payload of the first one, the R-tree.
fn opened(file: &[u8]) -> (Vec<u8>, Vec<u8>) {
    let word = |at: usize| u64::from_le_bytes(file[at..at + 8].try_into().unwrap());
    let footer = file.len() - 8 - word(file.len() - 8) as usize;
    let (mut opened, mut at) = (Vec::new(), 0);
    let (mut places, mut rtree) = (Vec::new(), Vec::new());
    while at < footer {
        let (payload, len) = generic::read(&file[at..footer], &EncryptionKey::None).unwrap();
        places.push((at as u64, opened.len() as u64));
        opened.extend(unfiltered(&payload));
        rtree = if at == 0 { payload } else { rtree };
        at += len;
    }
    let end = opened.len();
    opened.extend_from_slice(&file[footer..]);
    // The last words of the footer are the places of the tables.
    for back in 2.. {
        let at = file.len() - 8 * back;
        let Some((_, place)) = places.iter().find(|place| place.0 == word(at)).filter(|_| at > footer) else { break };
        let at = end + at - footer;
        opened[at..at + 8].copy_from_slice(&place.to_le_bytes());
    }
    (opened, rtree)
}
