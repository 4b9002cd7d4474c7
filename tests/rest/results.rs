//! Invalid results of a server are rejected.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::faults::{client, tables};
use super::session::{Session, UNORDERED};
use support::Api;
use support::servers::http::{Reply, Server};

/// Bytes of the texts of three cells, of 2, 3 and 5 letters, which end a reply; their offsets stand in front.
const TEXTS: usize = 10;

/// What is done to the end of a reply.
type Spoil = fn(&mut Vec<u8>);

fn word(body: &mut [u8], index: usize, value: u64) {
    let at = body.len() - TEXTS - 24 + 8 * index;
    body[at..at + 8].copy_from_slice(&value.to_le_bytes());
}

const SPOILS: [(&str, Spoil); 7] = [
    ("sound", |_| {}),
    ("begins late", |body| word(body, 0, 1)),
    ("descends", |body| word(body, 2, 1)),
    ("beyond the values", |body| word(body, 2, 11)),
    ("far beyond", |body| word(body, 1, u64::MAX)),
    ("beyond, then back", |body| word(body, 1, 9)),
    ("cut", |body| {
        body.truncate(body.len() - 1);
        let length = body.len() as u64 - 8;
        body[..8].copy_from_slice(&length.to_le_bytes());
    }),
];

#[test]
fn descending_or_outlying_offsets_are_errors() {
    let (tables, _folder) = tables();
    let chosen = Arc::new(AtomicUsize::new(0));
    let which = chosen.clone();
    let server = Server::start(move |_, request| {
        let mut reply: Reply = tables.answer(request);
        if request.target.contains("submit?type=READ") {
            SPOILS[which.load(Ordering::SeqCst)].1(&mut reply.body);
        }
        Some(reply)
    });
    let api = Api::ours();
    let ctx = client(&api, &server.address, &[("rest.retry_count", "0")]);
    let session = Session(&ctx);
    session.create("s", true).unwrap();
    session.write_sparse("s", &[2, 3, 5], UNORDERED).unwrap();
    for (index, (name, _)) in SPOILS.iter().enumerate() {
        chosen.store(index, Ordering::SeqCst);
        match (index, session.read("s", None, 4096)) {
            (0, result) => assert_eq!(result.unwrap(), "2\"zz\" 3\"zzz\" 5\"zzzzz\" "),
            (_, Ok(result)) => panic!("{name}: {result}"),
            (_, Err(failure)) => assert!(failure.text.contains("'s'"), "{name}: {}", failure.text),
        }
    }
}
