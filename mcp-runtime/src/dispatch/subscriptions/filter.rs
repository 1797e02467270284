//! What a client wants to be told of, and what of it this server can tell (basic/patterns/subscriptions,
//! "Notification Filter" and "Acknowledgment").

use std::borrow::Cow;
use std::collections::HashSet;
use std::sync::Arc;

use serde_json::value::RawValue;

use super::broadcaster::{Topic, WatchedTask};
use super::listener::write_start;
use crate::dispatch::{DispatchError, resources};
use crate::json::write_str;
use crate::jsonrpc::{RawId, Shape, object, read_text};
use crate::protocol::notification;
use crate::registry::Registry;
use crate::task::TaskId;
use crate::uri::MAX_URI;

/// The length of all URIs of one filter together, in bytes: what ten thousand streams watch must fit into memory.
pub(super) const MAX_URIS: usize = 64 * 1024;

object! {
    /// The members of a filter, of whatever type.
    struct Members<'a> {
        /// Whether changes of the list of tools are wanted.
        tools: &'a RawValue = "toolsListChanged",
        /// Whether changes of the list of prompts are wanted.
        prompts: &'a RawValue = "promptsListChanged",
        /// Whether changes of the list of resources are wanted.
        resources: &'a RawValue = "resourcesListChanged",
        /// The URIs of resources whose updates are wanted.
        uris: &'a RawValue = "resourceSubscriptions",
        /// The ids of tasks whose changes are wanted (SEP-2663).
        tasks: &'a RawValue = "taskIds",
    }
}

/// What is wanted, or what of it is honoured.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Filter {
    tools: bool,
    prompts: bool,
    resources: bool,
    /// Each once, in the order of the request.
    uris: Vec<Arc<str>>,
    /// Each once, in the order of the request, as far as they are ids.
    pub(super) tasks: Vec<TaskId>,
    /// Tasks are asked for, which takes the extension.
    pub(super) needs_tasks: bool,
}

impl Filter {
    /// Reads the filter of a request that may watch so many resources.
    pub(super) fn read(raw: Option<&RawValue>, most: usize) -> Result<Self, DispatchError> {
        let mut shape = Shape::<Members<'_>>::Null;
        let read = raw.is_some_and(|raw| read_text(raw.get(), &mut shape).is_ok());
        let members = match shape {
            Shape::Object(members) if read => members,
            _ => {
                return Err(DispatchError::Params(
                    "notifications is required and must be an object",
                ));
            }
        };
        if members.duplicate.is_some() {
            return Err(DispatchError::Params(
                "a member of notifications stands twice",
            ));
        }
        Ok(Self {
            tools: flag(members.tools, "toolsListChanged must be a boolean")?,
            prompts: flag(members.prompts, "promptsListChanged must be a boolean")?,
            resources: flag(members.resources, "resourcesListChanged must be a boolean")?,
            uris: uris(members.uris, most)?,
            tasks: tasks(members.tasks, most)?,
            needs_tasks: members.tasks.is_some(),
        })
    }

    /// What of it a server can tell that has this.
    pub(super) fn honoured_by(
        self,
        registry: &Registry,
        fixed_lists: bool,
        has_tasks: bool,
    ) -> Self {
        let has_resources = registry.offers().resources;
        Self {
            tools: self.tools && !fixed_lists,
            prompts: self.prompts && registry.offers().prompts && !fixed_lists,
            resources: self.resources && has_resources && !fixed_lists,
            uris: if has_resources { self.uris } else { Vec::new() },
            tasks: if has_tasks { self.tasks } else { Vec::new() },
            needs_tasks: self.needs_tasks,
        }
    }

