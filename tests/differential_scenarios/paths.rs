//! Paths that are not UTF-8, missing folders, and pipes in place of files.

use std::ffi::{CStr, CString, OsStr};
use std::fs;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::PathBuf;

use crate::Scenario;
use crate::world::{INT32, ROW, World, attr, dense, dim};
use support::{Ctx, Failure, address, pointer, text};

pub const SCENARIOS: &[Scenario] = &[
    ("paths_of_files", files),
    ("paths_of_arrays", arrays),
    ("paths_of_groups", groups),
    ("paths_of_filestores", filestores),
    ("paths_of_configurations", configurations),
    ("paths_from_nowhere", nowhere),
];

/// Names with bytes that are no UTF-8: alone, inside, cut short, and what stands for them in our library.
const NAMES: [&[u8]; 6] =
    [b"\xff", b"a\xffb", b"\xc3", b"\xe9t\xe9", b"\xf4\x8f\xbf\xbf\xf4\x8f\xbe\x80", b"x\xc3\xa9\x80"];

/// The same path as bytes below the world's folder.
fn at(world: &World<'_>, name: &[u8]) -> CString {
    CString::new([world.uri("").as_bytes(), name].concat()).unwrap()
}

/// Bytes as they can be told: the world's folder has another name in either story.
fn shown(world: &World<'_>, bytes: &[u8]) -> String {
    let folder = world.uri("");
    let at = bytes.windows(folder.len()).position(|window| window == folder.as_bytes());
    at.map_or(bytes, |at| &bytes[at + folder.len()..]).escape_ascii().to_string()
}

/// The bytes behind an address.
#[allow(unsafe_code, clippy::undocumented_unsafe_blocks, reason = "reads as a C program does")]
fn bytes_at(address: u64) -> Vec<u8> {
    unsafe { CStr::from_ptr(address as *const _) }.to_bytes().to_vec()
}

#[allow(unsafe_code, clippy::undocumented_unsafe_blocks, reason = "called as by C")]
unsafe extern "C" fn note(path: u64, paths: u64) -> i32 {
    unsafe { &mut *(paths as *mut Vec<Vec<u8>>) }.push(bytes_at(path));
    1
}

#[allow(unsafe_code, clippy::undocumented_unsafe_blocks, reason = "called as by C")]
unsafe extern "C" fn note_sized(path: u64, length: usize, _size: u64, paths: u64) -> i32 {
    let mut name = bytes_at(path);
    name.extend_from_slice(format!(" {}", length - name.len()).as_bytes());
    unsafe { &mut *(paths as *mut Vec<Vec<u8>>) }.push(name);
    1
}

#[allow(unsafe_code, clippy::undocumented_unsafe_blocks, reason = "called as by C")]
unsafe extern "C" fn note_object(path: u64, kind: u32, paths: u64) -> i32 {
    let mut name = bytes_at(path);
    name.extend_from_slice(format!(" {kind}").as_bytes());
    unsafe { &mut *(paths as *mut Vec<Vec<u8>>) }.push(name);
    1
}

fn list(ctx: &Ctx<'_>, vfs: u64, folder: &CStr) -> Result<Vec<Vec<u8>>, Failure> {
    let mut paths = Vec::new();
    ctx.call("vfs_ls", &[vfs, pointer(folder), note as *const () as u64, address(&mut paths)])?;
    paths.sort();
    Ok(paths)
}

/// Tells of a list of paths.
fn tell_paths(world: &World<'_>, step: &str, paths: Result<Vec<Vec<u8>>, Failure>) {
    if let Some(mut paths) = world.tell(step, paths) {
        paths.sort();
        paths.iter().for_each(|path| world.say(&format!("  {}", shown(world, path))));
    }
}

