//! Differential test of VFS functions: the same calls by both libraries.

use std::fmt::Write;

use serde_json::json;

use crate::reference_process;
use support::servers::Store;
use support::{Api, Ctx, address, borrowed, bytes, pointer, text};

/// Bytes of a part of an upload, the least that S3 takes and what the stores take where nobody says more.
const PART: usize = 5 << 20;

/// Makes a bucket.
pub fn make_bucket(api: &Api, uri: &str) {
    let ctx = api.context(&[]);
    let vfs = ctx.get("vfs_alloc", &[0]).unwrap();
    ctx.call("vfs_create_bucket", &[vfs, pointer(&text(uri))]).unwrap();
    ctx.free("vfs", vfs);
}

/// Removes a bucket with all that is in it.
fn remove_bucket(api: &Api, uri: &str) {
    let ctx = api.context(&[]);
    let (vfs, uri) = (ctx.get("vfs_alloc", &[0]).unwrap(), text(uri));
    if ctx.get("vfs_is_bucket", &[vfs, pointer(&uri)]).unwrap() as i32 != 0 {
        ctx.call("vfs_empty_bucket", &[vfs, pointer(&uri)]).unwrap();
        ctx.call("vfs_remove_bucket", &[vfs, pointer(&uri)]).unwrap();
    }
    ctx.free("vfs", vfs);
}

/// What a library says to a story, line by line. Texts of refusals are its own.
struct Story<'a> {
    ctx: Ctx<'a>,
    vfs: u64,
    lines: String,
}

impl Story<'_> {
    fn call(&mut self, name: &str, uris: &[&str]) {
        let texts: Vec<_> = uris.iter().map(|uri| text(uri)).collect();
        let mut arguments = vec![self.vfs];
        arguments.extend(texts.iter().map(|text| pointer(text)));
        let outcome = self.ctx.call(name, &arguments).map_err(|failure| failure.code);
        _ = writeln!(self.lines, "{name} {uris:?}: {outcome:?}");
    }

    fn ask(&mut self, name: &str, uri: &str) {
        let (name_of, uri_of) = (name, text(uri));
        let answer = self.ctx.get(name_of, &[self.vfs, pointer(&uri_of)]).map_err(|failure| failure.code);
        _ = writeln!(self.lines, "{name} {uri}: {answer:?}");
    }

    fn write(&mut self, uri: &str, pieces: &[&[u8]]) {
        let uri_of = text(uri);
        let outcome = self.ctx.get("vfs_open", &[self.vfs, pointer(&uri_of), 1]).and_then(|handle| {
            for piece in pieces {
                self.ctx.call("vfs_write", &[handle, bytes(piece), piece.len() as u64])?;
            }
            self.ctx.call("vfs_close", &[handle])?;
            self.ctx.free("vfs_fh", handle);
            Ok(())
        });
        _ = writeln!(self.lines, "write {uri}: {:?}", outcome.map_err(|failure| failure.code));
    }

    fn read(&mut self, uri: &str, offset: u64, size: usize) {
        let uri_of = text(uri);
        let outcome = self.ctx.get("vfs_open", &[self.vfs, pointer(&uri_of), 0]).and_then(|handle| {
            let mut out = vec![0u8; size];
            let read = self.ctx.call("vfs_read", &[handle, offset, out.as_mut_ptr() as u64, size as u64]);
            self.ctx.free("vfs_fh", handle);
            read.map(|()| out)
        });
        let sum = outcome.map(|out| out.iter().fold(0u64, |sum, &byte| sum.wrapping_mul(31) + u64::from(byte)));
        _ = writeln!(self.lines, "read {uri} {offset} {size}: {:?}", sum.map_err(|failure| failure.code));
    }

    fn list(&mut self, uri: &str) {
        extern "C" fn visit(path: u64, names: &mut Vec<String>) -> i32 {
            names.push(borrowed(path));
            1
        }
        let (uri_of, mut names) = (text(uri), Vec::<String>::new());
        let arguments = [self.vfs, pointer(&uri_of), visit as *const () as u64, address(&mut names)];
        let outcome = self.ctx.call("vfs_ls", &arguments).map_err(|failure| failure.code);
        names.sort();
        _ = writeln!(self.lines, "ls {uri}: {outcome:?} {names:?}");
    }
}

