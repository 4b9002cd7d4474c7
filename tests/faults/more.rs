//! Operations that can meet faults, besides those that are killed: reading, and what takes several steps.

use crate::look::look;
use crate::operations::{OPERATIONS, Operation, Place, operation};
use crate::support::{Failure, address, pointer, text};
use crate::walk;

/// An operation and what it promises.
pub struct Trial {
    pub operation: &'static Operation,
    /// Everything is read.
    pub reads: bool,
    /// It is done as a whole or not at all; of others a part may be done, and doing it again ends it.
    pub whole: bool,
}

/// What is read by looking at it.
static READS: [Operation; 8] = [
    operation("read_dense", |place| place.dense(2), |_| Ok(())),
    operation("read_sparse", |place| place.sparse(3), |_| Ok(())),
    operation("read_deleted", deleted, |_| Ok(())),
    operation("read_evolved", evolved, |_| Ok(())),
    operation("read_metadata", |place| place.with_metadata(), |_| Ok(())),
    operation("read_consolidated", consolidated, |_| Ok(())),
    operation("read_group", |place| place.group(), |_| Ok(())),
    operation("read_enumerated", |place| place.create_enumerated(), |_| Ok(())),
];

/// What takes several steps, or changes no array.
static STEPS: [Operation; 11] = [
    operation("load_enumerations", |place| place.create_enumerated(), load_enumerations),
    operation("fragment_info", consolidated, fragment_info),
    operation("walk", |place| place.group(), walk_objects),
    operation("list", |place| place.group(), list),
    operation("move_array", |place| place.dense(2), |place| from_to(place, "object_move", "array", "moved")),
    operation("remove_array", |place| place.sparse(2), |place| on(place, "object_remove", "array")),
    operation("delete_array", consolidated, |place| on(place, "array_delete", "array")),
    operation("delete_group", group_of_array, delete_group),
    operation("copy_dir", |place| place.dense(2), |place| in_vfs(place, "vfs_copy_dir", &["array", "moved"])),
    operation("move_dir", |place| place.dense(2), |place| in_vfs(place, "vfs_move_dir", &["array", "moved"])),
    operation("write_file", |_| Ok(()), write_file),
];

/// All trials.
pub fn trials() -> Vec<Trial> {
    let of = |reads, whole| move |operation| Trial { operation, reads, whole };
    let changes = OPERATIONS.iter().map(of(false, true));
    changes.chain(READS.iter().map(of(true, true))).chain(STEPS.iter().map(of(false, false))).collect()
}

impl Trial {
    pub fn find(name: &str) -> Trial {
        trials().into_iter().find(|trial| trial.operation.name == name).unwrap()
    }

    /// Does it; what was read.
    pub fn run(&self, place: &Place<'_>) -> Result<String, Failure> {
        if self.reads { look(place) } else { (self.operation.run)(place).map(|()| String::new()) }
    }
}

type Done = Result<(), Failure>;

fn deleted(place: &Place<'_>) -> Done {
    place.sparse(2)?;
    place.delete_cells()
}

fn evolved(place: &Place<'_>) -> Done {
    place.dense(2)?;
    place.evolve()
}

fn consolidated(place: &Place<'_>) -> Done {
    place.sparse(3)?;
    ["fragments", "commits", "fragment_meta"].into_iter().try_for_each(|mode| place.consolidate(mode))
}

fn load_enumerations(place: &Place<'_>) -> Done {
    let array = place.open("array", 0, None)?;
    place.ctx.call("array_load_all_enumerations", &[array])
}

fn fragment_info(place: &Place<'_>) -> Done {
    let info = place.hold("fragment_info", &[pointer(&text(&place.uri("array")))])?;
    place.ctx.call("fragment_info_load", &[info])?;
    let fragments = place.ctx.get("fragment_info_get_fragment_num", &[info])? & 0xffff_ffff;
    assert_eq!(fragments, 1, "a fragment is missing");
    for number in 0..fragments {
        place.ctx.get("fragment_info_get_mbr_num", &[info, number])?;
        place.ctx.get("fragment_info_get_fragment_size", &[info, number])?;
    }
    Ok(())
}

fn walk_objects(place: &Place<'_>) -> Done {
    for order in 0..3 {
        let found = walk::try_walk(place.ctx, &place.folder, order, 100)?;
        assert_eq!(found.len(), 2, "an object is missing");
    }
    Ok(())
}

fn list(place: &Place<'_>) -> Done {
    in_vfs(place, "vfs_is_dir", &["array"])?;
    let (vfs, mut size) = (place.hold("vfs", &[0])?, 0u64);
    let folder = text(&place.uri("array"));
    place.ctx.call("vfs_dir_size", &[vfs, pointer(&folder), address(&mut size)])?;
    assert!(size > 1000, "{size} bytes are too few");
    Ok(())
}

fn from_to(place: &Place<'_>, function: &str, from: &str, to: &str) -> Done {
    let (from, to) = (text(&place.uri(from)), text(&place.uri(to)));
    place.ctx.call(function, &[pointer(&from), pointer(&to)])
}

fn on(place: &Place<'_>, function: &str, name: &str) -> Done {
    place.ctx.call(function, &[pointer(&text(&place.uri(name)))])
}

/// A group that holds an array.
fn group_of_array(place: &Place<'_>) -> Done {
    place.create_group()?;
    Place::new(place.ctx, &place.uri("group")).sparse(2)?;
    let group = place.hold("group", &[pointer(&text(&place.uri("group")))])?;
    place.ctx.call("group_open", &[group, 1])?;
    place.ctx.call("group_add_member", &[group, pointer(&text("array")), 1, pointer(&text("first"))])?;
    place.ctx.call("group_close", &[group])
}

fn delete_group(place: &Place<'_>) -> Done {
    let uri = text(&place.uri("group"));
    let group = place.hold("group", &[pointer(&uri)])?;
    place.ctx.call("group_open", &[group, 4])?;
    place.ctx.call("group_delete_group", &[group, pointer(&uri), 1])
}

fn in_vfs(place: &Place<'_>, function: &str, names: &[&str]) -> Done {
    let vfs = place.hold("vfs", &[0])?;
    let uris: Vec<_> = names.iter().map(|name| text(&place.uri(name))).collect();
    let mut answer = 0u64;
    let uris = uris.iter().map(|uri| pointer(uri));
    let arguments: Vec<u64> = [vfs].into_iter().chain(uris).chain([address(&mut answer)]).collect();
    place.ctx.call(function, &arguments)
}

fn write_file(place: &Place<'_>) -> Done {
    let (ctx, file) = (place.ctx, text(&place.uri("folder/file")));
    let written: Vec<u8> = (0..600_000u32).map(|byte| byte as u8).collect();
    let vfs = place.hold("vfs", &[0])?;
    for (mode, part) in [(1, &written[..400_000]), (2, &written[400_000..])] {
        let handle = ctx.get("vfs_open", &[vfs, pointer(&file), mode])?;
        let done = ctx.call("vfs_write", &[handle, part.as_ptr() as u64, part.len() as u64]);
        let closed = done.and_then(|()| ctx.call("vfs_close", &[handle]));
        ctx.free("vfs_fh", handle);
        closed?;
    }
    let handle = ctx.get("vfs_open", &[vfs, pointer(&file), 0])?;
    let mut read = vec![0u8; written.len()];
    let done = ctx.call("vfs_read", &[handle, 0, read.as_mut_ptr() as u64, read.len() as u64]);
    ctx.free("vfs_fh", handle);
    done?;
    assert_eq!(read, written);
    ctx.call("vfs_remove_file", &[vfs, pointer(&file)])
}
