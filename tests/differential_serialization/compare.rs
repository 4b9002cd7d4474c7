//! Compares the messages that two libraries write, and what each reads from those of the other.

use serde_json::Value;

use crate::normalize::normal;
use support::messages::{CAPNP, JSON, difference, parse};
use support::seeds::phase;
use support::{Ctx, Failure};

/// Serializes something a library has, in a form.
pub type Write<'a> = &'a dyn Fn(&Ctx<'_>, u64) -> Result<Vec<u8>, Failure>;
/// Reads a message of a form, and serializes what was read as JSON.
pub type Again<'a> = &'a dyn Fn(&Ctx<'_>, u64, &[u8]) -> Result<Vec<u8>, Failure>;

/// Two contexts, the first of them ours, and what was compared so far.
pub struct Judge<'a> {
    pub seed: u64,
    pub ours: &'a Ctx<'a>,
    pub reference: &'a Ctx<'a>,
    pub compared: u64,
}

impl Judge<'_> {
    /// The context of a library, which works from now on.
    fn side(&self, is_ours: bool, what: &str) -> &Ctx<'_> {
        phase(self.seed, &format!("{} {what}", if is_ours { "ours" } else { "reference" }));
        if is_ours { self.ours } else { self.reference }
    }

    /// Compares what both write.
    pub fn written(&mut self, what: &str, write: Write<'_>) -> Result<Option<Value>, String> {
        let theirs = write(self.side(false, what), JSON);
        let ours = write(self.side(true, what), JSON);
        self.compared += 1;
        match (ours, theirs) {
            (Ok(ours), Ok(theirs)) => {
                let (ours, theirs) = (normal(parse(&ours)), normal(parse(&theirs)));
                match difference(&ours, &theirs) {
                    None => Ok(Some(theirs)),
                    Some(place) => Err(format!("{what}: ours and the reference write {place}")),
                }
            }
            (Err(_), Err(_)) => Ok(None),
            (ours, theirs) => {
                Err(format!("{what}: ours {}, the reference {}", outcome_text(ours), outcome_text(theirs)))
            }
        }
    }

    /// As [`Judge::written`]; then each library reads what the other wrote, in both forms.
    pub fn exchanged(&mut self, what: &str, write: Write<'_>, again: Again<'_>) -> Result<(), String> {
        let Some(expected) = self.written(what, write)? else { return Ok(()) };
        for from_ours in [true, false] {
            for form in [CAPNP, JSON] {
                let message = write(self.side(from_ours, what), form);
                let message = message.map_err(|why| format!("{what} in form {form}: {why:?}"))?;
                let read = again(self.side(!from_ours, what), form, &message);
                let who = if from_ours { "the reference reads ours" } else { "ours reads the reference" };
                let read = read.map_err(|why| format!("{what} in form {form}: {who}: {why:?}"))?;
                let (mut read, mut expected) = (normal(parse(&read)), expected.clone());
                if from_ours {
                    // It forgets where a schema is from and what end was set, and takes the present for the end that it opened
                    // at.
                    const FORGOTTEN: [&str; 3] = ["uri", "endTimestamp", "openedAtEndTimestamp"];
                    for message in [&mut read, &mut expected].map(Value::as_object_mut).into_iter().flatten() {
                        message.retain(|key, _| !FORGOTTEN.contains(&key.as_str()));
                    }
                }
                if let Some(place) = difference(&read, &expected) {
                    return Err(format!("{what} in form {form}: {who}: {place}"));
                }
                self.compared += 1;
            }
        }
        Ok(())
    }
}

fn outcome_text(outcome: Result<Vec<u8>, Failure>) -> String {
    match outcome {
        Ok(_) => "writes".to_owned(),
        Err(why) => format!("refuses: {}", why.text),
    }
}