/// Tells the story in a bucket.
pub fn tell(api: &Api, bucket: &str, config: &[(&str, &str)]) -> String {
    let ctx = api.context(config);
    let vfs = ctx.get("vfs_alloc", &[0]).unwrap();
    let mut story = Story { ctx, vfs, lines: String::new() };
    let at = |name: &str| format!("{bucket}/{name}");
    story.ask("vfs_is_bucket", bucket);
    story.call("vfs_create_bucket", &[bucket]);
    story.ask("vfs_is_bucket", bucket);
    story.ask("vfs_is_empty_bucket", bucket);
    let large: Vec<u8> = (0..2 * PART + 12345).map(|at| (at * 7 % 251) as u8).collect();
    story.write(&at("d/small"), &[b"hel", b"", b"lo"]);
    story.write(&at("d/empty"), &[]);
    story.write(&at("d/part"), &[&large[..PART]]);
    story.write(&at("d/parts"), &[&large[..100], &large[100..PART + 5], &large[PART + 5..]]);
    story.write(&at("d/odd names/a b-c.x"), &[b"odd"]);
    story.write(&at("d/coded%20names/x%2Fy"), &[b"coded"]);
    story.call("vfs_touch", &[&at("d/touched")]);
    story.call("vfs_touch", &[&at("d/small")]);
    story.call("vfs_create_dir", &[&at("made")]);
    for name in [
        "d/small",
        "d/empty",
        "d/part",
        "d/parts",
        "d/odd names/a b-c.x",
        "d/coded%20names/x%2Fy",
        "d/touched",
        "d",
        "none",
        "made",
    ] {
        story.ask("vfs_is_file", &at(name));
        story.ask("vfs_is_dir", &at(name));
        story.ask("vfs_file_size", &at(name));
    }
    story.ask("vfs_is_empty_bucket", bucket);
    for (name, offset, size) in [
        ("d/small", 0, 5),
        ("d/small", 2, 2),
        ("d/small", 2, 9),
        ("d/parts", 0, 2 * PART + 12345),
        ("d/parts", PART as u64 - 3, 7),
        ("d/parts", 2 * PART as u64 + 12340, 5),
        ("d/parts", 2 * PART as u64 + 12340, 6),
        ("d/odd names/a b-c.x", 1, 2),
        ("none", 0, 1),
    ] {
        story.read(&at(name), offset, size);
    }
    for name in ["", "d", "d/", "d/odd names", "none"] {
        story.list(&at(name));
    }
    if let Some(name) = bucket.strip_prefix("gcs://") {
        // The other name of the store.
        let at = |rest: &str| format!("gs://{name}/{rest}");
        story.ask("vfs_file_size", &at("d/small"));
        story.list(&at("d"));
        story.call("vfs_copy_file", &[&at("d/small"), &at("d/by another name")]);
    }
    story.ask("vfs_dir_size", &at("d"));
    story.call("vfs_copy_file", &[&at("d/parts"), &at("copy")]);
    story.read(&at("copy"), 0, 2 * PART);
    story.call("vfs_copy_dir", &[&at("d"), &at("e/f")]);
    story.list(&at("e/f"));
    story.call("vfs_move_file", &[&at("d/small"), &at("moved")]);
    story.call("vfs_move_file", &[&at("none"), &at("moved2")]);
    story.call("vfs_remove_file", &[&at("none")]);
    story.call("vfs_remove_dir", &[&at("none")]);
    story.call("vfs_copy_dir", &[&at("none"), &at("copied")]);
    story.call("vfs_move_dir", &[&at("none"), &at("moved3")]);
    story.call("vfs_move_dir", &[&at("e"), &at("g")]);
    story.call("vfs_remove_file", &[&at("copy")]);
    story.call("vfs_remove_dir", &[&at("d")]);
    for name in ["", "d", "e", "g", "g/f"] {
        story.list(&at(name));
    }
    story.call("vfs_remove_bucket", &[&format!("{bucket}-none")]);
    story.call("vfs_empty_bucket", &[bucket]);
    story.ask("vfs_is_empty_bucket", bucket);
    story.call("vfs_remove_bucket", &[bucket]);
    story.ask("vfs_is_bucket", bucket);
    story.ask("vfs_is_empty_bucket", bucket);
    story.ask("vfs_is_file", &at("gone"));
    story.ask("vfs_is_dir", &at("gone"));
    story.list(&at("gone"));
    story.write(&at("gone"), &[b"1"]);
    story.call("vfs_touch", &[&at("gone")]);
    let vfs = story.vfs;
    story.ctx.free("vfs", vfs);
    story.lines
}

