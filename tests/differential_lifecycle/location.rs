//! The location of the arrays: a folder on disk, or the object store of the variable `AT`.

use std::path::{Path, PathBuf};

use support::{Api, Ctx, borrowed, folders, pointer, text};

/// The folder of a seed, which is empty.
pub fn of_seed(seed: u64) -> PathBuf {
    let name = format!("lifecycle-{}-{seed}", std::process::id());
    let Ok(at) = std::env::var("AT") else {
        let folder = folders::temporary().join(name);
        let _ = std::fs::remove_dir_all(&folder);
        std::fs::create_dir_all(&folder).unwrap();
        return folder;
    };
    let bucket = text(&at);
    with(|ctx, vfs| {
        // Two children may make it at a time.
        _ = ctx.call("vfs_create_bucket", &[vfs, pointer(&bucket)]);
        assert_eq!(ctx.get("vfs_is_bucket", &[vfs, pointer(&bucket)]).unwrap(), 1);
    });
    PathBuf::from(format!("{at}/{name}"))
}

fn is_remote(path: &Path) -> bool {
    path.to_str().is_some_and(|path| path.contains("://"))
}

fn with<T>(work: impl FnOnce(&Ctx<'_>, u64) -> T) -> T {
    thread_local!(static OURS: Api = Api::ours());
    OURS.with(|ours| with_api(ours, work))
}

fn with_api<T>(ours: &Api, work: impl FnOnce(&Ctx<'_>, u64) -> T) -> T {
    let ctx = ours.context(&[]);
    let vfs = ctx.get("vfs_alloc", &[0]).unwrap();
    let done = work(&ctx, vfs);
    ctx.free("vfs", vfs);
    done
}

fn call(name: &str, paths: &[&Path]) {
    let texts: Vec<_> = paths.iter().map(|path| text(path.to_str().unwrap())).collect();
    with(|ctx, vfs| {
        let arguments: Vec<u64> = std::iter::once(vfs).chain(texts.iter().map(|text| pointer(text))).collect();
        ctx.call(name, &arguments).unwrap();
    });
}

/// Names in a folder, sorted; none where there is no such folder.
pub fn names(folder: &Path) -> Vec<String> {
    extern "C" fn visit(path: u64, names: &mut Vec<String>) -> i32 {
        names.push(borrowed(path).rsplit('/').next().unwrap().to_owned());
        1
    }
    let mut names = Vec::new();
    if is_remote(folder) {
        let uri = text(folder.to_str().unwrap());
        let out = std::ptr::from_mut(&mut names) as u64;
        with(|ctx, vfs| ctx.call("vfs_ls", &[vfs, pointer(&uri), visit as *const () as u64, out]).unwrap());
    } else {
        let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
        names.extend(entries.map(|entry| entry.file_name().to_string_lossy().into_owned()));
    }
    names.sort();
    names
}

/// The bytes of a file.
pub fn read(file: &Path) -> Vec<u8> {
    if !is_remote(file) {
        return std::fs::read(file).unwrap();
    }
    let uri = text(file.to_str().unwrap());
    with(|ctx, vfs| {
        let mut bytes = vec![0u8; ctx.get("vfs_file_size", &[vfs, pointer(&uri)]).unwrap() as usize];
        let handle = ctx.get("vfs_open", &[vfs, pointer(&uri), 0]).unwrap();
        ctx.call("vfs_read", &[handle, 0, bytes.as_mut_ptr() as u64, bytes.len() as u64]).unwrap();
        ctx.free("vfs_fh", handle);
        bytes
    })
}

/// Copies a folder.
pub fn copy(from: &Path, to: &Path) {
    if is_remote(from) { call("vfs_copy_dir", &[from, to]) } else { folders::copy(from, to) }
}

/// Removes a folder, which may be missing.
pub fn remove(folder: &Path) {
    if is_remote(folder) { call("vfs_remove_dir", &[folder]) } else { drop(std::fs::remove_dir_all(folder)) }
}

/// Gives a folder another name.
pub fn rename(from: &Path, to: &Path) {
    if is_remote(from) { call("vfs_move_dir", &[from, to]) } else { std::fs::rename(from, to).unwrap() }
}
