/// Search the catalogue.
///
/// All words have to match.
#[tracing::instrument]
pub(crate) async fn search(
    query: &str,
    limit: u32,
    region: Option<String>,
    min_score: f64,
    #[allow(unused)]
    r#type: Kind,
    order: Order,
    catalogue: State<Catalogue>,
    ctx: &Context,
) -> Result<Vec<Hit>, SearchError> {
    unreachable!()
}
const _: () = {
    use ::mcp_runtime::__private as __mcp_rt;
    static __MCP_PARAMS: [__mcp_rt::ParamEntry; 8usize] = [
        __mcp_rt::ParamEntry {
            constraints: __mcp_rt::Constraints {
                min_length: ::core::option::Option::Some(1u64),
                max_length: ::core::option::Option::Some(80u64),
                pattern: ::core::option::Option::Some("^[a-z ]+$"),
                ..__mcp_rt::Constraints::NONE
            },
            examples: ::core::option::Option::Some(|| __mcp_rt::list([
                __mcp_rt::example!(
                    < str as __mcp_rt::Borrowed > ::Owned, __mcp_rt::text("red shoes")
                ),
                __mcp_rt::example!(
                    < str as __mcp_rt::Borrowed > ::Owned, __mcp_rt::text("hat")
                ),
            ])),
            ..__mcp_rt::ParamEntry::new(
                "query",
                "Words.",
                __mcp_rt::param_kind::<<str as __mcp_rt::Borrowed>::Owned, _>(),
            )
        },
        __mcp_rt::ParamEntry {
            default: ::core::option::Option::Some(|| __mcp_rt::json::<
                u32,
            >(__mcp_default_1())),
            constraints: __mcp_rt::Constraints {
                minimum: ::core::option::Option::Some(__mcp_rt::Bound::Int(1i128)),
                maximum: ::core::option::Option::Some(__mcp_rt::Bound::Int(100i128)),
                ..__mcp_rt::Constraints::NONE
            },
            ..__mcp_rt::ParamEntry::new(
                "limit",
                "Hits.",
                __mcp_rt::param_kind::<u32, _>(),
            )
        },
        __mcp_rt::ParamEntry {
            constraints: __mcp_rt::Constraints {
                format: ::core::option::Option::Some("uuid"),
                ..__mcp_rt::Constraints::NONE
            },
            header: "Region",
            ..__mcp_rt::ParamEntry::new(
                "region",
                "",
                __mcp_rt::param_kind::<Option<String>, _>(),
            )
        },
        __mcp_rt::ParamEntry {
            default: ::core::option::Option::Some(|| __mcp_rt::json::<
                f64,
            >(__mcp_default_3())),
            constraints: __mcp_rt::Constraints {
                minimum: ::core::option::Option::Some(__mcp_rt::Bound::Float(0f64)),
                ..__mcp_rt::Constraints::NONE
            },
            ..__mcp_rt::ParamEntry::new("minScore", "", __mcp_rt::param_kind::<f64, _>())
        },
        __mcp_rt::ParamEntry::new("type", "", __mcp_rt::param_kind::<Kind, _>()),
        __mcp_rt::ParamEntry {
            default: ::core::option::Option::Some(|| __mcp_rt::json::<
                Order,
            >(__mcp_default_5())),
            ..__mcp_rt::ParamEntry::new(
                "order",
                "Sort order.",
                __mcp_rt::param_kind::<Order, _>(),
            )
        },
        __mcp_rt::ParamEntry::new(
            "catalogue",
            "",
            __mcp_rt::param_kind::<State<Catalogue>, _>(),
        ),
        __mcp_rt::ParamEntry::new(
            "ctx",
            "",
            __mcp_rt::param_kind::<<Context as __mcp_rt::Borrowed>::Owned, _>(),
        ),
    ];
    static __MCP_TOOL: __mcp_rt::ToolEntry = __mcp_rt::ToolEntry {
        item: __mcp_rt::ItemEntry {
            name: "catalogue.search",
            title: "Catalogue search",
            description: "Search the catalogue.\n\nAll words have to match.",
            icons: &[
                __mcp_rt::IconEntry {
                    src: "https://example.com/a.png",
                    mime_type: "image/png",
                    sizes: &["48x48"],
                    theme: "light",
                },
            ],
            meta: "{\"com.example/team\":{\"name\":\"search\"}}",
            group: "public",
            timeout_ms: ::core::option::Option::Some(10000u64),
            params: &__MCP_PARAMS,
            call: __mcp_rt::CallFn::Async(__mcp_call),
            location: __mcp_rt::location!(),
        },
        hints: __mcp_rt::Hints {
            read_only: ::core::option::Option::Some(true),
            destructive: ::core::option::Option::None,
            idempotent: ::core::option::Option::None,
            open_world: ::core::option::Option::Some(false),
        },
        task: __mcp_rt::TaskSupport::Required,
        output: || __mcp_rt::output_spec!(Result < Vec < Hit >, SearchError >),
    };
    __mcp_rt::submit!(tool(__MCP_TOOL));
    #[cfg(not(test))]
    __mcp_rt::guard!(
        "__mcp_two_tools_are_called__catalogue_x2e_search__write_another_name_on_one_of_them__in_the_group__public__shop__0_1_0"
    );
    fn __mcp_default_1() -> u32 {
        10
    }
    fn __mcp_default_3() -> f64 {
        ::core::default::Default::default()
    }
    fn __mcp_default_5() -> Order {
        __mcp_rt::text("new")
    }
    const _: () = __mcp_rt::require(
        __mcp_rt::is_argument(&__MCP_PARAMS, 0usize),
        "`query` is made by the server and no argument; remove its `#[arg(…)]`",
    );
    const _: () = __mcp_rt::require(
        __mcp_rt::shape!(< str as __mcp_rt::Borrowed > ::Owned).takes_length(),
        "`length` counts texts and lists, and `query` is neither; write `range(…)` for numbers",
    );
    const _: () = __mcp_rt::require(
        __mcp_rt::shape!(< str as __mcp_rt::Borrowed > ::Owned).takes_pattern(),
        "`pattern` is matched against texts, and `query` is none; remove it",
    );
    const _: () = __mcp_rt::require(
        __mcp_rt::is_argument(&__MCP_PARAMS, 1usize),
        "`limit` is made by the server and no argument; remove its `#[arg(…)]`",
    );
    const _: () = __mcp_rt::require(
        !__mcp_rt::is_optional!(u32),
        "`limit` is `None` when it is absent; remove `default`, or take the plain type",
    );
    const _: () = __mcp_rt::require(
        __mcp_rt::shape!(u32).takes_range(),
        "`range` bounds numbers, and `limit` is none; write `length(…)` for texts and lists",
    );
    const _: () = __mcp_rt::require(
        __mcp_rt::is_argument(&__MCP_PARAMS, 2usize),
        "`region` is made by the server and no argument; remove its `#[arg(…)]`",
    );
    const _: () = __mcp_rt::require(
        __mcp_rt::shape!(Option < String >).takes_pattern(),
        "`format` describes texts, and `region` is none; remove it",
    );
    const _: () = __mcp_rt::require(
        __mcp_rt::shape!(Option < String >).takes_header(),
        "only texts, integers and booleans can be mirrored in a header; remove it from `region`",
    );
    const _: () = __mcp_rt::require(
        __mcp_rt::is_argument(&__MCP_PARAMS, 3usize),
        "`minScore` is made by the server and no argument; remove its `#[arg(…)]`",
    );
    const _: () = __mcp_rt::require(
        !__mcp_rt::is_optional!(f64),
        "`minScore` is `None` when it is absent; remove `default`, or take the plain type",
    );
    const _: () = __mcp_rt::require(
        __mcp_rt::shape!(f64).takes_range(),
        "`range` bounds numbers, and `minScore` is none; write `length(…)` for texts and lists",
    );
    const _: () = __mcp_rt::require(
        __mcp_rt::is_argument(&__MCP_PARAMS, 5usize),
        "`order` is made by the server and no argument; remove its `#[arg(…)]`",
    );
    const _: () = __mcp_rt::require(
        !__mcp_rt::is_optional!(Order),
        "`order` is `None` when it is absent; remove `default`, or take the plain type",
    );
    const _: () = {
        __mcp_rt::require(
            __mcp_rt::is_first_context(&__MCP_PARAMS, 4usize),
            "the function has a context already; remove this one",
        );
        __mcp_rt::require(
            __mcp_rt::is_first_context(&__MCP_PARAMS, 6usize),
            "the function has a context already; remove this one",
        );
        __mcp_rt::require(
            __mcp_rt::is_first_context(&__MCP_PARAMS, 7usize),
            "the function has a context already; remove this one",
        );
    };
    fn __mcp_call(
        __mcp_call: &mut __mcp_rt::Invocation<'_>,
    ) -> ::core::result::Result<__mcp_rt::BoxFuture, __mcp_rt::Rejected> {
        let mut __mcp_0 = __mcp_rt::slot!(< str as __mcp_rt::Borrowed > ::Owned);
        let mut __mcp_1 = __mcp_rt::slot!(u32);
        let mut __mcp_2 = __mcp_rt::slot!(Option < String >);
        let mut __mcp_3 = __mcp_rt::slot!(f64);
        let mut __mcp_4 = __mcp_rt::slot!(Kind);
        let mut __mcp_5 = __mcp_rt::slot!(Order);
        let mut __mcp_6 = __mcp_rt::slot!(State < Catalogue >);
        let mut __mcp_7 = __mcp_rt::slot!(< Context as __mcp_rt::Borrowed > ::Owned);
        __mcp_call
            .fill(
                &mut [
                    &mut __mcp_0,
                    &mut __mcp_1,
                    &mut __mcp_2,
                    &mut __mcp_3,
                    &mut __mcp_4,
                    &mut __mcp_5,
                    &mut __mcp_6,
                    &mut __mcp_7,
                ],
            )?;
        __mcp_1.or_default(__mcp_default_1);
        __mcp_3.or_default(__mcp_default_3);
        __mcp_5.or_default(__mcp_default_5);
        let mut __mcp_reply = __mcp_call.take_reply();
        ::core::result::Result::Ok(
            __mcp_rt::boxed(async move {
                let __mcp_value = search(
                        <str as __mcp_rt::Borrowed>::lend(__mcp_0.peek()),
                        __mcp_1.take(),
                        __mcp_2.take(),
                        __mcp_3.take(),
                        __mcp_4.take(),
                        __mcp_5.take(),
                        __mcp_6.take(),
                        <Context as __mcp_rt::Borrowed>::lend(__mcp_7.peek()),
                    )
                    .await;
                __mcp_rt::respond!(
                    Result < Vec < Hit >, SearchError >, & mut __mcp_reply, __mcp_value
                );
                __mcp_reply
            }),
        )
    }
};