/// Names that the reference stumbles over are names to ours.
fn odd_names(api: &Api, store: Store) {
    let bucket = format!("{}://names", store.scheme());
    make_bucket(api, &bucket);
    let ctx = api.context(&[]);
    let vfs = ctx.get("vfs_alloc", &[0]).unwrap();
    let mut story = Story { ctx, vfs, lines: String::new() };
    for name in ["a b+c", "é~&=", "what?now#then", "100%", "a//b", "a/../b", "<&\">'", "\u{1f600}"] {
        if store == Store::Gcs && name.contains("..") {
            // The emulator keeps objects under paths and takes this for an attack.
            continue;
        }
        story.lines.clear();
        let uri = format!("{bucket}/d/{name}.x");
        story.write(&uri, &[b"12345"]);
        story.ask("vfs_is_file", &uri);
        story.ask("vfs_file_size", &uri);
        story.read(&uri, 4, 1);
        let first = name.split('/').next().unwrap();
        let listed = if name.contains('/') { first.to_owned() } else { format!("{name}.x") };
        story.list(&format!("{bucket}/d"));
        story.call("vfs_remove_dir", &[&format!("{bucket}/d")]);
        story.ask("vfs_is_empty_bucket", &bucket);
        let expected = format!(
            "write {uri}: Ok(())\nvfs_is_file {uri}: Ok(1)\nvfs_file_size {uri}: Ok(5)\nread {uri} 4 1: Ok(53)\n\
             ls {bucket}/d: Ok(()) {:?}\nvfs_remove_dir [\"{bucket}/d\"]: Ok(())\nvfs_is_empty_bucket {bucket}: Ok(1)\n",
            [format!("{bucket}/d/{listed}")]
        );
        assert_eq!(story.lines, expected);
    }
    story.call("vfs_remove_bucket", &[&bucket]);
    let vfs = story.vfs;
    story.ctx.free("vfs", vfs);
}

/// Both libraries tell the story, one after the other in a bucket of the same name.
pub fn check() {
    let ours = Api::ours();
    let store = Store::of_environment();
    odd_names(&ours, store);
    let bucket = format!("{}://files", store.scheme());
    let ours = tell(&ours, &bucket, store.own_parameters());
    let reference = reference_process().write(|attempt| {
        // A bucket of the same name, without what a process that died left there.
        if attempt > 0 {
            remove_bucket(&Api::ours(), &bucket);
        }
        json!(["tell", bucket, []])
    });
    let reference = reference.unwrap().as_str().unwrap().to_owned();
    let mut differ = 0;
    for (a, b) in ours.lines().zip(reference.lines()).filter(|(a, b)| a != b) {
        println!("ours      {a}\nreference {b}");
        differ += 1;
    }
    println!("cloud: {} lines of files on {}, {differ} differ", ours.lines().count(), store.scheme());
    assert!(differ == 0 && ours.lines().count() == reference.lines().count());
}
