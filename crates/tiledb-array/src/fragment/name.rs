//! Timestamped names: of fragments, commits, schemas, metadata and consolidated metadata files.
//!
//! | form | since | times |
//! |---|---|---|
//! | `__uuid_t1[_t2]` | version 1 | the last component, for both |
//! | `__t1_t2_uuid` | version 3; schema and metadata files of every version | both |
//! | `__t1_t2_uuid_v` | version 5 | both; `v` is the format version |

use std::fmt;
use std::sync::Arc;

use crate::schema::timestamped_name;
use tiledb_core::env;
use tiledb_core::error::{Result, bail};
use tiledb_core::types::FormatVersion;
use tiledb_storage::vfs::{Uri, check_component};

/// A parsed timestamped name, without an extension. Cloning shares the text.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct FragmentName {
    text: Arc<str>,
    start: u64,
    end: u64,
    version: FormatVersion,
}

/// A place among names with equal times.
#[derive(Clone, Debug, Default)]
pub struct NamePlace {
    /// The name before it, if any.
    pub after: Option<FragmentName>,
    /// The name behind it, if any.
    pub before: Option<FragmentName>,
    /// Further names will be placed before this one, rather than after it.
    pub is_descending: bool,
}

impl NamePlace {
    /// True if there is a name between the two.
    pub fn has_room(&self) -> bool {
        match (&self.after, &self.before) {
            (Some(after), Some(before)) => match (after.unique_number(), before.unique_number()) {
                (Some(after), Some(before)) => after < before.saturating_sub(1),
                _ => false,
            },
            _ => true,
        }
    }
}

/// Maximum distance of a name from the one after or before which it was placed; large enough to be unique.
const NAME_DISTANCE: u128 = 1 << 88;

/// A placed name takes at most one part in two to this power of the space between its neighbours.
const NAME_SPACE_BITS: u32 = 16;

/// Milliseconds since 1970, the unit of all timestamps.
pub fn timestamp_now() -> u64 {
    env::timestamp()
}

impl FragmentName {
    /// A new name, unique in the world and greater than those made before with the same times.
    pub fn new(start: u64, end: u64, version: FormatVersion) -> FragmentName {
        let text = format!("{}_{}", timestamped_name(start, end), version.number());
        FragmentName { text: text.into(), start, end, version }
    }

    /// A new name among others with the same times: after one of them and before another one.
    ///
    /// # Errors
    /// If they leave no name between them.
    pub fn at_place(start: u64, end: u64, version: FormatVersion, place: &NamePlace) -> Result<FragmentName> {
        let new = FragmentName::new(start, end, version);
        let is_after = |name: &FragmentName| place.after.as_ref().is_none_or(|after| *after < *name);
        let is_before = |name: &FragmentName| place.before.as_ref().is_none_or(|before| *name < *before);
        if is_after(&new) && is_before(&new) {
            return Ok(new);
        }
        let number = |name: &Option<FragmentName>, default: u128| match name {
            Some(name) => name.unique_number(),
            None => Some(default),
        };
        let (after, before) = (number(&place.after, 0), number(&place.before, u128::MAX));
        if let (Some(after), Some(before)) = (after, before)
            && after < before.saturating_sub(1)
        {
            // A small part of the space, at the end that leaves the rest to further names.
            let space = before - after - 1;
            let random = env::unique_number() % (space >> NAME_SPACE_BITS).clamp(1, NAME_DISTANCE);
            let is_low = place.after.is_some() && !(place.is_descending && place.before.is_some());
            let unique = if is_low { after + 1 + random } else { before - 1 - random };
            let text = format!("__{start}_{end}_{unique:032x}_{}", version.number());
            return Ok(FragmentName { text: text.into(), start, end, version });
        }
        bail!("No name of a fragment is between '{:?}' and '{:?}'", place.after, place.before);
    }

    /// The number that the unique part of the name is, if it has the usual form.
    fn unique_number(&self) -> Option<u128> {
        let unique = self.text.strip_prefix("__")?.split('_').nth(2).filter(|unique| unique.len() == 32)?;
        let is_plain = unique.bytes().all(|digit| matches!(digit, b'0'..=b'9' | b'a'..=b'f'));
        u128::from_str_radix(unique, 16).ok().filter(|_| is_plain)
    }

    /// Parses the last part of a path; one extension (`.wrt`, `.vac`, ...) is cut off first.
    ///
    /// # Errors
    /// If it has none of the three forms or a version this library does not know.
    pub fn parse(name: &str) -> Result<FragmentName> {
        let stem = stem_of(name);
        let Some((start, end, version)) = pieces_of(stem) else {
            bail!(Corrupt, "'{name}' is not a timestamped name (`__t1_t2_uuid_v`)");
        };
        if let Err(why) = check_component(stem) {
            bail!(Corrupt, "'{name}' is not a timestamped name: {why}");
        }
        let version = FormatVersion::from_number(version)
            .map_err(|error| error.context(format_args!("Cannot use fragment '{name}'")))?;
        if start > end {
            bail!(Corrupt, "'{name}' is not a timestamped name: it ends before it starts");
        }
        Ok(FragmentName { text: stem.into(), start, end, version })
    }

