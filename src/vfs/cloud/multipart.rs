//! Several requests in one, as Azure and Google take them to remove objects.

use std::fmt::Write;

/// What stands between the requests. It holds random digits, which no name can be meant to hold.
pub(super) struct Multipart {
    boundary: String,
    body: String,
    count: usize,
}

impl Multipart {
    pub(super) fn new() -> Multipart {
        Multipart { boundary: format!("batch_{}", uuid::Uuid::new_v4()), body: String::new(), count: 0 }
    }

    /// The value of the header `content-type`.
    pub(super) fn kind(&self) -> String {
        format!("multipart/mixed; boundary={}", self.boundary)
    }

    /// Adds the removal of what lies at a path.
    pub(super) fn delete(&mut self, path: &str, headers: &[(&str, &str)]) {
        let Multipart { boundary, body, count } = self;
        _ = write!(
            body,
            "--{boundary}\r\nContent-Type: application/http\r\nContent-Transfer-Encoding: binary\r\nContent-ID: {count}\r\n\r\n\
             DELETE {path} HTTP/1.1\r\n"
        );
        for (name, value) in headers {
            _ = write!(body, "{name}: {value}\r\n");
        }
        body.push_str("Content-Length: 0\r\n\r\n");
        *count += 1;
    }

    /// All of it.
    pub(super) fn finish(mut self) -> String {
        _ = write!(self.body, "--{}--\r\n", self.boundary);
        self.body
    }
}

/// The statuses in the answer, in the order of the requests, and the text that follows each.
pub(super) fn statuses(body: &str) -> impl Iterator<Item = (u16, &str)> {
    body.split("\nHTTP/1.1 ").skip(1).filter_map(|rest| Some((rest.get(..3)?.parse().ok()?, rest)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_are_joined_and_answers_parted() {
        let mut parts = Multipart::new();
        parts.delete("/c/a", &[("x-ms-date", "d")]);
        parts.delete("/c/b", &[]);
        let (kind, body) = (parts.kind(), parts.finish());
        let boundary = kind.rsplit_once('=').unwrap().1;
        assert_eq!(body.matches(boundary).count(), 3);
        assert!(body.contains("\r\n\r\nDELETE /c/a HTTP/1.1\r\nx-ms-date: d\r\nContent-Length: 0\r\n\r\n--"));
        let answer =
            "--b\r\nContent-ID: 0\r\n\r\nHTTP/1.1 202 Accepted\r\n\r\n--b\r\n\r\nHTTP/1.1 404 No\r\n\r\nx\r\n--b--";
        assert_eq!(statuses(answer).map(|(status, _)| status).collect::<Vec<_>>(), [202, 404]);
    }
}
