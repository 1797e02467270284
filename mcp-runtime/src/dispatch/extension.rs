//! Values attached to a request, by their types.
//!
//! Nothing here says who attaches one: middleware of a transport, or a layer.

use std::any::{Any, TypeId};
use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

type Map = HashMap<TypeId, Arc<dyn Any + Send + Sync>>;

/// Values attached to a request, one of each type.
///
/// Over HTTP these are the extensions of the HTTP request, which middleware sets, and its headers, as
/// `http::HeaderMap`. [Layers](crate::ServerBuilder::layer) add to them by
/// [`CallRequest::extensions_mut`](crate::layer::CallRequest::extensions_mut). A function reads them by
/// [`Context::extensions`](crate::Context::extensions) or takes one as an [`Extension`](crate::Extension).
///
/// A clone shares the values.
///
/// ```
/// let mut extensions = mcp_runtime::context::Extensions::default();
/// extensions.insert("a tenant");
/// assert_eq!(extensions.get::<&str>(), Some(&"a tenant"));
/// assert_eq!(extensions.get::<u8>(), None);
/// ```
#[derive(Clone, Default)]
pub struct Extensions {
    /// `None` if nothing was inserted.
    map: Option<Arc<Map>>,
    #[cfg(feature = "http")]
    http: Option<Arc<HttpParts>>,
}

/// What of an HTTP request reaches functions.
#[cfg(feature = "http")]
#[derive(Debug)]
pub(crate) struct HttpParts {
    pub(crate) headers: http::HeaderMap,
    pub(crate) extensions: http::Extensions,
}

impl Extensions {
    /// Those of an HTTP request.
    #[cfg(feature = "http")]
    pub(crate) fn of_http(parts: &Arc<HttpParts>) -> Self {
        Self {
            map: None,
            http: Some(Arc::clone(parts)),
        }
    }

    /// The value of a type, if there is one.
    #[must_use]
    pub fn get<T: Send + Sync + 'static>(&self) -> Option<&T> {
        let inserted = self
            .map
            .as_ref()
            .and_then(|map| map.get(&TypeId::of::<T>()));
        if let Some(value) = inserted {
            return value.downcast_ref();
        }
        #[cfg(feature = "http")]
        if let Some(parts) = &self.http {
            let headers: &dyn Any = &parts.headers;
            return parts.extensions.get().or_else(|| headers.downcast_ref());
        }
        None
    }

    /// Attaches a value, in place of another of its type.
    pub fn insert<T: Send + Sync + 'static>(&mut self, value: T) {
        let map = Arc::make_mut(self.map.get_or_insert_default());
        map.insert(TypeId::of::<T>(), Arc::new(value));
    }
}

impl fmt::Debug for Extensions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Extensions").finish_non_exhaustive()
    }
}
