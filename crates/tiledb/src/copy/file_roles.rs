//! Roles of files by their names, which determine the copy phase.

use std::collections::BTreeSet;

use tiledb_storage::vfs::INDEX_NAME;

/// Phases of a copy. Each is complete before the next begins. So a reader of the target sees a fragment entirely or not at
/// all, never both the sources and the result of a consolidation, and no group member before it can be opened. A folder becomes
/// an array by its schemas: those of arrays that the target lacks follow the commits, so that a copy that fails or is killed
/// leaves no array without cells.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum CopyPhase {
    /// Files that are not part of the format.
    Other,
    Enumeration,
    Schema,
    /// Fragment data, invisible without a commit.
    Data,
    /// Consolidated fragment metadata, which readers look for.
    Footers,
    /// Consolidated array metadata, then the files that hide its sources, then the rest.
    MergedMeta,
    VacuumMeta,
    Meta,
    /// Delete conditions, and ignore files.
    Delete,
    /// Commits of consolidated fragments, then the files that hide their sources, then the rest.
    MergedCommit,
    Vacuum,
    Commits,
    Commit,
    /// Enumerations and schemas of arrays that the target lacks: first those of dimension labels, which arrays open. The newest
    /// schema of an array comes before older ones: without these, reads of fragments that have them fail; without the newest one,
    /// readers would take another one for it.
    NewEnumeration,
    NewLabelSchema,
    NewestSchema,
    OlderSchema,
    GroupMeta,
    Group,
}

impl CopyPhase {
    /// Whether readers look for such files and expect them to be complete.
    pub(crate) fn is_seen(self) -> bool {
        !matches!(self, CopyPhase::Other | CopyPhase::Data)
    }

    /// Whether such a file identifies the array: it is never written again with other contents.
    pub(crate) fn is_fixed(self) -> bool {
        use CopyPhase::{Enumeration, NewEnumeration, NewLabelSchema, NewestSchema, OlderSchema, Schema};
        matches!(self, Enumeration | Schema | NewEnumeration | NewLabelSchema | NewestSchema | OlderSchema)
    }

    /// Whether such a file is invisible by itself.
    pub(crate) fn is_harmless(self) -> bool {
        matches!(self, CopyPhase::Data | CopyPhase::Footers)
    }
}

/// The parsed name of a file below the root of the copy.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct FileRole {
    pub phase: CopyPhase,
    /// The fragment folder that contains it.
    pub fragment: Option<String>,
}

/// Index of arrays, groups and file names.
#[derive(Default)]
pub(crate) struct ObjectIndex {
    pub arrays: BTreeSet<String>,
    pub groups: BTreeSet<String>,
    names: BTreeSet<String>,
}

/// Name of the page of a published array or group.
pub(crate) const PAGE_NAME: &str = "index.html";

/// Name of the folder of a published array or group in which the viewer is.
pub(crate) const VIEWER_NAME: &str = "__tiledb_viewer";

/// Whether a file is an index, a page or a part of the viewer for readers over HTTP.
pub(crate) fn is_web_file(name: &str) -> bool {
    let last = name.rsplit('/').next().unwrap_or_default();
    last == INDEX_NAME || last == PAGE_NAME || name.split('/').any(|part| part == VIEWER_NAME)
}

const FOOTER: &str = "__fragment_metadata.tdb";