fn files(world: &mut World<'_>) {
    let ctx = world.api.context(&[]);
    let vfs = ctx.get("vfs_alloc", &[0]).unwrap();
    let here = at(world, b"");
    for name in NAMES {
        let (file, folder) = (at(world, name), at(world, &[name, b"d"].concat()));
        let inner = at(world, &[name, b"d/", name].concat());
        let (moved, copy) = (at(world, &[b"m", name].concat()), at(world, &[b"c", name].concat()));
        let step = |what: &str| format!("{what} {}", name.escape_ascii());
        world.tell(&step("touch"), ctx.call("vfs_touch", &[vfs, pointer(&file)]));
        world.tell(&step("create_dir"), ctx.call("vfs_create_dir", &[vfs, pointer(&folder)]));
        let written = ctx.get("vfs_open", &[vfs, pointer(&inner), 1]).and_then(|handle| {
            let done = ctx.call("vfs_write", &[handle, b"abc".as_ptr() as u64, 3]);
            let done = done.and(ctx.call("vfs_close", &[handle]));
            ctx.free("vfs_fh", handle);
            done
        });
        world.tell(&step("write"), written);
        for (what, path) in [("is_file", &file), ("is_dir", &folder), ("file_size", &inner), ("dir_size", &folder)] {
            let value = world.tell(&step(what), ctx.get(&format!("vfs_{what}"), &[vfs, pointer(path)]));
            world.say(&format!("  {value:?}"));
        }
        for (what, from, to) in [
            ("move_file", &inner, &moved),
            ("copy_file", &moved, &copy),
            ("copy_dir", &folder, &at(world, &[b"e", name].concat())),
            ("move_dir", &folder, &at(world, &[b"f", name].concat())),
        ] {
            world.tell(&step(what), ctx.call(&format!("vfs_{what}"), &[vfs, pointer(from), pointer(to)]));
        }
        world.tell(&step("remove_file"), ctx.call("vfs_remove_file", &[vfs, pointer(&copy)]));
        // The reason is in the words of either.
        world.tell(&step("file_size of none"), ctx.get("vfs_file_size", &[vfs, pointer(&copy)]));
    }
    let listed = list(&ctx, vfs, &here);
    for path in listed.iter().flatten() {
        let path = CString::new(path.clone()).unwrap();
        world.say(&format!("{:?}", ctx.get("vfs_is_file", &[vfs, pointer(&path)])));
    }
    tell_paths(world, "ls", listed);
    let mut walked_paths = Vec::new();
    let walked = [vfs, pointer(&here), note_sized as *const () as u64, address(&mut walked_paths)];
    let walked = ctx.call("vfs_ls_recursive", &walked);
    tell_paths(world, "ls_recursive", walked.map(|()| walked_paths));
    ctx.free("vfs", vfs);
}

fn create(ctx: &Ctx<'_>, uri: &CStr) -> Result<(), Failure> {
    let spec = dense(&[dim("d", 1, 4, 4)], &[attr("a", INT32, 1, false)]);
    let schema = crate::world::schema(ctx, &spec)?;
    let made = ctx.call("array_create", &[pointer(uri), schema]);
    ctx.free("array_schema", schema);
    made
}

/// Opens, does something, closes.
fn opened(
    ctx: &Ctx<'_>,
    kind: &str,
    uri: &CStr,
    purpose: u64,
    act: impl Fn(u64) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let handle = ctx.get(&format!("{kind}_alloc"), &[pointer(uri)])?;
    let done = ctx.call(&format!("{kind}_open"), &[handle, purpose]).and_then(|()| {
        let done = act(handle);
        done.and(ctx.call(&format!("{kind}_close"), &[handle]))
    });
    ctx.free(kind, handle);
    done
}

