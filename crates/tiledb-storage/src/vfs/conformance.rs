//! Conformance tests that every backend must pass.

use std::collections::BTreeMap;
use std::io::IoSliceMut;

use proptest::prelude::*;

use super::{DirEntry, Stat, Uri, Vfs, VfsOptions};
use tiledb_core::error::ErrorKind;
use tiledb_core::pool::{CancelToken, Pools};

/// Runs `check` with an empty directory of each backend.
fn on_each_backend(check: impl Fn(&Vfs, &Uri)) {
    let vfs = Vfs::with_options(&VfsOptions { min_parallel_size: 1000, ..VfsOptions::default() }, &Pools::new(2, 2));
    let durable = Vfs::with_options(&VfsOptions { sync_directories: true, ..VfsOptions::default() }, &Pools::new(2, 2));
    for vfs in [&vfs, &durable] {
        let local = tempfile::tempdir().unwrap();
        check(vfs, &Uri::from_path(local.path()).unwrap());
    }
    let memory = Uri::parse("mem://root").unwrap();
    vfs.create_dir(&memory).unwrap();
    check(&vfs, &memory);
}

fn names(directory: &Uri, entries: &[DirEntry]) -> Vec<String> {
    entries.iter().map(|entry| entry.uri.relative_to(directory).unwrap().to_owned()).collect()
}

#[test]
fn files_are_written_and_read() {
    on_each_backend(|vfs, root| {
        let uri = root.join("new/directories/file");
        let mut file = vfs.create(&uri).unwrap();
        let mut expected = Vec::new();
        for (step, len) in [1, 0, 70_000, 200_000, 3, 262_144, 131_071, 131_073].into_iter().enumerate() {
            let piece = vec![step as u8; len];
            file.write(&piece).unwrap();
            expected.extend(piece);
            assert_eq!(file.len(), expected.len() as u64);
        }
        file.finish().unwrap();
        assert_eq!(vfs.read(&uri).unwrap(), expected);
        assert_eq!(vfs.size(&uri).unwrap(), expected.len() as u64);
        assert_eq!(vfs.stat(&uri).unwrap(), Stat::File(expected.len() as u64));

        let file = vfs.open(&uri).unwrap();
        let mut part = [0; 10];
        file.read_at(69_995, &mut part).unwrap();
        assert_eq!(part, expected[69_995..70_005]);
        file.read_at(file.len(), &mut []).unwrap();
        for offset in [file.len() - 9, file.len(), u64::MAX - 3, i64::MAX as u64] {
            assert!(file.read_at(offset, &mut part).is_err(), "offset {offset}");
        }

        let (mut a, mut b, mut c) = ([0; 3], [0; 0], [0; 70_000]);
        let mut parts = [&mut a[..], &mut b[..], &mut c[..]].map(IoSliceMut::new);
        file.read_vectored_at(69_999, &mut parts).unwrap();
        assert_eq!((&a[..], &c[..]), (&expected[69_999..70_002], &expected[70_002..140_002]));
        assert!(file.read_vectored_at(file.len() - 2, &mut [IoSliceMut::new(&mut a)]).is_err());

        let (mut whole, mut some) = (vec![0; expected.len()], [0; 5]);
        vfs.read_many(&file, &mut [(0, &mut whole), (7, &mut some)], &CancelToken::default()).unwrap();
        assert_eq!((&whole[..], &some[..]), (&expected[..], &expected[7..12]));
    });
}

#[test]
fn pieces_are_written_one_behind_the_other() {
    on_each_backend(|vfs, root| {
        let bytes: Vec<u8> = (0..400_000u32).map(|n| (n ^ n >> 8) as u8).collect();
        let mut file = vfs.create(&root.join("f")).unwrap();
        let mut expected = Vec::new();
        // Few and many, small and large, with empty ones among them.
        for (count, len) in [(2, 3), (3, 70_000), (1030, 200), (2500, 1), (0, 0), (2, 0)] {
            let mut pieces: Vec<&[u8]> = (0..count).map(|piece| &bytes[piece * 7..piece * 7 + len]).collect();
            pieces.extend([&[][..], &[]]);
            pieces.rotate_right(1);
            file.write_pieces(&pieces).unwrap();
            expected.extend(pieces.concat());
            assert_eq!(file.len(), expected.len() as u64);
        }
        file.write(b"end").unwrap();
        file.finish().unwrap();
        expected.extend(b"end");
        assert!(vfs.read(&root.join("f")).unwrap() == expected);
    });
}

