/// A line of an order.
async fn line(
    id: OrderId,
    path: PathBuf,
    words: Option<String>,
) -> Result<Json<Line>, ResourceError> {
    unreachable!()
}
const _: () = {
    use ::mcp_runtime::__private as __mcp_rt;
    static __MCP_PARAMS: [__mcp_rt::ParamEntry; 3usize] = [
        __mcp_rt::ParamEntry {
            choices: ::core::option::Option::Some(|| __mcp_rt::choices!(OrderId)),
            is_guarded: __mcp_rt::is_text!(OrderId),
            ..__mcp_rt::ParamEntry::new("id", "", __mcp_rt::text_kind::<OrderId, _>())
        },
        __mcp_rt::ParamEntry {
            choices: ::core::option::Option::Some(|| __mcp_rt::choices!(PathBuf)),
            ..__mcp_rt::ParamEntry::new("path", "", __mcp_rt::text_kind::<PathBuf, _>())
        },
        __mcp_rt::ParamEntry {
            choices: ::core::option::Option::Some(|| {
                __mcp_rt::choices!(Option < String >)
            }),
            is_guarded: __mcp_rt::is_text!(Option < String >),
            ..__mcp_rt::ParamEntry::new(
                "words",
                "",
                __mcp_rt::text_kind::<Option<String>, _>(),
            )
        },
    ];
    static __MCP_RESOURCE: __mcp_rt::ResourceEntry = __mcp_rt::ResourceEntry {
        item: __mcp_rt::ItemEntry {
            name: "line",
            title: "Line",
            description: "A line of an order.",
            icons: &[],
            meta: "",
            group: "",
            timeout_ms: ::core::option::Option::None,
            params: &__MCP_PARAMS,
            call: __mcp_rt::CallFn::Async(__mcp_call),
            location: __mcp_rt::location!(),
        },
        uri: "orders://{id}/lines/{path*}{?words}",
        parts: &[
            __mcp_rt::UriPart::Literal("orders://"),
            __mcp_rt::UriPart::Variable {
                param: 0usize,
                reach: __mcp_rt::Reach::Segment,
                separator: ',',
            },
            __mcp_rt::UriPart::Literal("/lines/"),
            __mcp_rt::UriPart::Variable {
                param: 1usize,
                reach: __mcp_rt::Reach::Segments,
                separator: ',',
            },
            __mcp_rt::UriPart::Query {
                opener: '?',
                names: &[("words", 2usize)],
            },
        ],
        mime_type: || "application/json",
        size: ::core::option::Option::None,
        annotations: __mcp_rt::AnnotationsEntry {
            audience: &["user"],
            priority: ::core::option::Option::Some(0.5f64),
            last_modified: "",
        },
        ttl_ms: ::core::option::Option::Some(300000u64),
        cache_scope: ::core::option::Option::Some(__mcp_rt::CacheScope::Public),
    };
    __mcp_rt::submit!(resource(__MCP_RESOURCE));
    #[cfg(not(test))]
    __mcp_rt::guard!(
        "__mcp_two_resources_have_the_uri__orders_x3a__x2f__x2f__x7b__x7d__x2f_lines_x2f__x7b__x2a__x7d__x7b__x3f__x7d___write_another_uri_on_one_of_them__shop__0_1_0"
    );
    const _: () = __mcp_rt::require(
        !__mcp_rt::is_optional!(OrderId),
        "`{id}` is always there, so `id` cannot be an `Option`; write the plain type",
    );
    const _: () = __mcp_rt::require(
        __mcp_rt::is_argument(&__MCP_PARAMS, 1usize),
        "`path` is made by the server and no argument; remove its `#[arg(…)]`",
    );
    const _: () = __mcp_rt::require(
        !__mcp_rt::is_optional!(PathBuf),
        "`{path}` is always there, so `path` cannot be an `Option`; write the plain type",
    );
    const _: () = {
        __mcp_rt::require(
            __mcp_rt::is_first_context(&__MCP_PARAMS, 2usize),
            "the function has a context already; remove this one",
        );
    };
    fn __mcp_call(
        __mcp_call: &mut __mcp_rt::Invocation<'_>,
    ) -> ::core::result::Result<__mcp_rt::BoxFuture, __mcp_rt::Rejected> {
        let mut __mcp_0 = __mcp_rt::text_slot!(OrderId);
        let mut __mcp_1 = __mcp_rt::text_slot!(PathBuf);
        let mut __mcp_2 = __mcp_rt::text_slot!(Option < String >);
        __mcp_call.fill_texts(&mut [&mut __mcp_0, &mut __mcp_1, &mut __mcp_2])?;
        let mut __mcp_reply = __mcp_call.take_reply();
        ::core::result::Result::Ok(
            __mcp_rt::boxed(async move {
                let __mcp_value = line(__mcp_0.take(), __mcp_1.take(), __mcp_2.take())
                    .await;
                __mcp_rt::respond_resource!(
                    Result < Json < Line >, ResourceError >, & mut __mcp_reply,
                    __mcp_value
                );
                __mcp_reply
            }),
        )
    }
};
