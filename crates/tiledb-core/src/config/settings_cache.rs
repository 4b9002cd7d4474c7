//! What a configuration remembers of parameters that were parsed.

use std::any::Any;
use std::sync::OnceLock;

/// The groups that were parsed already, one after the other; a copy of a configuration, which is made to be changed,
/// begins with none.
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

/// So many groups are kept at most, where the environment changes again and again.
const MOST: usize = 64;

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

    pub(super) fn keep<T: Copy + Send + Sync + 'static>(&self, environment: Option<u64>, settings: T) -> T {
        let (mut place, mut kept) = (self, false);
        for _ in 0..MOST {
            let node = place.0.get_or_init(|| {
                kept = true;
                Box::new(Node { environment, settings: Box::new(settings), next: SettingsCache::default() })
            });
            if kept {
                break;
            }
            place = &node.next;
        }
        settings
    }
}
