//! Resident memory of this process, as reported by Linux.

/// Bytes resident now.
pub fn now() -> usize {
    line("VmRSS:")
}

/// The most bytes that were resident since [`reset_peak`].
pub fn peak() -> usize {
    line("VmHWM:")
}

/// Begins to measure the peak anew.
pub fn reset_peak() {
    std::fs::write("/proc/self/clear_refs", "5").unwrap();
}

fn line(name: &str) -> usize {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix(name)).unwrap();
    line.split_whitespace().next().unwrap().parse::<usize>().unwrap() << 10
}
