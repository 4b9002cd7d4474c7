//! Logging of file reads (`vfs.read_logging_mode`).

use std::collections::HashSet;
use std::sync::{Arc, Mutex};

use super::Uri;
use tiledb_core::config::Config;
use tiledb_core::log::{self, Level};

/// Level of detail of the log.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Detail {
    Fragments,
    FragmentFiles,
    AllFiles,
    AllReads,
    AllReadsAlways,
}

/// Logs reads; each distinct line once, unless the mode is `all_reads_always`.
pub(super) struct ReadLog {
    mode: Detail,
    logged: Mutex<HashSet<String>>,
}

impl ReadLog {
    /// The log of a configuration; `None` if it is disabled.
    pub(super) fn new(config: &Config) -> Option<Arc<ReadLog>> {
        let mode = match &*config.str("vfs.read_logging_mode") {
            "" => return None,
            "fragments" => Detail::Fragments,
            "fragment_files" => Detail::FragmentFiles,
            "all_files" => Detail::AllFiles,
            "all_reads" => Detail::AllReads,
            "all_reads_always" => Detail::AllReadsAlways,
            other => {
                log::line(Level::Warn, || {
                    format!(
                        "Invalid read logging mode '{other}'. Use one of 'fragments', 'fragment_files', 'all_files', \
                         'all_reads', or 'all_reads_always'. Read logging is currently disabled."
                    )
                });
                return None;
            }
        };
        Some(Arc::new(ReadLog { mode, logged: Mutex::default() }))
    }

    /// Logs a read.
    pub(super) fn record(&self, uri: &Uri, offset: u64, bytes: usize) {
        if !log::enabled(Level::Info) {
            return;
        }
        // Not the text of the URI: the query of a web address may sign it.
        let uri = &*uri.to_string();
        let fragment = uri.split_once("/__fragments/").and_then(|(_, rest)| rest.split('/').next());
        let text = match (self.mode, fragment) {
            (Detail::Fragments, Some(fragment)) => fragment.to_owned(),
            (Detail::FragmentFiles, Some(_)) | (Detail::AllFiles, _) => uri.to_owned(),
            (Detail::Fragments | Detail::FragmentFiles, None) => return,
            (Detail::AllReads | Detail::AllReadsAlways, _) => format!("{uri}:offset:{offset}:nbytes:{bytes}"),
        };
        let is_new = || self.logged.lock().is_ok_and(|mut logged| logged.insert(text.clone()));
        if self.mode == Detail::AllReadsAlways || is_new() {
            log::line(Level::Info, || format!("VFS Read: {text}"));
        }
    }
}
