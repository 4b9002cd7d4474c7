//! Runs a program and kills it at one of its calls that change files.
#![allow(
    unsafe_code,
    clippy::undocumented_unsafe_blocks,
    reason = "processes are traced and killed by plain system calls"
)]

use std::collections::HashSet;
use std::io::Read;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::ptr;

/// Where to kill: at the call of this number, from 0, before it is done; or, of a write, when half of it is done.
#[derive(Clone, Copy, Debug)]
pub struct Point {
    pub call: usize,
    pub half: bool,
}

/// How a run went.
pub struct Run {
    /// Which of the calls that changed files were writes, that can be done by half.
    pub writes: Vec<bool>,
    pub was_killed: bool,
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
/// Where the third argument of a call, the length of a write, lies among the registers of a stopped thread.
#[cfg(target_arch = "x86_64")]
const LENGTH: Option<u64> = Some(12 * 8);
#[cfg(not(target_arch = "x86_64"))]
const LENGTH: Option<u64> = None;

fn ptrace(request: libc::c_uint, thread: i32, address: u64, data: u64) -> Result<i64, String> {
    match unsafe { libc::ptrace(request, thread, address, data) } {
        -1 => Err(format!("ptrace {request}: {}", std::io::Error::last_os_error())),
        value => Ok(value),
    }
}

/// Runs a program that changes files below a folder.
pub fn run(program: &mut Command, folder: &Path, point: Option<Point>) -> Result<Run, String> {
    let traced = || match unsafe { libc::ptrace(libc::PTRACE_TRACEME, 0, 0, 0) } {
        -1 => Err(std::io::Error::last_os_error()),
        _ => Ok(()),
    };
    unsafe { program.pre_exec(traced) };
    program.stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = program.spawn().map_err(|error| error.to_string())?;
    let main = child.id() as i32;
    let mut tracer = Tracer { main, folder, point, writes: Vec::new(), halved: HashSet::new(), was_killed: false };
    tracer.follow()?;
    let mut output = String::new();
    child.stdout.take().unwrap().read_to_string(&mut output).map_err(|error| error.to_string())?;
    Ok(Run { writes: tracer.writes, was_killed: tracer.was_killed, output })
}

struct Tracer<'a> {
    main: i32,
    folder: &'a Path,
    point: Option<Point>,
    writes: Vec<bool>,
    /// Threads in a write that was cut to half, after which the program is killed.
    halved: HashSet<i32>,
    was_killed: bool,
}

impl Tracer<'_> {
    /// Goes from stop to stop until the program has ended.
    fn follow(&mut self) -> Result<(), String> {
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
                    return Ok(());
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
            // A thread that was killed meanwhile cannot go on.
            let _ = ptrace(libc::PTRACE_SYSCALL, thread, 0, signal as u64);
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
            if self.halved.contains(&thread) {
                self.kill();
            }
            return Ok(());
        }
        let Some(is_write) = self.changes_files(thread, &info) else { return Ok(()) };
        let length = info.arguments[2];
        self.writes.push(is_write && length > 1 && LENGTH.is_some());
        let Some(point) = self.point.filter(|point| point.call + 1 == self.writes.len()) else { return Ok(()) };
        match LENGTH.filter(|_| point.half && is_write) {
            Some(register) => {
                ptrace(libc::PTRACE_POKEUSER, thread, register, length / 2)?;
                self.halved.insert(thread);
            }
            None => self.kill(),
        }
        Ok(())
    }

    fn kill(&mut self) {
        self.was_killed = true;
        unsafe { libc::kill(self.main, libc::SIGKILL) };
    }

    /// Whether a call changes files, and whether it is a write.
    fn changes_files(&self, thread: i32, info: &Info) -> Option<bool> {
        let (number, [first, _, third, ..]) = (info.number as libc::c_long, info.arguments);
        let creates =
            |flags: u64| flags as i32 & (libc::O_CREAT | libc::O_TRUNC | (libc::O_TMPFILE & !libc::O_DIRECTORY)) != 0;
        match number {
            libc::SYS_write | libc::SYS_pwrite64 => self.is_inside(thread, first).then_some(true),
            libc::SYS_writev | libc::SYS_pwritev | libc::SYS_pwritev2 | libc::SYS_copy_file_range => {
                self.is_inside(thread, first).then_some(false)
            }
            libc::SYS_ftruncate | libc::SYS_fallocate => self.is_inside(thread, first).then_some(false),
            libc::SYS_openat => creates(third).then_some(false),
            libc::SYS_renameat2 | libc::SYS_unlinkat | libc::SYS_mkdirat | libc::SYS_linkat | libc::SYS_symlinkat => {
                Some(false)
            }
            #[cfg(target_arch = "x86_64")]
            libc::SYS_open => creates(info.arguments[1]).then_some(false),
            #[cfg(target_arch = "x86_64")]
            libc::SYS_rename | libc::SYS_unlink | libc::SYS_rmdir | libc::SYS_mkdir | libc::SYS_link => Some(false),
            libc::SYS_renameat | libc::SYS_truncate => Some(false),
            _ => None,
        }
    }

    /// True for a descriptor of a file below the folder.
    fn is_inside(&self, thread: i32, descriptor: u64) -> bool {
        let link = std::fs::read_link(format!("/proc/{thread}/fd/{descriptor}"));
        link.is_ok_and(|path| path.starts_with(self.folder))
    }
}