fn arrays(world: &mut World<'_>) {
    let ctx = world.api.context(&[]);
    let tell_path = |step: &str, address: Result<u64, Failure>| {
        if let Some(address) = world.tell(step, address) {
            let bytes = bytes_at(address);
            // Fragments have random names.
            let end = bytes.windows(3).position(|window| window == b"/__").unwrap_or(bytes.len());
            world.say(&format!("  {}", shown(world, &bytes[..end])));
        }
    };
    for name in NAMES {
        let uri = at(world, name);
        world.tell("create", create(&ctx, &uri));
        for _ in 0..2 {
            let written = opened(&ctx, "array", &uri, 1, |array| {
                tell_path("uri", ctx.get("array_get_uri", &[array]));
                let query = ctx.get("query_alloc", &[array, 1])?;
                ctx.call("query_set_layout", &[query, ROW])?;
                let (cells, mut size) = ([1i32, 2, 3, 4], 16u64);
                let field = text("a");
                let buffer = [query, pointer(&field), cells.as_ptr() as u64, address(&mut size)];
                ctx.call("query_set_data_buffer", &buffer)?;
                ctx.call("query_submit", &[query])?;
                tell_path("fragment", ctx.get("query_get_fragment_uri", &[query, 0]));
                ctx.free("query", query);
                Ok(())
            });
            world.tell("write", written);
        }
        let loaded = ctx.get("fragment_info_alloc", &[pointer(&uri)]).and_then(|info| {
            ctx.call("fragment_info_load", &[info])?;
            tell_path("info", ctx.get("fragment_info_get_fragment_uri", &[info, 0]));
            ctx.free("fragment_info", info);
            Ok(())
        });
        world.tell("load fragment info", loaded);
        let merged = world.api.context(&[("sm.mem.total_budget", "20000000")]);
        world.tell("consolidate", merged.call("array_consolidate", &[pointer(&uri), 0]));
        world.tell("vacuum", merged.call("array_vacuum", &[pointer(&uri), 0]));
        let read = opened(&ctx, "array", &uri, 0, |array| {
            let query = ctx.get("query_alloc", &[array, 0])?;
            let (subarray, low, high) = (ctx.get("subarray_alloc", &[array])?, 1i32, 4i32);
            let ends = [&raw const low as u64, &raw const high as u64];
            ctx.call("subarray_add_range", &[subarray, 0, ends[0], ends[1], 0])?;
            ctx.call("query_set_subarray_t", &[query, subarray])?;
            ctx.free("subarray", subarray);
            let (mut cells, mut size) = ([0i32; 4], 16u64);
            let field = text("a");
            ctx.call("query_set_data_buffer", &[query, pointer(&field), address(&mut cells), address(&mut size)])?;
            ctx.call("query_submit", &[query])?;
            ctx.free("query", query);
            world.say(&format!("{cells:?}"));
            Ok(())
        });
        world.tell("read", read);
        let kind = world.tell("type", ctx.get("object_type", &[pointer(&uri)]));
        world.say(&format!("{kind:?}"));
        let schema = ctx.get("array_schema_load", &[pointer(&uri)]).map(|schema| ctx.free("array_schema", schema));
        world.tell("schema", schema);
    }
    let mut objects = Vec::new();
    let here = at(world, b"");
    let walked = ctx.call("object_ls", &[pointer(&here), note_object as *const () as u64, address(&mut objects)]);
    tell_paths(world, "object_ls", walked.map(|()| objects));
    let mut objects = Vec::new();
    let walked = ctx.call("object_walk", &[pointer(&here), 0, note_object as *const () as u64, address(&mut objects)]);
    tell_paths(world, "object_walk", walked.map(|()| objects));
    for name in NAMES {
        let (uri, moved) = (at(world, name), at(world, &[b"m", name].concat()));
        world.tell("move", ctx.call("object_move", &[pointer(&uri), pointer(&moved)]));
        world.tell("remove", ctx.call("object_remove", &[pointer(&moved)]));
        world.tell("open", opened(&ctx, "array", &uri, 0, |_| Ok(())));
        world.tell("remove", ctx.call("object_remove", &[pointer(&uri)]));
    }
}

fn groups(world: &mut World<'_>) {
    let ctx = world.api.context(&[]);
    for name in NAMES {
        let (uri, other) = (at(world, name), at(world, &[b"o", name].concat()));
        for uri in [&uri, &other, &at(world, &[name, b"/", name].concat())] {
            world.tell("create", ctx.call("group_create", &[pointer(uri)]));
        }
        let relative = CString::new(name).unwrap();
        let changed = opened(&ctx, "group", &uri, 1, |group| {
            ctx.call("group_add_member", &[group, pointer(&relative), 1, pointer(&text("r"))])?;
            ctx.call("group_add_member", &[group, pointer(&other), 0, pointer(&text("w"))])?;
            ctx.call("group_put_metadata", &[group, pointer(&text("k")), INT32, 1, [7i32].as_ptr() as u64])
        });
        world.tell("change", changed);
        let read = opened(&ctx, "group", &uri, 0, |group| {
            world.say(&shown(world, &bytes_at(ctx.get("group_get_uri", &[group])?)));
            for member in ["r", "w"] {
                let (mut member_uri, mut kind) = (0u64, 0u32);
                let name = text(member);
                let arguments = [group, pointer(&name), address(&mut member_uri), address(&mut kind)];
                ctx.call("group_get_member_by_name_v2", &arguments)?;
                world.say(&format!("  {member} {} {kind}", shown(world, &bytes_of(&ctx, member_uri))));
            }
            let mut dump = 0u64;
            ctx.call("group_dump_str_v2", &[group, address(&mut dump), 1])?;
            world.say(&shown(world, &bytes_of(&ctx, dump)));
            Ok(())
        });
        world.tell("read", read);
        world.tell("consolidate", ctx.call("group_consolidate_metadata", &[pointer(&uri), 0]));
        world.tell("vacuum", ctx.call("group_vacuum_metadata", &[pointer(&uri), 0]));
        world.tell(
            "remove",
            opened(&ctx, "group", &uri, 1, |group| ctx.call("group_remove_member", &[group, pointer(&text("w"))])),
        );
    }
}