#[test]
fn many_small_buffers_are_read_at_once() {
    on_each_backend(|vfs, root| {
        let bytes: Vec<u8> = (0..5000u32).map(|n| n as u8).collect();
        vfs.put(&root.join("f"), &bytes).unwrap();
        let mut cells = vec![[0u8; 2]; 2400];
        let mut parts: Vec<IoSliceMut<'_>> = cells.iter_mut().map(|cell| IoSliceMut::new(cell)).collect();
        vfs.open(&root.join("f")).unwrap().read_vectored_at(100, &mut parts).unwrap();
        assert_eq!(cells.concat(), bytes[100..4900]);
    });
}

#[test]
fn an_unfinished_file_disappears() {
    on_each_backend(|vfs, root| {
        let uri = root.join("file");
        let mut file = vfs.create(&uri).unwrap();
        file.write(&[1; 300_000]).unwrap();
        file.sync().unwrap();
        drop(file);
        assert_eq!(vfs.stat(&uri).unwrap(), Stat::Missing);
    });
}

#[test]
fn files_are_replaced_and_appended_to() {
    on_each_backend(|vfs, root| {
        let uri = root.join("file");
        vfs.put(&uri, b"a long text").unwrap();
        vfs.put(&uri, b"short").unwrap();
        let mut file = vfs.append(&uri).unwrap();
        file.write(b" and more").unwrap();
        file.close().unwrap();
        assert_eq!(vfs.read(&uri).unwrap(), b"short and more");
        drop(vfs.append(&uri).unwrap());
        vfs.touch(&uri).unwrap();
        assert_eq!(vfs.read(&uri).unwrap(), b"short and more");
        vfs.touch(&root.join("x/empty")).unwrap();
        assert_eq!(vfs.size(&root.join("x/empty")).unwrap(), 0);
    });
}

#[test]
fn directories_are_listed() {
    on_each_backend(|vfs, root| {
        for (name, size) in [("b", 2), ("a", 1), ("d/x", 3), ("d/sub/y", 4), ("d-", 5)] {
            vfs.put(&root.join(name), &vec![0; size]).unwrap();
        }
        vfs.create_dir(&root.join("empty/inner")).unwrap();
        vfs.create_dir(&root.join("empty/inner")).unwrap();
        let listed = vfs.list(root).unwrap();
        assert_eq!(names(root, &listed), ["a", "b", "d", "d-", "empty"]);
        assert_eq!(
            listed.iter().map(|entry| (entry.size, entry.is_dir)).collect::<Vec<_>>(),
            [(1, false), (2, false), (0, true), (5, false), (0, true)]
        );
        let items = vfs.names(root).unwrap();
        let actual: Vec<(&str, bool)> = items.iter().map(|item| (item.name.as_str(), item.is_dir)).collect();
        assert_eq!(actual, listed.iter().map(|entry| (entry.uri.last_part(), entry.is_dir)).collect::<Vec<_>>());
        assert!(vfs.names(&root.join("none")).unwrap().is_empty());
        let mut all = names(root, &vfs.list_recursive(root).unwrap());
        let position = |name: &str| all.iter().position(|other| other == name).unwrap();
        assert!(position("d") < position("d/sub") && position("d/sub") < position("d/sub/y"));
        all.sort();
        assert_eq!(all, ["a", "b", "d", "d-", "d/sub", "d/sub/y", "d/x", "empty", "empty/inner"]);
        assert_eq!(vfs.dir_size(root).unwrap(), 15);
        assert_eq!(vfs.list(&Uri::parse(&format!("{root}/d/")).unwrap()).unwrap().len(), 2);
        assert!(vfs.list(&root.join("none")).unwrap().is_empty());
        assert!(vfs.list(&root.join("a")).unwrap().is_empty());
        assert_eq!(vfs.list_recursive(&root.join("none")).unwrap_err().kind(), ErrorKind::NotFound);
        assert!(vfs.dir_size(&root.join("a")).is_err());
    });
}

