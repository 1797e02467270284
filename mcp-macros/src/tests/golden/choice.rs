const _: () = {
    use ::mcp_runtime::__private as __mcp_rt;
    #[automatically_derived]
    impl __mcp_rt::FormChoice for Delivery {
        const CHOICES: &'static [__mcp_rt::Choice] = &[
            __mcp_rt::Choice {
                value: "Post",
                title: "Post",
            },
            __mcp_rt::Choice {
                value: "bike",
                title: "On a bicycle",
            },
        ];
        fn position(&self) -> ::core::primitive::usize {
            match self {
                Self::Post => 0usize,
                Self::Bicycle => 1usize,
            }
        }
        fn at(__mcp_position: ::core::primitive::usize) -> ::core::option::Option<Self> {
            match __mcp_position {
                0usize => ::core::option::Option::Some(Self::Post),
                1usize => ::core::option::Option::Some(Self::Bicycle),
                _ => ::core::option::Option::None,
            }
        }
    }
};
