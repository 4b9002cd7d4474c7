//! The order of files and folders inside a module.

use std::collections::BTreeSet;

use super::circles;
use super::edges::{self, EDGES, Edge};
use super::facts::Module;
use super::house::{HOUSE, House};

/// Folders with their parts, lowest first; a part uses parts before it. A folder that is not here may have any order without a circle.
const FLOORS: &[(&str, &str)] = &[
    (
        "core",
        "sync error sort state_space suggestion env limits platform fork memory types wire plain_file calendar | config budget stats pool log",
    ),
    ("filters", "codec crypto | filter tile"),
    ("storage", "http vfs resources"),
    ("array", "schema condition created_paths | fragment | array | object group"),
    ("maintain", "maintain verify advise | policy"),
    ("core/pool", "cancel helpers scratch workers | chunk_shard operations parallel progress | chunk_cache ordered"),
    (
        "storage/vfs",
        "options relative uri directory_index validation read_log range_cache concurrent file stat_cache prefetch backend read_only indexed | host cloud mem no_cloud local | shared_state | mod | buckets configured handle transfer",
    ),
    ("storage/vfs/local", "failure paths | stamp | descriptor | dir_handle atomic_file read tree write | mod"),
    (
        "core/config",
        "environment params secrets parse profile settings_cache | mod | context_check file operation settings suggestions",
    ),
    (
        "filters/filter",
        "kind options | stage shared | aes_256_gcm bit_shuffle bit_width_reduction byte_shuffle bzip2 checksum_md5 \
         checksum_sha256 delta dictionary double_delta gzip lz4 positive_delta rle scale_float webp xor zstd \
         | pipeline user_options chunk tile_digests stages | decode_work forward reverse",
    ),
    ("filters/filter/shared", "mod integers windows | compressed digests shuffled text"),
    (
        "array/schema",
        "name enumeration dimension_check filter_check label | attribute dimension domain | range_wire value_text field \
         current_domain part_check | array_schema | features | check dump label_array evolution wire | schema_parts",
    ),
    ("array/condition", "operator comparison | predicate | build check wire | stored"),
    (
        "array/fragment",
        "name footer_layout footer_words optional_section special statistics tile_box rtree files filtered_tile stored_bounds min_max_column draft bound_tables | footer tables write_time in_progress single_tile \
         | field_writer metadata_writer | loaded_fragment \
         | table_limits open tile_bounds tile_statistics zipped_coordinates | layout stored_tiles | writer",
    ),
    (
        "array/array",
        "commits copy_kind enumerations relist reserved_paths removal | directory | deletes metadata metadata_changes schemas | compatibility consolidated_footers unconsolidated | array_source open \
         | domain open_parts labels fragment_info fragment_ranges | remove create evolve upgrade metadata_merge open_claim | unpublished handle",
    ),
    (
        "maintain/maintain",
        "cell_buffers dense_tile_box directories late_writes merge_rule region_ranks replaced_fragments mode orphans progress memory_shares settings consolidation_step merge_conflict | candidates plan | padding tile_runs | sparse dense \
         | commits fragment_metadata fragments vacuum vacuum_commits | copy merge_candidate preview | mod",
    ),
    ("maintain/policy", "plan step journal protocol | lease_file | settings | lease | merge_commit | maintainer | mod"),
    (
        "maintain/advise",
        "cost sample settings | candidates measure property tile_geometry trial | select slices | filters | enumeration layout | refilter | extents slice_extents | array_type | order | mod",
    ),
    ("cells", "columns space keys | predicate aggregate input | write"),
    (
        "cells/columns",
        "text_head streaming transpose | coords input memory copy box_moves box_rows offsets user_buffer output zipped buffers",
    ),
    (
        "cells/space",
        "range_boxes grid selection_mask ranges split box_index cover label_ranges subarray labels zone_map selector selection",
    ),
    ("cells/keys", "hilbert kernel sort words unpack plan compare columns ties order"),
    ("cells/predicate", "text_set word_set steps kernel column_test verdict program"),
    ("cells/aggregate", "text_extremes running_sum kernel summary operation result"),
    ("cells/input", "copy_pieces decode_context tile_source chunk_walk decoded encoded selected excerpts prefetch"),
    (
        "cells/write",
        "spec region gathered_bytes tile_bytes ready_tile tile_boxes fragments encode tile_tail tiles dense sparse mod",
    ),
    ("cells/write/dense", "cells order boxes tile_stream global"),
    ("cells/write/sparse", "bounds cells unordered global separate"),
    (
        "query",
        "read | transfer labels tiles | partition delete estimate plan query query_steps scoped_buffers watched_read | filestore",
    ),
    ("query/read", "estimate position spec parameters sparse dense aggregate mod"),
    ("query/transfer", "progress request filter aggregates counts fields state read write"),
    ("query/partition", "axis bytes divide weigh mod"),
    ("query/labels", "search set read write"),
    ("query/read/aggregate", "totals text_stats stats dense sparse results"),
    ("query/read/estimate", "share sum sparse dense total"),
    (
        "query/read/dense",
        "batch checks result_parts single_cells context batch_memory cell_source capacity counts fixed var_tiles var var_column condition coords prefetch reader part_delivery",
    ),
    (
        "query/read/sparse",
        "delete_conditions ranges_after partitions cell_run cell_indexes field_source filter fragment_cursor points merge_runs row_index loaded_tile deletions plan range_order range_repeats \
         records packed_cell wide_layout wide staged_results batch pieces load copy tile_memory scatter keyed_tile merge_round sort_bound load_context window external_scan \
         ordered_scan merge remaining reader partitioned",
    ),
    ("arrow", "aligned_buffer c_data column import conversion cells dictionary sink read arrow_rs write sample mod"),
    (
        "tiledb",
        "error name datatype datetime config uri value element context progress location handle metadata schema subarray condition fragment \
         query array arrow nd group object vfs maintenance copy publish interop opaque mod",
    ),
    (
        "tiledb/schema",
        "filter dimension attribute enumeration label field current_domain | array_schema builder json evolution mod",
    ),
    ("tiledb/location", "mod | arrays groups handles server"),
    ("tiledb/condition", "expression cells parse text mod"),
    (
        "tiledb/query",
        "session column strings lists tiles | batch cells | batches reader partition aggregate delete | read write | global mod",
    ),
    ("tiledb/array", "reader writer deleter | open_options mod"),
    ("tiledb/maintenance", "consolidate vacuum policy verify advise copies orphans mod"),
    (
        "datafusion",
        "error batches literal fields one_row | comparison intervals columns | filters | insert update scan | table | aggregates deletions | factory | mod shell",
    ),
    ("duckdb", "boundary context values columns vectors | parameters | table replacement | scan | mod"),
    ("rest", "encoding messages serialization transcode serve client"),
    (
        "rest/client",
        "frames options redirects uri | routes session | capabilities array_source objects partial_tile_buffer | groups arrays \
         fragments | queries | response_reader",
    ),
    ("rest/encoding", "field segments pointer raw view build json"),
    (
        "rest/serialization",
        "format | filters domain config metadata | attribute dimension enumeration current_domain | schema \
         | evolution tile_bounds fragment directory global_write | array separate_write | fragment_info group | condition subarray | query",
    ),
    ("rest/serialization/query", "aggregates check buffers estimate reader writer | mod"),
    (
        "rest/messages",
        "generic values ranges filters schema metadata fragment array condition reader writer query group requests",
    ),
    (
        "capi",
        "handles enums structs callbacks reported_version | boundary value range_out subarray_ranges \
         | buffer_object error_object domain_object schema_object array_object query_object subarray_object context_object \
         | call watched enum_text \
         | array_schema_enumerations config consolidation_plan constants error query_buffers query_estimate stats string \
         subarray_labels array_schema_filters as_built buffer_list context data_order datatype filesystem \
         filter_list fragment_info_ranges layout metadata_args profile query_aggregate query_condition query_plan query_watched \
         serialized serialization serialize_array serialize_array_parts serialize_config serialize_fragment_info serialize_group \
         serialize_query serialize_schema array_metadata dimension_label filter group_metadata subarray vfs array_args vfs_fh \
         array_schema_evolution attribute buffer current_domain dimension enumeration object query_field domain \
         ndrectangle array_schema fragment_info query tiledb_rs compatibility arrow log verify advise rewrite maintain texts object_copy array_domain array_maintenance array filestore group \
         | removed next | contents",
    ),
    ("capi/boundary", "status handle inside itanium foreign file length | arg text older"),
];

