//! Web pages of admitted origins: the preflights of browsers, and the headers that let a page read answers
//! (Fetch, "CORS protocol").
//!
//! Deliberately not here: which origins are admitted ([`host`](super::host) decides), and credentials. A page sends its
//! token in `Authorization`, and never a cookie.

use http::header::{
    ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS, ACCESS_CONTROL_ALLOW_ORIGIN,
    ACCESS_CONTROL_EXPOSE_HEADERS, ACCESS_CONTROL_MAX_AGE, ACCESS_CONTROL_REQUEST_HEADERS,
    ACCESS_CONTROL_REQUEST_METHOD, HeaderValue, VARY,
};
use http::request::Parts;
use http::{Method, Response, StatusCode};

use super::response_body::HttpBody;

const METHODS: HeaderValue = HeaderValue::from_static("POST");
/// The headers of this endpoint's answers that pages may not read unless they are named here.
const EXPOSED: HeaderValue = HeaderValue::from_static("Retry-After, Allow, Accept-Encoding");
/// Two hours, in seconds: the most that Chromium takes.
const MAX_AGE: HeaderValue = HeaderValue::from_static("7200");
const VARIES: HeaderValue = HeaderValue::from_static("Origin");
const PREFLIGHT_VARIES: HeaderValue =
    HeaderValue::from_static("Origin, Access-Control-Request-Headers");

/// Returns `true` if a request, whose origin is admitted, only asks what the page may send.
pub(super) fn is_preflight(head: &Parts) -> bool {
    head.method == Method::OPTIONS && head.headers.contains_key(ACCESS_CONTROL_REQUEST_METHOD)
}

/// Answers a preflight of an admitted origin, whose pages may send every header: `Mcp-Param-*` has any name.
pub(super) fn preflight(head: &Parts) -> Response<HttpBody> {
    let mut response = Response::new(HttpBody::empty());
    *response.status_mut() = StatusCode::NO_CONTENT;
    let headers = response.headers_mut();
    headers.insert(ACCESS_CONTROL_ALLOW_METHODS, METHODS);
    for names in head.headers.get_all(ACCESS_CONTROL_REQUEST_HEADERS) {
        headers.append(ACCESS_CONTROL_ALLOW_HEADERS, names.clone());
    }
    headers.insert(ACCESS_CONTROL_MAX_AGE, MAX_AGE);
    headers.insert(VARY, PREFLIGHT_VARIES);
    response
}

/// Lets pages of an admitted origin read an answer.
pub(super) fn let_read(response: &mut Response<HttpBody>, origin: HeaderValue) {
    let headers = response.headers_mut();
    headers.insert(ACCESS_CONTROL_ALLOW_ORIGIN, origin);
    headers.insert(ACCESS_CONTROL_EXPOSE_HEADERS, EXPOSED);
    headers.entry(VARY).or_insert(VARIES);
}
