//! What a request is answered with: a file, a WebSocket, or a refusal that says why.

use crate::access::Access;
use crate::files::{self, File};
use crate::http::{Refusal, Request};
use crate::token::base64;

/// Where the WebSocket is.
pub const PATH: &str = "/v1";
/// Name of the subprotocol.
pub const SUBPROTOCOL: &str = "hapticd.v1";
/// Begins the subprotocol that carries the token.
const TOKEN: &str = "token.";

/// What is served.
#[derive(Debug, PartialEq)]
pub enum Route {
    /// A file.
    File(&'static File),
    /// A WebSocket; the value of `Sec-WebSocket-Accept`.
    WebSocket(String),
}

/// Decides about a request. The order is that of the layers: host, origin, then what it asks for.
///
/// # Errors
/// [`Refusal`].
pub fn route(request: &Request, access: &Access) -> Result<Route, Refusal> {
    match request.header("host")? {
        Some(host) if access.allows_host(host) => {}
        Some(_) => return Err(Refusal::new(403, "this host is not the gateway's")),
        None => return Err(Refusal::new(400, "no host")),
    }
    if let Some(origin) = request.header("origin")?
        && !access.allows_origin(origin)
    {
        return Err(Refusal::new(
            403,
            "pages of this origin may not connect (--origin)",
        ));
    }
    if request.method != "GET" {
        return Err(Refusal::new(405, "only GET"));
    }
    for body in ["content-length", "transfer-encoding"] {
        if request.header(body)?.is_some_and(|value| value != "0") {
            return Err(Refusal::new(400, "a request has no body here"));
        }
    }
    if request.target.contains('?') {
        let reason = "an address has no query here, and a token never belongs into one";
        return Err(Refusal::new(400, reason));
    }
    if request.target == PATH {
        return web_socket(request, access).map(Route::WebSocket);
    }
    files::find(&request.target)
        .map(Route::File)
        .ok_or_else(|| Refusal::new(404, "there is no such file"))
}

fn web_socket(request: &Request, access: &Access) -> Result<String, Refusal> {
    let has = |name: &str, wanted: &str| -> Result<bool, Refusal> {
        let value = request.header(name)?.unwrap_or_default();
        let mut parts = value.split(',').map(str::trim);
        Ok(parts.any(|part| part.eq_ignore_ascii_case(wanted)))
    };
    if !has("upgrade", "websocket")? || !has("connection", "upgrade")? {
        return Err(Refusal::new(426, "a WebSocket is expected here"));
    }
    if request.header("sec-websocket-version")? != Some("13") {
        return Err(Refusal::new(
            426,
            "WebSockets of version 13 are spoken here",
        ));
    }
    let key = request.header("sec-websocket-key")?.unwrap_or_default();
    if !is_key(key) {
        return Err(Refusal::new(
            400,
            "`Sec-WebSocket-Key` must be 16 bytes in base64",
        ));
    }
    let offered = request
        .header("sec-websocket-protocol")?
        .unwrap_or_default();
    let offered: Vec<&str> = offered.split(',').map(str::trim).collect();
    if !offered.contains(&SUBPROTOCOL) {
        return Err(Refusal::new(
            400,
            format!("the subprotocol `{SUBPROTOCOL}` must be offered"),
        ));
    }
    let mut tokens = offered.iter().filter_map(|part| part.strip_prefix(TOKEN));
    match (tokens.next(), tokens.next()) {
        (Some(token), None) if access.allows_token(token) => Ok(accept(key)),
        (Some(_), None) => Err(Refusal::new(401, "wrong token: each start makes a new one")),
        (Some(_), Some(_)) => Err(Refusal::new(401, "more than one token")),
        (None, _) => Err(Refusal::new(
            401,
            "the subprotocol `token.TOKEN` must be offered",
        )),
    }
}

/// 16 bytes are 22 characters and two of padding.
fn is_key(key: &str) -> bool {
    let letter = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/');
    matches!(key.strip_suffix("=="), Some(text) if text.len() == 22 && text.bytes().all(letter))
}

/// The answer to a key (RFC 6455, section 4.2.2).
fn accept(key: &str) -> String {
    let mut hash = sha1_smol::Sha1::new();
    hash.update(key.as_bytes());
    hash.update(b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11");
    base64(&hash.digest().bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_accepted_key_is_that_of_the_rfc() {
        assert_eq!(
            accept("dGhlIHNhbXBsZSBub25jZQ=="),
            "s3pPLMBiTxaQ9kYGzzhZRbK+xOo="
        );
    }

    #[test]
    fn a_key_is_16_bytes_in_base64() {
        assert!(is_key("dGhlIHNhbXBsZSBub25jZQ=="));
        for bad in [
            "",
            "==",
            "dGhlIHNhbXBsZSBub25jZQ",
            "dGhlIHNhbXBsZSBub25j!Q==",
            "AA==",
        ] {
            assert!(!is_key(bad), "{bad}");
        }
    }
}
