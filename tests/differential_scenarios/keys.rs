//! Correct and wrong encryption keys, in every operation that reads or writes encrypted data.

use std::fs;
use std::path::Path;

use crate::Scenario;
use crate::labels::{INCREASING, labelled};
use crate::world::{INT32, INT64, UNORDERED, World, attr, attribute, dense, dim, fixed, sparse};
use support::{Array, Column, Ctx, Failure, address, pointer, text};

pub const SCENARIOS: &[Scenario] = &[
    ("keys_of_arrays", arrays),
    ("keys_of_array_upkeep", upkeep),
    ("keys_of_schemas", schemas),
    ("keys_of_groups", groups),
    ("keys_of_labels", labels),
];

const TYPE: &str = "sm.encryption_type";
const KEY: &str = "sm.encryption_key";
const AES: (&str, &str) = (TYPE, "AES_256_GCM");
const RIGHT: [(&str, &str); 2] = [AES, (KEY, "0123456789abcdeF0123456789abcdeF")];

/// What a caller may hold instead.
const CALLER_KEYS: [(&str, &[(&str, &str)]); 8] = [
    ("the key", &RIGHT),
    ("nothing", &[]),
    ("another key", &[AES, (KEY, "another89abcdeF0123456789abcdeF_")]),
    ("a short key", &[AES, (KEY, "short")]),
    ("a type alone", &[AES]),
    ("a key alone", &[(KEY, "0123456789abcdeF0123456789abcdeF")]),
    ("no encryption and a key", &[(TYPE, "NO_ENCRYPTION"), (KEY, "0123456789abcdeF0123456789abcdeF")]),
    ("an unknown type", &[(TYPE, "ROT13"), (KEY, "0123456789abcdeF0123456789abcdeF")]),
];

/// The encrypted array or group, and the one that lies in the open.
const THINGS: [&str; 2] = ["sealed", "plain"];

pub type Act = fn(&World<'_>, &Ctx<'_>, &str) -> Result<(), Failure>;

/// Does each thing with a fresh copy of `sealed` and `plain`, whatever the caller holds.
fn with_all_keys(world: &World<'_>, acts: &[(&str, Act)]) {
    with_each(world, &CALLER_KEYS, &THINGS, acts);
}

/// Does each thing with a fresh copy, under each configuration.
pub fn with_each(world: &World<'_>, configs: &[(&str, &[(&str, &str)])], things: &[&str], acts: &[(&str, Act)]) {
    for (name, config) in configs {
        let ctx = world.api.context(config);
        for thing in things {
            for (act, run) in acts {
                let copy = world.uri("copy");
                _ = fs::remove_dir_all(&copy);
                copy_folder(Path::new(&world.uri(thing)), Path::new(&copy));
                let done = run(world, &ctx, &copy);
                world.tell(&format!("{act} {thing} with {name}"), done);
            }
        }
    }
}

fn copy_folder(from: &Path, to: &Path) {
    fs::create_dir(to).unwrap();
    for entry in fs::read_dir(from).unwrap().flatten() {
        let target = to.join(entry.file_name());
        match entry.file_type().unwrap().is_dir() {
            true => copy_folder(&entry.path(), &target),
            false => _ = fs::copy(entry.path(), target).unwrap(),
        }
    }
}

/// An array with two fragments, metadata and an enumeration.
pub fn create(ctx: &Ctx<'_>, uri: &str) -> Result<(), Failure> {
    let spec = sparse(&[dim("d", 1, 100, 10)], &[attr("a", INT32, 1, false)]);
    let schema = crate::world::schema(ctx, &spec)?;
    let name = text(uri);
    let values = [1i32, 2];
    let enumeration = text("e");
    let made = ctx.get("enumeration_alloc", &[pointer(&enumeration), INT32, 1, 0, values.as_ptr() as u64, 8, 0, 0])?;
    ctx.call("array_schema_add_enumeration", &[schema, made])?;
    ctx.free("enumeration", made);
    ctx.call("array_create", &[pointer(&name), schema])?;
    ctx.free("array_schema", schema);
    for time in [10, 20] {
        let array = Array::open(ctx, uri, 1, None, Some(time))?;
        let query = ctx.get("query_alloc", &[array.handle, 1])?;
        ctx.call("query_set_layout", &[query, UNORDERED])?;
        let mut columns = ["d", "a"].map(|name| Column::filled(name, fixed(&[1, 2, 3])));
        columns.iter_mut().try_for_each(|column| column.bind(ctx, query))?;
        ctx.call("query_submit", &[query])?;
        ctx.free("query", query);
        put(ctx, "array_put_metadata", array.handle)?;
    }
    Ok(())
}

