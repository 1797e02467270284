//! A tool that is right as far as types need not be known.

use syn::LitStr;

use super::guard::Unit;
use super::item::Item;
use crate::attr::tool::{DESTRUCTIVE, READ_ONLY, ToolAttr};
use crate::diag::Diagnostics;
use crate::signature::Signature;
use crate::subject::Subject;

/// A checked tool.
pub(crate) struct Tool {
    pub(crate) item: Item,
    pub(crate) hints: Hints,
    /// The symbol that no second tool of this name may have.
    pub(crate) guard: Option<String>,
}

/// What clients are told of a tool's behaviour; unset is not the same as `false`.
#[derive(Debug, Default, Clone, Copy)]
pub(crate) struct Hints {
    pub(crate) read_only: Option<bool>,
    pub(crate) destructive: Option<bool>,
    pub(crate) idempotent: Option<bool>,
    pub(crate) open_world: Option<bool>,
}

impl Tool {
    /// Checks everything, reports all mistakes, and gives a tool only if there was none.
    pub(crate) fn new(
        attr: &ToolAttr,
        signature: Signature,
        unit: &Unit,
        diag: &mut Diagnostics,
    ) -> Option<Self> {
        // A tool that changes nothing cannot destroy anything.
        let hints = hints(attr, diag);
        let headers: Vec<LitStr> = signature
            .params
            .iter()
            .filter_map(|param| param.arg.header.get().cloned())
            .collect();
        let item = Item::new(&attr.item, signature, Subject::Tool, diag);
        // HTTP does not tell upper from lower case here.
        refuse_equal_headers(&headers, diag);
        if diag.has_errors() {
            return None;
        }
        Some(Self {
            guard: unit.symbol("tool_per_name", &item.group, &item.name),
            item,
            hints,
        })
    }
}

fn hints(attr: &ToolAttr, diag: &mut Diagnostics) -> Hints {
    let hints = Hints {
        read_only: attr.read_only.get().copied(),
        destructive: attr.destructive.get().copied(),
        idempotent: attr.idempotent.get().copied(),
        open_world: attr.open_world.get().copied(),
    };
    if let (Some(true), Some(true), Some(span)) =
        (hints.read_only, hints.destructive, attr.destructive.span())
    {
        diag.error(
            span,
            format!("a tool that changes nothing destroys nothing; remove `{DESTRUCTIVE}` or `{READ_ONLY}`"),
        );
    }
    hints
}

fn refuse_equal_headers(headers: &[LitStr], diag: &mut Diagnostics) {
    for (index, header) in headers.iter().enumerate() {
        if headers[..index]
            .iter()
            .any(|other| other.value().eq_ignore_ascii_case(&header.value()))
        {
            diag.error(
                header.span(),
                format!(
                    "two arguments are mirrored in `Mcp-Param-{}`; write another name",
                    header.value()
                ),
            );
        }
    }
}
