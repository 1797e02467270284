//! Tools are found at link time: real programs, built by Cargo with several profiles, and run.
//!
//! The programs are the packages in `tests/programs`. What is registered by hand is in `registration.rs`.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::{Mutex, MutexGuard, PoisonError};

use serde_json::Value;

/// One way to build the programs.
struct Profile {
    name: &'static str,
    folder: &'static str,
    settings: &'static [&'static str],
}

const DEBUG: Profile = Profile {
    name: "debug",
    folder: "debug",
    settings: &["profile.dev.debug=0"],
};

/// Everything that has ever made a linker drop or reorder what nobody calls.
const PROFILES: [Profile; 4] = [
    DEBUG,
    Profile {
        name: "release",
        folder: "release",
        settings: &[],
    },
    Profile {
        name: "small and stripped",
        folder: "release",
        settings: &[
            "profile.release.opt-level='z'",
            "profile.release.codegen-units=1",
            "profile.release.strip=true",
        ],
    },
    Profile {
        name: "optimised as a whole",
        folder: "release",
        settings: &[
            "profile.release.lto='fat'",
            "profile.release.panic='abort'",
            "profile.release.codegen-units=1",
            "profile.release.strip=true",
        ],
    },
];

/// Keeps the crates of others out of it: one quick build of them serves as many profiles as possible.
const OTHERS: [&str; 4] = [
    "profile.release.build-override.opt-level=0",
    "profile.release.package.'*'.opt-level=0",
    "profile.release.package.'*'.codegen-units=16",
    "profile.release.package.'*'.strip='none'",
];

/// Builds of different settings put their programs into one folder, so one test at a time builds and runs.
fn cargo_lock() -> MutexGuard<'static, ()> {
    static LOCK: Mutex<()> = Mutex::new(());
    LOCK.lock().unwrap_or_else(PoisonError::into_inner)
}

fn target_directory() -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join("registry")
}

/// Runs a command of Cargo for packages of `tests/programs`.
fn cargo(command: &str, profile: &Profile, arguments: &[&str]) -> Output {
    let mut cargo = Command::new(env!("CARGO"));
    cargo
        .arg(command)
        .arg("--target-dir")
        .arg(target_directory());
    if profile.folder == "release" {
        cargo.arg("--release");
    }
    for setting in OTHERS.iter().chain(profile.settings) {
        cargo.args(["--config", setting]);
    }
    cargo
        .args(arguments)
        .env_remove("CARGO_BUILD_TARGET")
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .unwrap()
}

fn build(profile: &Profile, arguments: &[&str]) {
    let output = cargo("build", profile, arguments);
    let messages = String::from_utf8_lossy(&output.stderr);
    assert!(
        output.status.success(),
        "{} does not build:\n{messages}",
        profile.name
    );
}

/// The lines that a built program prints.
fn run(profile: &Profile, program: &str, arguments: &[&str]) -> Vec<String> {
    let path = target_directory().join(profile.folder).join(program);
    let output = Command::new(path).args(arguments).output().unwrap();
    assert!(output.status.success(), "{program}: {output:?}");
    String::from_utf8(output.stdout)
        .unwrap()
        .lines()
        .map(str::to_owned)
        .collect()
}

/// The names in an answer to `tools/list`, in its order.
fn names(answer: &str) -> Vec<String> {
    let answer: Value = serde_json::from_str(answer).unwrap();
    assert_eq!(answer["result"].get("nextCursor"), None);
    let tools = answer["result"]["tools"].as_array().unwrap();
    tools
        .iter()
        .map(|tool| tool["name"].as_str().unwrap().to_owned())
        .collect()
}