#[test]
fn missing_files_have_no_size_and_no_type() {
    on_each_backend(|vfs, root| {
        let none = root.join("none");
        assert_eq!(vfs.stat(&none).unwrap(), Stat::Missing);
        let errors = [
            vfs.size(&none).err(),
            vfs.open(&none).err(),
            vfs.remove_file(&none).err(),
            vfs.remove_dir(&none).err(),
            vfs.move_file(&none, &root.join("x")).err(),
            vfs.move_dir(&none, &root.join("x")).err(),
            vfs.copy_file(&none, &root.join("x")).err(),
            vfs.copy_dir(&none, &root.join("x")).err(),
        ];
        for error in errors {
            let error = error.unwrap();
            assert_eq!(error.kind(), ErrorKind::NotFound, "{error}");
        }
        vfs.put(&root.join("d/e"), b"1").unwrap();
        assert!(vfs.open(&root.join("d")).is_err());
        assert!(vfs.create(&root.join("d")).is_err());
        assert!(vfs.append(&root.join("d")).is_err());
        assert!(vfs.remove_file(&root.join("d")).is_err());
        vfs.put(&root.join("f"), b"1").unwrap();
        assert!(vfs.create(&root.join("f/g")).is_err());
        assert!(vfs.create_dir(&root.join("f/g")).is_err());
        // What is there is left as it is.
        vfs.create_dir(&root.join("f")).unwrap();
        assert_eq!(vfs.read(&root.join("f")).unwrap(), b"1");
    });
}

#[test]
fn files_and_directories_move_and_are_copied() {
    on_each_backend(|vfs, root| {
        vfs.put(&root.join("d/f"), b"1").unwrap();
        vfs.put(&root.join("d/s/g"), b"2").unwrap();
        assert_eq!(vfs.copy_dir(&root.join("d"), &root.join("copy/d")).unwrap_err().kind(), ErrorKind::NotFound);
        vfs.create_dir(&root.join("copy")).unwrap();
        vfs.copy_dir(&root.join("d"), &root.join("copy/d")).unwrap();
        vfs.move_dir(&root.join("d"), &root.join("moved/d")).unwrap();
        assert_eq!(vfs.stat(&root.join("d")).unwrap(), Stat::Missing);
        for top in ["copy/d", "moved/d"] {
            assert_eq!(vfs.read(&root.join(top).join("f")).unwrap(), b"1");
            assert_eq!(vfs.read(&root.join(top).join("s/g")).unwrap(), b"2");
        }
        assert!(vfs.move_dir(&root.join("copy/d"), &root.join("moved/d")).is_err());
        let (f, g) = (root.join("copy/d/f"), root.join("copy/d/s/g"));
        assert!(vfs.copy_file(&f, &f).is_err());
        assert_eq!(vfs.read(&f).unwrap(), b"1");
        assert_eq!(vfs.copy_file(&f, &root.join("new/f")).unwrap_err().kind(), ErrorKind::NotFound);
        vfs.create_dir(&root.join("new")).unwrap();
        vfs.copy_file(&f, &root.join("new/f")).unwrap();
        vfs.move_file(&f, &g).unwrap();
        assert_eq!((vfs.read(&g).unwrap(), vfs.read(&root.join("new/f")).unwrap()), (b"1".to_vec(), b"1".to_vec()));
        assert_eq!(vfs.stat(&f).unwrap(), Stat::Missing);
        vfs.remove_dir(&root.join("copy")).unwrap();
        assert_eq!(vfs.stat(&g).unwrap(), Stat::Missing);
    });
}

