//! State of a store's folder: names, sizes, and mutating requests. States that differ only in random names are examined
//! once.

use std::collections::hash_map::DefaultHasher;
use std::collections::{BTreeMap, BTreeSet};
use std::hash::{Hash, Hasher};

use support::servers::proxy::Changes;
use support::{Api, Ctx, address, borrowed, pointer, text};

/// The names below a folder and the sizes.
pub type Files = BTreeMap<String, u64>;

/// Reads and mends folders, past the proxy.
pub struct Storage {
    ctx: Ctx<'static>,
    vfs: u64,
}

extern "C" fn visit(path: u64, _: u64, size: u64, files: &mut Files) -> i32 {
    files.insert(borrowed(path), size);
    1
}

impl Storage {
    /// It stays until the process ends.
    pub fn new() -> Storage {
        let api: &'static Api = Box::leak(Box::new(Api::ours()));
        let ctx = api.context(&[]);
        let vfs = ctx.get("vfs_alloc", &[0]).unwrap();
        Storage { ctx, vfs }
    }

    pub fn create_bucket(&self, bucket: &str) {
        self.ctx.call("vfs_create_bucket", &[self.vfs, pointer(&text(bucket))]).unwrap();
    }

    pub fn clear(&self, folder: &str) {
        self.ctx.call("vfs_remove_dir", &[self.vfs, pointer(&text(folder))]).unwrap();
    }

    /// All that is below a folder.
    pub fn list(&self, folder: &str) -> Files {
        let (uri, mut files) = (text(folder), Files::new());
        let visit = visit as extern "C" fn(u64, u64, u64, &mut Files) -> i32 as *const () as u64;
        self.ctx.call("vfs_ls_recursive", &[self.vfs, pointer(&uri), visit, address(&mut files)]).unwrap();
        files.into_iter().map(|(name, size)| (name[folder.len() + 1..].to_owned(), size)).collect()
    }

    /// Puts `expected`, which lies in the folder `from`, in the place of what is in `to`: what is new there is removed, what is
    /// missing or was changed is copied. Always at the same place: what is stored may name it.
    pub fn restore(&self, from: &str, expected: &Files, to: &str, changes: &Changes) {
        let there = self.list(to);
        let is_changed = |name: &str| changes.keys().any(|change| change.contains(name));
        for name in there.keys().filter(|name| !expected.contains_key(*name)) {
            self.ctx.call("vfs_remove_file", &[self.vfs, pointer(&text(&format!("{to}/{name}")))]).unwrap();
        }
        for (name, size) in expected {
            if there.get(name) != Some(size) || is_changed(name) {
                let (from, to) = (text(&format!("{from}/{name}")), text(&format!("{to}/{name}")));
                self.ctx.call("vfs_copy_file", &[self.vfs, pointer(&from), pointer(&to)]).unwrap();
            }
        }
    }
}

/// A number for a state: equal where the files are the same and the server was told to change the same, apart from names and
/// times that are chosen anew each time.
pub fn mark(files: &Files, changes: &Changes) -> u64 {
    let mut names = Chosen::default();
    for name in files.keys() {
        names.learn(name);
    }
    let mut hasher = DefaultHasher::new();
    for (name, size) in files {
        (names.plain(name.as_bytes()), size).hash(&mut hasher);
    }
    // What a removal comes to is seen in the files.
    let is_visible = |change: &str| ["comp=batch", "delete=", "batch/storage"].iter().any(|word| change.contains(word));
    let visible: BTreeSet<_> = changes
        .iter()
        .filter(|(change, _)| !is_visible(change))
        .map(|(change, body)| (names.plain(change.as_bytes()), names.plain(body)))
        .collect();
    visible.hash(&mut hasher);
    hasher.finish()
}

/// What is chosen anew each time: numbers of 32 digits in fours of bits, and times of day.
#[derive(Default)]
struct Chosen(BTreeMap<Vec<u8>, usize>);

impl Chosen {
    fn learn(&mut self, name: &str) {
        for word in words(name.as_bytes()).filter(|word| is_chosen(word)) {
            let number = self.0.len();
            self.0.entry(word.to_owned()).or_insert(number);
        }
    }

    /// With the order of the names in the place of what was chosen.
    fn plain(&self, bytes: &[u8]) -> Vec<u8> {
        let mut plain = Vec::with_capacity(bytes.len());
        let mut rest = bytes;
        for word in words(bytes).filter(|word| is_chosen(word)) {
            let at = word.as_ptr() as usize - rest.as_ptr() as usize;
            plain.extend_from_slice(&rest[..at]);
            plain.extend(format!("<{}>", self.0.get(word).copied().unwrap_or(usize::MAX)).bytes());
            rest = &rest[at + word.len()..];
        }
        plain.extend_from_slice(rest);
        plain
    }
}

/// Runs of digits, in fours of bits.
fn words(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    bytes.split(|byte| !byte.is_ascii_hexdigit()).filter(|word| word.len() >= 13)
}

fn is_chosen(word: &[u8]) -> bool {
    word.len() == 32 || word.len() == 13 && word.iter().all(u8::is_ascii_digit)
}
