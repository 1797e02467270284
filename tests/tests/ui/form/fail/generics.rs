use mcp_runtime::prelude::*;

#[derive(ElicitForm)]
struct Named<'a> {
    name: &'a str,
}

#[derive(ElicitForm)]
struct Value<T, const N: usize> {
    value: T,
}

fn main() {}
