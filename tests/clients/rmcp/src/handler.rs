//! What the client does when the server speaks by itself: it answers questions, and keeps what it is told.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use rmcp::ErrorData;
use rmcp::handler::client::ClientHandler;
use rmcp::model::{
    ClientCapabilities, ClientConfig, ElicitRequestParams, ElicitResult, Implementation,
    ProgressNotificationParam, ResourceUpdatedNotificationParam,
};
use rmcp::service::{NotificationContext, RequestContext, RoleClient};
use serde_json::Value;
use tokio::sync::watch;

/// The answers that are left, and what was told, which checks wait for.
#[derive(Clone, Default)]
pub(crate) struct Handler {
    pub(crate) answers: Arc<Mutex<HashMap<String, Value>>>,
    pub(crate) told: Arc<watch::Sender<Vec<Told>>>,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Told {
    Progress(f64, Option<f64>),
    Changed(String, Option<String>),
}

impl Handler {
    fn changed(&self, method: &str, uri: Option<String>) {
        let told = Told::Changed(method.to_owned(), uri);
        self.told.send_modify(|all| all.push(told));
    }
}

impl ClientHandler for Handler {
    fn get_info(&self) -> ClientConfig {
        let capabilities = ClientCapabilities::builder().enable_elicitation().build();
        ClientConfig::new(capabilities, Implementation::new("check", "1.0.0"))
    }

    async fn create_elicitation(
        &self,
        request: ElicitRequestParams,
        _: RequestContext<RoleClient>,
    ) -> Result<ElicitResult, ErrorData> {
        let ElicitRequestParams::FormElicitationParams { message, .. } = request else {
            return Err(ErrorData::invalid_params("only forms are asked", None));
        };
        let answer = self
            .answers
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .remove(&message)
            .ok_or_else(|| {
                ErrorData::internal_error(format!("asked without need: {message}"), None)
            })?;
        serde_json::from_value(answer)
            .map_err(|error| ErrorData::internal_error(error.to_string(), None))
    }

    async fn on_progress(
        &self,
        params: ProgressNotificationParam,
        _: NotificationContext<RoleClient>,
    ) {
        let told = Told::Progress(params.progress, params.total);
        self.told.send_modify(|all| all.push(told));
    }

    async fn on_tool_list_changed(&self, _: NotificationContext<RoleClient>) {
        self.changed("notifications/tools/list_changed", None);
    }

    async fn on_prompt_list_changed(&self, _: NotificationContext<RoleClient>) {
        self.changed("notifications/prompts/list_changed", None);
    }

    async fn on_resource_list_changed(&self, _: NotificationContext<RoleClient>) {
        self.changed("notifications/resources/list_changed", None);
    }

    async fn on_resource_updated(
        &self,
        params: ResourceUpdatedNotificationParam,
        _: NotificationContext<RoleClient>,
    ) {
        self.changed("notifications/resources/updated", Some(params.uri));
    }
}
