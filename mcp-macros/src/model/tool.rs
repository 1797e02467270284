//! A tool that is right as far as types need not be known.

use syn::LitStr;

use super::guard::Unit;
use super::item::Item;
use crate::attr::tool::{DESTRUCTIVE, READ_ONLY, TASK, ToolAttr};
use crate::diag::Diagnostics;
use crate::signature::Signature;
use crate::subject::Subject;

/// A checked tool.
pub(crate) struct Tool {
    pub(crate) item: Item,
    pub(crate) hints: Hints,
    pub(crate) task: TaskSupport,
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

/// Whether a call of it can go on as a task.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TaskSupport {
    Forbidden,
    Optional,
    Required,
    Deferred,
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
        // A task waits beside other calls and is dropped where it waits; only a future can be.
        let task = task(attr, &signature, diag);
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
            guard: unit.symbol(
                ("two_tools_are_called", "write_another_name_on_one_of_them"),
                &item.group,
                &item.name,
            ),
            item,
            hints,
            task,
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

fn task(attr: &ToolAttr, signature: &Signature, diag: &mut Diagnostics) -> TaskSupport {
    let (Some(value), Some(span)) = (attr.task.get(), attr.task.span()) else {
        return TaskSupport::Forbidden;
    };
    let support = match value {
        None => TaskSupport::Optional,
        Some(text) => match text.value().as_str() {
            "required" => TaskSupport::Required,
            "deferred" => TaskSupport::Deferred,
            other => {
                diag.error(
                    text.span(),
                    format!(
                        "unknown kind of task `{other}`; write `{TASK}` (a task if the client can), \
                         `{TASK} = \"required\"` (nothing but a task) or `{TASK} = \"deferred\"` (one from \
                         `ctx.into_task()` on)"
                    ),
                );
                TaskSupport::Optional
            }
        },
    };
    if !signature.is_async {
        diag.error(
            span,
            format!(
                "a task has to be an `async fn`: it waits beside other calls and can be cancelled while it waits; \
                 write `async fn` or remove `{TASK}`"
            ),
        );
    }
    support
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