    /// The first and last time of the contents, in milliseconds since 1970.
    pub fn timestamps(&self) -> (u64, u64) {
        (self.start, self.end)
    }

    /// The format version; names of versions 1 and 2 count as 2, of 3 and 4 as 4.
    pub fn version(&self) -> FormatVersion {
        self.version
    }

    /// The text without extension.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// The folder of the fragment in the array at `array`.
    pub fn folder(&self, array: &Uri) -> Uri {
        match self.version.has_commits_folder() {
            true => array.join("__fragments").join(self.as_str()),
            false => array.join(self.as_str()),
        }
    }

    /// The file that commits the fragment, relative to the array; `None` for versions without such files.
    pub fn commit(&self) -> Option<String> {
        self.version.has_commit_files().then(|| match self.version.has_commits_folder() {
            true => format!("__commits/{self}.wrt"),
            false => format!("{self}.ok"),
        })
    }

    /// True if the times are inside the window or, with `touching`, overlap it.
    pub fn is_in(&self, window: (u64, u64), touching: bool) -> bool {
        if touching {
            self.start <= window.1 && window.0 <= self.end
        } else {
            window.0 <= self.start && self.end <= window.1
        }
    }
}

/// The name up to its last dot.
pub(crate) fn stem_of(name: &str) -> &str {
    name.rfind('.').map_or(name, |dot| &name[..dot])
}

/// Times and version number of a stem, or `None` if it has none of the forms.
fn pieces_of(stem: &str) -> Option<(u64, u64, u32)> {
    let rest = stem.strip_prefix("__")?;
    let mut pieces = [""; 4];
    let mut count = 0;
    let mut start = 0;
    // By bytes: the pieces are too short for a search by characters to pay.
    for piece in rest.as_bytes().split(|byte| *byte == b'_') {
        let end = start + piece.len();
        *pieces.get_mut(count)? = rest.get(start..end)?;
        (count, start) = (count + 1, end + 1);
    }
    let number = |piece: &str| piece.parse::<u64>().ok();
    match (count, pieces) {
        (4, [start, end, uuid, version]) if !uuid.is_empty() => {
            Some((number(start)?, number(end)?, version.parse().ok()?))
        }
        (3, [start, end, uuid, _]) if uuid.len() == 32 => Some((number(start)?, number(end)?, 4)),
        (2 | 3, [uuid, ..]) if !uuid.is_empty() => {
            let time = number(pieces[count - 1])?;
            Some((time, time, 2))
        }
        _ => None,
    }
}

/// Times of an unversioned name (`__t1_t2_uuid`) of a schema or metadata file; `None` for others.
pub fn times_of(name: &str) -> Option<(u64, u64)> {
    pieces_of(stem_of(name)).map(|(start, end, _)| (start, end))
}

impl Ord for FragmentName {
    /// By first time, then by text: the order in which fragments are read.
    fn cmp(&self, other: &FragmentName) -> std::cmp::Ordering {
        self.start.cmp(&other.start).then_with(|| self.text.cmp(&other.text))
    }
}

impl PartialOrd for FragmentName {
    fn partial_cmp(&self, other: &FragmentName) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl fmt::Display for FragmentName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl fmt::Debug for FragmentName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tiledb_core::types::{CURRENT_VERSION, NEWEST_READABLE_VERSION};

    const UUID: &str = "0123456789abcdef0123456789abcdef";

    #[test]
    fn name_at_a_place_is_between_its_neighbours() {
        let name = |unique: u128| FragmentName::parse(&format!("__7_42_{unique:032x}_22")).unwrap();
        let ends = [0, 5, u128::from(u64::MAX), 1 << 100, u128::MAX - 1, u128::MAX];
        for low in ends {
            for high in ends {
                for place in [
                    NamePlace { after: Some(name(low)), before: Some(name(high)), is_descending: false },
                    NamePlace { after: Some(name(low)), ..NamePlace::default() },
                    NamePlace { before: Some(name(high)), ..NamePlace::default() },
                ] {
                    let made = FragmentName::at_place(7, 42, CURRENT_VERSION, &place);
                    let room = match (&place.after, &place.before) {
                        (Some(_), Some(_)) => high.saturating_sub(low) > 1,
                        (Some(_), None) => low < u128::MAX - 1,
                        _ => high > 1,
                    };
                    // At the ends of all numbers no other name may be left.
                    assert!(made.is_ok() || !room, "{place:?}");
                    let Ok(made) = made else { continue };
                    assert!(place.after.is_none_or(|after| after < made));
                    assert!(place.before.is_none_or(|before| made < before));
                    assert_eq!(FragmentName::parse(made.as_str()).unwrap(), made);
                }
            }
        }
        let after = FragmentName::new(7, 42, CURRENT_VERSION);
        let made = FragmentName::at_place(
            7,
            42,
            CURRENT_VERSION,
            &NamePlace { after: Some(after.clone()), ..NamePlace::default() },
        );
        assert!(after < made.unwrap());
    }

