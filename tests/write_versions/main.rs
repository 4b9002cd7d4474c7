//! Arrays and groups written in format versions 18 to 23 (`sm.write_format_version`): every file states the version, all
//! operations keep it, and features that it lacks are rejected before anything is written, with the version that they require.
//! `tests/old_readers` and `tests/downgrade` read such arrays with older libraries, too.

#![allow(unreachable_pub, missing_docs, reason = "a test program")]
#![allow(clippy::print_stdout, reason = "shares code that prints")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test stops where something is wrong")]

mod files;

use std::path::Path;

use files::{all_files, versions_of};
use support::{Api, Array, Cells, Column, Ctx, Failure, address, bytes, pointer, text};

const PARAMETER: &str = "sm.write_format_version";
const ALL: [&str; 6] = ["18", "19", "20", "21", "22", "23"];

/// Numbers of the C interface.
const INT32: u64 = 0;
const FLOAT64: u64 = 3;
const GEOM_WKB: u64 = 42;
const DOUBLE_DELTA: u64 = 6;
const BIT_WIDTH_REDUCTION: u64 = 7;
const XOR: u64 = 16;
const DELTA: u64 = 19;
const REINTERPRET: u64 = 9;
const EQUAL: u64 = 4;
const IN: u64 = 6;

/// Features that not every version has, with the first version that does, and the name in messages.
const FEATURES: [(Feature, u32, &str); 7] = [
    (Feature::Delta, 19, "the filter DELTA"),
    (Feature::Reinterpret, 20, "the reinterpret datatype of DOUBLE_DELTA"),
    (Feature::Enumeration, 20, "enumerations"),
    (Feature::ConvertedInput, 20, "filters of cells that another filter has converted"),
    (Feature::Geometry, 21, "geometry datatypes"),
    (Feature::CurrentDomain, 22, "a current domain"),
    (Feature::LabelFilter, 19, "the filter DELTA"),
];

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Feature {
    None,
    Delta,
    Reinterpret,
    Enumeration,
    /// BIT_WIDTH_REDUCTION of the integers that XOR makes of floating-point numbers.
    ConvertedInput,
    Geometry,
    CurrentDomain,
    LabelFilter,
}

fn context<'a>(api: &'a Api, version: Option<&str>) -> Ctx<'a> {
    let parameters: Vec<_> = version.map(|version| (PARAMETER, version)).into_iter().collect();
    api.context(&parameters)
}

fn filters(ctx: &Ctx<'_>, kind: u64, option: Option<(u64, u8)>) -> Result<u64, Failure> {
    let filter = ctx.get("filter_alloc", &[kind])?;
    if let Some((option, value)) = option {
        ctx.call("filter_set_option", &[filter, option, bytes(&[value])])?;
    }
    let list = ctx.get("filter_list_alloc", &[])?;
    ctx.call("filter_list_add_filter", &[list, filter])?;
    ctx.free("filter", filter);
    Ok(list)
}

fn enumeration(ctx: &Ctx<'_>) -> Result<u64, Failure> {
    let (name, values) = (text("colors"), [1i32, 2].map(i32::to_le_bytes).concat());
    ctx.get("enumeration_alloc", &[pointer(&name), INT32, 1, 0, bytes(&values), values.len() as u64, 0, 0])
}

fn current_domain(ctx: &Ctx<'_>, domain: u64) -> Result<u64, Failure> {
    let rectangle = ctx.get("ndrectangle_alloc", &[domain])?;
    let (low, high) = (1i32.to_le_bytes(), 50i32.to_le_bytes());
    // `tiledb_range_t`: two pointers with their sizes.
    let mut range = [bytes(&low), 4, bytes(&high), 4];
    ctx.call("ndrectangle_set_range", &[rectangle, 0, address(&mut range)])?;
    let current = ctx.get("current_domain_create", &[])?;
    ctx.call("current_domain_set_ndrectangle", &[current, rectangle])?;
    ctx.free("ndrectangle", rectangle);
    Ok(current)
}