/// What is wrong with a folder's order.
fn wrong(house: &House, all: &[Edge], folder: &str, order: &str) -> Vec<String> {
    let folder: Module = folder.split('/').map(str::to_owned).collect();
    let order: Vec<String> = order.split_whitespace().filter(|part| *part != "|").map(str::to_owned).collect();
    let inside: Vec<&Edge> = all.iter().filter(|edge| edge.folder == folder).collect();
    let parts = edges::parts(house, &folder, &|module| module);
    let needed = |part: &String| part != edges::OWN || inside.iter().any(|e| e.user == *part || e.used == *part);
    let unplaced = parts.iter().filter(|part| needed(part) && !order.contains(part));
    let mut wrong: Vec<String> = unplaced.map(|part| format!("{folder:?}: `{part}` has no floor")).collect();
    let gone = order.iter().filter(|part| !parts.contains(part));
    wrong.extend(gone.map(|part| format!("{folder:?}: `{part}` is not there")));
    wrong.extend(circles::upward(&order, &inside).into_iter().map(Edge::describe));
    wrong
}

/// The uses that run up in the best order of each folder's parts.
fn in_circles(house: &House, all: &[Edge]) -> Vec<(String, Vec<String>)> {
    let folders: BTreeSet<&Module> = all.iter().map(|edge| &edge.folder).collect();
    let by_folder = folders.into_iter().map(|folder| {
        let inside: Vec<&Edge> = all.iter().filter(|edge| edge.folder == *folder).collect();
        let groups = circles::groups(&edges::parts(house, folder, &|module| module), &inside);
        let up = groups.iter().flat_map(|group| circles::upward(group, &inside)).map(Edge::describe);
        (folder.join("/"), up.collect())
    });
    by_folder.filter(|(_, up): &(_, Vec<_>)| !up.is_empty()).collect()
}

