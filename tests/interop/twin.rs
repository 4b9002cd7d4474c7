//! The twin of a scenario: the same cells in the same array without filters but those that round. What is read of it is
//! what was written, whatever becomes of the filtered array.

use std::path::Path;

use crate::drive::{self, Answer};
use crate::pipeline::SCALE_FLOAT;
use crate::run::comparable;
use crate::scenario::{Dimension, OffsetMode, Read, Scenario};
use crate::support::Api;

/// The twin, of the first writes.
fn twin(scenario: &Scenario, writes: usize) -> Scenario {
    let mut twin = scenario.clone();
    twin.writes.truncate(writes);
    let attributes = twin.attributes.iter_mut().map(|attribute| &mut attribute.pipeline);
    let dimensions = twin.dimensions.iter_mut().map(|dimension| &mut dimension.pipeline);
    let lists = [&mut twin.coords, &mut twin.offsets, &mut twin.validity].into_iter().flatten();
    for pipeline in attributes.chain(dimensions).chain(lists) {
        // Only the first filter scales.
        let kept = usize::from(pipeline.filters.first().is_some_and(|filter| filter.kind == SCALE_FLOAT));
        pipeline.filters.truncate(kept);
    }
    twin
}

/// Makes an array anew in a folder; none where that is refused.
fn make(api: &Api, place: &Path, scenario: &Scenario) -> Option<String> {
    if place.exists() {
        std::fs::remove_dir_all(place).ok()?;
    }
    let uri = place.to_str()?.to_owned();
    drive::create(api, &uri, scenario).ok()?;
    scenario.writes.iter().try_for_each(|write| drive::write(api, &uri, scenario, write)).ok()?;
    Some(uri)
}

/// What the reference reads of the twin.
pub fn cells(reference: &Api, folder: &Path, scenario: &Scenario, read: &Read) -> Option<Answer> {
    let twin = twin(scenario, scenario.writes.len());
    let uri = make(reference, &folder.join("twin"), &twin)?;
    Some(drive::read(reference, &uri, &twin, read))
}

/// True if the reference does not read what it wrote with the first `writes`: the filters lose cells.
pub fn is_lost(reference: &Api, folder: &Path, scenario: &Scenario, writes: usize) -> bool {
    let mut filtered = scenario.clone();
    filtered.writes.truncate(writes);
    let plain = twin(scenario, writes);
    let ranges = |dimension: &Dimension| match scenario.dense {
        true => vec![(dimension.low, dimension.high)],
        false => Vec::new(),
    };
    let whole = Read {
        window: (None, None),
        layout: 0,
        ranges: scenario.dimensions.iter().map(ranges).collect(),
        fields: vec![true; scenario.dimensions.len() + scenario.attributes.len()],
        room: 1 << 17,
        var_room: 40,
        tight: false,
        mode: OffsetMode::default(),
    };
    let Some(plain_uri) = make(reference, &folder.join("twin"), &plain) else { return false };
    let Some(uri) = make(reference, &folder.join("lossy"), &filtered) else { return false };
    let read = |uri: &str, scenario: &Scenario| {
        drive::read(reference, uri, scenario, &whole).map(|cells| comparable(scenario, &whole, cells))
    };
    let written = read(&plain_uri, &plain);
    written.is_ok() && read(&uri, &filtered) != written
}
