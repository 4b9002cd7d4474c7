//! A group that several processes edit and read: its members and its metadata.

use std::collections::BTreeMap;
use std::sync::Arc;

use tiledb_array::fragment::read_time;
use tiledb_array::group::{Group, consolidate_metadata, vacuum_metadata};
use tiledb_core::error::{Error, ErrorKind, Result};
use tiledb_core::types::{Datatype, ObjectType, QueryType};

use super::super::plan::Drawing;
use super::super::site::Site;
use super::super::state::{Subject, Work};
use super::{Operation, operation};
use crate::journal::{Journal, Opening};
use crate::model::Change;

/// The group.
pub const GROUP: &str = "mem://store/group";

/// Adds members (with a number that makes their URI distinct), or removes those that exist.
#[derive(Debug)]
struct EditGroup(Vec<(String, Option<u64>)>);

#[derive(Debug)]
struct PutGroupMetadata(String, Option<Vec<u8>>);

#[derive(Debug)]
struct ConsolidateGroup;

#[derive(Debug)]
struct VacuumGroup;

#[derive(Debug)]
struct ReadGroup(u64);

pub fn draw(drawing: &mut Drawing) -> Option<Arc<dyn Operation>> {
    let count = drawing.count as u64;
    let idle = drawing.idle();
    let random = &mut drawing.generator.random;
    let name = |number: u64| format!("member{number}");
    match random.below(8) {
        0..=2 => {
            let first = random.below(4);
            let mut edits = vec![(name(first), (!random.one_in(3)).then_some(count))];
            if random.one_in(3) {
                edits.push((name((first + 1) % 4), (!random.one_in(3)).then_some(count)));
            }
            operation(EditGroup(edits))
        }
        3 => {
            let value = (!random.one_in(4)).then(|| vec![random.below(256) as u8; 2]);
            operation(PutGroupMetadata(format!("key{}", random.below(2)), value))
        }
        4 => operation(ConsolidateGroup),
        5 => operation(VacuumGroup),
        _ => operation(ReadGroup(idle)),
    }
}

impl Operation for EditGroup {
    fn run(&self, site: &Site<'_>) -> Result<()> {
        let group = Group::new(site.resources, GROUP)?;
        group.open(QueryType::Write as u32)?;
        // A file has all members that the group had when it was opened.
        let snapshot = group.snapshot("")?;
        let present = snapshot.members().iter().filter_map(|member| Some((member.name.clone()?, member.uri.clone())));
        let mut members: BTreeMap<String, Option<Vec<u8>>> =
            present.map(|(name, uri)| (name, Some(uri.into_bytes()))).collect();
        let mut is_changed = false;
        for (name, number) in &self.0 {
            match number {
                Some(number) => {
                    let uri = format!("array{number}");
                    group.add_member(&uri, true, Some(name), Some(ObjectType::Array))?;
                    members.insert(name.clone(), Some(uri.into_bytes()));
                }
                None if members.get(name).is_some_and(Option::is_some) => {
                    group.remove_member(name)?;
                    members.insert(name.clone(), None);
                }
                None => continue,
            }
            is_changed = true;
        }
        if !is_changed {
            return group.close();
        }
        let changes = members.into_iter().map(|(name, uri)| Change::Put(name, uri)).collect();
        site.commit(Subject::Members, changes, || group.close())
    }
}

impl Operation for PutGroupMetadata {
    fn run(&self, site: &Site<'_>) -> Result<()> {
        let group = Group::new(site.resources, GROUP)?;
        group.open(QueryType::Write as u32)?;
        match &self.1 {
            Some(value) => group.put_metadata(&self.0, Datatype::Uint8 as u32, Some(value))?,
            None => group.delete_metadata(&self.0)?,
        }
        let change = Change::Put(self.0.clone(), self.1.clone());
        site.commit(Subject::GroupMetadata, vec![change], || group.close())
    }
}

impl Operation for ConsolidateGroup {
    fn run(&self, site: &Site<'_>) -> Result<()> {
        site.maintain(Work::MergeGroup, || consolidate_metadata(site.resources, GROUP))
    }

    fn may_fail(&self, _error: &Error, site: &Site<'_>) -> bool {
        site.has_others()
    }
}

impl Operation for VacuumGroup {
    fn run(&self, site: &Site<'_>) -> Result<()> {
        site.maintain(Work::VacuumGroup, || vacuum_metadata(site.resources, GROUP))
    }

    fn may_fail(&self, _error: &Error, site: &Site<'_>) -> bool {
        site.has_others()
    }
}

impl Operation for ReadGroup {
    fn run(&self, site: &Site<'_>) -> Result<()> {
        let (begin, first) = (site.steps(), read_time());
        let group = Group::new(site.resources, GROUP)?;
        group.open(QueryType::Read as u32)?;
        let opening = (begin, site.steps());
        let last = read_time();
        site.sleep(self.0);
        let open = group.with_members("")?;
        let members = open
            .members()
            .iter()
            .map(|member| (member.name.clone().unwrap_or_default(), member.uri.clone().into_bytes()));
        let members: BTreeMap<String, Vec<u8>> = members.collect();
        let open = group.with_metadata("")?;
        // Metadata are listed when they are first used.
        let metadata_opening = (begin, site.steps());
        let metadata = open.metadata()?;
        let mut entries = BTreeMap::new();
        for index in 0..metadata.len() as u64 {
            let (key, value) = metadata.at(index)?;
            entries.insert(String::from_utf8_lossy(key).into_owned(), value.bytes().to_vec());
        }
        let mut state = site.state();
        // The time of the snapshot is one of those at which the group was opened.
        let check = |model: &Journal, opening: Opening, entries: &BTreeMap<String, Vec<u8>>| {
            let times = model.events.iter().map(|event| event.time).filter(|time| (first..=last).contains(time));
            let mut checked = Ok(());
            for end in times.chain([first, last]) {
                checked = model.judge(opening, |view| view.check_entries((0, end), entries));
                if checked.is_ok() {
                    break;
                }
            }
            checked
        };
        let checked =
            check(&state.members, opening, &members).and_then(|()| check(&state.group, metadata_opening, &entries));
        if let Err(text) = checked {
            state.failure.get_or_insert(format!("the group at {first} to {last}: {text}"));
        }
        Ok(())
    }

    fn may_fail(&self, error: &Error, site: &Site<'_>) -> bool {
        site.has_removed() && error.kind() == ErrorKind::NotFound
    }
}

/// Reads the group when all is quiet.
///
/// # Errors
/// As the engine.
pub fn judge_group(site: &Site<'_>) -> Result<()> {
    ReadGroup(0).run(site)
}
