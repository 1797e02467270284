/// Add two integers.
fn add(a: i64, b: i64) -> i64 {
    a + b
}
const _: () = {
    use ::mcp_runtime::__private as __mcp_rt;
    static __MCP_PARAMS: [__mcp_rt::ParamEntry; 2usize] = [
        __mcp_rt::ParamEntry::new(
            "a",
            "First addend.",
            __mcp_rt::param_kind::<i64, _>(),
        ),
        __mcp_rt::ParamEntry::new(
            "b",
            "Second addend.",
            __mcp_rt::param_kind::<i64, _>(),
        ),
    ];
    static __MCP_TOOL: __mcp_rt::ToolEntry = __mcp_rt::ToolEntry {
        item: __mcp_rt::ItemEntry {
            name: "add",
            title: "Add",
            description: "Add two integers.",
            icons: &[],
            meta: "",
            group: "",
            timeout_ms: ::core::option::Option::None,
            params: &__MCP_PARAMS,
            call: __mcp_rt::CallFn::Blocking(__mcp_call),
            location: __mcp_rt::location!(),
        },
        hints: __mcp_rt::Hints {
            read_only: ::core::option::Option::Some(true),
            destructive: ::core::option::Option::None,
            idempotent: ::core::option::Option::None,
            open_world: ::core::option::Option::None,
        },
        task: __mcp_rt::TaskSupport::Forbidden,
        output: || __mcp_rt::output_spec!(i64),
    };
    __mcp_rt::submit!(tool(__MCP_TOOL));
    #[cfg(not(test))]
    __mcp_rt::guard!(
        "__mcp_two_tools_are_called__add__write_another_name_on_one_of_them__shop__0_1_0"
    );
    const _: () = {
        __mcp_rt::require(
            __mcp_rt::is_first_context(&__MCP_PARAMS, 1usize),
            "the function has a context already; remove this one",
        );
    };
    fn __mcp_call(
        __mcp_call: &mut __mcp_rt::Invocation<'_>,
    ) -> ::core::result::Result<(), __mcp_rt::Rejected> {
        let mut __mcp_0 = __mcp_rt::slot!(i64);
        let mut __mcp_1 = __mcp_rt::slot!(i64);
        __mcp_call.fill(&mut [&mut __mcp_0, &mut __mcp_1])?;
        let __mcp_value = add(__mcp_0.take(), __mcp_1.take());
        __mcp_rt::respond!(i64, __mcp_call.reply(), __mcp_value);
        ::core::result::Result::Ok(())
    }
};