#[test]
fn copies_replace_files_but_nothing_else() {
    on_each_backend(|vfs, root| {
        let read = |name: &str| vfs.read(&root.join(name)).unwrap();
        vfs.put(&root.join("d/f"), b"1").unwrap();
        vfs.put(&root.join("d/s/g"), b"2").unwrap();
        vfs.put(&root.join("there/f"), b"old and long").unwrap();
        vfs.put(&root.join("there/other"), b"3").unwrap();
        vfs.copy_dir(&root.join("d"), &root.join("there")).unwrap();
        assert_eq!((read("there/f"), read("there/s/g"), read("there/other")), (b"1".into(), b"2".into(), b"3".into()));
        vfs.copy_dir(&root.join("there/other"), &root.join("d")).unwrap();
        assert_eq!(read("d/other"), b"3");
        vfs.copy_file(&root.join("d/other"), &root.join("d/f")).unwrap();
        assert_eq!(read("d/f"), b"3");
        vfs.put(&root.join("clash/s"), b"4").unwrap();
        for (from, to) in [("d", "d"), ("d", "d/s/in"), ("d", "clash"), ("d", "there/other")] {
            assert!(vfs.copy_dir(&root.join(from), &root.join(to)).is_err(), "{from} to {to}");
        }
        assert!(vfs.copy_file(&root.join("d/f"), &root.join("d/s")).is_err());
        assert!(vfs.copy_file(&root.join("d"), &root.join("new")).is_err());
        assert_eq!((read("clash/s"), read("d/s/g"), read("d/other")), (b"4".into(), b"2".into(), b"3".into()));
        assert_eq!(vfs.stat(&root.join("d/s/in")).unwrap(), Stat::Missing);
    });
}

#[test]
fn copies_go_to_other_storage() {
    let vfs = Vfs::with_options(&VfsOptions::default(), &Pools::new(1, 1));
    let directory = tempfile::tempdir().unwrap();
    let local = Uri::from_path(directory.path()).unwrap();
    let memory = Uri::parse("mem://copy").unwrap();
    let bytes: Vec<u8> = (0..3_000_000u32).map(|n| (n >> 3) as u8).collect();
    vfs.put(&local.join("a/d/f"), &bytes).unwrap();
    vfs.create_dir(&local.join("a/empty")).unwrap();
    vfs.copy_dir(&local.join("a"), &memory).unwrap();
    assert_eq!(vfs.read(&memory.join("d/f")).unwrap(), bytes);
    assert!(vfs.is_dir(&memory.join("empty")).unwrap());
    vfs.copy_file(&memory.join("d/f"), &local.join("b/f")).unwrap();
    assert_eq!(vfs.read(&local.join("b/f")).unwrap(), bytes);
    assert_eq!(vfs.move_file(&memory.join("d/f"), &local.join("c")).unwrap_err().kind(), ErrorKind::Unsupported);
}

#[test]
fn storage_that_is_not_there_is_named() {
    let vfs = Vfs::with_options(&VfsOptions::default(), &Pools::new(1, 1));
    for text in ["s3://b/x", "azure://c/x", "gcs://b/x", "gs://b/x", "tiledb://n/x"] {
        let uri = Uri::parse(text).unwrap();
        if Vfs::supports(uri.scheme()) {
            continue;
        }
        let error = vfs.open(&uri).err().unwrap();
        assert_eq!(error.kind(), ErrorKind::Unsupported);
        assert!(error.text().contains(text), "{error}");
    }
    assert!(!Vfs::supports("tiledb"));
}

/// One step of a random history, on a few names.
#[derive(Clone, Debug)]
enum Step {
    Put(usize, Vec<u8>),
    Touch(usize),
    Remove(usize),
    RemoveDir(usize),
    Move(usize, usize),
    Copy(usize, usize),
}

const NAMES: [&str; 6] = ["a", "b", "d/a", "d/b", "d/e/a", "d/e/b"];
const DIRECTORIES: [&str; 2] = ["d", "d/e"];

fn step() -> impl Strategy<Value = Step> {
    let name = 0..NAMES.len();
    prop_oneof![
        3 => (name.clone(), proptest::collection::vec(any::<u8>(), 0..20)).prop_map(|(n, b)| Step::Put(n, b)),
        1 => name.clone().prop_map(Step::Touch),
        1 => name.clone().prop_map(Step::Remove),
        1 => (0..DIRECTORIES.len()).prop_map(Step::RemoveDir),
        1 => (name.clone(), name.clone()).prop_map(|(a, b)| Step::Move(a, b)),
        1 => (name.clone(), name).prop_map(|(a, b)| Step::Copy(a, b)),
    ]
}

