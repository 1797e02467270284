//! The body of an answer: there at once, or a stream of events.

use std::convert::Infallible;
use std::fmt;
use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::Bytes;
use http_body::{Body, Frame, SizeHint};

use super::call::Parts;
use super::connection::Answering;
use super::events::Events;

/// The body of an answer.
pub struct HttpBody {
    form: Form,
    /// Tells the connection that the answer is not done.
    answering: Option<Answering>,
    /// Whether it also tells how the answer is taken.
    tells: bool,
}

enum Form {
    /// Whole, until it has been taken.
    Whole(Bytes),
    /// In parts, of which one is shared with other answers; those that have been taken are gone.
    Parts(std::vec::IntoIter<Bytes>),
    /// Event by event, as long as the call runs.
    Events(Box<Events>),
}

impl HttpBody {
    pub(super) fn empty() -> Self {
        Self::whole(Bytes::new())
    }

    pub(super) fn whole(bytes: impl Into<Bytes>) -> Self {
        Self::of(Form::Whole(bytes.into()))
    }

    /// A list, whose page is not copied.
    pub(super) fn list(parts: Parts) -> Self {
        let Parts { start, page, end } = parts;
        // None of them is empty, as no part of a chunked body may be.
        let parts = vec![start.into(), Bytes::from_owner(page), end.into()];
        Self::of(Form::Parts(parts.into_iter()))
    }

    pub(super) fn events(events: Events) -> Self {
        Self::of(Form::Events(Box::new(events)))
    }

    fn of(form: Form) -> Self {
        Self {
            form,
            answering: None,
            tells: false,
        }
    }

    /// Keeps its connection from being taken for idle until the body is dropped.
    ///
    /// If answers flow one by one, as they do over HTTP/2, it also tells whether this one is taken.
    pub(super) fn hold(&mut self, mut answering: Answering, one_by_one: bool) {
        answering.owe(one_by_one);
        self.answering = Some(answering);
        self.tells = one_by_one;
    }
}

impl fmt::Debug for HttpBody {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.form {
            Form::Whole(_) | Form::Parts(_) => "HttpBody(Whole)",
            Form::Events(_) => "HttpBody(Events)",
        })
    }
}

impl Body for HttpBody {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let this = self.get_mut();
        let chunk = match &mut this.form {
            Form::Whole(bytes) if bytes.is_empty() => Poll::Ready(None),
            Form::Whole(bytes) => Poll::Ready(Some(std::mem::take(bytes))),
            Form::Parts(parts) => Poll::Ready(parts.next()),
            Form::Events(events) => events.poll_chunk(context),
        };
        if let (Some(answering), true) = (&mut this.answering, this.tells) {
            answering.owe(chunk.is_ready());
        }
        chunk.map(|chunk| chunk.map(|chunk| Ok(Frame::data(chunk))))
    }

    fn is_end_stream(&self) -> bool {
        match &self.form {
            Form::Whole(bytes) => bytes.is_empty(),
            Form::Parts(parts) => parts.as_slice().is_empty(),
            Form::Events(events) => events.has_ended(),
        }
    }

    fn size_hint(&self) -> SizeHint {
        match &self.form {
            Form::Whole(bytes) => SizeHint::with_exact(bytes.len() as u64),
            Form::Parts(parts) => {
                SizeHint::with_exact(parts.as_slice().iter().map(|part| part.len() as u64).sum())
            }
            Form::Events(_) => SizeHint::default(),
        }
    }
}