/// The bytes of a string handle, which is freed.
#[allow(unsafe_code, clippy::undocumented_unsafe_blocks, reason = "reads as a C program does")]
fn bytes_of(ctx: &Ctx<'_>, mut handle: u64) -> Vec<u8> {
    let (mut data, mut length) = (0u64, 0usize);
    ctx.api.raw("string_view", &[handle, address(&mut data), address(&mut length)]);
    let bytes = unsafe { std::slice::from_raw_parts(data as *const u8, length) }.to_vec();
    ctx.api.raw("string_free", &[address(&mut handle)]);
    bytes
}

fn filestores(world: &mut World<'_>) {
    let ctx = world.api.context(&[]);
    for name in NAMES {
        let file = PathBuf::from(OsStr::from_bytes(at(world, &[name, b".t"].concat()).as_bytes()));
        fs::write(&file, "content").unwrap();
        let file = CString::new(file.into_os_string().into_vec()).unwrap();
        let (store, out) = (at(world, &[b"s", name].concat()), at(world, &[b"out", name].concat()));
        let made = ctx.get("filestore_schema_create", &[pointer(&file)]).and_then(|schema| {
            let made = ctx.call("array_create", &[pointer(&store), schema]);
            ctx.free("array_schema", schema);
            made
        });
        world.tell("create", made);
        world.tell("import", ctx.call("filestore_uri_import", &[pointer(&store), pointer(&file), 0]));
        world.tell("export", ctx.call("filestore_uri_export", &[pointer(&out), pointer(&store)]));
        world.say(&format!("{:?}", fs::read(OsStr::from_bytes(out.as_bytes()))));
    }
}

/// Makes a named pipe.
#[allow(unsafe_code, clippy::undocumented_unsafe_blocks, reason = "calls the system")]
fn pipe(path: &CStr) {
    assert_eq!(unsafe { libc::mkfifo(path.as_ptr(), 0o600) }, 0);
}