/// A schema with the dimension `d`, 1 to 99, the attribute `a`, and one feature.
fn schema(ctx: &Ctx<'_>, dense: bool, feature: Feature) -> Result<u64, Failure> {
    let (d, a, g, l) = (text("d"), text("a"), text("g"), text("l"));
    let (ends, extent) = ([1i32, 99].map(i32::to_le_bytes).concat(), 10i32.to_le_bytes());
    let dimension = ctx.get("dimension_alloc", &[pointer(&d), INT32, bytes(&ends), bytes(&extent)])?;
    let domain = ctx.get("domain_alloc", &[])?;
    ctx.call("domain_add_dimension", &[domain, dimension])?;
    let schema = ctx.get("array_schema_alloc", &[u64::from(!dense)])?;
    ctx.call("array_schema_set_domain", &[schema, domain])?;
    let attribute = ctx.get("attribute_alloc", &[pointer(&a), INT32])?;
    match feature {
        Feature::Delta | Feature::Reinterpret => {
            let reinterpret = (feature == Feature::Reinterpret).then_some((REINTERPRET, INT32 as u8));
            let kind = if feature == Feature::Delta { DELTA } else { DOUBLE_DELTA };
            let list = filters(ctx, kind, reinterpret)?;
            ctx.call("attribute_set_filter_list", &[attribute, list])?;
        }
        Feature::Enumeration => {
            let values = enumeration(ctx)?;
            ctx.call("array_schema_add_enumeration", &[schema, values])?;
            ctx.call("attribute_set_enumeration_name", &[attribute, pointer(&text("colors"))])?;
        }
        Feature::ConvertedInput => {
            let number = ctx.get("attribute_alloc", &[pointer(&g), FLOAT64])?;
            let list = filters(ctx, XOR, None)?;
            let next = ctx.get("filter_alloc", &[BIT_WIDTH_REDUCTION])?;
            ctx.call("filter_list_add_filter", &[list, next])?;
            ctx.call("attribute_set_filter_list", &[number, list])?;
            ctx.call("array_schema_add_attribute", &[schema, number])?;
        }
        Feature::Geometry => {
            let shape = ctx.get("attribute_alloc", &[pointer(&g), GEOM_WKB])?;
            ctx.call("attribute_set_cell_val_num", &[shape, u64::from(u32::MAX)])?;
            ctx.call("array_schema_add_attribute", &[schema, shape])?;
        }
        Feature::CurrentDomain => {
            let current = current_domain(ctx, domain)?;
            ctx.call("array_schema_set_current_domain", &[schema, current])?;
        }
        Feature::LabelFilter => {
            ctx.call("array_schema_add_dimension_label", &[schema, 0, pointer(&l), 1, INT32])?;
            let list = filters(ctx, DELTA, None)?;
            ctx.call("array_schema_set_dimension_label_filter_list", &[schema, pointer(&l), list])?;
        }
        Feature::None => {
            ctx.call("array_schema_add_dimension_label", &[schema, 0, pointer(&l), 1, INT32])?;
        }
    }
    ctx.call("array_schema_add_attribute", &[schema, attribute])?;
    ctx.free("attribute", attribute);
    ctx.free("dimension", dimension);
    ctx.free("domain", domain);
    Ok(schema)
}

fn create(ctx: &Ctx<'_>, uri: &str, dense: bool, feature: Feature) -> Result<(), Failure> {
    let schema = schema(ctx, dense, feature)?;
    let created = ctx.call("array_create", &[pointer(&text(uri)), schema]);
    ctx.free("array_schema", schema);
    created
}

fn numbers(values: &[i32]) -> Cells {
    Cells { data: values.iter().flat_map(|value| value.to_le_bytes()).collect(), ..Cells::default() }
}

