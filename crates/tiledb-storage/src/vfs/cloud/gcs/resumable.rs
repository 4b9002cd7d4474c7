//! Uploads whose parts go one after the other; where one is cut off the store says how far it got.

use super::super::ask::{Ask, Asked, MOST};
use super::super::store::{Parts, Place};
use super::names::{at, bucket_path};
use crate::http::{Method, RequestError, Response};
use tiledb_core::error::Result;

/// All parts but the last one are a multiple of this.
pub(super) const UNIT: usize = 256 << 10;

/// Pieces that a part may be taken in beyond one for each unit.
const MOST_PIECES: usize = 16;

/// The tag of a part after which the object was there.
const DONE: &str = "done";

/// How far an upload is.
enum State {
    /// So many bytes are there.
    Has(u64),
    /// It is an object now.
    Done,
}

fn state(ask: &Ask<'_>, answer: Response) -> std::result::Result<State, RequestError> {
    let has = answer.header("range").and_then(|range| range.rsplit_once('-')?.1.trim().parse::<u64>().ok());
    let going_on = answer.status == 308;
    answer.bytes(MOST).map_err(|error| ask.passing(error))?;
    // "0-0" is what the emulator says where there is nothing yet; Google's service says nothing then.
    let has = has.filter(|last| *last > 0).map_or(0, |last| last.saturating_add(1));
    Ok(if going_on { State::Has(has) } else { State::Done })
}

fn put<'a>(parts: &Parts<'_>, verb: &str) -> Ask<'a> {
    Ask::new(Method::Put, parts.id.to_owned(), format!("GCS: Cannot {verb} {}", at(parts.place)))
}

/// Begins an upload: the address that its parts go to.
pub(super) fn begin(store: &impl Asked, place: &Place) -> Result<String> {
    let ask = Ask::new(
        Method::Post,
        format!("/upload{}/o", bucket_path(&place.bucket)),
        format!("GCS: Cannot write {}", at(place)),
    );
    let ask = ask.parameter("uploadType", "resumable").parameter("name", &place.key);
    store.ask(&ask, &[], |answer| {
        let address = answer.header("location").map(str::to_owned);
        address.ok_or_else(|| RequestError::Permanent(ask.fault("the answer does not say where parts go")))
    })
}

/// Sends a part, and what is missing of it again where it is cut off.
pub(super) fn send(store: &impl Asked, parts: &Parts<'_>, offset: u64, bytes: &[u8]) -> Result<String> {
    let end = offset + bytes.len() as u64;
    // A part that is no multiple is the last one.
    let whole = if bytes.len().is_multiple_of(UNIT) { "*".to_owned() } else { end.to_string() };
    let (mut from, mut is_known, mut left) = (offset, true, bytes.len() / UNIT + MOST_PIECES);
    store.retries().run(|| {
        loop {
            if !std::mem::replace(&mut is_known, false) {
                match progress(store, parts, &whole)? {
                    State::Done => return Ok(DONE.to_owned()),
                    State::Has(has) => from = has,
                }
            }
            if from == end {
                return Ok(String::new());
            }
            let rest = from.checked_sub(offset).and_then(|sent| bytes.get(usize::try_from(sent).ok()?..));
            let ask = put(parts, "write a part of");
            let Some(rest) = rest else {
                return Err(RequestError::Permanent(ask.fault("the store has lost what was written before")));
            };
            let ask = ask.header("content-range", format!("bytes {from}-{}/{whole}", end - 1)).body(rest);
            match state(&ask, store.ask_once(&ask, &[308])?)? {
                State::Done => return Ok(DONE.to_owned()),
                State::Has(has) if has == end => return Ok(String::new()),
                // What is taken is a multiple of a unit: byte by byte a part would be sent as often as it has bytes.
                State::Has(has) if has > from && has < end && left > 0 => {
                    (from, is_known) = (has, true);
                    left -= 1;
                }
                State::Has(_) => return Err(RequestError::Transient(ask.fault("the store takes no more bytes"))),
            }
        }
    })
}

/// Asks how far an upload is. One of which all bytes are there becomes an object.
fn progress(store: &impl Asked, parts: &Parts<'_>, whole: &str) -> std::result::Result<State, RequestError> {
    let ask = put(parts, "go on with the upload of").header("content-range", format!("bytes */{whole}"));
    state(&ask, store.ask_once(&ask, &[308])?)
}

/// Makes the object, unless the last part did.
pub(super) fn complete(store: &impl Asked, parts: &Parts<'_>, tags: &[String], size: u64) -> Result<()> {
    if tags.last().is_some_and(|tag| tag == DONE) {
        return Ok(());
    }
    store.retries().run(|| match progress(store, parts, &size.to_string())? {
        State::Done => Ok(()),
        State::Has(has) => {
            let ask = put(parts, "complete the upload of");
            Err(RequestError::Transient(ask.fault(format_args!("the store has {has} bytes of {size}"))))
        }
    })
}

/// Gives an upload up.
pub(super) fn give_up(store: &impl Asked, parts: &Parts<'_>) -> Result<()> {
    let what = format!("GCS: Cannot give up the upload of {}", at(parts.place));
    store.tell(&Ask::new(Method::Delete, parts.id.to_owned(), what), &[404, 410, 499]).map(|_| ())
}
