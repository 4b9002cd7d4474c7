//! Metadata of the array.

use std::sync::Arc;

use tiledb_core::error::Result;

use super::super::plan::Drawing;
use super::super::site::Site;
use super::super::state::Subject;
use super::{Operation, operation};
use crate::history::Step;
use crate::model::Change;
use crate::world::START;

#[derive(Debug)]
struct PutMetadata {
    time: Option<u64>,
    entries: Vec<(String, Option<Vec<u8>>)>,
}

pub fn draw(drawing: &mut Drawing) -> Option<Arc<dyn Operation>> {
    let time = drawing.time();
    let Step::Put(_, entries) = drawing.generator.put() else { return None };
    operation(PutMetadata { time, entries })
}

impl Operation for PutMetadata {
    fn run(&self, site: &Site<'_>) -> Result<()> {
        let time = self.time.map_or(0, |time| START + time);
        let changes = self.entries.iter().map(|(key, value)| Change::Put(key.clone(), value.clone()));
        site.commit(Subject::Metadata, changes.collect(), || {
            site.array().put_metadata(site.resources, time, &self.entries)
        })
    }
}
