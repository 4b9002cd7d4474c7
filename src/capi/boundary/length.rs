//! Lengths that C states in 64 bits, as lengths in memory.

use tiledb_core::error::{Result, bail};

/// The bytes of `count` values of the argument `what`.
///
/// # Errors
/// If they exceed the address space.
pub(super) fn byte_length(what: &str, count: u64, value_bytes: usize) -> Result<usize> {
    let bytes = usize::try_from(count).ok().and_then(|count| count.checked_mul(value_bytes));
    match bytes.filter(|&bytes| isize::try_from(bytes).is_ok()) {
        Some(bytes) => Ok(bytes),
        None => bail!(
            "C API: Argument `{what}` has {count} values of {value_bytes} bytes; the limit is {} bytes in all",
            isize::MAX
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn length_beyond_the_address_space_names_argument_size_and_limit() {
        assert_eq!(byte_length("value", 3, 8).ok(), Some(24));
        assert_eq!(byte_length("value", isize::MAX as u64, 1).ok(), Some(isize::MAX as usize));
        for (count, value_bytes) in [(1 << 63, 1), (1 << 60, 8), (u64::MAX, 8), (u64::MAX, 1)] {
            let text = byte_length("value", count, value_bytes).err().map(|error| error.text().to_owned());
            let expected = format!(
                "C API: Argument `value` has {count} values of {value_bytes} bytes; the limit is {} bytes in all",
                isize::MAX
            );
            assert_eq!(text, Some(expected));
        }
    }
}