/// Loads a shared library into Python, and asks it for its list.
fn list_of_shared_library(profile: &Profile) -> String {
    const HOST: &str = "import ctypes, sys\n\
        library = ctypes.CDLL(sys.argv[1])\n\
        library.list_tools.restype = ctypes.c_char_p\n\
        print(library.list_tools().decode())";
    let file = format!(
        "{}shared{}",
        std::env::consts::DLL_PREFIX,
        std::env::consts::DLL_SUFFIX
    );
    let output = Command::new("python3")
        .args(["-c", HOST])
        .arg(target_directory().join(profile.folder).join(file))
        .output()
        .unwrap();
    assert!(output.status.success(), "{}: {output:?}", profile.name);
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn every_profile_links_the_same_tools() {
    let _lock = cargo_lock();
    let mut lists = Vec::new();
    for profile in &PROFILES {
        build(
            profile,
            &[
                "--package=registry-program",
                "--package=registry-shared",
                "--bin=linked",
                "--bin=unlinked",
                "--lib",
            ],
        );
        let linked = run(profile, "linked", &[]);
        assert_eq!(
            names(&linked[0]),
            [
                "deepest",
                "left",
                "left_deep",
                "named",
                "right",
                "root",
                "warehouse.aisle"
            ],
            "{}",
            profile.name
        );
        assert_eq!(linked[1..], ["2"], "{}", profile.name);
        let unlinked = run(profile, "unlinked", &[]);
        assert_eq!(names(&unlinked[0]), ["named"], "{}", profile.name);
        let shared = list_of_shared_library(profile);
        assert_eq!(
            names(&shared),
            ["in_shared_library", "left", "left_deep", "named"],
            "{}",
            profile.name
        );
        lists.push((linked, unlinked, shared));
    }
    for list in &lists {
        assert_eq!(*list, lists[0]);
    }
}

#[test]
fn a_clash_of_two_libraries_is_told_and_can_be_mended() {
    let _lock = cargo_lock();
    build(&DEBUG, &["--package=registry-program", "--bin=linked"]);
    let folder = Path::new("tests").join("programs");
    let place = |library: &str, line: u32| {
        let file = folder.join(library).join("src").join("lib.rs");
        format!("`{library}::shared` at {}:{line}", file.display())
    };
    assert_eq!(
        run(&DEBUG, "linked", &["clash"]),
        [format!(
            "2 tools are called `shared`: {}, {}; rename one with `#[mcp_tool(name = \"…\")]`, or, if it is not yours, \
             with `.rename(\"left::shared\", \"…\")` or `.exclude(\"left::shared\")` on the builder",
            place("left", 14),
            place("right", 12),
        )]
    );
    let mended = |how| names(&run(&DEBUG, "linked", &[how])[0]);
    assert_eq!(mended("exclude"), ["shared"]);
    assert_eq!(mended("rename"), ["shared", "shared_right"]);
}

#[test]
fn names_of_one_crate_may_differ_by_group_or_by_one_character() {
    let _lock = cargo_lock();
    build(&DEBUG, &["--package=registry-program", "--bin=one_name"]);
    assert_eq!(
        names(&run(&DEBUG, "one_name", &[])[0]),
        ["A_b", "a-b", "a.b", "a_2db", "a_b", "add", "named"]
    );
}

/// Builds the program with another tool in it.
fn build_with(cfg: &str, arguments: &[&str]) -> (bool, String) {
    let mut all = vec!["--package=registry-program", "--bin=one_name"];
    all.extend_from_slice(arguments);
    all.extend_from_slice(&["--", "--cfg", cfg]);
    let output = cargo("rustc", &DEBUG, &all);
    (
        output.status.success(),
        String::from_utf8(output.stderr).unwrap(),
    )
}

#[cfg(target_os = "linux")]
#[test]
fn two_tools_of_one_name_in_one_crate_do_not_build() {
    let _lock = cargo_lock();
    for (cfg, symbol) in [
        (
            "twice",
            "__mcp_two_tools_are_called__add__write_another_name_on_one_of_them__",
        ),
        (
            "twice_in_groups",
            "__mcp_two_tools_are_called__add__write_another_name_on_one_of_them__in_the_group__other__",
        ),
    ] {
        let (built, messages) = build_with(cfg, &[]);
        assert!(!built, "{cfg}");
        let error = messages
            .lines()
            .find(|line| line.starts_with("error"))
            .unwrap();
        assert!(
            error.starts_with(&format!("error: symbol `{symbol}")),
            "{messages}"
        );
    }
}

#[test]
fn tests_build_even_with_two_tools_of_one_name() {
    let _lock = cargo_lock();
    let (built, messages) = build_with("twice", &["--profile=test"]);
    assert!(built, "{messages}");
}

#[test]
fn a_thousand_tools_are_listed_in_order_and_called() {
    let _lock = cargo_lock();
    build(&DEBUG, &["--package=registry-program", "--bin=many"]);
    let lines = run(&DEBUG, "many", &[]);
    let expected: Vec<String> = (0..1_000)
        .map(|number| format!("add_{number:03}"))
        .collect();
    assert_eq!(names(&lines[0]), expected);
    assert_eq!(
        lines[1..],
        ["618", "Unknown tool: add_1000", "Unknown tool: add_617 "]
    );
}