/// Writes cells at a time: coordinates, which are consecutive in a dense array, and values.
fn write(ctx: &Ctx<'_>, uri: &str, dense: bool, time: u64, cells: &[(i32, i32)]) {
    let array = Array::open(ctx, uri, 1, None, Some(time)).unwrap();
    let query = ctx.get("query_alloc", &[array.handle, 1]).unwrap();
    let (d, a): (Vec<i32>, Vec<i32>) = cells.iter().copied().unzip();
    let mut columns = vec![Column::filled("a", numbers(&a))];
    if dense {
        let subarray = ctx.get("subarray_alloc", &[array.handle]).unwrap();
        let (low, high) = (d[0].to_le_bytes(), d[d.len() - 1].to_le_bytes());
        ctx.call("subarray_add_range", &[subarray, 0, bytes(&low), bytes(&high), 0]).unwrap();
        ctx.call("query_set_subarray_t", &[query, subarray]).unwrap();
        ctx.free("subarray", subarray);
    } else {
        columns.push(Column::filled("d", numbers(&d)));
    }
    ctx.call("query_set_layout", &[query, if dense { 0 } else { 3 }]).unwrap();
    columns.iter_mut().for_each(|column| column.bind(ctx, query).unwrap());
    ctx.call("query_submit", &[query]).unwrap();
    ctx.call("query_finalize", &[query]).unwrap();
    ctx.free("query", query);
}

/// The cells from 1 to 50 as of a time.
fn read(ctx: &Ctx<'_>, uri: &str, time: Option<u64>) -> Vec<(i32, i32)> {
    let array = Array::open(ctx, uri, 0, None, time).unwrap();
    let query = ctx.get("query_alloc", &[array.handle, 0]).unwrap();
    let subarray = ctx.get("subarray_alloc", &[array.handle]).unwrap();
    let (low, high) = (1i32.to_le_bytes(), 50i32.to_le_bytes());
    ctx.call("subarray_add_range", &[subarray, 0, bytes(&low), bytes(&high), 0]).unwrap();
    ctx.call("query_set_subarray_t", &[query, subarray]).unwrap();
    ctx.call("query_set_layout", &[query, 0]).unwrap();
    let mut columns = ["d", "a"].map(|name| Column::with_capacity(name, 4096, None, None));
    columns.iter_mut().for_each(|column| column.bind(ctx, query).unwrap());
    ctx.call("query_submit", &[query]).unwrap();
    ctx.free("subarray", subarray);
    ctx.free("query", query);
    let [d, a] = columns.map(|column| column.result().split(4));
    let value = |cell: &(Vec<u8>, Option<u8>)| i32::from_le_bytes(cell.0[..].try_into().unwrap());
    d.iter().zip(&a).map(|(d, a)| (value(d), value(a))).collect()
}

fn delete(ctx: &Ctx<'_>, uri: &str, time: u64, operator: u64, values: &[i32]) -> Result<(), Failure> {
    let array = Array::open(ctx, uri, 2, None, Some(time))?;
    let query = ctx.get("query_alloc", &[array.handle, 2])?;
    let (a, data) = (text("a"), values.iter().flat_map(|value| value.to_le_bytes()).collect::<Vec<u8>>());
    let offsets: Vec<u8> = (0..values.len() as u64).flat_map(|index| (4 * index).to_le_bytes()).collect();
    let (size, offsets_size) = (data.len() as u64, offsets.len() as u64);
    let condition = if operator == IN {
        let arguments = [pointer(&a), bytes(&data), size, bytes(&offsets), offsets_size, operator];
        ctx.get("query_condition_alloc_set_membership", &arguments)?
    } else {
        let condition = ctx.get("query_condition_alloc", &[])?;
        ctx.call("query_condition_init", &[condition, pointer(&a), bytes(&data), size, operator])?;
        condition
    };
    ctx.call("query_set_condition", &[query, condition])?;
    let deleted = ctx.call("query_submit", &[query]);
    ctx.free("query_condition", condition);
    ctx.free("query", query);
    deleted
}