    #[test]
    fn the_three_forms() {
        let cases = [
            (format!("__{UUID}_42"), (42, 42), 2),
            (format!("__{UUID}_7_42"), (42, 42), 2),
            (format!("__7_42_{UUID}"), (7, 42), 4),
            (format!("__7_42_{UUID}_12"), (7, 42), 12),
        ];
        for (text, times, version) in cases {
            let name = FragmentName::parse(&format!("{text}.wrt")).unwrap();
            assert_eq!((name.as_str(), name.timestamps(), name.version().number()), (&*text, times, version));
        }
    }

    #[test]
    fn other_names_are_refused() {
        let newer = format!("__1_2_{UUID}_{}", NEWEST_READABLE_VERSION.number() + 1);
        let backwards = format!("__3_2_{UUID}_22");
        for text in ["", "__", "__schema", "__fragment_meta", "a_b", "__x_y_z_1", &newer, &backwards] {
            assert!(FragmentName::parse(text).is_err(), "{text}");
        }
        // Names become folders, which are removed, too.
        for text in ["__1_2_a/../../b_22", "__1_2_a\0_22", "__1_2_/_22", "__1_2_../../x_22.wrt"] {
            assert!(FragmentName::parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn new_names_are_unique_and_grow() {
        let names: Vec<_> = (0..1000).map(|_| FragmentName::new(5, 5, CURRENT_VERSION)).collect();
        assert!(names.windows(2).all(|pair| pair[0] < pair[1]));
        assert_eq!(FragmentName::parse(names[0].as_str()).unwrap(), names[0]);
        assert_eq!(names[0].as_str().len(), "__5_5__22".len() + 32);
    }

    #[test]
    fn windows_contain_or_touch_the_times_of_a_name() {
        for (start, end) in [(3, 3), (3, 5)] {
            let name = FragmentName::new(start, end, CURRENT_VERSION);
            for low in 0..8 {
                for high in low..8 {
                    let count = (start..=end).filter(|time| (low..=high).contains(time)).count() as u64;
                    assert_eq!(
                        name.is_in((low, high), false),
                        count == end - start + 1,
                        "{start} {end} in {low} {high}"
                    );
                    assert_eq!(name.is_in((low, high), true), count > 0, "{start} {end} touches {low} {high}");
                }
            }
        }
    }

    #[test]
    fn there_is_room_if_a_number_is_between_the_neighbours() {
        let name = |unique: u128| Some(FragmentName::parse(&format!("__7_42_{unique:032x}_22")).unwrap());
        let has_room = |after, before| NamePlace { after, before, is_descending: false }.has_room();
        assert_eq!([5, 6, 7].map(|before| has_room(name(5), name(before))), [false, false, true]);
        assert!(
            !has_room(name(7), name(5)) && has_room(None, name(0)) && has_room(name(0), None) && has_room(None, None)
        );
        let unusual = |unique: &str| Some(FragmentName::parse(&format!("__7_42_{unique}_22")).unwrap());
        for unique in ["0123456789ABCDEF0123456789ABCDEF", "01"] {
            assert!(!has_room(name(0), unusual(unique)), "{unique} is no number of the usual form");
        }
    }

    #[test]
    fn thousand_names_placed_one_beside_the_other_leave_room() {
        let name = |unique: u128| FragmentName::parse(&format!("__7_42_{unique:032x}_22")).unwrap();
        for is_descending in [false, true] {
            let mut place =
                NamePlace { after: Some(name(1 << 90)), before: Some(name((1 << 90) + (1 << 80))), is_descending };
            for _ in 0..1000 {
                let next = FragmentName::at_place(7, 42, CURRENT_VERSION, &place).unwrap();
                assert!(place.after.as_ref().is_none_or(|after| *after < next));
                assert!(place.before.as_ref().is_none_or(|before| next < *before));
                *(if is_descending { &mut place.before } else { &mut place.after }) = Some(next);
            }
            assert!(place.has_room());
        }
        let place = NamePlace { after: Some(name(5)), before: Some(name(6)), is_descending: false };
        assert!(!place.has_room());
        assert!(FragmentName::at_place(7, 42, CURRENT_VERSION, &place).is_err());
    }
}
