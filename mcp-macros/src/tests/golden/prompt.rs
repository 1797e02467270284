/// Summarise an order.
fn summarize(
    id: &str,
    tone: String,
    city: Option<String>,
    shop: State<Shop>,
) -> Vec<PromptMessage> {
    unreachable!()
}
const _: () = {
    use ::mcp_runtime::__private as __mcp_rt;
    static __MCP_PARAMS: [__mcp_rt::ParamEntry; 4usize] = [
        __mcp_rt::ParamEntry {
            choices: ::core::option::Option::Some(|| {
                __mcp_rt::choices!(< str as __mcp_rt::Borrowed > ::Owned)
            }),
            ..__mcp_rt::ParamEntry::new(
                "id",
                "The order's id.",
                __mcp_rt::text_kind::<<str as __mcp_rt::Borrowed>::Owned, _>(),
            )
        },
        __mcp_rt::ParamEntry {
            default: ::core::option::Option::Some(|| ::core::option::Option::None),
            complete: ::core::option::Option::Some(__mcp_rt::Completer {
                call: __mcp_complete_1,
                execution: || __mcp_rt::complete_execution!(tones),
            }),
            ..__mcp_rt::ParamEntry::new("tone", "", __mcp_rt::text_kind::<String, _>())
        },
        __mcp_rt::ParamEntry {
            complete: ::core::option::Option::Some(__mcp_rt::Completer {
                call: __mcp_complete_2,
                execution: || __mcp_rt::complete_execution!(cities, inline),
            }),
            ..__mcp_rt::ParamEntry::new(
                "city",
                "",
                __mcp_rt::text_kind::<Option<String>, _>(),
            )
        },
        __mcp_rt::ParamEntry {
            choices: ::core::option::Option::Some(|| __mcp_rt::choices!(State < Shop >)),
            ..__mcp_rt::ParamEntry::new(
                "shop",
                "",
                __mcp_rt::text_kind::<State<Shop>, _>(),
            )
        },
    ];
    static __MCP_PROMPT: __mcp_rt::PromptEntry = __mcp_rt::PromptEntry {
        item: __mcp_rt::ItemEntry {
            name: "summarize-order",
            title: "Summarize order",
            description: "Summarise an order.",
            icons: &[],
            meta: "",
            group: "",
            timeout_ms: ::core::option::Option::None,
            params: &__MCP_PARAMS,
            call: __mcp_rt::CallFn::Blocking(__mcp_call),
            location: __mcp_rt::location!(),
        },
        allow_unknown: true,
    };
    __mcp_rt::submit!(prompt(__MCP_PROMPT));
    #[cfg(not(test))]
    __mcp_rt::guard!(
        "__mcp_two_prompts_are_called__summarize_x2d_order__write_another_name_on_one_of_them__shop__0_1_0"
    );
    fn __mcp_default_1() -> String {
        ::core::default::Default::default()
    }
    fn __mcp_complete_1(
        __mcp_asked: __mcp_rt::CompletionRequest,
    ) -> __mcp_rt::CompletionFuture {
        __mcp_rt::completion(async move { __mcp_rt::complete!(tones, __mcp_asked) })
    }
    fn __mcp_complete_2(
        __mcp_asked: __mcp_rt::CompletionRequest,
    ) -> __mcp_rt::CompletionFuture {
        __mcp_rt::completion(async move { __mcp_rt::complete!(cities, __mcp_asked) })
    }
    const _: () = __mcp_rt::require(
        __mcp_rt::is_argument(&__MCP_PARAMS, 1usize),
        "`tone` is made by the server and no argument; remove its `#[arg(…)]`",
    );
    const _: () = __mcp_rt::require(
        !__mcp_rt::is_optional!(String),
        "`tone` is `None` when it is absent; remove `default`, or take the plain type",
    );
    const _: () = __mcp_rt::require(
        __mcp_rt::is_argument(&__MCP_PARAMS, 2usize),
        "`city` is made by the server and no argument; remove its `#[arg(…)]`",
    );
    const _: () = {
        __mcp_rt::require(
            __mcp_rt::is_first_context(&__MCP_PARAMS, 3usize),
            "the function has a context already; remove this one",
        );
    };
    const _: () = __mcp_rt::require(
        __mcp_rt::is_one_text(&__MCP_PARAMS, 0usize),
        "`id` comes as one text; take a `String` and split it in the body",
    );
    const _: () = __mcp_rt::require(
        __mcp_rt::is_one_text(&__MCP_PARAMS, 1usize),
        "`tone` comes as one text; take a `String` and split it in the body",
    );
    const _: () = __mcp_rt::require(
        __mcp_rt::is_one_text(&__MCP_PARAMS, 2usize),
        "`city` comes as one text; take a `String` and split it in the body",
    );
    const _: () = __mcp_rt::require(
        __mcp_rt::is_one_text(&__MCP_PARAMS, 3usize),
        "`shop` comes as one text; take a `String` and split it in the body",
    );
    fn __mcp_call(
        __mcp_call: &mut __mcp_rt::Invocation<'_>,
    ) -> ::core::result::Result<(), __mcp_rt::Rejected> {
        let mut __mcp_0 = __mcp_rt::text_slot!(< str as __mcp_rt::Borrowed > ::Owned);
        let mut __mcp_1 = __mcp_rt::text_slot!(String);
        let mut __mcp_2 = __mcp_rt::text_slot!(Option < String >);
        let mut __mcp_3 = __mcp_rt::text_slot!(State < Shop >);
        __mcp_call
            .fill_texts(&mut [&mut __mcp_0, &mut __mcp_1, &mut __mcp_2, &mut __mcp_3])?;
        __mcp_1.or_default(__mcp_default_1);
        let __mcp_value = summarize(
            <str as __mcp_rt::Borrowed>::lend(__mcp_0.peek()),
            __mcp_1.take(),
            __mcp_2.take(),
            __mcp_3.take(),
        );
        __mcp_rt::respond_prompt!(
            Vec < PromptMessage >, __mcp_call.reply(), __mcp_value
        );
        ::core::result::Result::Ok(())
    }
};
