//! Resource limits of test processes.

/// Lets this process allocate so many bytes more than it has; an allocation past them fails.
pub fn limit_memory(more: u64) {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with("VmData:")).unwrap();
    let now: u64 = line.split_whitespace().nth(1).unwrap().parse::<u64>().unwrap() << 10;
    let limit = libc::rlimit { rlim_cur: now + more, rlim_max: now + more };
    assert_eq!(unsafe { libc::setrlimit(libc::RLIMIT_DATA, &limit) }, 0);
}

/// Ends this process after so many seconds.
pub fn limit_time(seconds: u32) {
    unsafe { libc::alarm(seconds) };
}

/// Lets this process map so many bytes more than it has; gives the limit of before.
pub fn limit_address_space(more: u64) -> u64 {
    let statm = std::fs::read_to_string("/proc/self/statm").unwrap();
    let pages: u64 = statm.split_whitespace().next().unwrap().parse().unwrap();
    drop(statm);
    let page = u64::try_from(unsafe { libc::sysconf(libc::_SC_PAGESIZE) }).unwrap();
    set_address_space(pages * page + more)
}

/// Sets how many bytes this process may map; gives the limit of before.
pub fn set_address_space(bytes: u64) -> u64 {
    let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    assert_eq!(unsafe { libc::getrlimit(libc::RLIMIT_AS, &raw mut limit) }, 0);
    let before = std::mem::replace(&mut limit.rlim_cur, bytes);
    assert_eq!(unsafe { libc::setrlimit(libc::RLIMIT_AS, &raw const limit) }, 0);
    before
}

/// As long as it lives, memory that nobody has set holds noise.
pub struct Noise;

impl Noise {
    pub fn enable() -> Noise {
        perturb(0x5a);
        Noise
    }
}

impl Drop for Noise {
    fn drop(&mut self) {
        perturb(0);
    }
}

#[cfg(target_env = "gnu")]
fn perturb(byte: libc::c_int) {
    assert_eq!(unsafe { libc::mallopt(libc::M_PERTURB, byte) }, 1);
}

/// Other C libraries cannot set it.
#[cfg(not(target_env = "gnu"))]
fn perturb(_: libc::c_int) {}