fn put(ctx: &Ctx<'_>, function: &str, handle: u64) -> Result<(), Failure> {
    let (key, value) = (text("k"), 7i32);
    ctx.call(function, &[handle, pointer(&key), INT32, 1, std::ptr::from_ref(&value) as u64])
}

fn both(world: &World<'_>, create: fn(&Ctx<'_>, &str) -> Result<(), Failure>) {
    for (thing, config) in THINGS.into_iter().zip([&RIGHT[..], &[]]) {
        let ctx = world.api.context(config);
        world.tell(&format!("create {thing}"), create(&ctx, &world.uri(thing)));
    }
}

/// Opens for a purpose, does something and closes.
fn opened(
    ctx: &Ctx<'_>,
    kind: &str,
    uri: &str,
    purpose: u64,
    act: impl Fn(u64) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let name = text(uri);
    let handle = ctx.get(&format!("{kind}_alloc"), &[pointer(&name)])?;
    let done = ctx.call(&format!("{kind}_open"), &[handle, purpose]).and_then(|()| {
        let done = act(handle);
        done.and(ctx.call(&format!("{kind}_close"), &[handle]))
    });
    ctx.free(kind, handle);
    done
}

fn count_metadata(ctx: &Ctx<'_>, kind: &str, handle: u64) -> Result<(), Failure> {
    ctx.get(&format!("{kind}_get_metadata_num"), &[handle]).map(drop)
}

/// What is done with arrays.
pub const OF_ARRAYS: [(&str, Act); 10] = [
    ("open to read", |_, ctx, uri| opened(ctx, "array", uri, 0, |_| Ok(()))),
    ("open to write", |_, ctx, uri| opened(ctx, "array", uri, 1, |_| Ok(()))),
    ("open to delete", |_, ctx, uri| opened(ctx, "array", uri, 2, |_| Ok(()))),
    ("open exclusively", |_, ctx, uri| opened(ctx, "array", uri, 4, |_| Ok(()))),
    ("read metadata", |_, ctx, uri| opened(ctx, "array", uri, 0, |array| count_metadata(ctx, "array", array))),
    ("write metadata", |_, ctx, uri| opened(ctx, "array", uri, 1, |array| put(ctx, "array_put_metadata", array))),
    ("load the schema", |_, ctx, uri| {
        let schema = ctx.get("array_schema_load", &[pointer(&text(uri))])?;
        ctx.free("array_schema", schema);
        Ok(())
    }),
    ("load enumerations", |_, ctx, uri| {
        opened(ctx, "array", uri, 0, |array| ctx.call("array_load_all_enumerations", &[array]))
    }),
    ("ask for the type", |world, ctx, uri| {
        let kind = ctx.get("array_encryption_type", &[pointer(&text(uri))])?;
        world.say(&format!("  {kind}"));
        Ok(())
    }),
    ("ask what it is", |world, ctx, uri| {
        let kind = ctx.get("object_type", &[pointer(&text(uri))])?;
        world.say(&format!("  {kind}"));
        Ok(())
    }),
];

fn arrays(world: &mut World<'_>) {
    both(world, create);
    with_all_keys(world, &OF_ARRAYS);
}

/// The schema and its enumeration, with one key in the context and another in the configuration: the context's counts.
fn schemas(world: &mut World<'_>) {
    both(world, create);
    for (context_key, of_context) in CALLER_KEYS {
        let ctx = world.api.context(of_context);
        for (config_key, of_config) in CALLER_KEYS {
            let mut config = world.api.config(of_config);
            for thing in THINGS {
                let uri = text(&world.uri(thing));
                let loaded = ctx.get("array_schema_load_with_config", &[config, pointer(&uri)]).and_then(|schema| {
                    let enumeration =
                        ctx.get("array_schema_get_enumeration_from_name", &[schema, pointer(&text("e"))])?;
                    ctx.free("enumeration", enumeration);
                    ctx.free("array_schema", schema);
                    Ok(())
                });
                world.tell(
                    &format!("load the schema of {thing} with {context_key}, and {config_key} in the configuration"),
                    loaded,
                );
            }
            world.api.raw("config_free", &[address(&mut config)]);
        }
    }
}

