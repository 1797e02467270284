//! The program as it is run: behind a proxy in plain HTTP, and in TLS by itself.

use std::io::{BufRead, BufReader, Read};
use std::net::SocketAddr;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;

use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{ClientConfig, RootCertStore};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;

/// A certificate for `localhost` that nobody but this test trusts.
const CHAIN: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/certificate/chain.pem");
const KEY: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/certificate/key.pem");

/// The running program, and where it listens.
struct Running(Child, SocketAddr);

impl Running {
    fn start(arguments: &[&str]) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_mounted"))
            .arg("127.0.0.1:0")
            .args(arguments)
            .env("MOUNTED_TOKENS", "ada:s3cret")
            .env_remove("MOUNTED_HOST")
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut log = BufReader::new(child.stderr.take().unwrap());
        let mut line = String::new();
        log.read_line(&mut line).unwrap();
        let Some(address) = line.trim().strip_prefix("serving on ") else {
            log.read_to_string(&mut line).unwrap();
            panic!("{line}");
        };
        let address = address.parse().unwrap();
        Self(child, address)
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.0.kill().unwrap();
        self.0.wait().unwrap();
    }
}

/// Remembers a note, and gives the whole answer.
async fn remember(mut connection: impl AsyncRead + AsyncWrite + Unpin) -> String {
    let body = r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"remember","arguments":{"note":"Feed the otters."},"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}"#;
    let request = format!(
        "POST /mcp HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer s3cret\r\n\
         Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\n\
         MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/call\r\nMcp-Name: remember\r\n\
         Connection: close\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    );
    connection.write_all(request.as_bytes()).await.unwrap();
    let mut answer = String::new();
    connection.read_to_string(&mut answer).await.unwrap();
    answer
}

fn assert_remembered(answer: &str) {
    assert!(answer.starts_with("HTTP/1.1 200 "), "{answer}");
    assert!(answer.contains(r#""text":"1""#), "{answer}");
}

#[tokio::test]
async fn plain_for_a_proxy() {
    let running = Running::start(&[]);
    let connection = TcpStream::connect(running.1).await.unwrap();
    assert_remembered(&remember(connection).await);
}

#[tokio::test]
async fn with_tls_of_its_own() {
    let running = Running::start(&[CHAIN, KEY]);
    let mut roots = RootCertStore::empty();
    roots
        .add(CertificateDer::from_pem_file(CHAIN).unwrap())
        .unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(roots)
        .with_no_client_auth();
    let connection = TcpStream::connect(running.1).await.unwrap();
    let name = ServerName::try_from("localhost").unwrap();
    let connection = TlsConnector::from(Arc::new(config))
        .connect(name, connection)
        .await
        .unwrap();
    assert_remembered(&remember(connection).await);
}
