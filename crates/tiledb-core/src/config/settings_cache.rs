//! Cache of parsed groups of parameters, one per configuration.

use std::any::Any;
use std::sync::OnceLock;

/// Parsed groups, as a linked list. A copy of a configuration starts with an empty cache, since copies are made to be
/// changed.
#[derive(Default)]
pub(super) struct SettingsCache(OnceLock<Box<Node>>);

impl Clone for SettingsCache {
    fn clone(&self) -> SettingsCache {
        SettingsCache::default()
    }
}

struct Node {
    environment: Option<u64>,
    settings: Box<dyn Any + Send + Sync>,
    next: SettingsCache,
}

/// Maximum number of cached groups; reached only if the environment keeps changing.
const MAX_GROUPS: usize = 64;

impl SettingsCache {
    pub(super) fn get<T: Copy + Send + Sync + 'static>(&self, environment: Option<u64>) -> Option<T> {
        let mut place = self;
        while let Some(node) = place.0.get() {
            if let Some(settings) = node.settings.downcast_ref::<T>()
                && node.environment == environment
            {
                return Some(*settings);
            }
            place = &node.next;
        }
        None
    }

    pub(super) fn insert<T: Copy + Send + Sync + 'static>(&self, environment: Option<u64>, settings: T) -> T {
        let (mut place, mut inserted) = (self, false);
        for _ in 0..MAX_GROUPS {
            let node = place.0.get_or_init(|| {
                inserted = true;
                Box::new(Node { environment, settings: Box::new(settings), next: SettingsCache::default() })
            });
            if inserted {
                break;
            }
            place = &node.next;
        }
        settings
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn length(cache: &SettingsCache) -> usize {
        let (mut place, mut length) = (cache, 0);
        while let Some(node) = place.0.get() {
            (place, length) = (&node.next, length + 1);
        }
        length
    }

    #[test]
    fn groups_are_served_for_their_type_and_environment() {
        let cache = SettingsCache::default();
        assert_eq!(cache.get::<u32>(None), None);
        assert_eq!(cache.insert(None, 1u32), 1);
        assert_eq!(cache.insert(Some(5), 2u32), 2);
        assert_eq!(cache.insert(Some(5), 3u64), 3);
        assert_eq!([None, Some(5), Some(6)].map(|environment| cache.get::<u32>(environment)), [Some(1), Some(2), None]);
        assert_eq!([None, Some(5)].map(|environment| cache.get::<u64>(environment)), [None, Some(3)]);
        assert_eq!(cache.clone().get::<u32>(None), None, "copies are made to be changed");
    }

    #[test]
    fn number_of_groups_is_limited() {
        let cache = SettingsCache::default();
        for environment in 0..2 * MAX_GROUPS as u64 {
            assert_eq!(cache.insert(Some(environment), environment), environment, "cached or not");
        }
        assert_eq!(length(&cache), MAX_GROUPS);
        let last = MAX_GROUPS as u64 - 1;
        assert_eq!([last, last + 1].map(|environment| cache.get(Some(environment))), [Some(last), None]);
    }
}
