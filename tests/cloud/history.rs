//! A random sequence of file operations on every kind of storage: the result must be that of a model, a map of names
//! and bytes.
#![allow(unsafe_code, reason = "reads what the library hands to a callback")]

use std::collections::BTreeMap;

use support::servers::Store;
use support::{Api, Ctx, address, pointer, text};

/// Histories, and steps of each.
const HISTORIES: u64 = 3;
const STEPS: usize = 60;

const DIRECTORIES: [&str; 3] = ["", "d/", "d/e/"];

type Model = BTreeMap<String, Vec<u8>>;

/// Numbers that look random, the same ones each time.
struct Chance(u64);

impl Chance {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % end
    }

    fn name(&mut self) -> String {
        format!("{}f{}", DIRECTORIES[self.below(DIRECTORIES.len())], self.below(3))
    }
}

/// The files of a directory.
struct Files<'a> {
    ctx: &'a Ctx<'a>,
    vfs: u64,
    root: String,
}

impl Files<'_> {
    fn at(&self, name: &str) -> String {
        format!("{}/{name}", self.root)
    }

    fn call(&self, function: &str, names: &[&str]) -> bool {
        let texts: Vec<_> = names.iter().map(|name| text(self.at(name).trim_end_matches('/'))).collect();
        let mut arguments = vec![self.vfs];
        arguments.extend(texts.iter().map(|text| pointer(text)));
        self.ctx.call(function, &arguments).is_ok()
    }

    /// Makes the directory that a file is to lie in, which storage with directories wants.
    fn make_room(&self, name: &str) {
        let directory = name.rsplit_once('/').map_or("", |(directory, _)| directory);
        assert!(self.call("vfs_create_dir", &[directory]));
    }

    fn write(&self, name: &str, bytes: &[u8]) {
        let uri = text(&self.at(name));
        let handle = self.ctx.get("vfs_open", &[self.vfs, pointer(&uri), 1]).unwrap();
        for piece in bytes.chunks(1 + bytes.len() / 3) {
            self.ctx.call("vfs_write", &[handle, piece.as_ptr() as u64, piece.len() as u64]).unwrap();
        }
        self.ctx.call("vfs_close", &[handle]).unwrap();
        self.ctx.free("vfs_fh", handle);
    }

    fn read(&self, name: &str, size: usize) -> Vec<u8> {
        let (uri, mut out) = (text(&self.at(name)), vec![0u8; size]);
        let handle = self.ctx.get("vfs_open", &[self.vfs, pointer(&uri), 0]).unwrap();
        self.ctx.call("vfs_read", &[handle, 0, out.as_mut_ptr() as u64, size as u64]).unwrap();
        self.ctx.free("vfs_fh", handle);
        out
    }

    /// Names and sizes of all files.
    fn all(&self) -> BTreeMap<String, usize> {
        extern "C" fn visit(path: u64, length: usize, size: u64, files: &mut Vec<(String, usize)>) -> i32 {
            // SAFETY: the library gives the path and its length, good for the time of the call.
            let path = unsafe { std::slice::from_raw_parts(path as *const u8, length) };
            files.push((String::from_utf8_lossy(path).into_owned(), size as usize));
            1
        }
        let (uri, mut files) = (text(&self.root), Vec::new());
        let arguments = [self.vfs, pointer(&uri), visit as *const () as u64, address(&mut files)];
        // Storage with directories may not have made this one yet.
        _ = self.ctx.call("vfs_ls_recursive", &arguments);
        let of = |(path, size): (String, usize)| {
            let name = path.strip_prefix(&self.root)?.trim_start_matches('/').to_owned();
            let last = name.rsplit('/').next().unwrap_or_default();
            last.starts_with('f').then_some((name, size))
        };
        files.into_iter().filter_map(of).collect()
    }
}

/// Takes one step in the storage and in the model.
fn step(files: &Files<'_>, model: &mut Model, chance: &mut Chance, number: usize, touches: bool) {
    let (name, other) = (chance.name(), chance.name());
    match chance.below(10) {
        0..=3 => {
            let bytes: Vec<u8> = (0..[0, 1, 20, 70_000][chance.below(4)]).map(|at| (at * 7 + number) as u8).collect();
            files.make_room(&name);
            files.write(&name, &bytes);
            model.insert(name, bytes);
        }
        4 if touches || !model.contains_key(&name) => {
            files.make_room(&name);
            assert!(files.call("vfs_touch", &[&name]));
            model.entry(name).or_default();
        }
        5 => {
            // Some stores say whether there was one.
            files.call("vfs_remove_file", &[&name]);
            model.remove(&name);
        }
        6 if name != other => {
            files.make_room(&other);
            assert_eq!(files.call("vfs_move_file", &[&name, &other]), model.contains_key(&name), "{name} {other}");
            if let Some(bytes) = model.remove(&name) {
                model.insert(other, bytes);
            }
        }
        7 if name != other => {
            files.make_room(&other);
            assert_eq!(files.call("vfs_copy_file", &[&name, &other]), model.contains_key(&name), "{name} {other}");
            if let Some(bytes) = model.get(&name).cloned() {
                model.insert(other, bytes);
            }
        }
        8 => {
            files.call("vfs_remove_dir", &["d"]);
            model.retain(|name, _| !name.starts_with("d/"));
        }
        9 => {
            let (function, target) = (["vfs_move_dir", "vfs_copy_dir"][chance.below(2)], format!("m{number}"));
            files.call(function, &["d", &target]);
            let there: Vec<String> = model.keys().filter(|name| name.starts_with("d/")).cloned().collect();
            for name in there {
                let to = name.replacen('d', &target, 1);
                let bytes = if function == "vfs_move_dir" { model.remove(&name) } else { model.get(&name).cloned() };
                model.insert(to, bytes.unwrap());
            }
        }
        _ => {}
    }
}

/// Gives how many files there are in the end.
fn histories(ctx: &Ctx<'_>, vfs: u64, root: &str, touches: bool) -> usize {
    let mut left = 0;
    for seed in 0..HISTORIES {
        let files = Files { ctx, vfs, root: format!("{root}/{seed}") };
        let (mut model, mut chance) = (Model::new(), Chance(seed + 1));
        for number in 0..STEPS {
            step(&files, &mut model, &mut chance, number, touches);
        }
        let expected: BTreeMap<String, usize> = model.iter().map(|(name, bytes)| (name.clone(), bytes.len())).collect();
        assert_eq!(files.all(), expected, "{} history {seed}", files.root);
        for (name, bytes) in &model {
            assert!(files.read(name, bytes.len()) == *bytes, "{} {name}", files.root);
        }
        left += model.len();
    }
    left
}

pub fn check() {
    let (ours, store) = (Api::ours(), Store::of_environment());
    let ctx = ours.context(store.own_parameters());
    let vfs = ctx.get("vfs_alloc", &[0]).unwrap();
    if store == Store::S3 {
        let folder = tempfile::tempdir().unwrap();
        histories(&ctx, vfs, &format!("file://{}", folder.path().display()), true);
        assert!(ctx.call("vfs_create_dir", &[vfs, pointer(&text("mem://history"))]).is_ok());
        histories(&ctx, vfs, "mem://history", true);
    }
    let bucket = format!("{}://history", store.scheme());
    crate::files::make_bucket(&ours, &bucket);
    // The emulator of GCS touches without looking whether there is an object.
    let left = histories(&ctx, vfs, &bucket, store != Store::Gcs);
    ctx.free("vfs", vfs);
    assert!(left > 0);
    println!("cloud: {HISTORIES} histories of {STEPS} steps on {} end like a map, with {left} files", store.scheme());
}
