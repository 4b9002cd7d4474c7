//! Where a process can learn who it is: its environment, other programs, and services that answer small questions.

mod environment;
mod process;
mod question;

pub(super) use environment::{home, read_bytes, read_text, variable};
pub(super) use process::{split, told};
pub(super) use question::{Answered, ask, far, is_silent, near, secret};
