//! Resolves a path in a module to the module that defines the item.

use std::collections::{BTreeMap, BTreeSet};

use super::facts::{Kind, Module, Named};
use super::house::House;

/// How many names may stand for each other before one gives up.
const DEPTH: usize = 16;

/// The names of a house, by module.
pub struct Names<'a> {
    modules: BTreeSet<&'a [String]>,
    crates: BTreeSet<&'a str>,
    items: BTreeSet<(&'a [String], &'a str)>,
    macros: BTreeMap<&'a str, &'a [String]>,
    uses: BTreeMap<(&'a [String], &'a str), &'a Named>,
    globs: BTreeMap<&'a [String], Vec<&'a Named>>,
}

enum Resolved {
    Module(Module),
    /// Something that is no module, defined in this one.
    Item(Module),
}

impl<'a> Names<'a> {
    pub fn of(house: &'a House) -> Self {
        let mut names = Self {
            modules: BTreeSet::new(),
            crates: BTreeSet::new(),
            items: BTreeSet::new(),
            macros: BTreeMap::new(),
            uses: BTreeMap::new(),
            globs: BTreeMap::new(),
        };
        for file in &house.files {
            if file.path.starts_with("crates/") || file.path.starts_with("src/capi/") {
                names.crates.extend(file.module.first().map(String::as_str));
            }
            names.modules.extend(file.modules.iter().map(Vec::as_slice));
            names.items.extend(file.items.iter().map(|(module, name)| (module.as_slice(), name.as_str())));
            names.macros.extend(file.macros.iter().map(|name| (name.as_str(), file.module.as_slice())));
            for path in &file.paths {
                match &path.kind {
                    Kind::Use { name, .. } => _ = names.uses.insert((&path.from, name), path),
                    Kind::Glob { .. } => names.globs.entry(&path.from).or_default().push(path),
                    Kind::Plain | Kind::Macro => {}
                }
            }
        }
        names
    }

    /// The module that defines what a path names, if it is in this workspace.
    pub fn definition(&self, path: &Named) -> Option<Module> {
        if path.kind == Kind::Macro {
            return path.segments.first().and_then(|name| self.macros.get(name.as_str())).map(|m| m.to_vec());
        }
        // A name alone is local, or was imported: the import is a path, too.
        if path.kind == Kind::Plain && path.segments.len() == 1 {
            return None;
        }
        match self.find(&path.from, &path.segments, 0)? {
            Resolved::Module(module) | Resolved::Item(module) => Some(module),
        }
    }

    fn find(&self, from: &[String], segments: &[String], depth: usize) -> Option<Resolved> {
        let (first, mut rest) = segments.split_first()?;
        let mut at = match first.as_str() {
            "crate" => from.iter().take(1).filter(|name| self.crates.contains(name.as_str())).cloned().collect(),
            "self" => from.to_vec(),
            "super" => from.split_last()?.1.to_vec(),
            name if self.package(name).is_some() => vec![self.package(name)?.to_owned()],
            name => match self.lookup(from, name, depth)? {
                Resolved::Module(module) => module,
                item @ Resolved::Item(_) => return Some(item),
            },
        };
        while let Some((name, after)) = rest.split_first() {
            rest = after;
            if name == "super" {
                at.pop()?;
                continue;
            }
            match self.lookup(&at, name, depth) {
                Some(Resolved::Module(module)) => at = module,
                Some(item @ Resolved::Item(_)) => return Some(item),
                // What a macro makes has no name that is seen here.
                None => return Some(Resolved::Item(at)),
            }
        }
        Some(Resolved::Module(at))
    }

    /// The package of this workspace that is named.
    fn package<'n>(&self, name: &'n str) -> Option<&'n str> {
        name.strip_prefix("tiledb_").or((name == "tiledb").then_some(name)).filter(|name| self.crates.contains(name))
    }

    fn lookup(&self, module: &[String], name: &str, depth: usize) -> Option<Resolved> {
        if depth > DEPTH {
            return None;
        }
        let child = [module, &[name.to_owned()]].concat();
        if self.modules.contains(child.as_slice()) {
            return Some(Resolved::Module(child));
        }
        if self.items.contains(&(module, name)) {
            return Some(Resolved::Item(module.to_vec()));
        }
        if let Some(path) = self.uses.get(&(module, name)) {
            // `use log;` in a module names the crate of that name.
            let itself = path.segments.first().is_some_and(|first| first == name);
            return if itself { None } else { self.find(module, &path.segments, depth + 1) };
        }
        self.globs.get(module)?.iter().find_map(|glob| match self.find(module, &glob.segments, depth + 1)? {
            Resolved::Module(all) if all != module => self.lookup(&all, name, depth + 1),
            _ => None,
        })
    }
}
