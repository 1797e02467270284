//! What is added to a running server, and removed from it.
//!
//! Each change makes a new table, so that calls in flight keep what they hold, and is told to the clients that listen.
//! How a table is changed is the registry's to say, and what waits for a listener the dispatcher's.

use std::sync::Arc;

use serde_json::Value;

use super::{Server, registration};
use crate::dispatch::Notifier;
use crate::protocol::PromptArgument;
use crate::registry::{
    IntoHandler, IntoPromptHandler, IntoResourceHandler, IntoTemplateHandler, RegisterError,
    Registry, Resource,
};

impl Server {
    /// The handle that tells listening clients what has changed.
    #[must_use]
    pub fn notify(&self) -> Notifier {
        Notifier::new(&self.core().broadcaster)
    }

    /// Adds a tool while the server runs: the next list shows it, and clients that listen are told.
    ///
    /// See [`ServerBuilder::register_tool`](crate::ServerBuilder::register_tool). Clients hear once of changes that
    /// follow each other closely.
    ///
    /// # Errors
    ///
    /// The name or the schema cannot be used, or another tool has the name.
    pub fn register_tool<Form>(
        &self,
        name: impl Into<String>,
        description: impl Into<String>,
        schema: Value,
        handler: impl IntoHandler<Form>,
    ) -> Result<(), RegisterError> {
        let tool = Arc::new(registration::tool(
            name.into(),
            description.into(),
            schema,
            handler.into_handler(),
            self.core().options.profile,
        )?);
        self.add(&tool.name, |registry| registry.with_tool(Arc::clone(&tool)))?;
        self.notify().tools_list_changed();
        Ok(())
    }

    /// Adds a prompt while the server runs: the next list shows it, and clients that listen are told.
    ///
    /// See [`ServerBuilder::register_prompt`](crate::ServerBuilder::register_prompt). A server declares prompts from
    /// its first one on, and keeps to that when the last is removed.
    ///
    /// # Errors
    ///
    /// The name cannot be used, another prompt has it, or two arguments have one name.
    pub fn register_prompt<Form>(
        &self,
        name: impl Into<String>,
        description: impl Into<String>,
        arguments: impl IntoIterator<Item = PromptArgument>,
        handler: impl IntoPromptHandler<Form>,
    ) -> Result<(), RegisterError> {
        let prompt = Arc::new(registration::prompt(
            name.into(),
            description.into(),
            arguments.into_iter().collect(),
            handler.into_handler(),
        )?);
        self.add(&prompt.name, |registry| {
            registry.with_prompt(Arc::clone(&prompt))
        })?;
        self.notify().prompts_list_changed();
        Ok(())
    }

    /// Adds a resource of one URI while the server runs: the next list shows it, and clients that listen are told.
    ///
    /// See [`ServerBuilder::register_resource`](crate::ServerBuilder::register_resource). A server declares resources
    /// from its first one on, and keeps to that when the last is removed.
    ///
    /// # Errors
    ///
    /// The URI cannot be used, or another resource has it.
    pub fn register_resource<Form>(
        &self,
        uri: impl Into<String>,
        name: impl Into<String>,
        description: impl Into<String>,
        handler: impl IntoResourceHandler<Form>,
    ) -> Result<(), RegisterError> {
        let resource = Arc::new(Resource::fixed(
            uri.into(),
            name.into(),
            description.into(),
            handler.into_handler(),
        )?);
        self.add(&resource.uri, |registry| {
            registry.with_resource(Arc::clone(&resource))
        })?;
        self.notify().resources_list_changed();
        Ok(())
    }

    /// Adds a template of resources while the server runs: the next list shows it, and clients that listen are told.
    ///
    /// See [`ServerBuilder::register_resource_template`](crate::ServerBuilder::register_resource_template).
    ///
    /// # Errors
    ///
    /// The template cannot be used, it is there already, or some URIs match it and another one.
    pub fn register_resource_template<Form>(
        &self,
        template: impl Into<String>,
        name: impl Into<String>,
        description: impl Into<String>,
        handler: impl IntoTemplateHandler<Form>,
    ) -> Result<(), RegisterError> {
        let template = Arc::new(Resource::template(
            template.into(),
            name.into(),
            description.into(),
            handler.into_handler(),
        )?);
        self.add(&template.uri, |registry| {
            registry.with_resource(Arc::clone(&template))
        })?;
        self.notify().resources_list_changed();
        Ok(())
    }

    /// Removes a tool, annotated or registered; `false` if there is none of the name, or if the lists are
    /// [fixed](crate::ServerBuilder::fixed_lists).
    ///
    /// Calls in flight go on. Clients that listen are told.
    pub fn remove_tool(&self, name: &str) -> bool {
        let removed = self.remove(name, |registry| registry.without_tool(name));
        if removed {
            self.notify().tools_list_changed();
        }
        removed
    }

    /// Removes a prompt, annotated or registered; `false` if there is none of the name, or if the lists are
    /// [fixed](crate::ServerBuilder::fixed_lists).
    ///
    /// Requests in flight go on. Clients that listen are told.
    pub fn remove_prompt(&self, name: &str) -> bool {
        let removed = self.remove(name, |registry| registry.without_prompt(name));
        if removed {
            self.notify().prompts_list_changed();
        }
        removed
    }

    /// Removes a resource by its URI or a template by its text, annotated or registered; `false` if there is none, or if the lists
    /// are [fixed](crate::ServerBuilder::fixed_lists).
    ///
    /// Requests in flight go on. Clients that listen are told.
    pub fn remove_resource(&self, uri: &str) -> bool {
        let removed = self.remove(uri, |registry| registry.without_resource(uri));
        if removed {
            self.notify().resources_list_changed();
        }
        removed
    }

    /// Adds something, unless the lists are fixed or it cannot be added.
    fn add(
        &self,
        name: &str,
        change: impl Fn(&Registry) -> Result<Registry, RegisterError>,
    ) -> Result<(), RegisterError> {
        if self.core().options.fixed_lists {
            return Err(RegisterError::FixedLists(name.to_owned()));
        }
        self.change(change)
    }

    /// Removes something; `false` if the lists are fixed or it is not there.
    fn remove(&self, name: &str, change: impl Fn(&Registry) -> Option<Registry>) -> bool {
        if self.core().options.fixed_lists {
            tracing::warn!(
                "`{name}` stays: nothing is removed from a server with `.fixed_lists()`"
            );
            return false;
        }
        let removed = self.change(|registry| change(registry).ok_or(NotThere));
        removed.is_ok()
    }

    /// Puts another table in the place of the one that is there, unless it cannot be made.
    fn change<E>(&self, change: impl Fn(&Registry) -> Result<Registry, E>) -> Result<(), E> {
        let mut outcome = Ok(());
        // It may run several times, if others change the table meanwhile; the last time counts.
        self.core().registry.rcu(|registry| match change(registry) {
            Ok(changed) => {
                outcome = Ok(());
                Arc::new(changed)
            }
            Err(error) => {
                outcome = Err(error);
                Arc::clone(registry)
            }
        });
        outcome
    }
}

/// There is nothing to be removed.
struct NotThere;
