//! What a user sees of the attributes: programs that compile and run, and programs that do not, with the compiler's words.
//!
//! Each case of `fail` has its nearest right program of the same name in `pass`.
//! The `.stderr` files were written by rustc 1.95; `TRYBUILD=overwrite cargo test -p mcp-tests --test ui` writes them anew.

#[test]
fn ui() {
    let cases = trybuild::TestCases::new();
    cases.pass("tests/ui/*/pass/*.rs");
    cases.compile_fail("tests/ui/*/fail/*.rs");
}

/// A mistake without the right program beside it teaches nobody.
#[test]
fn every_mistake_has_its_right_program() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/ui");
    for attribute in ["tool", "prompt", "resource", "type", "form"] {
        for entry in std::fs::read_dir(root.join(attribute).join("fail")).unwrap() {
            let path = entry.unwrap().path();
            let right = root
                .join(attribute)
                .join("pass")
                .join(path.with_extension("rs").file_name().unwrap());
            assert!(right.exists(), "{} is missing", right.display());
        }
    }
}
