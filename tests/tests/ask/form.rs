//! The forms of these tests.

use mcp_runtime::{ElicitForm, FormFault};
use serde::Deserialize;
use serde_json::value::RawValue;

macro_rules! form {
    ($Form:ident { $field:ident: $ty:ty } = $schema:literal) => {
        #[derive(Debug, PartialEq, Deserialize)]
        pub(crate) struct $Form {
            pub(crate) $field: $ty,
        }

        impl ElicitForm for $Form {
            fn requested_schema() -> &'static str {
                $schema
            }

            fn from_content(content: &RawValue) -> Result<Self, Vec<FormFault>> {
                serde_json::from_str(content.get())
                    .map_err(|error| vec![FormFault::new(error.to_string())])
            }
        }
    };
}
form!(
    Confirm { yes: bool } =
        r#"{"type":"object","properties":{"yes":{"type":"boolean"}},"required":["yes"]}"#
);
form!(
    Name { name: String } =
        r#"{"type":"object","properties":{"name":{"type":"string"}},"required":["name"]}"#
);
form!(Colour { colour: Option<String> } = r#"{"type":"object","properties":{"colour":{"type":"string"}}}"#);
