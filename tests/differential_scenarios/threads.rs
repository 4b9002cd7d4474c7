//! Zero threads for computing or for I/O: which operations are rejected.

use crate::Scenario;
use crate::keys::{OF_ARRAYS, OF_GROUPS, OF_UPKEEP, create, create_group, with_each};
use crate::world::{
    ASCII, COL, GLOBAL, INT32, ROW, Spec, UNORDERED, VAR, World, attr, dense, dim, fixed, range, ranges, sparse, var,
};
use support::{Array, Cells, Column, Ctx, Failure, pointer, text};

pub const SCENARIOS: &[Scenario] = &[
    ("threads_of_arrays", arrays),
    ("threads_of_upkeep", upkeep),
    ("threads_of_groups", groups),
    ("threads_of_writes", writes),
    ("threads_of_files", files),
];

const IO: (&str, &str) = ("sm.io_concurrency_level", "0");
const COMPUTE: (&str, &str) = ("sm.compute_concurrency_level", "0");
const FEW: [(&str, &[(&str, &str)]); 3] =
    [("no threads for files", &[IO]), ("none to compute", &[COMPUTE]), ("none at all", &[IO, COMPUTE])];

fn arrays(world: &mut World<'_>) {
    let made = create(&world.api.context(&[]), &world.uri("plain"));
    world.tell("create", made);
    // The reference dies of enumerations without threads for files.
    let acts: Vec<_> = OF_ARRAYS.into_iter().filter(|(act, _)| *act != "load enumerations").collect();
    with_each(world, &FEW, &["plain"], &acts);
}

fn upkeep(world: &mut World<'_>) {
    let made = create(&world.api.context(&[]), &world.uri("plain"));
    world.tell("create", made);
    with_each(world, &FEW, &["plain"], &OF_UPKEEP);
}

fn groups(world: &mut World<'_>) {
    let made = create_group(&world.api.context(&[]), &world.uri("plain"));
    world.tell("create", made);
    with_each(world, &FEW, &["plain"], &OF_GROUPS);
}

fn write(world: &World<'_>, ctx: &Ctx<'_>, name: &str, layout: u64, columns: &[(&str, Cells)]) -> Result<(), Failure> {
    let array = Array::open(ctx, &world.uri(name), 1, None, None)?;
    let query = ctx.get("query_alloc", &[array.handle, 1])?;
    ctx.call("query_set_layout", &[query, layout])?;
    if world.spec(name).dense {
        let subarray = ranges(&array, world.spec(name), &[range(0, 1, 4)], None)?;
        ctx.call("query_set_subarray_t", &[query, subarray])?;
        ctx.free("subarray", subarray);
    }
    let mut columns: Vec<Column> = columns.iter().map(|(name, cells)| Column::filled(name, cells.clone())).collect();
    columns.iter_mut().try_for_each(|column| column.bind(ctx, query))?;
    let done = ctx.call("query_submit", &[query]).and_then(|()| ctx.call("query_finalize", &[query]));
    ctx.free("query", query);
    done
}

fn writes(world: &mut World<'_>) {
    let attrs = [attr("a", INT32, 1, false), attr("v", ASCII, VAR, false)];
    let cells = [("a", fixed(&[1, 2, 3, 4])), ("v", var(&["w", "xx", "y", "z"]))];
    let specs: [(&str, Spec, &[u64]); 2] = [
        ("dense", dense(&[dim("d", 1, 8, 4)], &attrs), &[ROW, COL, GLOBAL]),
        ("sparse", sparse(&[dim("d", 1, 8, 4)], &attrs), &[UNORDERED, GLOBAL]),
    ];
    for (name, spec, layouts) in specs {
        world.create(name, spec);
        for (threads, config) in FEW {
            let ctx = world.api.context(config);
            for &layout in layouts {
                let coords = [("d", fixed(&[1, 2, 3, 4]))];
                let columns = if name == "dense" { cells.to_vec() } else { [&coords[..], &cells].concat() };
                let done = write(world, &ctx, name, layout, &columns);
                world.tell(&format!("write {name} in layout {layout} with {threads}"), done);
            }
        }
        world.fragments(name);
    }
    for (threads, config) in FEW {
        let ctx = world.api.context(config);
        world.tell(&format!("create with {threads}"), create(&ctx, &world.uri(threads)));
        world.tell(&format!("create a group with {threads}"), create_group(&ctx, &world.uri(&format!("g {threads}"))));
    }
}

fn files(world: &mut World<'_>) {
    std::fs::create_dir(world.uri("folder")).unwrap();
    std::fs::write(world.uri("folder/large"), vec![7u8; 30 << 20]).unwrap();
    for (threads, config) in FEW {
        let ctx = world.api.context(config);
        let vfs = ctx.get("vfs_alloc", &[0]).unwrap();
        let path = |name: &str| text(&world.uri(name));
        for (call, names) in [
            ("touch", &["file"][..]),
            ("create_dir", &["inner"]),
            ("copy_file", &["file", "copy"]),
            ("move_file", &["copy", "moved"]),
            ("copy_dir", &["inner", "inner2"]),
            ("move_dir", &["inner2", "inner3"]),
            ("remove_file", &["moved"]),
            ("remove_dir", &["inner"]),
            ("remove_dir", &["inner3"]),
            ("remove_file", &["file"]),
        ] {
            let names: Vec<_> = names.iter().map(|name| path(name)).collect();
            let arguments = [&[vfs][..], &names.iter().map(|name| pointer(name)).collect::<Vec<_>>()].concat();
            world.tell(&format!("{call} with {threads}"), ctx.call(&format!("vfs_{call}"), &arguments));
        }
        let (folder, large) = (path("folder"), path("folder/large"));
        world.tell("dir_size", ctx.get("vfs_dir_size", &[vfs, pointer(&folder)]));
        let read = ctx.get("vfs_open", &[vfs, pointer(&large), 0]).and_then(|file| {
            let mut bytes = vec![0u8; 30 << 20];
            let done = ctx.call("vfs_read", &[file, 0, bytes.as_mut_ptr() as u64, bytes.len() as u64]);
            world.say(&format!("{}", bytes.iter().all(|byte| *byte == 7)));
            ctx.free("vfs_fh", file);
            done
        });
        world.tell(&format!("read with {threads}"), read);
        ctx.free("vfs", vfs);
        let store = path(&format!("store {threads}"));
        let made = ctx.get("filestore_schema_create", &[pointer(&large)]).and_then(|schema| {
            let made = ctx.call("array_create", &[pointer(&store), schema]);
            ctx.free("array_schema", schema);
            made
        });
        world.tell(&format!("filestore with {threads}"), made);
        let imported = ctx.call("filestore_uri_import", &[pointer(&store), pointer(&large), 0]);
        world.tell(&format!("import with {threads}"), imported);
        let exported = ctx.call("filestore_uri_export", &[pointer(&path("out")), pointer(&store)]);
        world.tell(&format!("export with {threads}"), exported);
    }
}
