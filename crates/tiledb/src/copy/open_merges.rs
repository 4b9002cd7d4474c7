//! Detects consolidations between the commit of their result and the vacuum file that hides their sources.

use std::collections::{BTreeMap, BTreeSet};

/// First and last time of a fragment.
type Times = (u64, u64);

/// Fragments and vacuum files of an array.
#[derive(Default)]
struct ArrayFragments<'a> {
    fragments: BTreeSet<(Times, &'a str)>,
    vacuums: BTreeSet<Times>,
}

/// True if one of the files is of a fragment that may be the result of a consolidation whose sources are not hidden: others
/// lie within its times, and there is no vacuum file with these.
pub(super) fn has_open_merge<'a>(names: impl Iterator<Item = &'a str>) -> bool {
    let mut arrays: BTreeMap<&str, ArrayFragments<'a>> = BTreeMap::new();
    for name in names {
        let mut start = 0;
        for part in name.split('/') {
            let root = name[..start].trim_end_matches('/');
            let root = root.strip_suffix("__commits").or_else(|| root.strip_suffix("__fragments")).unwrap_or(root);
            let is_last = start + part.len() == name.len();
            let stem = part.strip_suffix(".vac");
            if let Some(times) = times(stem.unwrap_or(part)) {
                let array = arrays.entry(root.trim_end_matches('/')).or_default();
                match (stem, is_last) {
                    (Some(_), _) => _ = array.vacuums.insert(times),
                    (None, false) => _ = array.fragments.insert((times, part)),
                    (None, true) => (),
                }
            }
            start += part.len() + 1;
        }
    }
    arrays.values().any(ArrayFragments::has_open_merge)
}

impl ArrayFragments<'_> {
    fn has_open_merge(&self) -> bool {
        self.fragments.iter().any(|&(times, name)| {
            let others = self.fragments.range(((times.0, 0), "")..).take_while(|((start, _), _)| *start <= times.1);
            let is_inside = |other: &&(Times, &str)| other.0.1 <= times.1 && other.1 != name;
            !self.vacuums.contains(&times) && others.into_iter().any(|other| is_inside(&other))
        })
    }
}

/// The times of a fragment name, `__t1_t2_uuid` with or without a version.
fn times(name: &str) -> Option<Times> {
    let mut parts = name.strip_prefix("__")?.split('_');
    let (start, end) = (parts.next()?.parse().ok()?, parts.next()?.parse().ok()?);
    let is_unique = parts.next()?.len() == 32;
    is_unique.then_some((start, end))
}

#[cfg(test)]
mod tests {
    use super::*;

    const UNIQUE: &str = "0123456789abcdef0123456789abcdef";

    fn of(array: &str, fragments: &[Times], vacuums: &[Times]) -> Vec<String> {
        let fragment = |(at, (start, end)): (usize, &Times)| {
            format!("{array}__fragments/__{start}_{end}_{}{at}_22/a0.tdb", &UNIQUE[1..])
        };
        let vacuum = |(start, end): &Times| format!("{array}__commits/__{start}_{end}_{UNIQUE}_22.vac");
        fragments.iter().enumerate().map(fragment).chain(vacuums.iter().map(vacuum)).collect()
    }

    fn is_open(names: &[Vec<String>]) -> bool {
        has_open_merge(names.iter().flatten().map(String::as_str))
    }

    #[test]
    fn merged_fragment_beside_its_sources_needs_a_vacuum_file() {
        for array in ["", "group/array/", "__labels/l0/"] {
            let of = |fragments: &[Times], vacuums: &[Times]| of(array, fragments, vacuums);
            assert!(!is_open(&[of(&[(1, 1), (2, 2), (3, 3)], &[])]));
            assert!(is_open(&[of(&[(1, 1), (2, 2), (1, 2)], &[])]));
            assert!(!is_open(&[of(&[(1, 1), (2, 2), (1, 2)], &[(1, 2)])]));
            assert!(!is_open(&[of(&[(1, 2), (3, 3)], &[])]));
            assert!(is_open(&[of(&[(1, 5), (2, 3)], &[(2, 3)])]));
            assert!(!is_open(&[of(&[(1, 5), (2, 6)], &[])]));
            assert!(is_open(&[of(&[(5, 5), (5, 5)], &[])]));
        }
        assert!(!is_open(&[of("a/", &[(1, 2)], &[]), of("b/", &[(1, 1), (2, 2)], &[])]));
        let old = [format!("__1_1_{UNIQUE}/a.tdb"), format!("__1_4_{UNIQUE}/a.tdb"), format!("__1_4_{UNIQUE}.ok")];
        assert!(is_open(&[old.to_vec()]));
        assert!(!is_open(&[old.to_vec(), vec![format!("__1_4_{UNIQUE}.vac")]]));
    }
}
