//! Targets of copies that are refused before anything is written.

use std::os::unix::fs::symlink;

use crate::{PRESERVED, downgrade, rewrite_plain};
use support::lifecycle::actions::Actions;
use support::lifecycle::model::{Cell, Shape};
use support::{Api, folders};

/// What went wrong.
pub fn check(api: &Api) -> Vec<String> {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path();
    let at = |name: &str| format!("{}/{name}", place.to_str().unwrap());
    let dims = vec![(9, 10)];
    let shape = Shape { dense: false, dups: true, dims, cell_order: 0, tile_order: 0, capacity: 4, encrypted: false };
    let actions = Actions { api, who: "ours", encrypted: false };
    std::fs::create_dir(at("parent")).unwrap();
    actions.create(&at("parent/array"), &shape).unwrap();
    let cells = vec![Cell { coords: vec![3], time: 1001, value: 5, has: Vec::new() }];
    actions.write(&at("parent/array"), &shape, 1001, &cells, &[]).unwrap();
    std::fs::create_dir_all(at("full/folder")).unwrap();
    std::fs::create_dir(at("empty")).unwrap();
    std::fs::write(at("file"), "x").unwrap();
    symlink(at("parent/array"), at("link")).unwrap();
    symlink(at("parent"), at("parent_link")).unwrap();
    symlink(at("parent/array/__meta"), at("inner_link")).unwrap();
    let ctx = actions.context(&[]);
    let source = at("parent/array");
    let mut wrong = Vec::new();
    for (name, reason) in [
        ("parent/array", "onto itself"),
        ("parent/array/", "onto itself"),
        ("parent/array/.", "onto itself"),
        ("parent/array/__meta/..", "onto itself"),
        ("parent_link/array", "onto itself"),
        ("link", "onto itself"),
        ("link/.", "onto itself"),
        ("parent", "one lies in the folder of the other"),
        ("parent/array/..", "one lies in the folder of the other"),
        ("parent_link", "one lies in the folder of the other"),
        ("", "one lies in the folder of the other"),
        ("parent/array/new", "one lies in the folder of the other"),
        ("parent/array/new/deep", "one lies in the folder of the other"),
        ("link/new", "one lies in the folder of the other"),
        ("inner_link/new", "one lies in the folder of the other"),
        ("full", "the folder is not empty, it has 'folder'"),
        ("file", "there is a file of this name"),
    ] {
        // Paths are normalized by the C interface, URIs are not.
        for target in [at(name), format!("file://{}", at(name))] {
            let before = folders::paths(place);
            let copies = [rewrite_plain(&ctx, &source, &target, PRESERVED), downgrade(&ctx, &source, &target, 18)];
            for copied in copies {
                match copied {
                    Err(text) if text.contains(reason) => {}
                    other => wrong.push(format!("copy to '{target}', where {reason}: {other:?}")),
                }
            }
            if folders::paths(place) != before {
                wrong.push(format!("copy to '{target}': something was written"));
            }
        }
    }
    for name in ["empty", "new", "new folder/array", "parent/array2", "parent_link/array3"] {
        let copied = rewrite_plain(&ctx, &source, &at(name), PRESERVED);
        if copied.is_err() || actions.read(&at(name), &shape, (0, 2000), &[]).unwrap().len() != 1 {
            wrong.push(format!("copy to '{name}': {copied:?}"));
        }
    }
    wrong
}
