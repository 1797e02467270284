/// Do nothing.
#[deprecated]
pub fn r#try() {}
#[allow(deprecated)]
const _: () = {
    use framework::mcp::__private as __mcp_rt;
    static __MCP_PARAMS: [__mcp_rt::ParamEntry; 0usize] = [];
    static __MCP_TOOL: __mcp_rt::ToolEntry = __mcp_rt::ToolEntry {
        item: __mcp_rt::ItemEntry {
            name: "try",
            title: "Try",
            description: "Do nothing.",
            icons: &[],
            meta: "",
            group: "",
            timeout_ms: ::core::option::Option::None,
            params: &__MCP_PARAMS,
            call: __mcp_rt::CallFn::Blocking(__mcp_call),
            location: __mcp_rt::location!(),
        },
        hints: __mcp_rt::Hints::UNSET,
        task: __mcp_rt::TaskSupport::Forbidden,
        output: || __mcp_rt::output_spec!(()),
    };
    __mcp_rt::submit!(tool(__MCP_TOOL));
    #[cfg(not(test))]
    __mcp_rt::guard!(
        "__mcp_two_tools_are_called__try__write_another_name_on_one_of_them__shop__0_1_0"
    );
    fn __mcp_call(
        __mcp_call: &mut __mcp_rt::Invocation<'_>,
    ) -> ::core::result::Result<(), __mcp_rt::Rejected> {
        __mcp_call.fill(&mut [])?;
        let __mcp_value = r#try();
        __mcp_rt::respond!((), __mcp_call.reply(), __mcp_value);
        ::core::result::Result::Ok(())
    }
};
