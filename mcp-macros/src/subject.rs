//! What an attribute makes of a function, in the words of the sentences about it.

/// What a function becomes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Subject {
    Tool,
    Prompt,
    Resource,
}

impl Subject {
    /// The name of the attribute.
    pub(crate) fn attribute(self) -> &'static str {
        match self {
            Self::Tool => "mcp_tool",
            Self::Prompt => "mcp_prompt",
            Self::Resource => "mcp_resource",
        }
    }

    /// The word for it.
    pub(crate) fn noun(self) -> &'static str {
        match self {
            Self::Tool => "tool",
            Self::Prompt => "prompt",
            Self::Resource => "resource",
        }
    }

    /// Who calls it.
    pub(crate) fn caller(self) -> &'static str {
        match self {
            Self::Tool => "model",
            Self::Prompt | Self::Resource => "client",
        }
    }

    /// What its arguments come as.
    pub(crate) fn wire(self) -> Wire {
        match self {
            Self::Tool => Wire::Json,
            Self::Prompt | Self::Resource => Wire::Text,
        }
    }
}

/// What arguments come as.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Wire {
    /// JSON values, described by a schema.
    Json,
    /// Texts, which the types parse.
    Text,
}
