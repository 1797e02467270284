//! The attributes in a crate without a prelude, beside items that are called like everything an expansion could use.

#![no_implicit_prelude]
#![forbid(unsafe_code)]
#![deny(warnings)]

use ::mcp_runtime::{
    Context, State, form::ElicitForm, mcp_prompt, mcp_resource, mcp_tool, mcp_type,
};

/// Items of the user's that would shadow ours.
mod shadows {
    #![allow(
        dead_code,
        unused_imports,
        unused_macros,
        reason = "they only have to stand in the way"
    )]

    use ::mcp_runtime::{form::ElicitForm, mcp_prompt, mcp_resource, mcp_tool, mcp_type};

    pub(super) struct Args;
    pub(super) struct String;
    pub(super) struct Vec;
    pub(super) enum Option {
        Some,
        None,
    }
    pub(super) enum Result {
        Ok,
        Err,
    }
    pub(super) use self::Option::{None, Some};
    pub(super) use self::Result::{Err, Ok};
    pub(super) trait Default {}
    pub(super) trait From {}
    pub(super) trait Into {}
    pub(super) trait Send {}
    pub(super) trait Future {}
    pub(super) struct Slot;
    pub(super) struct Answer;
    pub(super) struct FieldEntry;
    pub(super) trait FormField {}
    pub(super) struct Param;
    pub(super) struct Probe;
    pub(super) struct Box;
    pub(super) fn call() {}
    pub(super) fn slot() {}
    pub(super) fn text() {}
    pub(super) fn json() {}
    pub(super) mod core {}
    pub(super) mod std {}
    pub(super) mod mcp_runtime {}
    pub(super) mod serde {}
    pub(super) mod schemars {}
    pub(super) mod inventory {}
    macro_rules! module_path {
        () => {
            compile_error!("ours was meant")
        };
    }
    macro_rules! file {
        () => {
            compile_error!("ours was meant")
        };
    }
    macro_rules! line {
        () => {
            compile_error!("ours was meant")
        };
    }
    macro_rules! concat {
        () => {
            compile_error!("ours was meant")
        };
    }
    macro_rules! assert {
        () => {
            compile_error!("ours was meant")
        };
    }
    macro_rules! panic {
        () => {
            compile_error!("ours was meant")
        };
    }
    macro_rules! submit {
        () => {
            compile_error!("ours was meant")
        };
    }
    pub(super) use {assert, concat, file, line, module_path, panic, submit};

    /// A place.
    #[mcp_type]
    pub(super) struct Place {
        /// Its name.
        pub(super) name: ::std::string::String,
    }

    #[derive(ElicitForm)]
    pub(super) enum Choice {
        Some,
        #[form(title = "Nothing")]
        None,
    }

    #[derive(ElicitForm)]
    pub(super) struct Form {
        #[form(default = "x:", length(1..), format = "uri")]
        pub(super) text: ::std::string::String,
        #[form(default = 1, range(0..=9))]
        pub(super) usize: u8,
        #[form(default = [Choice::None], items(..2))]
        pub(super) value: ::std::vec::Vec<Choice>,
        pub(super) index: ::std::option::Option<bool>,
    }

    /// Stand among shadows.
    #[mcp_tool(
        read_only,
        timeout = "1s",
        icons(icon(src = "https://example.com/icon.png", sizes = ["1x1"])),
        meta("a" = 1)
    )]
    pub(super) fn shadowed(
        /// A number.
        #[arg(default = 1, range(0..=9), example = 2, header = "N")]
        number: u8,
        #[arg(default, length(..9), pattern = "^a*$", format = "hostname")] lent: &str,
        place: &::std::option::Option<Place>,
    ) -> ::std::result::Result<::std::string::String, ::mcp_runtime::ToolError> {
        ::std::result::Result::Ok(::std::format!("{number}{lent}{}", place.is_some()))
    }

    /// Read among shadows.
    #[mcp_resource(
        "shadows://{number}{?lent}",
        ttl = "1s",
        mime_type = "text/plain",
        annotations(audience = ["user"], priority = 0.5),
        icons(icon(src = "https://example.com/icon.png"))
    )]
    pub(super) fn read_shadow(
        #[arg(complete = numbers)] number: u8,
        lent: ::std::option::Option<::std::string::String>,
    ) -> ::std::result::Result<::std::string::String, ::mcp_runtime::ResourceError> {
        ::std::result::Result::Ok(::std::format!("{number}{}", lent.unwrap_or_default()))
    }

    /// Prompt among shadows.
    #[mcp_prompt(meta("a" = 1))]
    pub(super) fn prompt_shadow(
        /// A number.
        #[arg(default = 1, complete = numbers)]
        number: u8,
        lent: &str,
    ) -> ::std::string::String {
        ::std::format!("{number}{lent}")
    }

    fn numbers(typed: &str) -> ::std::vec::Vec<::std::string::String> {
        ::std::vec![::std::format!("{typed}1")]
    }
}

