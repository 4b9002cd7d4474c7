//! Runs a program and traces its file-system calls: each can be executed, truncated, rejected, or the program is killed
//! at it.

mod calls;

use std::collections::HashMap;
use std::io::Read;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};
use std::ptr;

pub use calls::{Call, Kind};

/// What is done with a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Act {
    Go,
    /// The program is killed before the call is done.
    Kill,
    /// Of a read or write only half is done, then the program is killed.
    HalfThenKill,
    /// Of a read or write only half is done.
    Half,
    /// The call is not done and gives this error.
    Refuse(i32),
    /// The call is done and gives this error.
    DoneBut(i32),
    /// The program is watched no more.
    Leave,
}

/// How a run went.
pub struct Run {
    pub was_killed: bool,
    pub status: ExitStatus,
    /// What it printed.
    pub output: String,
}

/// What `PTRACE_GET_SYSCALL_INFO` tells at the entry of a call.
#[repr(C)]
#[derive(Default)]
struct Info {
    op: u8,
    pad: [u8; 3],
    arch: u32,
    instruction: u64,
    stack: u64,
    number: u64,
    arguments: [u64; 6],
}

const ENTRY: u8 = 1;
const GET_SYSCALL_INFO: libc::c_uint = 0x420e;

/// Where the registers of a stopped thread lie: the number of the call, its third argument (the length of a read or
/// write), its result.
#[cfg(target_arch = "x86_64")]
const REGISTERS: Option<[u64; 3]> = Some([15 * 8, 12 * 8, 10 * 8]);
#[cfg(not(target_arch = "x86_64"))]
const REGISTERS: Option<[u64; 3]> = None;

/// True where calls can be changed, and not only be stopped at.
pub fn changes_calls() -> bool {
    REGISTERS.is_some()
}

fn ptrace(request: libc::c_uint, thread: i32, address: u64, data: u64) -> Result<i64, String> {
    match unsafe { libc::ptrace(request, thread, address, data) } {
        -1 => Err(format!("ptrace {request}: {}", std::io::Error::last_os_error())),
        value => Ok(value),
    }
}

/// Runs a program; `watch` decides on each of its calls that concern files below a folder.
pub fn run(program: &mut Command, folder: &Path, watch: &mut dyn FnMut(&Call) -> Act) -> Result<Run, String> {
    let traced = || match unsafe { libc::ptrace(libc::PTRACE_TRACEME, 0, 0, 0) } {
        -1 => Err(std::io::Error::last_os_error()),
        _ => Ok(()),
    };
    unsafe { program.pre_exec(traced) };
    program.stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = program.spawn().map_err(|error| error.to_string())?;
    let main = child.id() as i32;
    let mut tracer = Tracer { main, folder, watch, pending: HashMap::new(), was_killed: false, leaves: false };
    let status = tracer.follow()?;
    let was_killed = tracer.was_killed;
    let mut output = String::new();
    child.stdout.take().unwrap().read_to_string(&mut output).map_err(|error| error.to_string())?;
    Ok(Run { was_killed, status, output })
}

struct Tracer<'a> {
    main: i32,
    folder: &'a Path,
    watch: &'a mut dyn FnMut(&Call) -> Act,
    /// What is due when a thread's call has ended.
    pending: HashMap<i32, Act>,
    was_killed: bool,
    /// Calls are stopped at no more.
    leaves: bool,
}

impl Tracer<'_> {
    /// Goes from stop to stop until the program has ended.
    fn follow(&mut self) -> Result<ExitStatus, String> {
        let options = libc::PTRACE_O_TRACESYSGOOD | libc::PTRACE_O_TRACECLONE | libc::PTRACE_O_EXITKILL;
        let mut status = 0;
        if unsafe { libc::waitpid(self.main, &mut status, 0) } != self.main || !libc::WIFSTOPPED(status) {
            return Err("the program did not begin".to_owned());
        }
        ptrace(libc::PTRACE_SETOPTIONS, self.main, 0, options as u64)?;
        ptrace(libc::PTRACE_SYSCALL, self.main, 0, 0)?;
        loop {
            let thread = unsafe { libc::waitpid(-1, &mut status, libc::__WALL | libc::__WNOTHREAD) };
            if thread == -1 {
                return Err(std::io::Error::last_os_error().to_string());
            }
            if !libc::WIFSTOPPED(status) {
                if thread == self.main {
                    return Ok(ExitStatus::from_raw(status));
                }
                continue;
            }
            let signal = match libc::WSTOPSIG(status) {
                stop if stop == libc::SIGTRAP | 0x80 => {
                    self.at_call(thread)?;
                    0
                }
                libc::SIGTRAP | libc::SIGSTOP => 0,
                signal => signal,
            };
            let go = if self.leaves { libc::PTRACE_CONT } else { libc::PTRACE_SYSCALL };
            // A thread that was killed meanwhile cannot go on.
            let _ = ptrace(go, thread, 0, signal as u64);
        }
    }

    fn at_call(&mut self, thread: i32) -> Result<(), String> {
        if self.was_killed {
            return Ok(());
        }
        let mut info = Info::default();
        if ptrace(GET_SYSCALL_INFO, thread, size_of::<Info>() as u64, ptr::from_mut(&mut info) as u64).is_err() {
            return Ok(());
        }
        if info.op != ENTRY {
            return match self.pending.remove(&thread) {
                Some(act) => self.after(thread, act),
                None => Ok(()),
            };
        }
        let Some(call) = Call::of(thread, info.number, info.arguments, self.folder) else { return Ok(()) };
        let act = (self.watch)(&call);
        match act {
            Act::Go => {}
            Act::Kill => self.kill(),
            Act::Half | Act::HalfThenKill => {
                set(thread, 1, call.length / 2)?;
                self.pending.insert(thread, act);
            }
            Act::Leave => self.leaves = true,
            Act::Refuse(_) => {
                set(thread, 0, u64::MAX)?;
                self.pending.insert(thread, act);
            }
            Act::DoneBut(_) => drop(self.pending.insert(thread, act)),
        }
        Ok(())
    }

    /// At the end of a call.
    fn after(&mut self, thread: i32, act: Act) -> Result<(), String> {
        match act {
            Act::Refuse(error) | Act::DoneBut(error) => set(thread, 2, -i64::from(error) as u64),
            Act::HalfThenKill => {
                self.kill();
                Ok(())
            }
            Act::Go | Act::Kill | Act::Half | Act::Leave => Ok(()),
        }
    }

    fn kill(&mut self) {
        self.was_killed = true;
        unsafe { libc::kill(self.main, libc::SIGKILL) };
    }
}

/// Changes a register of a stopped thread.
fn set(thread: i32, register: usize, value: u64) -> Result<(), String> {
    let registers = REGISTERS.ok_or("calls cannot be changed on this machine")?;
    ptrace(libc::PTRACE_POKEUSER, thread, registers[register], value).map(drop)
}
