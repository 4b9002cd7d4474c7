//! Threads: parallel loops on a process-wide pool, cancellation, and pooled scratch memory.
//!
//! No thread is started before there is work, and everything is fork-safe (`fork`).

mod cancel;
mod chunk_cache;
mod chunk_shard;
mod helpers;
mod operations;
mod ordered;
mod parallel;
mod progress;
mod scratch;
mod workers;

pub use cancel::CancelToken;
pub use chunk_cache::{ChunkCache, ChunkOwner};
pub use chunk_shard::{ChunkKey, GROUP};
pub use helpers::run_with_helpers;
pub use operations::{Operations, RunningOperation};
pub use parallel::Pools;
pub use progress::{ProgressCounter, ProgressMonitor};
pub use scratch::{Scratch, scratch, scratch_for_cache, scratch_size, set_retained_limit, trim_memory};