/// Takes a step on the files of `model`; whether it can be done.
fn take(model: &mut BTreeMap<&'static str, Vec<u8>>, step: &Step) -> bool {
    match step {
        Step::Put(n, bytes) => _ = model.insert(NAMES[*n], bytes.clone()),
        Step::Touch(n) => _ = model.entry(NAMES[*n]).or_default(),
        Step::Remove(n) => return model.remove(NAMES[*n]).is_some(),
        Step::RemoveDir(d) => model.retain(|name, _| !name.starts_with(&format!("{}/", DIRECTORIES[*d]))),
        Step::Move(a, b) => match model.remove(NAMES[*a]) {
            Some(bytes) => _ = model.insert(NAMES[*b], bytes),
            None => return false,
        },
        Step::Copy(a, b) => match model.get(NAMES[*a]).cloned() {
            Some(bytes) if a != b => _ = model.insert(NAMES[*b], bytes),
            _ => return false,
        },
    }
    true
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]
    #[test]
    fn any_history_ends_like_a_map(steps in proptest::collection::vec(step(), 1..40)) {
        on_each_backend(|vfs, root| {
            let mut model = BTreeMap::new();
            let at = |n: &usize| root.join(NAMES[*n]);
            for step in &steps {
                let done = match step {
                    Step::Put(n, bytes) => vfs.put(&at(n), bytes).is_ok(),
                    Step::Touch(n) => vfs.touch(&at(n)).is_ok(),
                    Step::Remove(n) => vfs.remove_file(&at(n)).is_ok(),
                    // Whether the directory exists is not in the model.
                    Step::RemoveDir(d) => vfs.remove_dir(&root.join(DIRECTORIES[*d])).map_or(true, |()| true),
                    Step::Move(a, b) => vfs.move_file(&at(a), &at(b)).is_ok(),
                    Step::Copy(a, b) => {
                        // Whether the directory is there is not in the model either.
                        let directory = NAMES[*b].rsplit_once('/').map_or("", |(directory, _)| directory);
                        vfs.create_dir(&root.join(directory)).unwrap();
                        vfs.copy_file(&at(a), &at(b)).is_ok()
                    }
                };
                assert_eq!(done, take(&mut model, step), "{step:?}");
            }
            let files: Vec<DirEntry> = vfs.list_recursive(root).unwrap().into_iter().filter(|e| !e.is_dir).collect();
            let mut remaining = names(root, &files);
            remaining.sort();
            assert_eq!(remaining, model.keys().copied().collect::<Vec<_>>());
            for (name, bytes) in &model {
                assert_eq!(&vfs.read(&root.join(name)).unwrap(), bytes);
            }
        });
    }
}

#[test]
fn publishing_moves_a_file_that_nobody_removed() {
    on_each_backend(|vfs, root| {
        let [prepared, target] = ["prepared", "target"].map(|name| root.join(name));
        assert!(vfs.can_publish(root).unwrap());
        assert_eq!(vfs.publish(&prepared, &target).unwrap_err().kind(), ErrorKind::NotFound);
        for contents in [b"first", b"other"] {
            vfs.put(&prepared, contents).unwrap();
            vfs.publish(&prepared, &target).unwrap();
            assert_eq!((vfs.read(&target).unwrap(), vfs.is_file(&prepared).unwrap()), (contents.to_vec(), false));
        }
    });
}

#[test]
fn exchange_requires_both_files() {
    on_each_backend(|vfs, root| {
        let [a, b] = ["a", "b"].map(|name| root.join(name));
        vfs.put(&a, b"of a").unwrap();
        match vfs.exchange(&a, &b).unwrap_err().kind() {
            // The temporary folder is on a file system without exchanges.
            ErrorKind::Unsupported => return,
            kind => assert_eq!(kind, ErrorKind::NotFound),
        }
        assert_eq!(vfs.exchange(&b, &a).unwrap_err().kind(), ErrorKind::NotFound);
        vfs.put(&b, b"of b").unwrap();
        vfs.exchange(&a, &b).unwrap();
        assert_eq!((vfs.read(&a).unwrap(), vfs.read(&b).unwrap()), (b"of b".to_vec(), b"of a".to_vec()));
    });
}
