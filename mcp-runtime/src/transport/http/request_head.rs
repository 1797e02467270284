//! What the head of a request decides: whether its host, origin, path, rate, method and media types are served.

use std::ops::ControlFlow;

use http::header::{ACCEPT_ENCODING, ALLOW, HOST, HeaderValue, ORIGIN};
use http::request::Parts;
use http::{Method, Response, StatusCode};

use super::endpoint::Endpoint;
use super::fields::Fields;
use super::media::{self, Accepted};
use super::origin_check::RejectedRequest;
use super::response_body::HttpBody;
use crate::bound::Sender;
use crate::clock;
use crate::dispatch::DispatchError;
use crate::refusal_log::Refusal;

const MISDIRECTED: Refusal = Refusal {
    what: "a request is refused with 421: its host is not served",
    option: "`HttpOptions::allow_host` (`--allow-host`) serves another host",
};
const FOREIGN_ORIGIN: Refusal = Refusal {
    what: "a request is refused with 403: it comes from a web page whose origin is not allowed",
    option: "`HttpOptions::allow_origin` (`--allow-origin`) serves pages of another origin",
};
impl Endpoint {
    /// The answer of a request whose host or origin is not served.
    pub(super) fn refuse_at_door(
        &self,
        reason: RejectedRequest,
        head: &Parts,
    ) -> Response<HttpBody> {
        let (status, reason) = match reason {
            RejectedRequest::NoHost => (StatusCode::BAD_REQUEST, "one Host header is required"),
            RejectedRequest::Host => {
                let named = head.headers.get(HOST).map(text_of);
                let routed = || head.uri.authority().map(|host| host.as_str().to_owned());
                let host = named.or_else(routed).unwrap_or_default();
                self.log_refusal(MISDIRECTED, format_args!("for the host `{host}`"));
                (
                    StatusCode::MISDIRECTED_REQUEST,
                    "this host is not served here",
                )
            }
            RejectedRequest::Origin => {
                let origins = head.headers.get_all(ORIGIN).iter().map(text_of);
                let origins = origins.collect::<Vec<_>>().join("`, `");
                self.log_refusal(FOREIGN_ORIGIN, format_args!("of the origin `{origins}`"));
                (StatusCode::FORBIDDEN, "pages of this origin are not served")
            }
        };
        self.refuse(status, reason)
    }

    /// Judges a request by its head, and gives the answer if it is refused.
    pub(super) fn judge(
        &self,
        head: &Parts,
        fields: &Fields<'_>,
        sender: Sender,
    ) -> ControlFlow<Response<HttpBody>, Accepted> {
        if !self.has(head.uri.path()) {
            let error = DispatchError::UnknownPath(self.options.path.clone());
            return ControlFlow::Break(self.refuse_for(StatusCode::NOT_FOUND, error));
        }
        if let Some(rate) = &self.rate
            && let Err(wait) = rate.take(sender, clock::now())
        {
            return ControlFlow::Break(self.slow_down(wait));
        }
        if head.method != Method::POST {
            let mut response = self.refuse(
                StatusCode::METHOD_NOT_ALLOWED,
                "every message is sent by POST",
            );
            response
                .headers_mut()
                .insert(ALLOW, HeaderValue::from_static("POST"));
            return ControlFlow::Break(response);
        }
        if !media::is_sent_plainly(fields) {
            return ControlFlow::Break(self.refuse(
                StatusCode::NOT_IMPLEMENTED,
                "no Transfer-Encoding but chunked is understood",
            ));
        }
        if !media::is_json(fields) {
            let mut response = self.refuse(
                StatusCode::UNSUPPORTED_MEDIA_TYPE,
                "Content-Type must be application/json, in UTF-8 and not compressed",
            );
            response
                .headers_mut()
                .insert(ACCEPT_ENCODING, HeaderValue::from_static("identity"));
            return ControlFlow::Break(response);
        }
        let accepted = media::accepted(fields);
        if !accepted.json && !accepted.events {
            return ControlFlow::Break(self.refuse(
                StatusCode::NOT_ACCEPTABLE,
                "Accept must list application/json and text/event-stream",
            ));
        }
        ControlFlow::Continue(accepted)
    }

    /// Returns `true` if the endpoint is at a path, with or without a final slash.
    fn has(&self, path: &str) -> bool {
        !self.has_path || without_slash(path) == without_slash(&self.options.path)
    }
}

/// The text of a header for the log, which escapes what is no text.
fn text_of(value: &HeaderValue) -> String {
    String::from_utf8_lossy(value.as_bytes()).into_owned()
}

fn without_slash(path: &str) -> &str {
    path.strip_suffix('/').unwrap_or(path)
}
