//! The headers that every request is asked for, found in one pass.

use http::header::{
    ACCEPT, CONTENT_ENCODING, CONTENT_TYPE, HOST, HeaderMap, HeaderValue, ORIGIN, TRANSFER_ENCODING,
};

use crate::dispatch::{Field, RoutingHeaders, header};

/// What stands under one name.
#[derive(Debug, Clone, Copy, Default)]
pub(super) enum Lines<'h> {
    #[default]
    None,
    One(&'h HeaderValue),
    Several,
}

impl<'h> Lines<'h> {
    fn add(&mut self, value: &'h HeaderValue) {
        *self = match self {
            Self::None => Self::One(value),
            Self::One(_) | Self::Several => Self::Several,
        };
    }

    fn field(self) -> Field<'h> {
        match self {
            Self::None => Field::Absent,
            Self::One(value) => Field::One(value.as_bytes()),
            Self::Several => Field::Repeated,
        }
    }
}

/// The headers that say whether a request is read at all.
#[derive(Debug)]
pub(super) struct Fields<'h> {
    pub(super) host: Lines<'h>,
    pub(super) origin: Lines<'h>,
    pub(super) content_type: Lines<'h>,
    pub(super) content_encoding: Lines<'h>,
    pub(super) transfer_encoding: Lines<'h>,
    pub(super) accept: Lines<'h>,
    pub(super) mcp_method: Lines<'h>,
    pub(super) all: &'h HeaderMap,
}

impl<'h> Fields<'h> {
    pub(super) fn read(headers: &'h HeaderMap) -> Self {
        let mut fields = Self {
            host: Lines::None,
            origin: Lines::None,
            content_type: Lines::None,
            content_encoding: Lines::None,
            transfer_encoding: Lines::None,
            accept: Lines::None,
            mcp_method: Lines::None,
            all: headers,
        };
        for (name, value) in headers {
            let lines = if name == HOST {
                &mut fields.host
            } else if name == ACCEPT {
                &mut fields.accept
            } else if name == CONTENT_TYPE {
                &mut fields.content_type
            } else if name == CONTENT_ENCODING {
                &mut fields.content_encoding
            } else if name == TRANSFER_ENCODING {
                &mut fields.transfer_encoding
            } else if name == ORIGIN {
                &mut fields.origin
            } else if name.as_str() == header::METHOD {
                &mut fields.mcp_method
            } else {
                continue;
            };
            lines.add(value);
        }
        fields
    }
}

/// The headers that mirror the body.
#[derive(Debug)]
pub(super) struct Mirrors<'h> {
    version: Lines<'h>,
    method: Lines<'h>,
    name: Lines<'h>,
    all: &'h HeaderMap,
}

impl<'h> Mirrors<'h> {
    pub(super) fn read(headers: &'h HeaderMap) -> Self {
        let mut mirrors = Self {
            version: Lines::None,
            method: Lines::None,
            name: Lines::None,
            all: headers,
        };
        for (name, value) in headers {
            let lines = match name.as_str() {
                header::METHOD => &mut mirrors.method,
                header::NAME => &mut mirrors.name,
                header::VERSION => &mut mirrors.version,
                _ => continue,
            };
            lines.add(value);
        }
        mirrors
    }
}

impl RoutingHeaders for Mirrors<'_> {
    fn field(&self, name: &str) -> Field<'_> {
        match name {
            header::METHOD => self.method.field(),
            header::NAME => self.name.field(),
            header::VERSION => self.version.field(),
            _ => {
                let mut lines = Lines::None;
                self.all
                    .get_all(name)
                    .iter()
                    .for_each(|value| lines.add(value));
                lines.field()
            }
        }
    }
}
