//! Formats of arguments: what is advertised is enforced, wherever it comes from.

use mcp_runtime::{ToolError, mcp_tool, mcp_type};
use serde_json::{Value, json};

use super::{failed, succeeded};

/// Take texts of some formats.
#[mcp_tool]
fn formats(
    #[arg(format = "email")] email: Option<String>,
    #[arg(format = "uuid")] id: Option<String>,
    #[arg(format = "time")] at: Option<String>,
    #[arg(format = "hostname")] host: Option<String>,
    v4: Option<std::net::Ipv4Addr>,
    contact: Option<Contact>,
) -> String {
    format!(
        "{email:?} {id:?} {at:?} {host:?} {v4:?} {}",
        contact.is_some()
    )
}

#[mcp_type]
struct Contact {
    #[schemars(extend("format" = "date"))]
    since: String,
}

#[test]
fn what_has_not_the_format_is_told_with_an_example() {
    assert_eq!(
        failed(
            "formats",
            r#"{"email":"ada","id":"67e55044","at":"noon","v4":"1.2.3","contact":{"since":"yesterday"}}"#
        ),
        [
            "`email`: expected an email address such as ada@example.com, found the string \"ada\"; `email` may be left out",
            "`id`: expected a UUID such as 67e55044-10b1-426f-9247-bb680e5fe0c8, found the string \"67e55044\"; `id` may be left out",
            "`at`: expected a time such as 12:00:00Z, found the string \"noon\"; `at` may be left out",
            "`v4`: expected an IPv4 address such as 192.0.2.1, found the string \"1.2.3\"; `v4` may be left out",
            "`contact.since`: expected a date such as 2026-11-30, found the string \"yesterday\"; `contact` may be left out",
        ]
    );
}

#[test]
fn what_has_the_format_is_taken() {
    assert_eq!(
        succeeded(
            "formats",
            r#"{"email":"ada@example.com","id":"67e55044-10b1-426f-9247-bb680e5fe0c8","at":"23:59:60Z","host":"-","v4":"192.0.2.1","contact":{"since":"2026-11-30"}}"#
        ),
        r#"Some("ada@example.com") Some("67e55044-10b1-426f-9247-bb680e5fe0c8") Some("23:59:60Z") Some("-") Some(192.0.2.1) true"#
    );
}

#[test]
fn formats_of_registered_tools_are_enforced() {
    let schema =
        json!({"type": "object", "properties": {"to": {"type": "string", "format": "email"}}});
    let server = mcp_runtime::server!()
        .register_tool("given", "Give back.", schema, |arguments: Value| {
            Ok::<_, ToolError>(arguments)
        })
        .build()
        .unwrap();
    assert!(
        !server
            .call_blocking("given", json!({"to": "ada@example.com"}))
            .is_error()
    );
    let refused = server.call_blocking("given", json!({"to": "ada"}));
    assert!(
        refused.text().contains("such as ada@example.com"),
        "{}",
        refused.text()
    );
}
