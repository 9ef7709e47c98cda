//! The head of a request and the answer to it: as much of HTTP/1.1 as a page needs.
//!
//! One request for each connection. Nothing is guessed: a head that is too long, has two of a
//! header that must be one, or announces a body is refused.

use crate::limits::{MAX_HEAD_BYTES, MAX_HEADERS};
use crate::stream::Stream;
use std::{io, time::Instant};

/// Why a request is not served.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// Status of HTTP.
    pub status: u16,
    /// A sentence for people.
    pub reason: String,
}

impl Refusal {
    /// Makes one.
    pub fn new(status: u16, reason: impl Into<String>) -> Self {
        Self {
            status,
            reason: reason.into(),
        }
    }
}

/// A request without its body.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Request {
    /// Method.
    pub method: String,
    /// Path as it was given, with its query.
    pub target: String,
    headers: Vec<(String, String)>,
}

impl Request {
    /// Reads a head that ends before `bytes` do. Returns it with its length; `None` if it does not
    /// end yet.
    ///
    /// # Errors
    /// [`Refusal`] for what is no head.
    pub fn parse(bytes: &[u8]) -> Result<Option<(Self, usize)>, Refusal> {
        let mut headers = [httparse::EMPTY_HEADER; MAX_HEADERS];
        let mut parsed = httparse::Request::new(&mut headers);
        let length = match parsed.parse(bytes) {
            Ok(httparse::Status::Complete(length)) => length,
            Ok(httparse::Status::Partial) => return Ok(None),
            Err(httparse::Error::TooManyHeaders) => {
                return Err(Refusal::new(
                    431,
                    format!("more than {MAX_HEADERS} headers"),
                ));
            }
            Err(error) => return Err(Refusal::new(400, format!("no request: {error}"))),
        };
        if parsed.version != Some(1) {
            return Err(Refusal::new(505, "HTTP/1.1 is spoken here"));
        }
        let mut request = Self {
            method: parsed.method.unwrap_or_default().to_owned(),
            target: parsed.path.unwrap_or_default().to_owned(),
            headers: Vec::with_capacity(parsed.headers.len()),
        };
        for header in parsed.headers {
            let value = std::str::from_utf8(header.value)
                .map_err(|_| Refusal::new(400, format!("`{}` is not UTF-8", header.name)))?;
            request
                .headers
                .push((header.name.to_ascii_lowercase(), value.trim().to_owned()));
        }
        Ok(Some((request, length)))
    }

    /// Returns the value of a header; `name` in lower case.
    ///
    /// # Errors
    /// [`Refusal`] if it is there twice.
    pub fn header(&self, name: &str) -> Result<Option<&str>, Refusal> {
        let mut found = self.headers.iter().filter(|(known, _)| known == name);
        match (found.next(), found.next()) {
            (_, Some(_)) => Err(Refusal::new(400, format!("two headers `{name}`"))),
            (first, None) => Ok(first.map(|(_, value)| value.as_str())),
        }
    }
}

/// Reads the head of a request. Returns it with the bytes behind it; `None` where the other end
/// closed or said nothing in time, which is not worth an answer.
///
/// # Errors
/// [`Refusal`].
pub fn read(stream: &mut Stream, deadline: Instant) -> Result<Option<(Request, Vec<u8>)>, Refusal> {
    let mut bytes = Vec::new();
    let mut buffer = [0; 4096];
    loop {
        match stream.read_until(&mut buffer, deadline) {
            Ok(0) => return Ok(None),
            Ok(count) => bytes.extend_from_slice(&buffer[..count]),
            Err(error) if error.kind() == io::ErrorKind::TimedOut && !bytes.is_empty() => {
                return Err(Refusal::new(408, "the request did not come in time"));
            }
            Err(_) => return Ok(None),
        }
        let parsed = Request::parse(&bytes)?;
        let length = parsed.as_ref().map_or(bytes.len(), |(_, length)| *length);
        if length > MAX_HEAD_BYTES {
            let reason = format!("the request's head has more than {MAX_HEAD_BYTES} bytes");
            return Err(Refusal::new(431, reason));
        }
        if let Some((request, length)) = parsed {
            return Ok(Some((request, bytes.split_off(length))));
        }
    }
}

/// Returns the head of an answer with these headers, each a line.
pub fn head(status: u16, headers: &[String]) -> String {
    let name = match status {
        101 => "Switching Protocols",
        200 => "OK",
        400 => "Bad Request",
        401 => "Unauthorized",
        403 => "Forbidden",
        404 => "Not Found",
        405 => "Method Not Allowed",
        408 => "Request Timeout",
        426 => "Upgrade Required",
        431 => "Request Header Fields Too Large",
        503 => "Service Unavailable",
        505 => "HTTP Version Not Supported",
        _ => "Error",
    };
    let mut text = format!("HTTP/1.1 {status} {name}\r\n");
    for header in headers {
        text.push_str(header);
        text.push_str("\r\n");
    }
    text.push_str("\r\n");
    text
}

/// Headers of every answer that has a body. `host` is one that was allowed.
pub fn headers(kind: &str, length: usize, host: Option<&str>, tls: bool) -> Vec<String> {
    // `'self'` means WebSockets, too, but not in every browser.
    let socket = match host {
        Some(host) if !host.starts_with('[') => {
            format!(" {}://{host}", if tls { "wss" } else { "ws" })
        }
        _ => String::new(),
    };
    vec![
        format!("Content-Type: {kind}"),
        format!("Content-Length: {length}"),
        format!(
            "Content-Security-Policy: default-src 'none'; script-src 'self'; style-src 'self'; \
             img-src 'self'; connect-src 'self'{socket}; base-uri 'none'; form-action 'none'; \
             frame-ancestors 'none'"
        ),
        "X-Content-Type-Options: nosniff".to_owned(),
        "Cross-Origin-Resource-Policy: same-origin".to_owned(),
        "Cross-Origin-Opener-Policy: same-origin".to_owned(),
        "Referrer-Policy: no-referrer".to_owned(),
        "Cache-Control: no-store".to_owned(),
        "Connection: close".to_owned(),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_head_ends_at_its_empty_line() {
        let bytes = b"GET /a?b HTTP/1.1\r\nHost: x:1\r\nHOST: y\r\nA:  c \r\n\r\nrest";
        let (request, length) = Request::parse(bytes).unwrap().unwrap();
        assert_eq!(
            (request.method.as_str(), request.target.as_str()),
            ("GET", "/a?b")
        );
        assert_eq!(&bytes[length..], b"rest");
        assert_eq!(request.header("a"), Ok(Some("c")));
        assert_eq!(request.header("b"), Ok(None));
        assert_eq!(request.header("host").unwrap_err().status, 400);
        assert_eq!(Request::parse(&bytes[..20]), Ok(None));
        let old = Request::parse(b"GET / HTTP/1.0\r\n\r\n").unwrap_err();
        assert_eq!(old.status, 505);
    }

    proptest! {
        #[test]
        fn no_bytes_do_harm(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
            let _ = Request::parse(&bytes);
            let mut framed = b"GET / HTTP/1.1\r\n".to_vec();
            framed.extend(&bytes);
            framed.extend(b"\r\n\r\n");
            let _ = Request::parse(&framed);
        }
    }
}
