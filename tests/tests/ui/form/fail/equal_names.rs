use mcp_runtime::prelude::*;

#[derive(ElicitForm)]
struct Trip {
    from: String,
    #[form(rename = "from")]
    origin: String,
    #[form(rename = "until")]
    to: String,
    until: String,
}

#[derive(ElicitForm)]
enum Colour {
    Red,
    #[form(rename = "Red")]
    Rouge,
    #[form(rename = "Blau")]
    Blue,
    Blau,
}

fn main() {}
