//! Request signatures by the account key (Azure "Shared Key" authorization).

use openssl::hash::MessageDigest;
use openssl::pkey::PKey;
use openssl::sign::Signer;

use crate::http::encode::base64;
use tiledb_core::error::{Error, Result};
use tiledb_core::sort;

/// Headers whose values are signed each on a line of its own, in this order.
const SIGNED: [&str; 11] = [
    "content-encoding",
    "content-language",
    "content-length",
    "content-md5",
    "content-type",
    "date",
    "if-modified-since",
    "if-match",
    "if-none-match",
    "if-unmodified-since",
    "range",
];

/// The signed parts of a request (Shared Key).
pub(super) struct SharedKeyInput<'a> {
    pub(super) method: &'a str,
    /// The path within the host, encoded.
    pub(super) path: &'a str,
    pub(super) parameters: &'a [(&'a str, &'a str)],
    /// Names in lower case, including `content-length` if the request has a body.
    pub(super) headers: &'a [(&'a str, &'a str)],
}

impl SharedKeyInput<'_> {
    /// The text that is signed.
    fn text(&self, account: &str) -> String {
        let value = |name: &str| self.headers.iter().find(|(other, _)| *other == name).map_or("", |(_, value)| *value);
        let mut lines = vec![self.method.to_owned()];
        lines.extend(SIGNED.map(|name| value(name).to_owned()));
        let mut own: Vec<String> =
            self.headers.iter().filter(|(name, _)| name.starts_with("x-ms-")).map(line).collect();
        sort::by(&mut own, Ord::cmp);
        lines.append(&mut own);
        lines.push(format!("/{account}{}", self.path));
        let mut parameters: Vec<String> = self.parameters.iter().map(line).collect();
        sort::by(&mut parameters, Ord::cmp);
        lines.append(&mut parameters);
        lines.join("\n")
    }

    /// The value of the header `authorization`.
    ///
    /// # Errors
    /// If OpenSSL fails.
    pub(super) fn authorization(&self, account: &str, key: &[u8]) -> Result<String> {
        let signature = base64(&hmac(key, self.text(account).as_bytes())?);
        Ok(format!("SharedKey {account}:{signature}"))
    }
}

fn line((name, value): &(&str, &str)) -> String {
    [*name, ":", value].concat()
}

fn hmac(key: &[u8], text: &[u8]) -> Result<Vec<u8>> {
    let failed = |error: openssl::error::ErrorStack| Error::internal(format!("OpenSSL cannot sign: {error}"));
    let key = PKey::hmac(key).map_err(failed)?;
    let mut signer = Signer::new(MessageDigest::sha256(), &key).map_err(failed)?;
    signer.update(text).map_err(failed)?;
    signer.sign_to_vec().map_err(failed)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The example of "Authorize with Shared Key", and a request with a body.
    #[test]
    fn published_examples() {
        let headers = [("x-ms-version", "2015-02-21"), ("x-ms-date", "Fri, 26 Jun 2015 23:39:12 GMT")];
        let parameters = [("restype", "container"), ("timeout", "20"), ("comp", "metadata")];
        let signed = SharedKeyInput { method: "GET", path: "/mycontainer", parameters: &parameters, headers: &headers };
        assert_eq!(
            signed.text("myaccount"),
            "GET\n\n\n\n\n\n\n\n\n\n\n\nx-ms-date:Fri, 26 Jun 2015 23:39:12 GMT\nx-ms-version:2015-02-21\n\
             /myaccount/mycontainer\ncomp:metadata\nrestype:container\ntimeout:20"
        );
        let headers = [("x-ms-blob-type", "BlockBlob"), ("content-length", "11"), ("if-none-match", "*")];
        let signed = SharedKeyInput { method: "PUT", path: "/c/a%20b", parameters: &[], headers: &headers };
        assert_eq!(signed.text("me"), "PUT\n\n\n11\n\n\n\n\n\n*\n\n\nx-ms-blob-type:BlockBlob\n/me/c/a%20b");
    }

    /// Test case 1 of RFC 4231.
    #[test]
    fn published_digest() {
        assert_eq!(base64(&hmac(&[0x0b; 20], b"Hi There").unwrap()), "sDRMYdjbOFNcqK/OrwvxK4gdwgDJgz2nJuk3bC4yz/c=");
    }
}
