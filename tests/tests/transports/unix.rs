//! A transport of a user's own: one client over a pair of Unix sockets.

use std::io::{self, BufRead, BufReader, Lines, Write};
use std::os::unix::net::UnixStream as ClientStream;
use std::thread::{self, JoinHandle};

use mcp_runtime::Server;
use serde_json::Value;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::UnixStream;
use tokio::runtime::Runtime;

use super::conversation::{Transport, is_answered, is_notification};

/// The transport: serves the client at the other end of a socket until it goes.
async fn serve(server: &Server, mut stream: UnixStream) -> io::Result<()> {
    let (mut reader, mut writer) = stream.split();
    let mut connection = server.connect();
    let mut buffer = [0; 4096];
    loop {
        tokio::select! {
            read = reader.read(&mut buffer), if connection.is_open() => match read? {
                0 => connection.end(),
                count => connection.receive(&buffer[..count]),
            },
            bytes = connection.transmit() => match bytes {
                Some(bytes) => writer.write_all(&bytes).await?,
                None => return Ok(()),
            },
        }
    }
}

/// A client, and the thread that serves it.
pub(crate) struct UnixSockets {
    requests: ClientStream,
    answers: Lines<BufReader<ClientStream>>,
    served: Option<JoinHandle<io::Result<()>>>,
}

impl UnixSockets {
    pub(crate) fn start() -> Self {
        let server = mcp_tests::conversation::server().build().unwrap();
        let (client, stream) = ClientStream::pair().unwrap();
        let served = thread::spawn(move || {
            stream.set_nonblocking(true)?;
            Runtime::new()?.block_on(async { serve(&server, UnixStream::from_std(stream)?).await })
        });
        Self {
            answers: BufReader::new(client.try_clone().unwrap()).lines(),
            requests: client,
            served: Some(served),
        }
    }
}

impl Transport for UnixSockets {
    fn say(&mut self, text: &str) -> Vec<Value> {
        writeln!(self.requests, "{text}").unwrap();
        let mut said = Vec::new();
        while is_answered(text) && said.last().is_none_or(is_notification) {
            let line = self.answers.next().expect("the server has ended").unwrap();
            said.push(serde_json::from_str(&line).unwrap());
        }
        said
    }
}

impl Drop for UnixSockets {
    fn drop(&mut self) {
        self.requests
            .shutdown(std::net::Shutdown::Write)
            .expect("the stream is open");
        let served = self.served.take().map(JoinHandle::join);
        // A test that has failed already says why.
        if !thread::panicking() {
            served.unwrap().unwrap().expect("serving ends in order");
            assert!(self.answers.next().is_none(), "nothing more is said");
        }
    }
}