fn consolidate(ctx: &Ctx<'_>, function: &str, uri: &str, mode: &[(&str, &str)]) -> Result<(), Failure> {
    // The configuration of the context and more.
    let config = ctx.get("ctx_get_config", &[])?;
    let mut error = 0u64;
    for (name, value) in mode.iter().chain(&[("sm.mem.total_budget", "20000000")]) {
        let (name, value) = (text(name), text(value));
        ctx.api.raw("config_set", &[config, pointer(&name), pointer(&value), address(&mut error)]);
    }
    let done = ctx.call(function, &[pointer(&text(uri)), config]);
    let mut config = config;
    ctx.api.raw("config_free", &[address(&mut config)]);
    done
}

fn first_fragment(uri: &str) -> String {
    let folder = fs::read_dir(format!("{uri}/__fragments")).unwrap().flatten();
    folder.map(|entry| entry.file_name().into_string().unwrap()).min().unwrap()
}

/// What changes arrays.
pub const OF_UPKEEP: [(&str, Act); 16] = [
    ("consolidate fragments", |_, ctx, uri| {
        consolidate(ctx, "array_consolidate", uri, &[("sm.consolidation.mode", "fragments")])
    }),
    ("consolidate the fragments of a list", |_, ctx, uri| {
        let name = text(&first_fragment(uri));
        ctx.call("array_consolidate_fragments", &[pointer(&text(uri)), [pointer(&name)].as_ptr() as u64, 1, 0])
    }),
    ("consolidate fragment metadata", |_, ctx, uri| {
        consolidate(ctx, "array_consolidate", uri, &[("sm.consolidation.mode", "fragment_meta")])
    }),
    ("consolidate commits", |_, ctx, uri| {
        consolidate(ctx, "array_consolidate", uri, &[("sm.consolidation.mode", "commits")])
    }),
    ("consolidate metadata", |_, ctx, uri| {
        consolidate(ctx, "array_consolidate", uri, &[("sm.consolidation.mode", "array_meta")])
    }),
    ("vacuum fragments", |_, ctx, uri| consolidate(ctx, "array_vacuum", uri, &[("sm.vacuum.mode", "fragments")])),
    ("vacuum fragment metadata", |_, ctx, uri| {
        consolidate(ctx, "array_vacuum", uri, &[("sm.vacuum.mode", "fragment_meta")])
    }),
    ("vacuum commits", |_, ctx, uri| consolidate(ctx, "array_vacuum", uri, &[("sm.vacuum.mode", "commits")])),
    ("vacuum metadata", |_, ctx, uri| consolidate(ctx, "array_vacuum", uri, &[("sm.vacuum.mode", "array_meta")])),
    ("load fragment info", |_, ctx, uri| {
        let info = ctx.get("fragment_info_alloc", &[pointer(&text(uri))])?;
        let done = ctx.call("fragment_info_load", &[info]);
        ctx.free("fragment_info", info);
        done
    }),
    ("evolve", |_, ctx, uri| {
        let evolution = ctx.get("array_schema_evolution_alloc", &[])?;
        let added = attribute(ctx, &attr("b", INT32, 1, false))?;
        ctx.call("array_schema_evolution_add_attribute", &[evolution, added])?;
        ctx.free("attribute", added);
        let done = ctx.call("array_evolve", &[pointer(&text(uri)), evolution]);
        ctx.free("array_schema_evolution", evolution);
        done
    }),
    ("upgrade", |_, ctx, uri| consolidate(ctx, "array_upgrade_version", uri, &[])),
    ("delete fragments", |_, ctx, uri| ctx.call("array_delete_fragments_v2", &[pointer(&text(uri)), 0, 15])),
    ("delete the fragments of a list", |_, ctx, uri| {
        let name = text(&format!("{uri}/__fragments/{}", first_fragment(uri)));
        ctx.call("array_delete_fragments_list", &[pointer(&text(uri)), [pointer(&name)].as_ptr() as u64, 1])
    }),
    ("delete", |_, ctx, uri| ctx.call("array_delete", &[pointer(&text(uri))])),
    ("count non-empty domain", |_, ctx, uri| {
        opened(ctx, "array", uri, 0, |array| {
            let (mut ends, mut empty) = ([0i32; 2], 0i32);
            ctx.call("array_get_non_empty_domain", &[array, address(&mut ends), address(&mut empty)])
        })
    }),
];

