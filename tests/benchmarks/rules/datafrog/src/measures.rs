//! Processor time and peak memory of this process, as `contestants.py` measures them.

use std::fs;

#[repr(C)]
struct Time {
    seconds: i64,
    nanoseconds: i64,
}

extern "C" {
    fn clock_gettime(clock: i32, time: *mut Time) -> i32;
}

const PROCESS_CPUTIME: i32 = 2;

/// Processor time of the process so far (Linux on 64 bits).
pub fn processor_seconds() -> f64 {
    let mut time = Time { seconds: 0, nanoseconds: 0 };
    // SAFETY: `Time` has the layout of Linux' `timespec` on 64 bits, and lives longer than the call.
    let failed = unsafe { clock_gettime(PROCESS_CPUTIME, &mut time) };
    assert_eq!(failed, 0, "no clock of the process");
    time.seconds as f64 + time.nanoseconds as f64 / 1e9
}

/// The largest resident memory since the last `forget_peak`, in bytes.
pub fn peak() -> u64 {
    let status = fs::read_to_string("/proc/self/status").expect("/proc/self/status");
    let line = status.lines().find(|line| line.starts_with("VmHWM:")).expect("VmHWM");
    let kibibytes: u64 = line.split_whitespace().nth(1).expect("a number").parse().expect("a number");
    kibibytes * 1024
}

/// Have `peak` begin with what is resident now.
pub fn forget_peak() {
    fs::write("/proc/self/clear_refs", "5").expect("/proc/self/clear_refs");
}