fn put_metadata(ctx: &Ctx<'_>, uri: &str, time: u64, key: &str) {
    let array = Array::open(ctx, uri, 1, None, Some(time)).unwrap();
    let value = 7i32.to_le_bytes();
    ctx.call("array_put_metadata", &[array.handle, pointer(&text(key)), INT32, 1, bytes(&value)]).unwrap();
}

fn metadata_count(ctx: &Ctx<'_>, uri: &str) -> u64 {
    let array = Array::open(ctx, uri, 0, None, None).unwrap();
    ctx.get("array_get_metadata_num", &[array.handle]).unwrap()
}

fn version(ctx: &Ctx<'_>, uri: &str) -> u32 {
    let schema = ctx.get("array_schema_load", &[pointer(&text(uri))]).unwrap();
    let version = ctx.get("array_schema_get_version", &[schema]).unwrap();
    ctx.free("array_schema", schema);
    version as u32
}

fn maintain(ctx: &Ctx<'_>, operation: &str, uri: &str, mode: &str, version: Option<&str>) {
    let mut parameters = vec![("sm.consolidation.mode", mode), ("sm.vacuum.mode", mode)];
    parameters.extend(version.map(|version| (PARAMETER, version)));
    let mut config = ctx.api.config(&parameters);
    ctx.call(&format!("array_{operation}"), &[pointer(&text(uri)), config]).unwrap();
    ctx.api.raw("config_free", &[address(&mut config)]);
}

fn upgrade(ctx: &Ctx<'_>, uri: &str) -> Result<(), Failure> {
    ctx.call("array_upgrade_version", &[pointer(&text(uri)), 0])
}

/// What is added to a schema.
fn evolve(ctx: &Ctx<'_>, uri: &str, change: impl Fn(u64) -> Result<(), Failure>) -> Result<(), Failure> {
    let evolution = ctx.get("array_schema_evolution_alloc", &[])?;
    let evolved = change(evolution).and_then(|()| ctx.call("array_evolve", &[pointer(&text(uri)), evolution]));
    ctx.free("array_schema_evolution", evolution);
    evolved
}

fn add_attribute(ctx: &Ctx<'_>, uri: &str, name: &str) -> Result<(), Failure> {
    evolve(ctx, uri, |evolution| {
        let attribute = ctx.get("attribute_alloc", &[pointer(&text(name)), INT32])?;
        ctx.call("array_schema_evolution_add_attribute", &[evolution, attribute])
    })
}

fn add_enumeration(ctx: &Ctx<'_>, uri: &str) -> Result<(), Failure> {
    evolve(ctx, uri, |evolution| {
        let values = enumeration(ctx)?;
        ctx.call("array_schema_evolution_add_enumeration", &[evolution, values])
    })
}

fn expand_current_domain(ctx: &Ctx<'_>, uri: &str) -> Result<(), Failure> {
    evolve(ctx, uri, |evolution| {
        let schema = ctx.get("array_schema_load", &[pointer(&text(uri))])?;
        let domain = ctx.get("array_schema_get_domain", &[schema])?;
        let current = current_domain(ctx, domain)?;
        ctx.call("array_schema_evolution_expand_current_domain", &[evolution, current])
    })
}

fn names_feature(failure: &Failure, since: u32, name: &str) -> bool {
    failure.text.contains(&format!("cannot express {name};"))
        && failure.text.contains(&format!("requires at least version {since} (libtiledb 2."))
}