fn configurations(world: &mut World<'_>) {
    let ctx = world.api.context(&[]);
    let with_config = |step: &str, function: &str, path: &CStr| {
        let (mut config, mut error) = (0u64, 0u64);
        ctx.api.raw("config_alloc", &[address(&mut config), address(&mut error)]);
        let code = ctx.api.raw(function, &[config, pointer(path), address(&mut error)]) as i32;
        world.say(&format!("{step}: {code} {}", error == 0));
        ctx.api.raw("error_free", &[address(&mut error)]);
        ctx.api.raw("config_free", &[address(&mut config)]);
    };
    for name in NAMES {
        let (path, none) = (at(world, name), at(world, &[b"none", name].concat()));
        with_config("save", "config_save_to_file", &path);
        with_config("load", "config_load_from_file", &path);
        with_config("load none", "config_load_from_file", &none);
        let folder = at(world, &[b"p", name].concat());
        let (mut profile, mut error) = (0u64, 0u64);
        let code = ctx
            .api
            .raw("profile_alloc", &[pointer(&text("x")), pointer(&folder), address(&mut profile), address(&mut error)]);
        let (param, value) = (text("rest.token"), text("t"));
        let set =
            ctx.api.raw("profile_set_param", &[profile, pointer(&param), pointer(&value), address(&mut error)]) as i32;
        let saved = ctx.api.raw("profile_save", &[profile, 0, address(&mut error)]) as i32;
        let loaded = ctx.api.raw("profile_load", &[profile, address(&mut error)]) as i32;
        let mut directory = 0u64;
        ctx.api.raw("profile_get_dir", &[profile, address(&mut directory), address(&mut error)]);
        world.say(&format!("{code} {set} {saved} {loaded} {}", shown(world, &bytes_of(&ctx, directory))));
        ctx.api.raw("profile_free", &[address(&mut profile)]);
    }
    // The reference waits at pipes for ever.
    if world.is_ours() {
        let path = at(world, b"pipe");
        pipe(&path);
        let (mut config, mut error) = (0u64, 0u64);
        ctx.api.raw("config_alloc", &[address(&mut config), address(&mut error)]);
        for function in ["config_load_from_file", "config_save_to_file"] {
            assert_eq!(ctx.api.raw(function, &[config, pointer(&path), address(&mut error)]) as i32, -1);
        }
        let folder = at(world, b"pp");
        fs::create_dir(OsStr::from_bytes(folder.as_bytes())).unwrap();
        pipe(&at(world, b"pp/profiles.json"));
        let mut profile = 0u64;
        ctx.api
            .raw("profile_alloc", &[pointer(&text("x")), pointer(&folder), address(&mut profile), address(&mut error)]);
        assert_eq!(ctx.api.raw("profile_load", &[profile, address(&mut error)]) as i32, -1);
    }
}

/// What a process does whose working directory was removed before it named any path. The reference makes no schema then,
/// and finds nothing by its whole path either; nor does it notice when the directory changes after the first path.
fn nowhere(world: &mut World<'_>) {
    let (gone, config, whole) = (world.uri("gone"), at(world, b"config"), at(world, b"whole"));
    fs::create_dir(&gone).unwrap();
    fs::write(OsStr::from_bytes(config.as_bytes()), "a.b 1\n").unwrap();
    let ctx = world.api.context(&[]);
    let vfs = ctx.get("vfs_alloc", &[0]).unwrap();
    std::env::set_current_dir(&gone).unwrap();
    fs::remove_dir(&gone).unwrap();
    let code = |step: &str, name: &CStr, outcome: Result<u64, Failure>| {
        let outcome = outcome.map_err(|failure| failure.code);
        world.say(&format!("{step} {name:?}: {outcome:?}"));
    };
    let fresh = world.api.context(&[]);
    for ctx in [&ctx, &fresh] {
        for name in ["x", "./x", "x/y", "../x", ".", "file://x"] {
            let name = text(name);
            for what in ["is_file", "is_dir", "file_size"] {
                code(what, &name, ctx.get(&format!("vfs_{what}"), &[vfs, pointer(&name)]));
            }
            code("touch", &name, ctx.call("vfs_touch", &[vfs, pointer(&name)]).map(|()| 0));
            code("create", &name, create(ctx, &name).map(|()| 0));
            code("open", &name, opened(ctx, "array", &name, 0, |_| Ok(())).map(|()| 0));
            code("create a group", &name, ctx.call("group_create", &[pointer(&name)]).map(|()| 0));
            code("type", &name, ctx.get("object_type", &[pointer(&name)]));
        }
    }
    if world.is_ours() {
        let text = ctx.get("vfs_is_file", &[vfs, pointer(&text("x"))]).unwrap_err().text;
        assert!(text.starts_with("Cannot get the current directory; No such file"), "{text}");
        create(&ctx, &whole).unwrap();
        opened(&ctx, "array", &whole, 0, |_| Ok(())).unwrap();
    }
    for name in [&config, &text("config"), &text("none")] {
        let (mut config, mut error) = (0u64, 0u64);
        ctx.api.raw("config_alloc", &[address(&mut config), address(&mut error)]);
        let loaded = ctx.api.raw("config_load_from_file", &[config, pointer(name), address(&mut error)]) as i32;
        let saved = ctx.api.raw("config_save_to_file", &[config, pointer(&text("c")), address(&mut error)]) as i32;
        world.say(&format!("{loaded} {saved}"));
        ctx.api.raw("config_free", &[address(&mut config)]);
    }
    ctx.free("vfs", vfs);
}
