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
