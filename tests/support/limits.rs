//! What test processes may use.

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
