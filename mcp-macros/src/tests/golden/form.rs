const _: () = {
    use ::mcp_runtime::__private as __mcp_rt;
    static __MCP_FIELDS: [__mcp_rt::FieldEntry; 4usize] = [
        __mcp_rt::FieldEntry {
            constraints: __mcp_rt::Constraints {
                min_length: ::core::option::Option::Some(1u64),
                max_length: ::core::option::Option::Some(40u64),
                ..__mcp_rt::Constraints::NONE
            },
            ..__mcp_rt::FieldEntry::new(
                "name",
                "Name",
                "Your name.",
                __mcp_rt::field!(String),
            )
        },
        __mcp_rt::FieldEntry {
            format: ::core::option::Option::Some(__mcp_rt::Format::Email),
            ..__mcp_rt::FieldEntry::new(
                "email",
                "Bill to",
                "",
                __mcp_rt::field!(Option < Box < str > >),
            )
        },
        __mcp_rt::FieldEntry {
            constraints: __mcp_rt::Constraints {
                minimum: ::core::option::Option::Some(__mcp_rt::Bound::Int(1i128)),
                maximum: ::core::option::Option::Some(__mcp_rt::Bound::Int(10i128)),
                exclusive_maximum: true,
                ..__mcp_rt::Constraints::NONE
            },
            default: ::core::option::Option::Some(
                __mcp_rt::published::<u8, __McpDefault2>,
            ),
            ..__mcp_rt::FieldEntry::new("type", "Type", "", __mcp_rt::field!(u8))
        },
        __mcp_rt::FieldEntry {
            constraints: __mcp_rt::Constraints {
                max_length: ::core::option::Option::Some(2u64),
                ..__mcp_rt::Constraints::NONE
            },
            default: ::core::option::Option::Some(
                __mcp_rt::published::<Vec<Delivery>, __McpDefault3>,
            ),
            ..__mcp_rt::FieldEntry::new(
                "ways",
                "Ways",
                "",
                __mcp_rt::field!(Vec < Delivery >),
            )
        },
    ];
    static __MCP_FORM: __mcp_rt::Form = __mcp_rt::Form::new(&__MCP_FIELDS);
    struct __McpDefault2;
    impl __mcp_rt::Constant<<u8 as __mcp_rt::FormField>::Given> for __McpDefault2 {
        const VALUE: <u8 as __mcp_rt::FormField>::Given = 1;
    }
    struct __McpDefault3;
    impl __mcp_rt::Constant<<Vec<Delivery> as __mcp_rt::FormField>::Given>
    for __McpDefault3 {
        const VALUE: <Vec<Delivery> as __mcp_rt::FormField>::Given = &[Delivery::Post];
    }
    const _: () = __mcp_rt::require(
        __mcp_rt::field!(String).is_optional_once(),
        "`name` is either there or not; take one `Option`",
    );
    const _: () = __mcp_rt::require(
        __mcp_rt::field!(String).takes_length(),
        "`length` counts the characters of texts, and `name` is none; write `range(…)` for numbers and `items(…)` for lists",
    );
    const _: () = __mcp_rt::require(
        __mcp_rt::field!(Option < Box < str > >).is_optional_once(),
        "`email` is either there or not; take one `Option`",
    );
    const _: () = __mcp_rt::require(
        __mcp_rt::field!(Option < Box < str > >).takes_length(),
        "`format` describes texts, and `email` is none; remove it",
    );
    const _: () = __mcp_rt::require(
        __mcp_rt::field!(u8).is_optional_once(),
        "`type` is either there or not; take one `Option`",
    );
    const _: () = __mcp_rt::require(
        __mcp_rt::field!(u8).takes_range(),
        "`range` bounds numbers, and `type` is none; write `length(…)` for texts and `items(…)` for lists",
    );
    const _: () = __mcp_rt::require(
        __mcp_rt::field!(u8).holds(&__MCP_FIELDS[2usize].constraints),
        "the type of `type` does not hold all of this `range`; write bounds that it holds",
    );
    const _: () = __mcp_rt::require(
        __mcp_rt::field!(u8).takes_half_open(),
        "a form's range includes its end; write `..=` and the greatest number that is allowed",
    );
    const _: () = __mcp_rt::require(
        !__mcp_rt::field!(u8).is_optional,
        "`type` is `None` when it is absent; remove `default`, or take the plain type",
    );
    const _: () = __mcp_rt::require(
        __mcp_rt::default_fits(
            __mcp_rt::given!(u8, __McpDefault2),
            &__MCP_FIELDS[2usize].constraints,
            __MCP_FIELDS[2usize].format,
        ),
        "this default does not keep to its own `range`; change one of them",
    );
    const _: () = __mcp_rt::require(
        __mcp_rt::default_is_safe(__mcp_rt::given!(u8, __McpDefault2)),
        "hosts round a default beyond ±9007199254740991 (2^53 − 1); write a smaller one",
    );
    const _: () = __mcp_rt::require(
        __mcp_rt::field!(Vec < Delivery >).is_optional_once(),
        "`ways` is either there or not; take one `Option`",
    );
    const _: () = __mcp_rt::require(
        __mcp_rt::field!(Vec < Delivery >).takes_items(),
        "`items` counts the values of lists, and `ways` is none; write `range(…)` for numbers and `length(…)` for texts",
    );
    const _: () = __mcp_rt::require(
        !__mcp_rt::field!(Vec < Delivery >).is_optional,
        "`ways` is `None` when it is absent; remove `default`, or take the plain type",
    );
    const _: () = __mcp_rt::require(
        __mcp_rt::default_fits(
            __mcp_rt::given!(Vec < Delivery >, __McpDefault3),
            &__MCP_FIELDS[3usize].constraints,
            __MCP_FIELDS[3usize].format,
        ),
        "this default does not keep to its own `items`; change one of them",
    );
    const _: () = __mcp_rt::require(
        __mcp_rt::default_is_safe(__mcp_rt::given!(Vec < Delivery >, __McpDefault3)),
        "hosts round a default beyond ±9007199254740991 (2^53 − 1); write a smaller one",
    );
    #[automatically_derived]
    impl __mcp_rt::ElicitForm for Order {
        fn requested_schema() -> &'static ::core::primitive::str {
            __MCP_FORM.requested_schema()
        }
        fn from_content(
            __mcp_content: &__mcp_rt::RawValue,
        ) -> ::core::result::Result<Self, __mcp_rt::FormFaults> {
            let mut __mcp_answer = __MCP_FORM.read(__mcp_content)?;
            ::core::result::Result::Ok(Self {
                name: __mcp_answer.take::<String>(0usize)?,
                email: __mcp_answer.take::<Option<Box<str>>>(1usize)?,
                r#type: __mcp_answer.take_or::<u8, __McpDefault2>(2usize)?,
                deliveries: __mcp_answer.take_or::<Vec<Delivery>, __McpDefault3>(3usize)?,
            })
        }
    }
};
