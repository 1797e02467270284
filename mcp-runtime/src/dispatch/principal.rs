//! On whose behalf a request is made.
//!
//! Who that is, and how it is proven, is decided by who hands the request in; nothing is authenticated here.

use std::any::Any;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

/// On whose behalf a request is made, as a middleware has found out.
///
/// It is an identifier, and with it what else the middleware knows: claims of a type of its own. What outlives a request
/// belongs to the identifier, and so does a rate limit; two principals with one identifier are the same.
///
/// A middleware puts it into the extensions of an HTTP request, and functions find it in their
/// [`Context`](crate::Context):
///
/// ```
/// use mcp_runtime::prelude::*;
/// use mcp_runtime::Principal;
///
/// struct Claims {
///     admin: bool,
/// }
///
/// /// Tell who asks.
/// #[mcp_tool]
/// fn whoami(ctx: &Context) -> String {
///     match ctx.principal() {
///         Some(principal) => match principal.claims::<Claims>() {
///             Some(Claims { admin: true }) => format!("{}, who may do anything", principal.id()),
///             _ => principal.id().to_owned(),
///         },
///         None => "nobody in particular".to_owned(),
///     }
/// }
///
/// # fn main() -> Result<(), BuildError> {
/// let server = mcp_runtime::server!().build()?;
/// let ada = Principal::new("ada").with_claims(Claims { admin: true });
/// let outcome = server.call_as_blocking(&ada, "whoami", serde_json::json!({}));
/// assert_eq!(outcome.text(), "ada, who may do anything");
/// # Ok(())
/// # }
/// ```
///
/// It is cheap to clone, and its `Debug` shows the identifier alone.
#[derive(Clone)]
pub struct Principal(Arc<Inner>);

struct Inner {
    id: Box<str>,
    claims: Option<Arc<dyn Any + Send + Sync>>,
}

impl Principal {
    /// Somebody of this identifier, which has to be different for each: the subject of a token together with its issuer,
    /// if there are several.
    pub fn new(id: impl Into<String>) -> Self {
        Self(Arc::new(Inner {
            id: id.into().into_boxed_str(),
            claims: None,
        }))
    }

    /// Attaches what else is known, instead of what was attached before.
    #[must_use]
    pub fn with_claims<T: Send + Sync + 'static>(self, claims: T) -> Self {
        Self(Arc::new(Inner {
            id: self.0.id.clone(),
            claims: Some(Arc::new(claims)),
        }))
    }

    /// The identifier.
    #[must_use]
    pub fn id(&self) -> &str {
        &self.0.id
    }

    /// What was attached, if it is of this type.
    #[must_use]
    pub fn claims<T: Send + Sync + 'static>(&self) -> Option<&T> {
        self.0.claims.as_ref()?.downcast_ref()
    }
}

impl fmt::Debug for Principal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Principal").field(&self.id()).finish()
    }
}

impl PartialEq for Principal {
    fn eq(&self, other: &Self) -> bool {
        self.id() == other.id()
    }
}

impl Eq for Principal {}

impl Hash for Principal {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.id().hash(state);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_identifier_alone_makes_a_principal() {
        let ada = Principal::new("ada").with_claims(7_u8);
        assert_eq!(ada, Principal::new("ada"));
        assert_ne!(ada, Principal::new("bob"));
        assert_eq!(ada.claims::<u8>(), Some(&7));
        assert_eq!(ada.claims::<u16>(), None);
        assert_eq!(ada.clone().with_claims(8_u16).claims::<u8>(), None);
        assert_eq!(format!("{ada:?}"), r#"Principal("ada")"#);
    }
}