#[test]
fn every_file_has_the_version_and_every_operation_keeps_it() {
    let api = Api::ours();
    for (requested, dense) in ALL.into_iter().flat_map(|version| [(version, false), (version, true)]) {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("array");
        let uri = root.to_str().unwrap();
        let ctx = context(&api, Some(requested));
        create(&ctx, uri, dense, Feature::None).unwrap();
        assert_eq!(root.join("__schema/__enumerations").exists(), requested >= "20");
        // Whoever continues follows the array, without the parameter.
        let ctx = context(&api, None);
        write(&ctx, uri, dense, 10, &[(1, 1), (2, 2), (3, 3)]);
        write(&ctx, uri, dense, 20, &[(3, 30), (4, 40)]);
        put_metadata(&ctx, uri, 10, "one");
        put_metadata(&ctx, uri, 20, "two");
        let mut expected = vec![(1, 1), (2, 2), (3, 30), (4, 40)];
        let written = |ctx: &Ctx<'_>| -> Vec<(i32, i32)> {
            read(ctx, uri, None).into_iter().filter(|(_, a)| *a != i32::MIN).collect()
        };
        assert_eq!(written(&ctx), expected);
        if !dense {
            delete(&ctx, uri, 25, EQUAL, &[2]).unwrap();
            expected.remove(1);
            assert_eq!(written(&ctx), expected);
        }
        for mode in ["fragment_meta", "array_meta", "commits", "fragments"] {
            maintain(&ctx, "consolidate", uri, mode, None);
            assert_eq!(written(&ctx), expected, "{requested}, consolidated {mode}");
        }
        add_attribute(&ctx, uri, "b").unwrap();
        put_metadata(&ctx, uri, 30, "three");
        assert_eq!(version(&ctx, uri).to_string(), requested);
        let before = versions_of(&root);
        assert!(before.len() > 12 && before.iter().all(|(_, version)| version.to_string() == requested), "{before:?}");
        for mode in ["commits", "fragments", "array_meta", "fragment_meta"] {
            maintain(&ctx, "vacuum", uri, mode, None);
        }
        assert_eq!((written(&ctx), metadata_count(&ctx, uri)), (expected, 3));
        let (place, mut readers) = (support::text(uri), [0u64; 3]);
        let [newest, required, string] = &mut readers;
        let arguments = [pointer(&place), address(newest), address(required), address(string)];
        ctx.call("rs_array_compatibility", &arguments).unwrap();
        assert_eq!((readers[0].to_string().as_str(), readers[1]), (requested, 18));
        let release = ["2.15", "2.16", "2.17", "2.19", "2.25", "2.31"][requested.parse::<usize>().unwrap() - 18];
        let text = ctx.take_string(readers[2]).unwrap();
        assert!(text.starts_with(&format!("libtiledb {release} and later\nformat version {requested}")), "{text}");
        assert!(text.contains("dimension labels, since version 18 (libtiledb 2.15): dimension label 'l'"), "{text}");
    }
}

#[test]
fn groups_have_the_version_of_the_context() {
    let api = Api::ours();
    for requested in ALL {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("group");
        let (uri, ctx) = (text(root.to_str().unwrap()), context(&api, Some(requested)));
        create(&ctx, root.join("array").to_str().unwrap(), false, Feature::None).unwrap();
        ctx.call("group_create", &[pointer(&uri)]).unwrap();
        for key in ["one", "two"] {
            let group = ctx.get("group_alloc", &[pointer(&uri)]).unwrap();
            ctx.call("group_open", &[group, 1]).unwrap();
            let value = 7i32.to_le_bytes();
            ctx.call("group_put_metadata", &[group, pointer(&text(key)), INT32, 1, bytes(&value)]).unwrap();
            if key == "one" {
                ctx.call("group_add_member", &[group, pointer(&text("array")), 1, pointer(&text("member"))]).unwrap();
            }
            ctx.call("group_close", &[group]).unwrap();
            ctx.free("group", group);
        }
        ctx.call("group_consolidate_metadata", &[pointer(&uri), 0]).unwrap();
        let versions = versions_of(&root);
        assert!(versions.iter().any(|(file, _)| file.contains("__group/")), "{versions:?}");
        assert!(versions.iter().filter(|(file, _)| file.starts_with("__meta/")).count() >= 3, "{versions:?}");
        assert!(versions.iter().all(|(_, version)| version.to_string() == requested), "{versions:?}");
    }
}

