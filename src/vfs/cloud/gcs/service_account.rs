//! Tokens for the key of a service account (RFC 7523: a signed statement is given for a token).

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use openssl::hash::MessageDigest;
use openssl::pkey::{PKey, Private};
use openssl::sign::Signer;
use serde_json::{Value, json};

use super::super::encode::{base64, query};
use super::super::http::{Client, Method, Request};
use super::super::refresh::Fetched;
use crate::error::{Error, ErrorKind, Result};

/// What a token is good for.
const SCOPE: &str = "https://www.googleapis.com/auth/cloud-platform";

/// Where tokens are, if the key does not say it.
const TOKENS: &str = "https://oauth2.googleapis.com/token";

/// Seconds that a statement is good for.
const LIFE: u64 = 3600;

/// The most bytes of an answer.
const MOST: u64 = 1 << 20;

/// The key of a service account.
pub(super) struct ServiceAccount {
    email: String,
    key: PKey<Private>,
    key_name: String,
    tokens: String,
}

impl ServiceAccount {
    /// The key in a JSON document, as Google hands it out.
    ///
    /// # Errors
    /// For what is none.
    pub(super) fn parse(text: &str) -> Result<ServiceAccount> {
        let name = "'vfs.gcs.service_account_key'";
        let key: Value =
            serde_json::from_str(text).map_err(|error| Error::invalid(format!("GCS: {name} is no JSON: {error}")))?;
        let part = |part: &str| {
            let lacks = || Error::invalid(format!("GCS: {name} lacks '{part}'"));
            key.get(part).and_then(Value::as_str).map(str::to_owned).ok_or_else(lacks)
        };
        let email = part("client_email")?;
        let pem = part("private_key")?;
        let no_key = |error| Error::invalid(format!("GCS: the 'private_key' in {name} cannot be used: {error}"));
        Ok(ServiceAccount {
            email,
            key: PKey::private_key_from_pem(pem.as_bytes()).map_err(no_key)?,
            key_name: part("private_key_id").unwrap_or_default(),
            tokens: part("token_uri").unwrap_or_else(|_| TOKENS.to_owned()),
        })
    }

    /// The signed statement of a moment.
    fn statement(&self, now: u64) -> Result<String> {
        let mut header = json!({"alg": "RS256", "typ": "JWT"});
        if !self.key_name.is_empty() {
            header["kid"] = self.key_name.as_str().into();
        }
        let claims = json!({"iss": self.email, "scope": SCOPE, "aud": self.tokens, "iat": now, "exp": now + LIFE});
        signed(header.to_string().as_bytes(), claims.to_string().as_bytes(), &self.key)
    }

    /// A token, asked for now.
    ///
    /// # Errors
    /// `Io` where none is given.
    pub(super) fn fetch(&self, client: &Client) -> Result<Fetched<String>> {
        let (now, from) = (SystemTime::now(), &self.tokens);
        let statement = self.statement(now.duration_since(UNIX_EPOCH).unwrap_or_default().as_secs())?;
        let body = query(&[("grant_type", "urn:ietf:params:oauth:grant-type:jwt-bearer"), ("assertion", &statement)]);
        let headers = vec![("content-type".to_owned(), "application/x-www-form-urlencoded".to_owned())];
        let request = Request { method: Method::Post, url: from.clone(), headers, body: body.as_bytes() };
        let what = format!("GCS: Cannot get a token for '{}' from {from}", self.email);
        let answer = client.send(&request).map_err(|error| error.context(&what))?;
        let status = answer.status;
        let answer: Value = serde_json::from_slice(&answer.bytes(MOST)?).unwrap_or_default();
        let said = |name: &str| answer.get(name).and_then(Value::as_str).unwrap_or_default();
        match answer.get("access_token").and_then(Value::as_str) {
            Some(token) if (200..300).contains(&status) => {
                let life = answer.get("expires_in").and_then(Value::as_u64).unwrap_or(LIFE);
                Ok(Fetched { value: token.to_owned(), until: now.checked_add(Duration::from_secs(life)) })
            }
            _ => {
                let text = format!("{what}; {}: {} ({status})", said("error"), said("error_description"));
                Err(Error::new(ErrorKind::Io, text))
            }
        }
    }
}

/// A JSON web token (RFC 7515).
fn signed(header: &[u8], claims: &[u8], key: &PKey<Private>) -> Result<String> {
    let failed = |error: openssl::error::ErrorStack| Error::internal(format!("OpenSSL cannot sign: {error}"));
    let text = format!("{}.{}", base64_url(header), base64_url(claims));
    let mut signer = Signer::new(MessageDigest::sha256(), key).map_err(failed)?;
    signer.update(text.as_bytes()).map_err(failed)?;
    Ok(format!("{text}.{}", base64_url(&signer.sign_to_vec().map_err(failed)?)))
}

