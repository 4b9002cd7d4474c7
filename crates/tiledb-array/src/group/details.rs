//! The members of a group, read from its detail files.
//!
//! A file `__group/__t1_t2_uuid_v` is a generic tile: `version u32, count u64`, then the members. A file of version 1
//! (the first ones had no `_v` in their names) holds the complete list. One of version 2 modifies the earlier ones:
//! members by key, and tombstones of removed ones. The version of a group is that of its newest file.

use super::member::{Member, SMALLEST};
use super::{ADDING, COMPLETE, DETAILS};
use crate::fragment::times_of;
use crate::schema::timestamped_name;
use tiledb_core::budget::{StructureBudget, StructureMemory};
use tiledb_core::error::{ErrorContext, ErrorKind, Result};
use tiledb_core::memory;
use tiledb_core::sort;
use tiledb_core::stats::{Counter, Timer};
use tiledb_core::types::FormatVersion;
use tiledb_core::wire::{WireReader, WireWriter};
use tiledb_filters::crypto::EncryptionKey;
use tiledb_filters::tile::generic::{self, StructurePayload};
use tiledb_storage::resources::Resources;
use tiledb_storage::vfs::{Uri, Vfs};

/// The contents of a new file of a group.
pub(super) struct GroupDetails<'a> {
    pub(super) version: u32,
    /// All members in the order of keys.
    pub(super) members: Vec<&'a Member>,
    /// Members that are no more, of which files of version 2 have tombstones.
    pub(super) removed: Vec<&'a Member>,
}

/// The first and the last millisecond.
type Times = (u64, u64);

/// One file: its version, and its members with whether they were removed.
type File = (u32, Vec<(Member, bool)>);

impl GroupDetails<'_> {
    /// The files of a group, with their times.
    ///
    /// # Errors
    /// If a storage operation fails.
    pub(super) fn list(vfs: &Vfs, group: &Uri) -> Result<Vec<(Times, Uri)>> {
        let folder = group.join(DETAILS);
        let names = vfs.names(&folder)?;
        Ok(names.into_iter().filter_map(|item| Some((times_of(&item.name)?, folder.join(&item.name)))).collect())
    }

    /// Reads the members that a group with these files has within a window of time, in the order of their keys, and the
    /// version of its files.
    ///
    /// # Errors
    /// If a file cannot be read.
    pub(super) fn load(
        resources: &Resources,
        files: Vec<(Times, Uri)>,
        window: Times,
        key: &EncryptionKey,
    ) -> Result<(u32, Vec<Member>)> {
        let _timer = resources.stats().timer(Timer::LoadGroup);
        let vfs = resources.vfs();
        let inside = files.into_iter().filter(|((start, end), _)| window.0 <= *start && *end <= window.1);
        let mut files: Vec<(u64, Uri)> = inside.map(|((start, _), file)| (start, file)).collect();
        sort::by(&mut files, Ord::cmp);
        // A complete list makes all before it superfluous.
        let mut newest_first = Vec::new();
        let timer = resources.stats().timer(Timer::LoadGroupFiles);
        let read = |(_, file): &(u64, Uri)| {
            let read = || {
                let bytes = vfs.read(file)?;
                let config = resources.config();
                let stats = resources.stats();
                let StructurePayload { bytes, memory, .. } =
                    generic::load(&bytes, key, config, stats, Counter::GroupRead, &check_prefix)?;
                parse(&mut WireReader::new("group details", &bytes), memory)
            };
            read().map_err(|error| match error.kind() {
                // As in libtiledb: clients match the message of a wrong key.
                ErrorKind::Key => error,
                _ => error.context(format_args!("Cannot read the group details in '{file}'")),
            })
        };
        // As many at a time as storage lets.
        let width = files.first().map_or(Ok(1), |(_, file)| vfs.concurrency(file))?;
        'read: for some in files.rchunks(width) {
            for (version, entries) in vfs.map(&some[0].1, some.len(), |index| read(&some[some.len() - 1 - index]))? {
                newest_first.push((version, entries));
                if version == COMPLETE {
                    break 'read;
                }
            }
        }
        drop(timer);
        let version = newest_first.first().map_or(ADDING, |file| file.0);
        let mut entries: Vec<_> = newest_first.into_iter().rev().flat_map(|file| file.1).collect();
        sort::by(&mut entries, |(a, _), (b, _)| a.key().cmp(b.key()));
        // Of equal keys the last one counts.
        entries.dedup_by(|later, earlier| {
            let is_same = later.0.key() == earlier.0.key();
            if is_same {
                std::mem::swap(later, earlier);
            }
            is_same
        });
        let members = entries.into_iter().filter_map(|(member, deleted)| (!deleted).then_some(member));
        Ok((version, members.collect()))
    }

    /// Writes the members, and tombstones of those removed, into a file of format version `tile` as of `time`.
    ///
    /// # Errors
    /// If a storage operation fails.
    pub(super) fn write(
        &self,
        resources: &Resources,
        group: &Uri,
        tile: FormatVersion,
        time: u64,
        key: &EncryptionKey,
    ) -> Result<()> {
        let removed = if self.version == ADDING { self.removed.as_slice() } else { &[] };
        let mut w = WireWriter::new();
        w.u32(self.version).u64((self.members.len() + removed.len()) as u64);
        self.members.iter().for_each(|member| member.write(&mut w, self.version, false));
        removed.iter().for_each(|member| member.write(&mut w, self.version, true));
        let payload = w.finish()?;
        let bytes = generic::store(&payload, tile, key, resources.stats(), Counter::GroupWritten)?;
        let memory = payload.len() + self.members.iter().chain(removed).map(|member| member.memory()).sum::<usize>();
        let check = StructureBudget::of(resources.config())?.check_stored(memory, bytes.len());
        check.context(|| format!("Cannot write the details of the group '{group}', which could not be read"))?;
        let name = format!("{}_{}", timestamped_name(time, time), self.version);
        resources.vfs().put(&group.join(DETAILS).join(&name), &bytes)
    }
}