/// A direction.
#[mcp_type]
enum Direction {
    /// Up.
    North,
    South,
}

/// Add without a prelude.
#[mcp_tool(group = "bare")]
async fn add(
    #[arg(default = "x")] name: ::std::string::String,
    direction: &Direction,
    state: State<u8>,
    context: &Context,
) -> ::std::vec::Vec<::std::string::String> {
    let _ = context;
    let direction = match direction {
        Direction::North => "north",
        Direction::South => "south",
    };
    ::std::vec![::std::format!("{name}{direction}{}", *state)]
}

#[derive(ElicitForm)]
struct Bare {
    #[form(default = "x")]
    name: ::std::string::String,
    number: ::std::option::Option<u8>,
}

/// Do nothing.
#[mcp_tool(group = "bare")]
fn r#loop() {}

/// Read without a prelude.
#[mcp_resource("bare://{name}", group = "bare")]
async fn read(
    name: ::std::string::String,
    state: State<u8>,
    context: &Context,
) -> ::std::vec::Vec<u8> {
    let _ = context;
    ::std::vec![*state, u8::from(name == "seven")]
}

/// Prompt without a prelude.
#[mcp_prompt(group = "bare")]
async fn prompt(
    /// Which way.
    r#type: ::std::string::String,
    state: State<u8>,
) -> ::std::string::String {
    ::std::format!("{}{type}", *state, r#type = r#type)
}

/// A function in a block, whose items only the block sees.
fn in_a_block() -> u8 {
    struct Hidden;

    /// Count what is hidden.
    #[mcp_tool]
    fn hidden(#[arg(default = 1)] number: u8) -> u8 {
        let _ = Hidden;
        number
    }
    hidden(2)
}

#[::core::prelude::v1::test]
fn expansions_see_nothing_of_the_users() {
    use ::std::prelude::v1::*;

    let server = ::mcp_runtime::server!().build().unwrap();
    let arguments = ::serde_json::json!({"lent": "aa", "place": {"name": "here"}});
    ::std::assert_eq!(
        server.call_blocking("shadowed", arguments).text(),
        "1aatrue"
    );
    ::std::assert_eq!(
        server
            .call_blocking("hidden", ::serde_json::json!({}))
            .text(),
        "1"
    );
    ::std::assert_eq!(in_a_block(), 2);
    let contents = server.read_resource_blocking("shadows://7?lent=x");
    ::std::assert_eq!(contents["contents"][0]["text"], "7x");
    let messages = server.get_prompt_blocking("prompt_shadow", ::serde_json::json!({"lent": "x"}));
    ::std::assert_eq!(messages["messages"][0]["content"]["text"], "1x");
}

#[::core::prelude::v1::test]
fn expansions_need_no_prelude() {
    use ::std::prelude::v1::*;

    let server = ::mcp_runtime::server!()
        .groups(["bare"])
        .state(7_u8)
        .build()
        .unwrap();
    let result = server.call_blocking("add", ::serde_json::json!({"direction": "South"}));
    ::std::assert_eq!(result.text(), "[\"xsouth7\"]");
    ::std::assert!(
        !server
            .call_blocking("loop", ::serde_json::json!({}))
            .is_error()
    );
    ::std::assert_eq!(
        server.read_resource_blocking("bare://seven")["contents"][0]["blob"],
        "BwE="
    );
    let messages = server.get_prompt_blocking("prompt", ::serde_json::json!({"type": "x"}));
    ::std::assert_eq!(messages["messages"][0]["content"]["text"], "7x");
}

#[::core::prelude::v1::test]
fn forms_see_nothing_of_the_users() {
    use ::std::prelude::v1::*;

    let answer = ::serde_json::value::RawValue::from_string("{}".into()).unwrap();
    let form = shadows::Form::from_content(&answer).unwrap();
    ::std::assert_eq!((&*form.text, form.usize, form.index), ("x:", 1, None));
    ::std::assert!(::std::matches!(form.value[..], [shadows::Choice::None]));
    let bare = Bare::from_content(&answer).unwrap();
    ::std::assert_eq!((&*bare.name, bare.number), ("x", None));
    ::std::assert!(!::std::matches!(form.value[0], shadows::Choice::Some));
}