#[test]
fn features_that_the_version_lacks_are_rejected_before_anything_is_written() {
    let api = Api::ours();
    let mut rejected = 0;
    for (requested, (feature, since, name)) in ALL.iter().flat_map(|version| FEATURES.map(|row| (version, row))) {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("array");
        let ctx = context(&api, Some(requested));
        let made = schema(&ctx, true, feature).unwrap();
        let checked = ctx.call("array_schema_check", &[made]);
        let created = ctx.call("array_create", &[pointer(&text(root.to_str().unwrap())), made]);
        ctx.free("array_schema", made);
        if requested.parse::<u32>().unwrap() >= since {
            checked.and(created).unwrap();
            assert_eq!(version(&ctx, root.to_str().unwrap()).to_string(), *requested);
            continue;
        }
        rejected += 1;
        assert!(names_feature(&checked.unwrap_err(), since, name));
        let failure = created.unwrap_err();
        assert!(names_feature(&failure, since, name), "{failure:?}");
        assert!(!root.exists(), "{feature:?}");
        // A schema that was made for an old version gets the version that it requires where none is requested.
        let ctx = context(&api, None);
        create(&ctx, root.to_str().unwrap(), true, feature).unwrap();
        assert_eq!(version(&ctx, root.to_str().unwrap()), 22);
    }
    assert_eq!(rejected, 1 + 2 + 2 + 2 + 3 + 4 + 1);
}

#[test]
fn evolution_keeps_the_version_unless_a_feature_requires_a_newer_one() {
    let api = Api::ours();
    let folder = tempfile::tempdir().unwrap();
    let (limited, free) = (context(&api, Some("18")), context(&api, None));
    for (name, since, feature) in [("e", 20, "enumerations"), ("c", 22, "a current domain")] {
        let root = folder.path().join(name);
        let uri = root.to_str().unwrap();
        create(&limited, uri, false, Feature::None).unwrap();
        write(&limited, uri, false, 10, &[(1, 1)]);
        let evolve = |ctx: &Ctx<'_>| match name {
            "e" => add_enumeration(ctx, uri),
            _ => expand_current_domain(ctx, uri),
        };
        let before = all_files(&root);
        let failure = evolve(&limited).unwrap_err();
        assert!(names_feature(&failure, since, feature), "{failure:?}");
        assert_eq!(all_files(&root), before);
        add_attribute(&limited, uri, "b").unwrap();
        assert_eq!(version(&free, uri), 18);
        // The limit is no request: the array stays as old as it can.
        add_attribute(&context(&api, Some("21")), uri, "c").unwrap();
        assert_eq!(version(&free, uri), 18);
        evolve(&free).unwrap();
        assert_eq!(version(&free, uri), since);
        assert!(root.join("__schema/__enumerations").is_dir());
        // An array is never lowered, and a newer one can be evolved with what it has.
        evolve_again(&limited, uri, name).unwrap();
        assert_eq!(version(&free, uri), since);
        assert_eq!(read(&free, uri, None), [(1, 1)]);
    }
}

/// Drops the enumeration again, or adds one more attribute.
fn evolve_again(ctx: &Ctx<'_>, uri: &str, name: &str) -> Result<(), Failure> {
    if name != "e" {
        return add_attribute(ctx, uri, "z");
    }
    evolve(ctx, uri, |evolution| {
        ctx.call("array_schema_evolution_drop_enumeration", &[evolution, pointer(&text("colors"))])
    })
}

#[test]
fn upgrade_does_not_exceed_the_requested_version() {
    let api = Api::ours();
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("array");
    let uri = root.to_str().unwrap();
    create(&context(&api, Some("18")), uri, false, Feature::None).unwrap();
    for (requested, after) in [(Some("18"), 18), (Some("20"), 20), (Some("19"), 20), (None, 22), (Some("23"), 23)] {
        let ctx = context(&api, requested);
        upgrade(&ctx, uri).unwrap();
        assert_eq!(version(&ctx, uri), after, "{requested:?}");
    }
    assert!(root.join("__schema/__enumerations").is_dir());
}

