//! Encodings for URLs and HTTP headers: percent-encoding, hexadecimal, base64, digests.

use std::fmt::Write;

use tiledb_core::error::{Error, Result};
use tiledb_core::sort;

/// Percent-encodes everything except letters, digits and `-._~` (RFC 3986, section 2.3), and slashes in a path.
pub fn percent(text: &str, is_path: bool) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => out.push(byte.into()),
            b'/' if is_path => out.push('/'),
            _ => _ = write!(out, "%{byte:02X}"),
        }
    }
    out
}

/// Lower-case hexadecimal digits.
pub fn hex(bytes: &[u8]) -> String {
    let mut out = String::with_capacity(bytes.len() * 2);
    for byte in bytes {
        _ = write!(out, "{byte:02x}");
    }
    out
}

/// Base64 in one line.
pub fn base64(bytes: &[u8]) -> String {
    openssl::base64::encode_block(bytes)
}

/// The MD5 of some bytes.
///
/// # Errors
/// If OpenSSL fails.
pub fn md5(bytes: &[u8]) -> Result<Vec<u8>> {
    let digest = openssl::hash::hash(openssl::hash::MessageDigest::md5(), bytes);
    Ok(digest.map_err(|error| Error::internal(format!("OpenSSL cannot digest: {error}")))?.to_vec())
}

/// `name=value&...` with both encoded, in the order of the names, as signatures require it.
pub fn query(parameters: &[(&str, &str)]) -> String {
    let mut pairs: Vec<String> = parameters
        .iter()
        .map(|(name, value)| [percent(name, false), "=".to_owned(), percent(value, false)].concat())
        .collect();
    sort::by(&mut pairs, Ord::cmp);
    pairs.join("&")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_encoded() {
        assert_eq!(percent("a/b c+é~", true), "a/b%20c%2B%C3%A9~");
        assert_eq!(percent("a/b", false), "a%2Fb");
        assert_eq!(hex(&[0, 0xab]), "00ab");
        assert_eq!(base64(b"ab"), "YWI=");
        assert_eq!(
            query(&[("prefix", "a b/"), ("list-type", "2"), ("delete", "")]),
            "delete=&list-type=2&prefix=a%20b%2F"
        );
    }
}
