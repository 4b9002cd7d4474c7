//! Request signatures (AWS Signature Version 4).

use openssl::hash::MessageDigest;
use openssl::pkey::PKey;
use openssl::sign::Signer;

use super::super::time::Date;
use super::AccessKeys;
use crate::http::encode::{hex, percent};
use tiledb_core::error::{Error, Result};
use tiledb_core::sort;

/// Placeholder for the digest of an unsigned body.
pub(in crate::vfs::cloud) const UNSIGNED: &str = "UNSIGNED-PAYLOAD";

/// The signed parts of a request.
pub(in crate::vfs::cloud) struct SigningInput<'a> {
    /// The service: `s3` or `sts`.
    pub(in crate::vfs::cloud) service: &'a str,
    pub(in crate::vfs::cloud) method: &'a str,
    /// The path within the host, encoded.
    pub(in crate::vfs::cloud) path: &'a str,
    /// The encoded parameters, in the order of their names.
    pub(in crate::vfs::cloud) query: &'a str,
    /// FieldNames in lower case.
    pub(in crate::vfs::cloud) headers: &'a [(String, String)],
    /// The digest of the body.
    pub(in crate::vfs::cloud) digest: &'a str,
}

/// The hexadecimal SHA-256 of some bytes.
pub(in crate::vfs::cloud) fn digest(bytes: &[u8]) -> String {
    hex(&openssl::sha::sha256(bytes))
}

/// The value of the header `authorization`.
///
/// # Errors
/// If OpenSSL fails.
pub(in crate::vfs::cloud) fn authorization(
    request: &SigningInput<'_>,
    keys: &AccessKeys,
    region: &str,
    date: &Date,
) -> Result<String> {
    let mut headers: Vec<(&str, String)> =
        request.headers.iter().map(|(name, value)| (name.as_str(), folded(value))).collect();
    sort::by(&mut headers, Ord::cmp);
    let lines: String = headers.iter().flat_map(|(name, value)| [name, ":", value, "\n"]).collect();
    let names: Vec<&str> = headers.iter().map(|(name, _)| *name).collect();
    let names = names.join(";");
    let canonical = [request.method, request.path, request.query, &lines, &names, request.digest].join("\n");
    let scope = format!("{}/{region}/{}/aws4_request", date.day(), request.service);
    let text = format!("AWS4-HMAC-SHA256\n{}\n{scope}\n{}", date.basic(), digest(canonical.as_bytes()));
    let mut key = format!("AWS4{}", keys.secret).into_bytes();
    for part in [date.day().as_str(), region, request.service, "aws4_request"] {
        key = hmac(&key, part)?;
    }
    let signature = hex(&hmac(&key, &text)?);
    Ok(format!("AWS4-HMAC-SHA256 Credential={}/{scope},SignedHeaders={names},Signature={signature}", keys.id))
}

/// Trims a value and collapses runs of spaces.
fn folded(value: &str) -> String {
    value.split_ascii_whitespace().collect::<Vec<_>>().join(" ")
}

fn hmac(key: &[u8], text: &str) -> Result<Vec<u8>> {
    let failed = |error: openssl::error::ErrorStack| Error::internal(format!("OpenSSL cannot sign: {error}"));
    let key = PKey::hmac(key).map_err(failed)?;
    let mut signer = Signer::new(MessageDigest::sha256(), &key).map_err(failed)?;
    signer.update(text.as_bytes()).map_err(failed)?;
    signer.sign_to_vec().map_err(failed)
}

/// The encoded path of an object.
pub(in crate::vfs::cloud) fn path(parts: &[&str]) -> String {
    parts.iter().map(|part| format!("/{}", percent(part, true))).collect()
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, UNIX_EPOCH};

    use super::*;

    /// The examples of "Authenticating Requests: Using the Authorization Header" in the reference of S3.
    #[test]
    fn published_examples() {
        let keys = AccessKeys {
            id: "AKIAIOSFODNN7EXAMPLE".to_owned(),
            secret: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY".to_owned(),
            token: None,
        };
        let date = Date::of(UNIX_EPOCH + Duration::from_secs(1_369_353_600));
        let signature = |method, path: &str, query, extra: &[(&str, &str)], body: &[u8]| {
            let digest = digest(body);
            let mut headers = vec![("host", "examplebucket.s3.amazonaws.com"), ("x-amz-date", "20130524T000000Z")];
            headers.push(("x-amz-content-sha256", &digest));
            headers.extend(extra);
            let headers: Vec<(String, String)> =
                headers.into_iter().map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
            let signed = SigningInput { service: "s3", method, path, query, headers: &headers, digest: &digest };
            let header = authorization(&signed, &keys, "us-east-1", &date).unwrap();
            header.rsplit_once("Signature=").unwrap().1.to_owned()
        };
        assert_eq!(
            signature("GET", "/test.txt", "", &[("range", "bytes=0-9")], b""),
            "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41"
        );
        assert_eq!(
            signature(
                "PUT",
                &path(&["test$file.text"]),
                "",
                &[("date", "Fri, 24 May 2013 00:00:00 GMT"), ("x-amz-storage-class", "REDUCED_REDUNDANCY")],
                b"Welcome to Amazon S3."
            ),
            "98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd"
        );
        assert_eq!(
            signature("GET", "/", "lifecycle=", &[], b""),
            "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543"
        );
        assert_eq!(
            signature("GET", "/", "max-keys=2&prefix=J", &[], b""),
            "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7"
        );
    }

    /// Cases of the test suite of Signature Version 4.
    #[test]
    fn published_cases() {
        let keys = AccessKeys {
            id: "AKIDEXAMPLE".to_owned(),
            secret: "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY".to_owned(),
            token: None,
        };
        let date = Date::of(UNIX_EPOCH + Duration::from_secs(1_440_938_160));
        let signature = |method, query, extra: &[(&str, &str)], body: &[u8]| {
            let mut headers = vec![("host", "example.amazonaws.com"), ("x-amz-date", "20150830T123600Z")];
            headers.extend(extra);
            let headers: Vec<(String, String)> =
                headers.into_iter().map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
            let digest = digest(body);
            let signed =
                SigningInput { service: "service", method, path: "/", query, headers: &headers, digest: &digest };
            authorization(&signed, &keys, "us-east-1", &date).unwrap()
        };
        assert_eq!(
            signature("GET", "", &[], b""),
            "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request,SignedHeaders=host;x-amz-date,\
             Signature=5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31"
        );
        let form = [("content-type", "application/x-www-form-urlencoded")];
        let spaced = [("my-header1", " value1  "), ("my-header2", "\"a   b   c\"")];
        for (method, query, extra, body, expected) in [
            (
                "GET",
                "Param1=value1&Param2=value2",
                &[][..],
                &b""[..],
                "b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500",
            ),
            ("POST", "", &form, b"Param1=value1", "ff11897932ad3f4e8b18135d722051e5ac45fc38421b1da7b9d196a0fe09473a"),
            ("GET", "", &spaced, b"", "acc3ed3afb60bb290fc8d2dd0098b9911fcaa05412b367055dee359757a9c736"),
        ] {
            assert!(signature(method, query, extra, body).ends_with(&format!("Signature={expected}")), "{extra:?}");
        }
    }
}
