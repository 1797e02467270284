//! The memory of calls in process is bounded as that of calls over a transport.

use std::thread;

use mcp_runtime::prelude::*;
use serde_json::{Value, json};

/// Count values of any type.
#[mcp_tool(group = "in_process_bounds")]
fn count(values: Vec<Value>) -> usize {
    values.len()
}

/// Count values of any type, later.
#[mcp_tool(group = "in_process_bounds")]
async fn count_later(values: Vec<Value>) -> usize {
    std::future::ready(values.len()).await
}

fn server(memory: usize) -> ServerBuilder {
    let builder = mcp_runtime::server!().groups(["in_process_bounds"]);
    builder.max_message_size(100_000).max_call_memory(memory)
}

#[test]
fn a_call_that_needs_more_than_the_bound_is_refused() {
    let server = server(1 << 20).build().unwrap();
    let values = |count: usize| json!({"values": vec![0; count]});
    for tool in ["count", "count_later"] {
        // A message is counted only while it runs.
        for _ in 0..3 {
            assert_eq!(server.call_blocking(tool, values(3_000)).text(), "3000");
            let refused = server.call_blocking(tool, values(5_000));
            assert_eq!(refused.error().unwrap()["code"], -32602);
        }
    }
}

#[tokio::test]
async fn a_call_that_is_awaited_is_refused_too() {
    let server = server(1 << 20).build().unwrap();
    let call = |count: usize| server.call("count", json!({"values": vec![0; count]}));
    assert_eq!(call(3_000).await.text(), "3000");
    assert_eq!(call(5_000).await.error().unwrap()["code"], -32602);
}

#[test]
fn json_in_strings_counts_where_it_is_taken_out() {
    let text = json!(vec![0; 5_000]).to_string();
    let server = |repairs: bool| {
        let builder = server(1 << 20);
        let builder = if repairs {
            builder.coerce_arguments()
        } else {
            builder
        };
        builder.build().unwrap()
    };
    let kept = server(false).call_blocking("count", json!({"values": [text]}));
    assert_eq!(kept.text(), "1");
    let opened = server(true).call_blocking("count", json!({"values": text}));
    assert_eq!(opened.error().unwrap()["code"], -32602);
}

#[test]
fn threads_of_the_process_share_the_whole_bound() {
    let server = server(1 << 20).build().unwrap();
    thread::scope(|scope| {
        for _ in 0..4 {
            // Four of them fit at one time.
            let values = json!({"values": vec![0; 900]});
            scope.spawn(|| assert_eq!(server.call_blocking("count", values).text(), "900"));
        }
    });
}
