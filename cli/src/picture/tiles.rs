//! Bounding boxes of tiles, grouped if there are too many to draw.

use serde_json::{Value as Json, json};

use super::axis::Axis;
use super::query::{PictureQuery, TileCounts};
use crate::model::{Dimension, Fragment, Result, Schema, Value};

/// Maximum number of boxes.
const MOST: u64 = 20_000;

/// Bounds in each dimension.
type Sides = Vec<(Value, Value)>;

/// Consecutive tiles of a fragment.
struct Group {
    fragment: usize,
    tiles: u64,
    sides: Sides,
    is_read: bool,
}

/// All tiles of the picture.
pub(super) struct Tiles {
    groups: Vec<Group>,
    per_group: u64,
    /// Number of tiles of each fragment, and of those that the query reads.
    pub counts: Vec<(u64, TileCounts)>,
}

impl Tiles {
    /// Loads the boxes of sparse fragments, and counts the tiles of dense ones.
    pub(super) fn load(schema: &Schema, fragments: &[Fragment], query: &PictureQuery) -> Result<Self> {
        let dimensions = &schema.dimensions;
        let total: u64 = fragments.iter().map(Fragment::boxes).sum();
        let per_group = total.div_ceil(MOST).max(1);
        let (mut groups, mut counts) = (Vec::new(), Vec::new());
        for (at, fragment) in fragments.iter().enumerate() {
            if fragment.is_dense {
                let tiles = in_grid(dimensions, &fragment.domain);
                counts.push((tiles, query.read_of(fragment.name(), tiles)));
                continue;
            }
            let tiles = fragment.boxes();
            for tile in 0..tiles {
                let sides: Sides = fragment.bounding_box(tile, dimensions)?;
                let is_read = query.reads(fragment.name(), tile);
                match groups.last_mut() {
                    Some(group) if tile % per_group != 0 => extend(group, sides, is_read),
                    _ => groups.push(Group { fragment: at, tiles: 1, sides, is_read }),
                }
            }
            counts.push((tiles, query.read_of(fragment.name(), tiles)));
        }
        Ok(Self { groups, per_group, counts })
    }

    /// The bounds in a dimension.
    pub(super) fn values(&self, number: usize) -> impl Iterator<Item = &Value> {
        self.groups.iter().flat_map(move |group| [&group.sides[number].0, &group.sides[number].1])
    }

    /// The boxes as JSON columns.
    pub(super) fn json(&self, axes: &[Axis]) -> Json {
        let sides = axes.iter().enumerate().map(|(number, axis)| {
            let low = self.groups.iter().map(|group| axis.place(&group.sides[number].0));
            let high = self.groups.iter().map(|group| axis.place(&group.sides[number].1));
            json!([low.collect::<Vec<_>>(), high.collect::<Vec<_>>()])
        });
        json!({
            "together": self.per_group,
            "fragment": self.groups.iter().map(|group| group.fragment).collect::<Vec<_>>(),
            "tiles": self.groups.iter().map(|group| group.tiles).collect::<Vec<_>>(),
            "read": self.groups.iter().map(|group| u8::from(group.is_read)).collect::<Vec<_>>(),
            "sides": sides.collect::<Json>(),
        })
    }
}

fn extend(group: &mut Group, sides: Sides, is_read: bool) {
    group.tiles += 1;
    group.is_read |= is_read;
    for (all, one) in group.sides.iter_mut().zip(sides) {
        if one.0.order(&all.0).is_some_and(std::cmp::Ordering::is_lt) {
            all.0 = one.0;
        }
        if one.1.order(&all.1).is_some_and(std::cmp::Ordering::is_gt) {
            all.1 = one.1;
        }
    }
}

/// Number of grid tiles that a box intersects.
fn in_grid(dimensions: &[Dimension], sides: &[(Value, Value)]) -> u64 {
    let along = |(dimension, (low, high)): (&Dimension, &(Value, Value))| {
        let start = dimension.domain.as_ref().and_then(|domain| domain.0.number()).unwrap_or(0.0);
        let extent = dimension.extent.as_ref().and_then(Value::number).unwrap_or(1.0).max(1.0);
        let tile = |value: &Value| ((value.number().unwrap_or(start) - start) / extent).floor();
        (tile(high) - tile(low) + 1.0).max(0.0) as u64
    };
    dimensions.iter().zip(sides).map(along).fold(1, u64::saturating_mul)
}
