//! Writers. Each write has a time of its own.

use std::io::Write;
use std::path::Path;
use std::time::Duration;

use crate::{now, progress};
use support::Api;
use support::writer_rows::{self, Kind, WRITERS};

/// Writers rest between writes, so that the others get their turn.
const REST: Duration = Duration::from_millis(30);

pub fn work(writer: u64, kind: Kind, uri: &str, folder: &Path, end: u64) {
    let api = Api::ours();
    let ctx = api.context(&[("sm.compute_concurrency_level", "1"), ("sm.io_concurrency_level", "1")]);
    let mut notes = std::fs::File::create(progress(folder, writer)).unwrap();
    let (mut number, mut last) = (0, 0);
    while now() < end {
        // Unique among the writers, and ascending.
        let time = (now() / WRITERS * WRITERS + writer).max(last + WRITERS);
        last = time;
        if let Err(failure) = writer_rows::write(&ctx, uri, kind, writer, number, time) {
            println!("wrong {failure:?}");
            break;
        }
        notes.write_all(format!("{time}\n").as_bytes()).unwrap();
        number += 1;
        std::thread::sleep(REST);
    }
    println!("written {number}");
}