    /// The topics that it stands for, if a principal asks.
    pub(super) fn topics(&self, principal: Option<&str>) -> Box<[Topic]> {
        let principal = principal.map(Arc::<str>::from);
        let lists = [
            (self.tools, Topic::Tools),
            (self.prompts, Topic::Prompts),
            (self.resources, Topic::Resources),
        ];
        let lists = lists.into_iter().filter(|(wanted, _)| *wanted);
        let uris = self.uris.iter().map(|uri| Topic::Resource(Arc::clone(uri)));
        let tasks = self.tasks.iter().map(|&id| {
            Topic::Task(WatchedTask {
                id,
                principal: principal.clone(),
            })
        });
        lists
            .map(|(_, topic)| topic)
            .chain(uris)
            .chain(tasks)
            .collect()
    }

    /// Writes the notification that says what is honoured.
    pub(super) fn acknowledge(&self, id: RawId<'_>, out: &mut Vec<u8>) {
        write_start(notification::ACKNOWLEDGED, id, out);
        out.extend_from_slice(br#","notifications":{"#);
        let start = out.len();
        let lists = [
            (self.tools, "toolsListChanged"),
            (self.prompts, "promptsListChanged"),
            (self.resources, "resourcesListChanged"),
        ];
        for (_, name) in lists.into_iter().filter(|(honoured, _)| *honoured) {
            out.extend_from_slice(format!("\"{name}\":true,").as_bytes());
        }
        if !self.uris.is_empty() {
            out.extend_from_slice(br#""resourceSubscriptions":["#);
            for uri in &self.uris {
                write_str(out, uri);
                out.push(b',');
            }
            out.pop();
            out.extend_from_slice(b"],");
        }
        if !self.tasks.is_empty() {
            out.extend_from_slice(br#""taskIds":["#);
            for id in &self.tasks {
                out.extend_from_slice(format!("\"{id}\",").as_bytes());
            }
            out.pop();
            out.extend_from_slice(b"],");
        }
        if out.len() > start {
            out.pop();
        }
        out.extend_from_slice(b"}}}");
    }
}

fn flag(raw: Option<&RawValue>, expected: &'static str) -> Result<bool, DispatchError> {
    match raw.map(RawValue::get) {
        None | Some("false") => Ok(false),
        Some("true") => Ok(true),
        Some(_) => Err(DispatchError::Params(expected)),
    }
}

/// Whether a task is there is not asked: who listens to one that is not hears nothing.
fn tasks(raw: Option<&RawValue>, most: usize) -> Result<Vec<TaskId>, DispatchError> {
    let Some(raw) = raw else {
        return Ok(Vec::new());
    };
    let ids: Vec<Cow<'_, str>> = serde_json::from_str(raw.get())
        .map_err(|_| DispatchError::Params("taskIds must be an array of strings"))?;
    let mut seen = HashSet::new();
    let ids = ids.iter().filter_map(|id| id.parse().ok());
    let ids: Vec<TaskId> = ids.filter(|id| seen.insert(*id)).collect();
    if ids.len() > most {
        return Err(DispatchError::Params(
            "taskIds has more ids than one stream may watch; open several streams",
        ));
    }
    Ok(ids)
}

fn uris(raw: Option<&RawValue>, most: usize) -> Result<Vec<Arc<str>>, DispatchError> {
    let Some(raw) = raw else {
        return Ok(Vec::new());
    };
    let uris: Vec<String> = serde_json::from_str(raw.get())
        .map_err(|_| DispatchError::Params("resourceSubscriptions must be an array of strings"))?;
    let mut seen = HashSet::new();
    let uris: Vec<_> = uris
        .into_iter()
        .map(Arc::<str>::from)
        .filter(|uri| seen.insert(Arc::clone(uri)))
        .collect();
    if uris.len() > most {
        return Err(DispatchError::TooManyResources(most));
    }
    if uris.iter().any(|uri| uri.len() > MAX_URI) {
        return Err(DispatchError::Params(
            "a URI of resourceSubscriptions is longer than 8 KiB",
        ));
    }
    uris.iter().try_for_each(|uri| resources::check(uri))?;
    if uris.iter().map(|uri| uri.len()).sum::<usize>() > MAX_URIS {
        return Err(DispatchError::Params(
            "the URIs of resourceSubscriptions are longer than 64 KiB together; open several streams",
        ));
    }
    Ok(uris)
}