fn upkeep(world: &mut World<'_>) {
    both(world, create);
    with_all_keys(world, &OF_UPKEEP);
}

pub fn create_group(ctx: &Ctx<'_>, uri: &str) -> Result<(), Failure> {
    ctx.call("group_create", &[pointer(&text(uri))])?;
    ctx.call("group_create", &[pointer(&text(&format!("{uri}/x")))])?;
    opened(ctx, "group", uri, 1, |group| {
        ctx.call("group_add_member", &[group, pointer(&text("x")), 1, 0])?;
        put(ctx, "group_put_metadata", group)
    })
}

/// What is done with groups.
pub const OF_GROUPS: [(&str, Act); 9] = [
    ("open to read", |_, ctx, uri| opened(ctx, "group", uri, 0, |_| Ok(()))),
    ("open to write", |_, ctx, uri| opened(ctx, "group", uri, 1, |_| Ok(()))),
    ("open exclusively", |_, ctx, uri| opened(ctx, "group", uri, 4, |_| Ok(()))),
    ("count members", |world, ctx, uri| {
        opened(ctx, "group", uri, 0, |group| {
            world.say(&format!("  {}", ctx.get("group_get_member_count", &[group])?));
            Ok(())
        })
    }),
    ("read metadata", |_, ctx, uri| opened(ctx, "group", uri, 0, |group| count_metadata(ctx, "group", group))),
    ("write metadata", |_, ctx, uri| opened(ctx, "group", uri, 1, |group| put(ctx, "group_put_metadata", group))),
    ("remove a member", |_, ctx, uri| {
        opened(ctx, "group", uri, 1, |group| ctx.call("group_remove_member", &[group, pointer(&text("x"))]))
    }),
    ("consolidate metadata", |_, ctx, uri| consolidate(ctx, "group_consolidate_metadata", uri, &[])),
    ("vacuum metadata", |_, ctx, uri| consolidate(ctx, "group_vacuum_metadata", uri, &[])),
];

fn groups(world: &mut World<'_>) {
    both(world, create_group);
    with_all_keys(world, &OF_GROUPS);
}

fn create_labelled(ctx: &Ctx<'_>, uri: &str) -> Result<(), Failure> {
    let spec = dense(&[dim("d", 1, 8, 4)], &[attr("a", INT32, 1, false)]);
    let schema = labelled(ctx, &spec, &[(0, "l", INCREASING, INT64)])?;
    ctx.call("array_create", &[pointer(&text(uri)), schema])?;
    ctx.free("array_schema", schema);
    Ok(())
}

fn labels(world: &mut World<'_>) {
    both(world, create_labelled);
    let acts: [(&str, Act); 4] = [
        ("load the schema", |_, ctx, uri| {
            let schema = ctx.get("array_schema_load", &[pointer(&text(uri))])?;
            ctx.free("array_schema", schema);
            Ok(())
        }),
        ("load the label's schema", |_, ctx, uri| {
            let schema = ctx.get("array_schema_load", &[pointer(&text(&format!("{uri}/__labels/l0")))])?;
            ctx.free("array_schema", schema);
            Ok(())
        }),
        ("open the label", |_, ctx, uri| opened(ctx, "array", &format!("{uri}/__labels/l0"), 0, |_| Ok(()))),
        ("read the label", |_, ctx, uri| {
            opened(ctx, "array", uri, 0, |array| {
                let query = ctx.get("query_alloc", &[array, 0])?;
                let mut column = Column::with_capacity("l", 64, None, None);
                column.bind(ctx, query)?;
                let subarray = ctx.get("subarray_alloc", &[array])?;
                let (low, high) = (1i32, 8i32);
                let ends = [std::ptr::from_ref(&low) as u64, std::ptr::from_ref(&high) as u64];
                ctx.call("subarray_add_range", &[subarray, 0, ends[0], ends[1], 0])?;
                ctx.call("query_set_subarray_t", &[query, subarray])?;
                let done = ctx.call("query_submit", &[query]);
                ctx.free("subarray", subarray);
                ctx.free("query", query);
                done
            })
        }),
    ];
    with_all_keys(world, &acts);
}
