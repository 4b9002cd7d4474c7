//! The first bytes of a string as a number, which decides most comparisons of strings.

/// The first eight bytes of a string, most significant first; missing ones count as 0. Strings with different heads compare as
/// their heads do; those with equal heads may differ. `bytes` begin with the string, which has `len` bytes: what follows
/// is ignored, but spares a short string the loop over its bytes.
#[inline]
pub(crate) fn text_head(bytes: &[u8], len: usize) -> u64 {
    let head = match bytes.first_chunk() {
        Some(first) => u64::from_be_bytes(*first),
        None => bytes.iter().zip((0..8).rev()).fold(0, |head, (byte, place)| head | u64::from(*byte) << (8 * place)),
    };
    if len < 8 { head & !(u64::MAX >> (8 * len)) } else { head }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn heads_compare_as_strings_do(
            a in prop::collection::vec(prop::sample::select(vec![0, 1, b'a', 0xff]), 0..11),
            b in prop::collection::vec(prop::sample::select(vec![0, 1, b'a', 0xff]), 0..11),
        ) {
            let [head_a, head_b] = [&a, &b].map(|text| text_head(text, text.len()));
            prop_assert!(head_a == head_b || head_a.cmp(&head_b) == a.cmp(&b));
            prop_assert_eq!(text_head(&[&a[..], &b].concat(), a.len()), head_a);
        }
    }
}
