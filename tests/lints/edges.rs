//! Dependencies between the parts of a folder.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use super::facts::{Kind, Module};
use super::house::{HOUSE, House};
use super::resolve::Names;

/// The name of a folder's own `mod.rs` among its parts.
pub const OWN: &str = "mod";

/// The uses in the workspace.
pub static EDGES: LazyLock<Vec<Edge>> = LazyLock::new(|| standing(&HOUSE));

/// One use of one part of a folder by another.
pub struct Edge {
    /// The folder: the innermost that holds both.
    pub folder: Module,
    /// The part that uses, a file or a folder.
    pub user: String,
    /// The part that is used.
    pub used: String,
    pub path: String,
    pub line: usize,
    /// What stands there.
    pub text: String,
    imports: bool,
}

impl Edge {
    /// From which file to which part.
    fn way(&self) -> (String, Module, String, String) {
        (self.path.clone(), self.folder.clone(), self.user.clone(), self.used.clone())
    }

    pub fn describe(&self) -> String {
        format!("{} -> {}: {}:{}: {}", self.user, self.used, self.path, self.line, self.text)
    }
}

/// All uses of one part of a folder by another. A `mod.rs` that hands on names of its own parts does not use them.
pub fn edges(house: &House, moved: &dyn Fn(Module) -> Module) -> Vec<Edge> {
    let names = Names::of(house);
    let mut edges = Vec::new();
    for file in &house.files {
        for path in &file.paths {
            let Some(target) = names.definition(path) else { continue };
            // Modules with a body inside one file have no floors.
            if file.modules.contains(&target) {
                continue;
            }
            let public = matches!(path.kind, Kind::Use { public: true, .. } | Kind::Glob { public: true });
            if public && target.starts_with(&path.from) {
                continue;
            }
            let (from, target) = (moved(path.from.clone()), moved(target));
            let shared = from.iter().zip(&target).take_while(|(a, b)| a == b).count();
            let part = |module: &Module| module.get(shared).cloned().unwrap_or_else(|| OWN.to_owned());
            let (user, used) = (part(&from), part(&target));
            if user != used {
                edges.push(Edge {
                    folder: from[..shared].to_vec(),
                    user,
                    used,
                    path: file.path.clone(),
                    line: path.line,
                    text: path.segments.join("::"),
                    imports: matches!(path.kind, Kind::Use { .. } | Kind::Glob { .. }),
                });
            }
        }
    }
    let imported: BTreeSet<_> = edges.iter().filter(|edge| edge.imports).map(Edge::way).collect();
    // What was imported is used, too: that says nothing more.
    edges.retain(|edge| edge.imports || !imported.contains(&edge.way()));
    edges.sort_by_cached_key(|edge| (edge.folder.clone(), edge.path.clone(), edge.line, edge.text.clone()));
    edges.dedup_by(|a, b| (&a.path, a.line, &a.text) == (&b.path, b.line, &b.text));
    edges
}

/// All uses in the house as it stands.
pub fn standing(house: &House) -> Vec<Edge> {
    edges(house, &|module| module)
}

/// The parts of a folder: its files and folders, and its `mod.rs`.
pub fn parts(house: &House, folder: &[String], moved: &dyn Fn(Module) -> Module) -> Vec<String> {
    let inside = house.files.iter().map(|file| moved(file.module.clone())).filter(|module| module.starts_with(folder));
    let mut parts: Vec<String> =
        inside.map(|module| module.get(folder.len()).cloned().unwrap_or_else(|| OWN.to_owned())).collect();
    parts.sort();
    parts.dedup();
    parts
}