#[test]
fn parts_use_only_parts_on_lower_floors() {
    let wrong: Vec<String> = FLOORS.iter().flat_map(|(folder, order)| wrong(&HOUSE, &EDGES, folder, order)).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn folders_have_no_circular_uses() {
    let circles = in_circles(&HOUSE, &EDGES);
    assert!(circles.is_empty(), "{circles:#?}");
}

#[test]
fn upward_use_is_reported() {
    let house = |low: &str| {
        House::planted(&[
            ("src/lib.rs", "mod query;"),
            ("src/query/mod.rs", "mod low; mod high; pub use high::High;"),
            ("src/query/low.rs", low),
            ("src/query/high/mod.rs", "mod inner; pub use inner::High; use super::low::Low;"),
            ("src/query/high/inner.rs", "pub struct High;"),
        ])
    };
    let wrong = |house: &House, order| wrong(house, &edges::standing(house), "query", order);
    let in_circles = |house: &House| in_circles(house, &edges::standing(house));
    let fine = house("pub struct Low;");
    assert_eq!(wrong(&fine, "low | high"), Vec::<String>::new());
    assert_eq!(wrong(&fine, "low"), ["[\"query\"]: `high` has no floor"]);
    assert_eq!(wrong(&fine, "low high attic"), ["[\"query\"]: `attic` is not there"]);
    assert_eq!(wrong(&fine, "high low").len(), 1);
    assert!(in_circles(&fine).is_empty());
    for text in [
        "pub struct Low(super::high::High);",
        "use super::high::inner; pub struct Low;",
        "use super::High; pub struct Low;",
        "use crate::query::{High as Other}; pub struct Low;",
        "use super::{self as all}; pub struct Low(all::High);",
        "use super::high::*; pub struct Low;",
    ] {
        let broken = house(text);
        let wrong = wrong(&broken, "low high");
        assert!(wrong.iter().any(|edge| edge.starts_with("low -> high: src/query/low.rs:1")), "{text}: {wrong:?}");
        assert_eq!(in_circles(&broken).len(), 1, "{text}");
    }
}

#[test]
fn circle_through_the_folder_itself_is_reported() {
    let house = House::planted(&[
        ("src/query/mod.rs", "mod part; pub struct Shared; fn f() { part::g() }"),
        ("src/query/part.rs", "use super::Shared; pub fn g() {}"),
    ]);
    assert_eq!(in_circles(&house, &edges::standing(&house)).len(), 1);
    let longer = House::planted(&[
        ("src/query/mod.rs", "mod a; mod b; mod c;"),
        ("src/query/a.rs", "use super::b::B;"),
        ("src/query/b.rs", "use super::c::C; pub struct B;"),
        ("src/query/c.rs", "use super::a; pub struct C;"),
    ]);
    assert_eq!(in_circles(&longer, &edges::standing(&longer)).len(), 1);
}
