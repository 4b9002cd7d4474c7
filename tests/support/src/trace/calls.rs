//! The effects of system calls on files.

use std::fs::File;
use std::os::unix::ffi::OsStringExt;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

/// Kinds of calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// `creates`: it may make a file, or empty one.
    Open {
        creates: bool,
    },
    Read,
    Write,
    /// Of several buffers.
    ReadMany,
    WriteMany,
    Copy,
    Resize,
    Sync,
    List,
    Stat,
    Map,
    Close,
    MakeDir,
    Link,
    Rename,
    Remove,
}

/// One call on files below the folder that is watched.
pub struct Call {
    pub kind: Kind,
    /// The first of its paths in the folder.
    pub path: PathBuf,
    /// Of a read or write: its bytes.
    pub length: u64,
    /// True if it looks up a path; otherwise it is about an open file.
    pub is_by_path: bool,
}

impl Call {
    /// `None` for calls that are not about files below `folder`.
    pub fn of(thread: i32, number: u64, arguments: [u64; 6], folder: &Path) -> Option<Call> {
        let (kind, paths) = decode(number as libc::c_long, &arguments)?;
        let paths = paths.iter().filter_map(|place| Some((place, place.path(thread, &arguments)?)));
        let (place, path) = paths.into_iter().find(|(_, path)| path.starts_with(folder))?;
        Some(Call { kind, path, length: arguments[2], is_by_path: !matches!(place, Place::File(_)) })
    }

    /// True if files or directories may be other ones after it.
    pub fn changes_files(&self) -> bool {
        match self.kind {
            Kind::Open { creates } => creates,
            Kind::Write | Kind::WriteMany | Kind::Copy | Kind::Resize => true,
            Kind::MakeDir | Kind::Link | Kind::Rename | Kind::Remove => true,
            Kind::Read | Kind::ReadMany | Kind::Sync | Kind::List | Kind::Stat | Kind::Map | Kind::Close => false,
        }
    }

    /// True if the system may do it by half.
    pub fn can_be_halved(&self) -> bool {
        matches!(self.kind, Kind::Read | Kind::Write) && self.length > 1 && super::changes_calls()
    }
}

/// Which arguments tell a path.
#[derive(Clone, Copy)]
enum Place {
    /// A descriptor.
    File(usize),
    /// A path.
    Path(usize),
    /// The descriptor of a directory, and a path that may begin there.
    At(usize, usize),
}

impl Place {
    fn path(self, thread: i32, arguments: &[u64; 6]) -> Option<PathBuf> {
        let descriptor = |at: usize| std::fs::read_link(format!("/proc/{thread}/fd/{}", arguments[at] as i32)).ok();
        let text = |at: usize| read_text(thread, arguments[at]);
        match self {
            Place::File(at) => descriptor(at),
            Place::Path(at) => text(at),
            Place::At(directory, at) => {
                let path = text(at)?;
                if path.is_absolute() { Some(path) } else { Some(descriptor(directory)?.join(path)) }
            }
        }
    }
}

/// The text that ends with a zero in the memory of a thread.
fn read_text(thread: i32, address: u64) -> Option<PathBuf> {
    let memory = File::open(format!("/proc/{thread}/mem")).ok()?;
    let mut text = Vec::new();
    let mut piece = [0; 256];
    while text.len() < libc::PATH_MAX as usize {
        let read = memory.read_at(&mut piece, address + text.len() as u64).ok().filter(|&read| read > 0)?;
        match piece[..read].iter().position(|&byte| byte == 0) {
            Some(end) => {
                text.extend_from_slice(&piece[..end]);
                return Some(std::ffi::OsString::from_vec(text).into());
            }
            None => text.extend_from_slice(&piece[..read]),
        }
    }
    None
}

fn opens(flags: u64) -> Kind {
    let creates = libc::O_CREAT | libc::O_TRUNC | (libc::O_TMPFILE & !libc::O_DIRECTORY);
    Kind::Open { creates: flags as i32 & creates != 0 }
}

/// The kind of a call, and where its paths are; the one it makes or removes first.
fn decode(number: libc::c_long, arguments: &[u64; 6]) -> Option<(Kind, Vec<Place>)> {
    let file = |kind| Some((kind, vec![Place::File(0)]));
    let at = |kind| Some((kind, vec![Place::At(0, 1)]));
    let two = |kind| Some((kind, vec![Place::At(2, 3), Place::At(0, 1)]));
    match number {
        libc::SYS_openat => at(opens(arguments[2])),
        libc::SYS_read | libc::SYS_pread64 => file(Kind::Read),
        libc::SYS_readv | libc::SYS_preadv | libc::SYS_preadv2 => file(Kind::ReadMany),
        libc::SYS_write | libc::SYS_pwrite64 => file(Kind::Write),
        libc::SYS_writev | libc::SYS_pwritev | libc::SYS_pwritev2 => file(Kind::WriteMany),
        libc::SYS_sendfile => file(Kind::Copy),
        libc::SYS_copy_file_range => Some((Kind::Copy, vec![Place::File(2), Place::File(0)])),
        libc::SYS_ftruncate | libc::SYS_fallocate => file(Kind::Resize),
        libc::SYS_truncate => Some((Kind::Resize, vec![Place::Path(0)])),
        libc::SYS_fsync | libc::SYS_fdatasync => file(Kind::Sync),
        libc::SYS_getdents64 => file(Kind::List),
        libc::SYS_fstat => file(Kind::Stat),
        // Without a path it is about the descriptor.
        libc::SYS_newfstatat | libc::SYS_statx => Some((Kind::Stat, vec![Place::At(0, 1), Place::File(0)])),
        libc::SYS_faccessat | libc::SYS_faccessat2 | libc::SYS_readlinkat => at(Kind::Stat),
        libc::SYS_mmap => (arguments[4] as i32 >= 0).then_some((Kind::Map, vec![Place::File(4)])),
        libc::SYS_close => file(Kind::Close),
        libc::SYS_mkdirat => at(Kind::MakeDir),
        libc::SYS_mknodat => at(Kind::Open { creates: true }),
        libc::SYS_unlinkat => at(Kind::Remove),
        libc::SYS_linkat => two(Kind::Link),
        libc::SYS_renameat | libc::SYS_renameat2 => two(Kind::Rename),
        libc::SYS_symlinkat => Some((Kind::Link, vec![Place::At(1, 2)])),
        number => decode_old(number, arguments),
    }
}

/// Calls of which later machines have only the forms above.
#[cfg(target_arch = "x86_64")]
fn decode_old(number: libc::c_long, arguments: &[u64; 6]) -> Option<(Kind, Vec<Place>)> {
    let one = |kind| Some((kind, vec![Place::Path(0)]));
    let two = |kind| Some((kind, vec![Place::Path(1), Place::Path(0)]));
    match number {
        libc::SYS_open => one(opens(arguments[1])),
        libc::SYS_stat | libc::SYS_lstat | libc::SYS_access | libc::SYS_readlink => one(Kind::Stat),
        libc::SYS_mkdir => one(Kind::MakeDir),
        libc::SYS_unlink | libc::SYS_rmdir => one(Kind::Remove),
        libc::SYS_link | libc::SYS_symlink => two(Kind::Link),
        libc::SYS_rename => two(Kind::Rename),
        _ => None,
    }
}

#[cfg(not(target_arch = "x86_64"))]
fn decode_old(_: libc::c_long, _: &[u64; 6]) -> Option<(Kind, Vec<Place>)> {
    None
}
