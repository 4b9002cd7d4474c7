//! Shows the structure of a folder: an order of its parts, cycles, and dependencies against the order.
//!
//! `LAYERS=query cargo test --test lints shown -- --nocapture`. `LAYERS_MOVED="query/read/copy=cells/columns/copy ..."`
//! simulates moves of files or folders, named without extension.

use super::circles;
use super::edges;
use super::facts::Module;
use super::house::HOUSE;

fn module(path: &str) -> Module {
    path.split('/').filter(|name| !name.is_empty()).map(str::to_owned).collect()
}

#[test]
fn shown() {
    let Ok(folder) = std::env::var("LAYERS") else { return };
    let folder = module(&folder);
    let moves = std::env::var("LAYERS_MOVED").unwrap_or_default();
    let moves: Vec<(Module, Module)> =
        moves.split_whitespace().filter_map(|m| m.split_once('=')).map(|(a, b)| (module(a), module(b))).collect();
    let moved = |path: Module| {
        let longest = moves.iter().filter(|(old, _)| path.starts_with(old)).max_by_key(|(old, _)| old.len());
        longest.map_or(path.clone(), |(old, new)| [new.as_slice(), &path[old.len()..]].concat())
    };
    let all = edges::edges(&HOUSE, &moved);
    let inside: Vec<_> = all.iter().filter(|edge| edge.folder == folder).collect();
    println!("the parts of {}, lowest first; those in brackets go in a circle:", folder.join("/"));
    for group in circles::groups(&edges::parts(&HOUSE, &folder, &moved), &inside) {
        if let [part] = group.as_slice() {
            println!("  {part}");
            continue;
        }
        println!("  [{}]", group.join(" "));
        for edge in circles::upward(&group, &inside) {
            println!("      up: {}", edge.describe());
        }
    }
}