#[test]
fn deletes_by_set_membership_are_rejected_below_version_20() {
    let api = Api::ours();
    let folder = tempfile::tempdir().unwrap();
    for requested in ALL {
        let root = folder.path().join(requested);
        let (uri, ctx) = (root.to_str().unwrap(), context(&api, Some(requested)));
        create(&ctx, uri, false, Feature::None).unwrap();
        write(&ctx, uri, false, 10, &[(1, 1), (2, 2), (3, 3)]);
        let before = all_files(&root);
        let deleted = delete(&ctx, uri, 20, IN, &[1, 3]);
        if requested < "20" {
            let failure = deleted.unwrap_err();
            assert!(names_feature(&failure, 20, "deletes by set membership"), "{failure:?}");
            assert_eq!(all_files(&root), before);
            // As in libtiledb, if the parameter is not set.
            delete(&context(&api, None), uri, 20, IN, &[1, 3]).unwrap();
        } else {
            deleted.unwrap();
        }
        assert_eq!(read(&ctx, uri, None), [(2, 2)]);
    }
}

#[test]
fn invalid_write_versions_are_refused() {
    let api = Api::ours();
    for value in ["17", "0", "24", "4294967295"] {
        let mut config = api.config(&[(PARAMETER, value)]);
        let mut ctx = 0u64;
        assert_ne!(api.raw("ctx_alloc", &[config, address(&mut ctx)]) as i32, 0, "{value}");
        api.raw("config_free", &[address(&mut config)]);
    }
    for value in ["", "-18", "18.0", "0x12", " 18", "18 ", "eighteen", "4294967314", "99999999999999999999"] {
        let (mut config, mut error) = (api.config(&[]), 0u64);
        let (name, text) = (text(PARAMETER), text(value));
        let arguments = [config, pointer(&name), pointer(&text), address(&mut error)];
        assert_ne!(api.raw("config_set", &arguments) as i32, 0, "{value:?}");
        api.raw("error_free", &[address(&mut error)]);
        api.raw("config_free", &[address(&mut config)]);
    }
    // It is listed only while it is set, since libtiledb does not have it.
    let mut config = api.config(&[]);
    let (name, mut value, mut error) = (text(PARAMETER), 1u64, 0u64);
    let arguments = [config, pointer(&name), address(&mut value), address(&mut error)];
    assert_eq!((api.raw("config_get", &arguments) as i32, value), (0, 0));
    api.raw("config_free", &[address(&mut config)]);
}

extern "C" fn go_on(_: u64, _: u64, calls: &mut u64) -> i32 {
    *calls += 1;
    1
}

extern "C" fn stop(_: u64, _: u64, _: &mut u64) -> i32 {
    0
}

type Progress = extern "C" fn(u64, u64, &mut u64) -> i32;

/// Copies an array; how often its progress was reported.
fn downgrade(ctx: &Ctx<'_>, from: &str, to: &Path, version: u32, progress: Option<Progress>) -> Result<u64, Failure> {
    let (from, to, mut calls) = (text(from), text(to.to_str().unwrap()), 0u64);
    let progress = progress.map_or(0, |progress| progress as usize as u64);
    let arguments = [pointer(&from), pointer(&to), u64::from(version), progress, address(&mut calls)];
    ctx.call("rs_array_downgrade", &arguments).map(|()| calls)
}

