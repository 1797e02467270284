//! Clients of a server over HTTP, in one thread: each connection has one request on the way.
//!
//! The connections are served in turn with blocking reads, so that nothing but two system calls stands between two
//! requests, and the server has always as many of them as there are connections.

use std::io::{self, Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use crate::process;

/// How long a server gets to listen.
const START_TIME: Duration = Duration::from_secs(60);
/// How long an answer may take, before the measurement fails.
const ANSWER_TIME: Duration = Duration::from_secs(60);
/// How often a server that starts is asked.
const KNOCK: Duration = Duration::from_micros(50);

/// A server over HTTP; it ends when this is dropped.
#[derive(Debug)]
pub struct Served {
    child: Child,
    port: u16,
    start_up: Duration,
}

impl Served {
    /// Starts `command port`, and waits until it takes connections.
    ///
    /// # Errors
    ///
    /// It does not start, or it does not listen in time.
    pub fn start(command: &mut Command) -> io::Result<Self> {
        // The system does not give a port again so soon.
        let port = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?
            .local_addr()?
            .port();
        let begin = Instant::now();
        let child = command.arg(port.to_string()).stdin(Stdio::null()).spawn()?;
        let mut served = Self {
            child,
            port,
            start_up: Duration::ZERO,
        };
        while let Err(error) = TcpStream::connect((Ipv4Addr::LOCALHOST, port)) {
            if begin.elapsed() > START_TIME || served.child.try_wait()?.is_some() {
                return Err(error);
            }
            thread::sleep(KNOCK);
        }
        served.start_up = begin.elapsed();
        Ok(served)
    }

    /// Starts this program in a role.
    ///
    /// # Errors
    ///
    /// As [`start`](Self::start).
    pub fn start_role(program: &Path, role: &str) -> io::Result<Self> {
        Self::start(Command::new(program).arg(role))
    }

    /// The port of this machine that it listens on.
    #[must_use]
    pub fn port(&self) -> u16 {
        self.port
    }

    /// How long it took from the start of the process to the first connection.
    #[must_use]
    pub fn start_up(&self) -> Duration {
        self.start_up
    }

    /// The processor time that the server has taken.
    ///
    /// # Errors
    ///
    /// The system does not tell; Linux does.
    pub fn cpu_time(&self) -> io::Result<Duration> {
        process::cpu_time(&self.child)
    }

    /// The memory that the server has in use, in bytes.
    ///
    /// # Errors
    ///
    /// The system does not tell; Linux does.
    pub fn memory(&self) -> io::Result<u64> {
        process::memory(&self.child)
    }

    /// Asks the server to end, waits until it has, and gives what it wrote to a piped standard error.
    ///
    /// # Errors
    ///
    /// It cannot be asked.
    pub fn end(mut self) -> io::Result<String> {
        let id = self.child.id().to_string();
        Command::new("kill").arg(id).status()?;
        let mut said = String::new();
        if let Some(mut error) = self.child.stderr.take() {
            error.read_to_string(&mut said)?;
        }
        self.child.wait()?;
        Ok(said)
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        // There is nobody to tell of a failure, and nothing is lost by one: the process has ended already, or ends now.
        let _killed = self.child.kill();
        let _ended = self.child.wait();
    }
}

/// Connections that all make the same request again and again.
#[derive(Debug)]
pub struct Load {
    connections: Vec<Connection>,
    request: Vec<u8>,
    buffer: Vec<u8>,
}

#[derive(Debug)]
struct Connection {
    stream: TcpStream,
    sent: Instant,
}

impl Load {
    /// Connects, and makes the request once on each connection.
    ///
    /// # Errors
    ///
    /// The server does not take the connections, or it answers with another status than 200 or without `expected`.
    pub fn connect(port: u16, count: usize, request: Vec<u8>, expected: &str) -> io::Result<Self> {
        let connections = (0..count)
            .map(|_| {
                let stream = TcpStream::connect((Ipv4Addr::LOCALHOST, port))?;
                stream.set_nodelay(true)?;
                stream.set_read_timeout(Some(ANSWER_TIME))?;
                Ok(Connection {
                    stream,
                    sent: Instant::now(),
                })
            })
            .collect::<io::Result<_>>()?;
        let mut load = Self {
            connections,
            request,
            buffer: vec![0; 64 * 1024],
        };
        for connection in &mut load.connections {
            connection.send(&load.request)?;
            let length = connection.receive(&mut load.buffer)?;
            let answer = String::from_utf8_lossy(&load.buffer[..length]);
            if !answer.starts_with("HTTP/1.1 200 ") || !answer.contains(expected) {
                return Err(io::Error::other(format!("an unexpected answer: {answer}")));
            }
        }
        Ok(load)
    }

    /// Makes requests on all connections at once, and gives how long each took.
    ///
    /// # Errors
    ///
    /// The server does not answer.
    pub fn requests(&mut self, count: usize) -> io::Result<Vec<Duration>> {
        let mut times = Vec::with_capacity(count);
        let at_once = self.connections.len().min(count);
        for connection in &mut self.connections[..at_once] {
            connection.send(&self.request)?;
        }
        while times.len() < count {
            for connection in &mut self.connections[..at_once] {
                if times.len() == count {
                    break;
                }
                connection.receive(&mut self.buffer)?;
                times.push(connection.sent.elapsed());
                if times.len() + at_once <= count {
                    connection.send(&self.request)?;
                }
            }
        }
        Ok(times)
    }
}

impl Load {
    /// Makes a request on each connection, and waits for no answer.
    ///
    /// # Errors
    ///
    /// The server does not read.
    pub fn send(&mut self) -> io::Result<()> {
        let request = &self.request;
        self.connections
            .iter_mut()
            .try_for_each(|connection| connection.send(request))
    }

    /// Waits for the answer on each connection.
    ///
    /// # Errors
    ///
    /// The server does not answer.
    pub fn receive(&mut self) -> io::Result<()> {
        for connection in &mut self.connections {
            connection.receive(&mut self.buffer)?;
        }
        Ok(())
    }
}

impl Connection {
    fn send(&mut self, request: &[u8]) -> io::Result<()> {
        self.sent = Instant::now();
        self.stream.write_all(request)
    }

    /// Reads one whole answer into the buffer and gives its length.
    fn receive(&mut self, buffer: &mut Vec<u8>) -> io::Result<usize> {
        let mut filled = 0;
        loop {
            if filled == buffer.len() {
                buffer.resize(2 * filled, 0);
            }
            filled += match self.stream.read(&mut buffer[filled..]) {
                Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
                Ok(count) => count,
                // A process that was stopped and goes on has its read broken off.
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(error),
            };
            if is_whole(&buffer[..filled])? {
                return Ok(filled);
            }
        }
    }
}

/// Whether an answer has come to its end; there is never more, as the next request has not been sent.
fn is_whole(answer: &[u8]) -> io::Result<bool> {
    const LENGTH: &[u8] = b"content-length: ";
    let Some(head) = memchr::memmem::find(answer, b"\r\n\r\n") else {
        return Ok(false);
    };
    match memchr::memmem::find(&answer[..head], LENGTH) {
        None => Ok(answer.ends_with(b"\r\n0\r\n\r\n")),
        Some(at) => {
            let digits = answer[at + LENGTH.len()..]
                .iter()
                .take_while(|byte| byte.is_ascii_digit());
            let length = digits.fold(0, |length, digit| 10 * length + usize::from(digit - b'0'));
            match answer.len().cmp(&(head + 4 + length)) {
                std::cmp::Ordering::Less => Ok(false),
                std::cmp::Ordering::Equal => Ok(true),
                std::cmp::Ordering::Greater => {
                    Err(io::Error::other("more was answered than asked"))
                }
            }
        }
    }
}
