//! Handlers of `fork`.
#![expect(unsafe_code, reason = "functions that the C library calls")]

/// Calls `before` in the forking thread before each fork, `after` in the parent and `in_child` in the child.
pub fn register(before: extern "C" fn(), after: extern "C" fn(), in_child: extern "C" fn()) {
    // Nothing forks in Miri, which has no such handlers.
    if cfg!(miri) {
        return;
    }
    // SAFETY: functions of this library, which stays mapped once it is loaded. Without memory for them, `fork` calls
    // none of the three.
    unsafe { libc::pthread_atfork(Some(before), Some(after), Some(in_child)) };
}
