//! Injected faults and their expected outcomes.

use std::path::{Path, PathBuf};

use libc::{EACCES, EINTR, EIO, EMFILE, ENFILE, ENOMEM, ENOSPC};

use support::trace::{Act, Call, Kind};

/// Who looks for a file of this name is through with the operation.
pub const OVER: &str = "it_is_over";

/// One fault of one call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// The call gives an error.
    Error(i32),
    /// Half of it is done.
    Half,
    /// Half of it is done, and the next such call gives an error.
    HalfThen(i32),
    /// It is done, and gives an error.
    DoneBut(i32),
    /// From here on all calls that can give this error do.
    Onwards(i32),
}

/// The errors that a call can give.
fn errors(kind: Kind) -> &'static [i32] {
    match kind {
        Kind::Open { creates: false } => &[EIO, EACCES, EMFILE, ENFILE, EINTR],
        Kind::Open { creates: true } => &[EIO, ENOSPC, EACCES, EMFILE, ENFILE, EINTR],
        Kind::Read | Kind::ReadMany => &[EIO, EINTR],
        Kind::Write | Kind::WriteMany | Kind::Resize | Kind::Sync => &[EIO, ENOSPC, EINTR],
        Kind::Copy => &[EIO, ENOSPC],
        Kind::List | Kind::Stat => &[EIO],
        Kind::Map => &[ENOMEM],
        Kind::Close => &[],
        Kind::MakeDir | Kind::Link | Kind::Rename => &[EIO, ENOSPC, EACCES],
        Kind::Remove => &[EIO, EACCES],
    }
}

/// The faults that a call can have.
pub fn faults(call: &Call) -> Vec<Fault> {
    let errors = errors(call.kind).iter();
    let lasting = errors.clone().filter(|&&error| matches!(error, EIO | EMFILE | ENOSPC));
    let mut faults: Vec<Fault> = errors.map(|&error| Fault::Error(error)).collect();
    faults.extend(lasting.map(|&error| Fault::Onwards(error)));
    if call.can_be_halved() {
        faults.push(Fault::Half);
    }
    match call.kind {
        Kind::Write if call.can_be_halved() => faults.extend([ENOSPC, EIO].map(Fault::HalfThen)),
        // The system closes a file also where that gives an error.
        Kind::Close => faults.extend([EIO, EINTR].map(Fault::DoneBut)),
        _ => {}
    }
    faults
}

impl Fault {
    /// True for what is no failure: the rest has only to be done.
    pub fn must_be_borne(self) -> bool {
        matches!(self, Fault::Half | Fault::Error(libc::EINTR) | Fault::DoneBut(libc::EINTR))
    }

    /// The cause in the system's words.
    pub fn cause(self) -> String {
        let (Fault::Error(error) | Fault::HalfThen(error) | Fault::DoneBut(error) | Fault::Onwards(error)) = self
        else {
            return String::new();
        };
        let text = std::io::Error::from_raw_os_error(error).to_string();
        text.split(" (os error").next().unwrap().to_owned()
    }
}

/// Lets the call of a number have a fault.
pub struct Injector {
    pub call: usize,
    pub fault: Fault,
    calls: usize,
    /// The calls that met the fault.
    pub met: Vec<(Kind, PathBuf)>,
    /// A call was done by half, whose rest is to fail.
    waiting: bool,
}

impl Injector {
    pub fn new(call: usize, fault: Fault) -> Injector {
        Injector { call, fault, calls: 0, met: Vec::new(), waiting: false }
    }

    pub fn watch(&mut self, call: &Call) -> Act {
        if call.path.ends_with(OVER) {
            return Act::Leave;
        }
        if let Some((_, path)) = self.met.first() {
            return match self.fault {
                Fault::Onwards(error) if errors(call.kind).contains(&error) => {
                    self.met.push((call.kind, call.path.clone()));
                    Act::Refuse(error)
                }
                Fault::HalfThen(error) if self.waiting && call.kind == Kind::Write && call.path == *path => {
                    self.waiting = false;
                    Act::Refuse(error)
                }
                _ => Act::Go,
            };
        }
        self.calls += 1;
        // With several threads it may be another call this time: the next one that can have the fault has it.
        if self.calls <= self.call || !faults(call).contains(&self.fault) {
            return Act::Go;
        }
        self.met.push((call.kind, call.path.clone()));
        match self.fault {
            Fault::Error(error) | Fault::Onwards(error) => Act::Refuse(error),
            Fault::DoneBut(error) => Act::DoneBut(error),
            Fault::Half => Act::Half,
            Fault::HalfThen(_) => {
                self.waiting = true;
                Act::Half
            }
        }
    }

    /// True if an error names where the fault was: the file, also without what follows the first dot of its name, which
    /// a file has that is to replace it, or a folder that it lies in.
    pub fn is_named_in(&self, text: &str, folder: &Path) -> bool {
        self.met.iter().any(|(_, path)| {
            let inside = path.ancestors().take_while(|path| *path != folder);
            let stem = path.file_name().and_then(|name| name.to_str()?.split('.').next());
            let file = stem.filter(|stem| !stem.is_empty()).map(|stem| path.with_file_name(stem));
            let names = |path: &Path| text.contains(&*path.to_string_lossy());
            inside.chain((path == folder).then_some(folder)).any(names)
                || path != folder && file.is_some_and(|file| names(&file))
        })
    }
}