#[test]
fn copies_in_older_versions_have_the_cells_of_every_time() {
    let api = Api::ours();
    let ctx = context(&api, None);
    for (dense, target) in [(false, 18), (true, 18), (false, 21), (true, 21), (false, 22)] {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("array");
        let uri = root.to_str().unwrap();
        create(&ctx, uri, dense, Feature::None).unwrap();
        write(&ctx, uri, dense, 10, &[(1, 1), (2, 2), (3, 3)]);
        write(&ctx, uri, dense, 20, &[(3, 30), (4, 40)]);
        if !dense {
            maintain(&ctx, "consolidate", uri, "fragments", None);
            write(&ctx, uri, dense, 30, &[(5, 50)]);
            delete(&ctx, uri, 40, IN, &[2, 50]).unwrap();
            write(&ctx, uri, dense, 50, &[(5, 51)]);
        }
        put_metadata(&ctx, uri, 10, "one");
        put_metadata(&ctx, uri, 20, "two");
        let copy = folder.path().join("copy");
        assert!(downgrade(&ctx, uri, &copy, target, Some(go_on)).unwrap() > 0);
        let place = copy.to_str().unwrap();
        for time in [5, 10, 15, 20, 30, 35, 40, 45, 50, 60] {
            assert_eq!(read(&ctx, place, Some(time)), read(&ctx, uri, Some(time)), "{dense} at {time}");
        }
        assert_eq!(metadata_count(&ctx, place), 2);
        let versions = versions_of(&copy);
        assert!(versions.iter().all(|(_, version)| *version == target), "{versions:?}");
        assert!(copy.join("__labels/l0/__schema").is_dir());
        // The copy goes on as any array does.
        write(&ctx, place, dense, 70, &[(9, 9)]);
        maintain(&ctx, "consolidate", place, "fragments", None);
        assert!(read(&ctx, place, None).contains(&(9, 9)));
        assert!(versions_of(&copy).iter().all(|(_, version)| *version == target));
    }
}

#[test]
fn copies_that_are_not_possible_leave_nothing() {
    let api = Api::ours();
    let ctx = context(&api, None);
    let folder = tempfile::tempdir().unwrap();
    let copy = folder.path().join("copy");
    for (number, (feature, since, name)) in FEATURES.into_iter().enumerate() {
        let root = folder.path().join(format!("array{number}"));
        let uri = root.to_str().unwrap();
        create(&ctx, uri, true, feature).unwrap();
        let failure = downgrade(&ctx, uri, &copy, since - 1, Some(go_on)).unwrap_err();
        assert!(failure.text.contains(&format!("in format version {}: {name} (", since - 1)), "{failure:?}");
        assert!(failure.text.contains(&format!("requires version {since} (libtiledb 2.")), "{failure:?}");
        assert!(!copy.exists(), "{feature:?}");
        downgrade(&ctx, uri, &copy, since, Some(go_on)).unwrap();
        assert_eq!(version(&ctx, copy.to_str().unwrap()), since);
        std::fs::remove_dir_all(&copy).unwrap();
    }
    let root = folder.path().join("plain");
    let uri = root.to_str().unwrap();
    create(&ctx, uri, false, Feature::None).unwrap();
    write(&ctx, uri, false, 10, &[(1, 1)]);
    let before = all_files(&root);
    // Versions that are not written, a stop, no callback, and a place that is taken.
    for version in [0, 17, 24, u32::MAX] {
        let failure = downgrade(&ctx, uri, &copy, version, Some(go_on)).unwrap_err();
        assert!(failure.text.contains("this library writes versions 18 to 23"), "{failure:?}");
    }
    downgrade(&ctx, uri, &copy, 18, Some(stop)).unwrap_err();
    assert!(!copy.exists());
    downgrade(&ctx, uri, &copy, 18, None).unwrap_err();
    let failure = downgrade(&ctx, uri, &root, 18, Some(go_on)).unwrap_err();
    assert!(failure.text.contains("onto itself"), "{failure:?}");
    let missing = folder.path().join("missing");
    downgrade(&ctx, missing.to_str().unwrap(), &copy, 18, Some(go_on)).unwrap_err();
    downgrade(&ctx, "tiledb://a/b", &copy, 18, Some(go_on)).unwrap_err();
    assert!(!copy.exists());
    assert_eq!(all_files(&root), before);
}