fn parse(r: &mut WireReader<'_>, mut memory: StructureMemory) -> Result<File> {
    let mut entries = Vec::new();
    let version = parse_entries(r, &mut memory, &mut entries)?;
    Ok((version, entries))
}

/// Keys are unique but for tombstones, in any order.
fn check_prefix(r: &mut WireReader<'_>, mut memory: StructureMemory) -> Result<()> {
    let mut entries = Vec::new();
    let parsed = parse_entries(r, &mut memory, &mut entries);
    let mut keys: Vec<&str> = entries.iter().map(|(member, _)| member.key()).collect();
    sort::by(&mut keys, Ord::cmp);
    keys.windows(2).filter(|pair| pair[0] == pair[1]).try_for_each(|_| memory.count_repeat())?;
    parsed.map(drop)
}

/// Appends the members of a file; returns its version.
fn parse_entries(
    r: &mut WireReader<'_>,
    memory: &mut StructureMemory,
    entries: &mut Vec<(Member, bool)>,
) -> Result<u32> {
    let version = r.u32()?;
    if !matches!(version, COMPLETE | ADDING) {
        return Err(r.corrupt(format_args!("version {version}; 1 and 2 are known")));
    }
    let count = r.count64(SMALLEST)?;
    for _ in 0..count {
        let entry = Member::read(r)?;
        memory.charge(entry.0.memory())?;
        memory::push("members of a group", entries, entry)?;
    }
    Ok(version)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use tiledb_core::config::Config;
    use tiledb_core::types::{CURRENT_VERSION, ObjectType};

    fn member(uri: &str, name: Option<&str>) -> Member {
        Member { kind: ObjectType::Array, relative: true, uri: uri.to_owned(), name: name.map(str::to_owned) }
    }

    /// Writes a file of members and of removed ones.
    fn write(
        resources: &Resources,
        group: &Uri,
        file: (u32, u64),
        members: &[Member],
        removed: &[Member],
    ) -> Result<()> {
        let (version, time) = file;
        let details = GroupDetails { version, members: members.iter().collect(), removed: removed.iter().collect() };
        details.write(resources, group, CURRENT_VERSION, time, &EncryptionKey::None)
    }

    #[test]
    fn a_group_stays_with_the_version_of_its_newest_file() {
        for (version, members_at_two) in [(1, vec!["b", "c"]), (2, vec!["b", "c"])] {
            let resources = Resources::new(Config::new()).unwrap();
            let group = Uri::parse("mem://details/group").unwrap();
            let write = |time, members: &[Member], removed: &[Member]| {
                write(&resources, &group, (version, time), members, removed).unwrap();
            };
            write(1, &[member("a", None), member("x", Some("b"))], &[]);
            write(2, &[member("c", None), member("y", Some("b"))], &[member("a", None)]);
            let files = || GroupDetails::list(resources.vfs(), &group).unwrap();
            let load = |end| GroupDetails::load(&resources, files(), (0, end), &EncryptionKey::None).unwrap();
            let keys = |members: &[Member]| members.iter().map(|member| member.key().to_owned()).collect::<Vec<_>>();
            let (newest, members) = load(2);
            assert_eq!(newest, version);
            assert_eq!(keys(&members), members_at_two);
            assert_eq!(members[0].uri, "y");
            assert_eq!(keys(&load(1).1), ["a", "b"]);
            assert_eq!(load(0), (2, vec![]));
        }
    }

    #[test]
    fn group_of_many_similar_members_is_read_again() {
        let mut config = Config::new();
        config.set("sm.mem.structure_budget", "0").unwrap();
        let resources = Resources::new(config).unwrap();
        let group = Uri::parse("mem://details/similar").unwrap();
        let path = "s3://production-data-lake/projects/single-cell-atlas/releases/samples/by-donor/tissue";
        let members: Vec<Member> = (0..5_000)
            .map(|number| member(&format!("{path}/array_{number:07}"), Some(&format!("{path}/{number}"))))
            .collect();
        write(&resources, &group, (2, 1), &members, &[]).unwrap();
        let files = GroupDetails::list(resources.vfs(), &group).unwrap();
        let (_, read) = GroupDetails::load(&resources, files, (0, 9), &EncryptionKey::None).unwrap();
        assert_eq!(read.len(), members.len());
        // What could not be read is not written.
        let zeros = [member(&"0".repeat(1 << 20), None)];
        let error = write(&resources, &group, (2, 2), &zeros, &[]).unwrap_err();
        assert!(error.text().contains("raise 'sm.mem.structure_budget', first to "), "{}", error.text());
        assert_eq!(GroupDetails::list(resources.vfs(), &group).unwrap().len(), 1);
    }

    #[test]
    fn files_of_version_two_add_up() {
        let resources = Resources::new(Config::new()).unwrap();
        let group = Uri::parse("mem://details/two").unwrap();
        for (time, own) in [(1, "a"), (2, "b")] {
            // Two writers at once: neither knew of the member of the other.
            write(&resources, &group, (2, time), &[member(own, None)], &[]).unwrap();
        }
        let files = GroupDetails::list(resources.vfs(), &group).unwrap();
        let (_, members) = GroupDetails::load(&resources, files, (0, 9), &EncryptionKey::None).unwrap();
        assert_eq!(members.iter().map(Member::key).collect::<Vec<_>>(), ["a", "b"]);
    }

    proptest! {
        #[test]
        fn damaged_details_are_errors(
            cut in any::<prop::sample::Index>(),
            at in any::<prop::sample::Index>(),
            value: u8,
        ) {
            let mut w = WireWriter::new();
            w.u32(2).u64(2);
            member("a", None).write(&mut w, 2, false);
            member("b", Some("n")).write(&mut w, 2, true);
            let mut payload = w.finish().unwrap();
            let parse =
                |bytes: &[u8]| parse(&mut WireReader::new("group details", bytes), StructureMemory::unlimited());
            prop_assert_eq!(parse(&payload).unwrap().1, [(member("a", None), false), (member("b", Some("n")), true)]);
            prop_assert!(parse(&payload[..cut.index(payload.len())]).is_err());
            let at = at.index(payload.len());
            payload[at] = value;
            let _ = parse(&payload);
        }
    }
}