/// Base64 with letters that addresses may have, without padding.
fn base64_url(bytes: &[u8]) -> String {
    base64(bytes).trim_end_matches('=').replace('+', "-").replace('/', "_")
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};
    use std::net::TcpListener;

    use openssl::bn::BigNum;
    use openssl::rsa::{Rsa, RsaPrivateKeyBuilder};

    use super::super::super::http::Network;
    use super::*;

    fn number(text: &str) -> BigNum {
        let text = text.replace('-', "+").replace('_', "/");
        let padding = "=".repeat((4 - text.len() % 4) % 4);
        BigNum::from_slice(&openssl::base64::decode_block(&(text + &padding)).unwrap()).unwrap()
    }

    /// The example of RFC 7515, appendix A.2.
    #[test]
    fn published_example() {
        let modulus = "ofgWCuLjybRlzo0tZWJjNiuSfb4p4fAkd_wWJcyQoTbji9k0l8W26mPddxHmfHQp-Vaw-4qPCJrcS2mJPMEzP1Pt0Bm4d4QlL-yRT-SFd2\
                       lZS-pCgNMsD1W_YpRPEwOWvG6b32690r2jZ47soMZo9wGzjb_7OMg0LOL-bSf63kpaSHSXndS5z5rexMdbBYUsLA9e-KXBdQOS-UTo7WTB\
                       EMa2R2CapHg665xsmtdVMTBQY4uDZlxvb3qCo5ZwKh9kG4LT6_I5IhlJH7aGhyxXFvUK-DWNmoudF8NAco9_h9iaGNj8q2ethFkMLs91kz\
                       k2PAcDTW9gb54h4FRWyuXpoQ";
        let exponent = "Eq5xpGnNCivDflJsRQBXHx1hdR1k6Ulwe2JZD50LpXyWPEAeP88vLNO97IjlA7_GQ5sLKMgvfTeXZx9SE-7YwVol2NXOoAJe46sui395\
                        IW_GO-pWJ1O0BkTGoVEn2bKVRUCgu-GjBVaYLU6f3l9kJfFNS3E0QbVdxzubSu3Mkqzjkn439X0M_V51gfpRLI9JYanrC4D4qAdGcopV\
                        _0ZHHzQlBjudU2QvXt4ehNYTCBr6XCLQUShb1juUO1ZdiYoFaFQT5Tw8bGUl_x_jTj3ccPDVZFD9pIuhLhBOneufuBiB4cS98l2SR_RQ\
                        yGWSeWjnczT0QU91p1DhOVRuOopznQ";
        let key = RsaPrivateKeyBuilder::new(number(modulus), number("AQAB"), number(exponent)).unwrap().build();
        let key = PKey::from_rsa(key).unwrap();
        let claims = b"{\"iss\":\"joe\",\r\n \"exp\":1300819380,\r\n \"http://example.com/is_root\":true}";
        let token = signed(b"{\"alg\":\"RS256\"}", claims, &key).unwrap();
        assert_eq!(
            token,
            "eyJhbGciOiJSUzI1NiJ9.eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVl\
             fQ.cC4hiUPoj9Eetdgtv3hF80EGrhuB__dzERat0XF9g2VtQgr9PJbu3XOiZj5RZmh7AAuHIm4Bh-0Qc_lF5YKt_O8W2Fp5jujGbds9uJdbF9CUAr\
             7t1dnZcAcQjbKBYNX4BAynRFdiuB--f_nZLgrnbyTyWzO75vRK5h6xBArLIARNPvkSjtQBMHlb1L07Qe7K0GarZRmB_eSN9383LcOLn6_dO--xi12\
             jzDwusC-eOkHWEsqtFZESc6BfI7noOPqvhJ1phCnvWh6IeYI2w9QOYEUipUTI8np6LbgGY9Fs98rqVt5AXLIhWkWywlVmtVrBp0igcN_IoypGlUPQ\
             Ge77Rw"
        );
    }

    /// A server that gives `answer` to one request, and the request.
    fn server(status: &'static str, answer: &'static str) -> (String, std::thread::JoinHandle<String>) {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("http://{}/token", listener.local_addr().unwrap());
        let told = std::thread::spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            let (mut heard, mut piece) = (Vec::new(), [0; 4096]);
            let length = |text: &str| -> Option<usize> {
                let (head, body) = text.split_once("\r\n\r\n")?;
                let length =
                    head.lines().find_map(|line| line.to_lowercase().strip_prefix("content-length: ")?.parse().ok())?;
                (body.len() >= length).then_some(length)
            };
            while length(&String::from_utf8_lossy(&heard)).is_none() {
                let count = stream.read(&mut piece).unwrap();
                assert!(count > 0);
                heard.extend_from_slice(&piece[..count]);
            }
            write!(stream, "HTTP/1.1 {status}\r\nContent-Length: {}\r\n\r\n{answer}", answer.len()).unwrap();
            String::from_utf8(heard).unwrap()
        });
        (address, told)
    }

    #[test]
    fn tokens_are_fetched() {
        let pem = Rsa::generate(2048).unwrap().private_key_to_pem().unwrap();
        let client = Client::new(Network { verify: true, ..Network::default() });
        let account = |tokens: &str| {
            let key = json!({"client_email": "me@x", "private_key": String::from_utf8_lossy(&pem), "private_key_id": "7",
                "token_uri": tokens});
            ServiceAccount::parse(&key.to_string()).unwrap()
        };
        let (address, told) = server("200 OK", "{\"access_token\": \"t\", \"expires_in\": 60}");
        let token = account(&address).fetch(&client).unwrap();
        assert_eq!(token.value, "t");
        assert!(token.until.unwrap() <= SystemTime::now() + Duration::from_secs(60));
        let heard = told.join().unwrap();
        assert!(
            heard.contains("assertion=ey") && heard.contains("&grant_type=urn%3Aietf%3Aparams%3Aoauth%3A"),
            "{heard}"
        );
        let (address, _told) =
            server("400 Bad Request", "{\"error\": \"invalid_grant\", \"error_description\": \"no\"}");
        let error = account(&address).fetch(&client).err().unwrap();
        assert!(error.text().ends_with("; invalid_grant: no (400)"), "{error}");
        for (text, said) in
            [("x", "no JSON"), ("{}", "lacks 'client_email'"), ("{\"client_email\":\"a\"}", "lacks 'private_key'")]
        {
            assert!(ServiceAccount::parse(text).err().unwrap().text().contains(said));
        }
    }
}