impl ObjectIndex {
    /// Finds arrays and groups by the names of files.
    pub(crate) fn of<'a>(names: impl Iterator<Item = &'a str>) -> Self {
        let mut index = Self::default();
        for name in names {
            index.names.insert(name.to_owned());
            let mut start = 0;
            for part in name.split('/') {
                let root = || name[..start].trim_end_matches('/').to_owned();
                match part {
                    "__schema" | "__array_schema.tdb" => _ = index.arrays.insert(root()),
                    "__group" | "__tiledb_group.tdb" => _ = index.groups.insert(root()),
                    _ => {}
                }
                start += part.len() + 1;
            }
        }
        index
    }

    /// Whether a fragment is complete: it has a footer.
    pub(crate) fn has_footer(&self, fragment: &str) -> bool {
        self.names.contains(&format!("{fragment}/{FOOTER}"))
    }

    /// The array that a schema or an enumeration belongs to.
    pub(crate) fn array_of_schema<'a>(&self, name: &'a str) -> &'a str {
        let folder = |name: &'a str| name.rsplit_once('/').map_or("", |(folder, _)| folder);
        std::iter::successors(Some(folder(name)), |root| (!root.is_empty()).then(|| folder(root)))
            .find(|root| self.arrays.contains(*root))
            .unwrap_or_default()
    }

    /// The role of a file.
    pub(crate) fn role(&self, name: &str) -> FileRole {
        let mut root = name;
        while let Some(at) = root.rfind('/') {
            root = &root[..at];
            if self.arrays.contains(root) {
                return self.in_array(root, &name[at + 1..]);
            }
            if self.groups.contains(root) {
                return in_group(&name[at + 1..]);
            }
        }
        if self.arrays.contains("") {
            self.in_array("", name)
        } else if self.groups.contains("") {
            in_group(name)
        } else {
            of(CopyPhase::Other)
        }
    }

    fn in_array(&self, root: &str, name: &str) -> FileRole {
        let below = |name: &str| if root.is_empty() { name.to_owned() } else { format!("{root}/{name}") };
        let (first, rest) = name.split_once('/').unwrap_or((name, ""));
        let (stem, extension) = name.rsplit_once('.').unwrap_or((name, ""));
        let is_merged = || self.names.contains(&below(&format!("{stem}.vac")));
        match (first, rest) {
            ("__schema", rest) if rest.starts_with("__enumerations") => of(CopyPhase::Enumeration),
            ("__schema" | "__array_schema.tdb", _) => of(CopyPhase::Schema),
            ("__fragment_meta", _) => of(CopyPhase::Footers),
            ("__fragments", rest) => {
                let fragment = rest.split('/').next().unwrap_or_default();
                FileRole { phase: CopyPhase::Data, fragment: Some(below(&format!("__fragments/{fragment}"))) }
            }
            ("__meta", _) if extension == "vac" => of(CopyPhase::VacuumMeta),
            ("__meta", _) if self.names.contains(&below(&format!("{name}.vac"))) => of(CopyPhase::MergedMeta),
            ("__meta", _) => of(CopyPhase::Meta),
            ("__commits", _) => of(commit(extension, is_merged)),
            // Before format version 12 all files are in the array's folder.
            (_, "") if is_timestamped(stem) && !extension.is_empty() => of(match extension {
                "meta" => CopyPhase::Footers,
                extension => commit(extension, is_merged),
            }),
            (fragment, rest) if is_timestamped(fragment) => {
                // Before version 5 the footer is the commit.
                let is_committed = self.names.contains(&below(&format!("{fragment}.ok")));
                let phase = match rest == FOOTER && !is_committed {
                    true if self.names.contains(&below(&format!("{fragment}.vac"))) => CopyPhase::MergedCommit,
                    true => CopyPhase::Commit,
                    false => CopyPhase::Data,
                };
                FileRole { phase, fragment: Some(below(fragment)) }
            }
            _ => of(CopyPhase::Other),
        }
    }
}

fn commit(extension: &str, is_merged: impl Fn() -> bool) -> CopyPhase {
    match extension {
        "del" | "upd" | "ign" => CopyPhase::Delete,
        "vac" => CopyPhase::Vacuum,
        "con" => CopyPhase::Commits,
        _ if is_merged() => CopyPhase::MergedCommit,
        _ => CopyPhase::Commit,
    }
}

fn of(phase: CopyPhase) -> FileRole {
    FileRole { phase, fragment: None }
}

fn in_group(name: &str) -> FileRole {
    of(match name.split('/').next() {
        Some("__meta") => CopyPhase::GroupMeta,
        Some("__group" | "__tiledb_group.tdb") => CopyPhase::Group,
        _ => CopyPhase::Other,
    })
}

/// Whether a name has the form of fragment and commit names: timestamps and 32 hexadecimal digits.
fn is_timestamped(name: &str) -> bool {
    let Some(rest) = name.strip_prefix("__") else { return false };
    let is_time = |part: &str| !part.is_empty() && part.bytes().all(|letter| letter.is_ascii_digit());
    let is_unique = |part: &str| part.len() == 32 && part.bytes().all(|letter| letter.is_ascii_hexdigit());
    rest.split('_').any(is_unique) && rest.split('_').any(is_time)
}

#[cfg(test)]
mod tests {
    use super::*;

    const F: &str = "__1_2_0123456789abcdef0123456789abcdef";

    #[test]
    fn names_have_their_turns() {
        let new = format!("a/__commits/{F}_22.wrt");
        let vacuum = format!("a/__commits/{F}_22.vac");
        let old = format!("b/{F}/{FOOTER}");
        let older = format!("b/{F}_9.ok");
        let names = ["a/__schema/x", &new, &vacuum, "b/__array_schema.tdb", &old, &older, "__tiledb_group.tdb"];
        let objects = ObjectIndex::of(names.into_iter());
        let phase = |name: &str| objects.role(name).phase;
        assert_eq!(phase("a/__schema/x"), CopyPhase::Schema);
        assert_eq!(phase("a/__schema/__enumerations/x"), CopyPhase::Enumeration);
        assert_eq!((phase(&new), phase(&vacuum)), (CopyPhase::MergedCommit, CopyPhase::Vacuum));
        assert_eq!((phase(&old), phase(&older)), (CopyPhase::Commit, CopyPhase::Commit));
        assert_eq!(phase(&format!("b/{F}_9/{FOOTER}")), CopyPhase::Data);
        assert_eq!(phase(&format!("b/{F}_9.meta")), CopyPhase::Footers);
        assert_eq!(phase(&format!("a/__fragment_meta/{F}_22.meta")), CopyPhase::Footers);
        assert_eq!(
            (phase("__group/x"), phase("__meta/x"), phase("notes.txt")),
            (CopyPhase::Group, CopyPhase::GroupMeta, CopyPhase::Other)
        );
        assert_eq!(objects.role(&format!("b/{F}/a.tdb")).fragment, Some(format!("b/{F}")));
        assert_eq!(phase("b/__lock.tdb"), CopyPhase::Other);
    }
}
