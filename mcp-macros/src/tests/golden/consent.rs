#[allow(deprecated)]
const _: () = {
    use framework::mcp::__private as __mcp_rt;
    static __MCP_FIELDS: [__mcp_rt::FieldEntry; 0usize] = [];
    static __MCP_FORM: __mcp_rt::Form = __mcp_rt::Form::new(&__MCP_FIELDS);
    #[automatically_derived]
    impl __mcp_rt::ElicitForm for Consent {
        fn requested_schema() -> &'static ::core::primitive::str {
            __MCP_FORM.requested_schema()
        }
        fn from_content(
            __mcp_content: &__mcp_rt::RawValue,
        ) -> ::core::result::Result<Self, __mcp_rt::FormFaults> {
            __MCP_FORM.read(__mcp_content)?;
            ::core::result::Result::Ok(Self {})
        }
    }
};
