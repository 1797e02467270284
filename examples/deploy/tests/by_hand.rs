//! A deployment from the command line, where a person answers, here a script that writes lines.

use std::error::Error;
use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

#[test]
fn a_person_follows_a_deployment_to_its_end() -> Result<(), Box<dyn Error>> {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("deploy-by-hand");
    match fs::remove_dir_all(&folder) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(error.into()),
        _ => fs::create_dir_all(&folder)?,
    }
    let mut deploy = Command::new(env!("CARGO_BIN_EXE_deploy"))
        .args(["call", "deploy", "service=shop", "version=1.4.0"])
        .env("DEPLOY_FOLDER", &folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()?;
    let mut answers = deploy.stdin.take().ok_or("no standard input")?;
    answers.write_all(b"yes\nyes\n")?;
    drop(answers);
    let output = deploy.wait_with_output()?;
    assert_eq!(
        String::from_utf8(output.stdout)?,
        "shop 1.4.0 is deployed\n"
    );
    let told = String::from_utf8(output.stderr)?;
    assert!(told.starts_with("Deploy shop 1.4.0?\n"), "{told}");
    assert!(told.contains("building\n"), "{told}");
    assert!(told.contains("Switch the rest?\n"), "{told}");
    assert!(output.status.success());
    fs::remove_dir_all(&folder)?;
    Ok(())
}
