//! The files of an array.

use std::collections::{BTreeMap, BTreeSet};

use support::{Api, Ctx, address, borrowed, pointer, text};

/// Lists and reads files.
pub struct Storage {
    ctx: Ctx<'static>,
    vfs: u64,
}

extern "C" fn visit(path: u64, _: u64, size: u64, files: &mut BTreeMap<String, u64>) -> i32 {
    files.insert(borrowed(path), size);
    1
}

impl Storage {
    pub fn new() -> Storage {
        let api: &'static Api = Box::leak(Box::new(Api::ours()));
        let ctx = api.context(&[("sm.compute_concurrency_level", "1"), ("sm.io_concurrency_level", "1")]);
        let vfs = ctx.get("vfs_alloc", &[0]).unwrap();
        Storage { ctx, vfs }
    }

    /// The files below a folder and their sizes. Files may vanish meanwhile.
    pub fn list(&self, folder: &str) -> BTreeMap<String, u64> {
        let (uri, mut files) = (text(folder), BTreeMap::new());
        let visit = visit as extern "C" fn(u64, u64, u64, &mut BTreeMap<String, u64>) -> i32 as *const () as u64;
        _ = self.ctx.call("vfs_ls_recursive", &[self.vfs, pointer(&uri), visit, address(&mut files)]);
        files
    }

    /// The contents of a file; none if it cannot be read.
    pub fn read(&self, file: &str, size: u64) -> Option<Vec<u8>> {
        let (uri, mut handle, mut bytes) = (text(file), 0u64, vec![0u8; size as usize]);
        self.ctx.call("vfs_open", &[self.vfs, pointer(&uri), 0, address(&mut handle)]).ok()?;
        let read = self.ctx.call("vfs_read", &[handle, 0, bytes.as_mut_ptr() as u64, size]);
        _ = self.ctx.call("vfs_close", &[handle]);
        self.ctx.free("vfs_fh", handle);
        read.ok().map(|()| bytes)
    }
}

impl Drop for Storage {
    fn drop(&mut self) {
        self.ctx.free("vfs", self.vfs);
    }
}

/// An array that is at rest has the folders of its visible fragments, their commits, and nothing else.
pub fn check(api: &Api, uri: &str) -> Result<(), String> {
    let ctx = api.context(&[]);
    let name = text(uri);
    let info = ctx.get("fragment_info_alloc", &[pointer(&name)]).unwrap();
    ctx.call("fragment_info_load", &[info]).map_err(|failure| format!("{failure:?}"))?;
    let count = ctx.get("fragment_info_get_fragment_num", &[info]).unwrap() & 0xffff_ffff;
    let fragment = |number| borrowed(ctx.get("fragment_info_get_fragment_uri", &[info, number]).unwrap());
    let visible: BTreeSet<String> =
        (0..count).map(|number| fragment(number).rsplit('/').next().unwrap().to_owned()).collect();
    ctx.free("fragment_info", info);
    let files: Vec<String> = Storage::new().list(uri).into_keys().collect();
    let part = |file: &String, folder: &str| Some(file.split_once(folder)?.1.split('/').next()?.to_owned());
    let stored: BTreeSet<String> = files.iter().filter_map(|file| part(file, "/__fragments/")).collect();
    if stored != visible {
        let orphans: Vec<&String> = stored.difference(&visible).collect();
        return Err(format!("{} of {} fragments are orphans: {orphans:?}", orphans.len(), stored.len()));
    }
    let known = [".wrt", ".con", ".ign"];
    let commits = files.iter().filter_map(|file| part(file, "/__commits/"));
    let left: Vec<String> = commits.filter(|name| !known.iter().any(|extension| name.ends_with(extension))).collect();
    if left.is_empty() { Ok(()) } else { Err(format!("left among the commits: {left:?}")) }
}
