//! Signals that stop a program: Ctrl-C, and those of terminals, service managers and containers.

use std::sync::atomic::{AtomicU8, Ordering};

/// Exit code after a signal, before its number is added: as shells count it.
const SIGNALLED: u8 = 128;
/// Number of SIGINT, as which Ctrl-C is counted on every system.
const INTERRUPT: u8 = 2;

/// The exit code of the signal that stopped the process.
static EXIT_CODE: AtomicU8 = AtomicU8::new(SIGNALLED + INTERRUPT);

/// The exit code after the signal that stopped the process: 128 and its number.
pub(crate) fn exit_code() -> u8 {
    EXIT_CODE.load(Ordering::SeqCst)
}

/// Calls the handler in a thread of its own for each signal that stops a program.
///
/// # Errors
/// If the system refuses a handler or a thread.
#[cfg(unix)]
pub(crate) fn on_stop(handler: impl Fn() + Send + 'static) -> std::io::Result<()> {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
    use signal_hook::iterator::Signals;

    let mut stops = vec![SIGINT, SIGTERM];
    if !is_hangup_ignored() {
        stops.push(SIGHUP);
    }
    let mut signals = Signals::new(stops)?;
    std::thread::Builder::new().name("signals".to_owned()).spawn(move || {
        for signal in signals.forever() {
            EXIT_CODE.store(u8::try_from(signal).map_or(exit_code(), |number| SIGNALLED + number), Ordering::SeqCst);
            handler();
        }
    })?;
    Ok(())
}

/// On other systems than Unix: Ctrl-C, Ctrl-Break, and the end of the console or of the session.
#[cfg(not(unix))]
pub(crate) fn on_stop(handler: impl Fn() + Send + 'static) -> std::io::Result<()> {
    ctrlc::set_handler(handler).map_err(std::io::Error::other)
}

/// Whether the process was started by `nohup`, and is to go on when its terminal is closed. Linux says what is ignored; on other
/// systems a process without any terminal is taken for such a one.
#[cfg(unix)]
fn is_hangup_ignored() -> bool {
    use std::io::IsTerminal;

    match std::fs::read_to_string("/proc/self/status") {
        Ok(status) => ignored_signals(&status).is_some_and(|mask| mask & 1 << (signal_hook::consts::SIGHUP - 1) != 0),
        Err(_) => {
            !(std::io::stdin().is_terminal() || std::io::stdout().is_terminal() || std::io::stderr().is_terminal())
        }
    }
}

/// The mask of ignored signals in `/proc/self/status`.
#[cfg(unix)]
fn ignored_signals(status: &str) -> Option<u64> {
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"))?;
    u64::from_str_radix(mask.trim(), 16).ok()
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn mask_of_ignored_signals_is_hexadecimal() {
        assert_eq!(ignored_signals("Name:\tx\nSigIgn:\t0000000000001001\nSigCgt:\t0\n"), Some(0x1001));
        assert_eq!(ignored_signals("Name:\tx\n"), None);
    }
}
