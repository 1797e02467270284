//! A server that is ready to run: it listens, serves HTTP/1.1 and HTTP/2, and ends in an orderly way.

use std::convert::Infallible;
use std::future::{Future, poll_fn};
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use http::header::CONNECTION;
use http::{Request, Version};
use http_body::Body as _;
use hyper::body::Incoming;
use hyper::service::service_fn;
use tokio::net::{TcpListener, TcpSocket, TcpStream, ToSocketAddrs, lookup_host};
use tokio::runtime::{Builder, Handle};
use tokio::task::spawn;
use tokio::time::{sleep, timeout};

use super::closing::{Closing, Guard, Room, Stage, Tied};
use super::connection::{Requests, Watched};
use super::endpoint::{CLOSE, Endpoint};
use super::opening::{Opening, Served};
use super::{HttpOptions, HttpService};
use crate::refusal_log::Refusal;
use crate::server::{Server, outside_runtimes};
use crate::transport::TransportError;

/// How long to wait when the process has no descriptors left for new connections.
const BREATH: Duration = Duration::from_millis(50);
/// One thread may be blocked by a tool while another serves.
const FEWEST_WORKERS: usize = 2;
/// Each call in flight may block a thread, within these bounds.
const FEWEST_BLOCKING: usize = 64;
const MOST_BLOCKING: usize = 4_096;
/// How many connections the system keeps that have not been taken yet; the next one's client tries again a second later.
const BACKLOG: u32 = 1_024;

/// What an operator reads who listens at all addresses, as in a container, and names none of them.
const NO_HOST_ALLOWED: &str = "listening at all addresses, but only requests for `localhost`, `127.0.0.1` and `[::1]` are \
     served, and all others get 421: allow the names by which clients reach this server with `HttpOptions::allow_host` \
     (`--allow-host`)";

const TOO_MANY_CONNECTIONS: Refusal = Refusal {
    what: "connections wait: as many are open as may be",
    option: "`HttpOptions::max_connections` sets the bound",
};

impl Server {
    /// Makes a service for axum, or any other router over tower, with the default options.
    ///
    /// See [`into_service_with`](Self::into_service_with).
    #[must_use]
    pub fn into_service(self) -> HttpService {
        HttpService::with_defaults(self)
    }

    /// Makes a service for axum, or any other router over tower.
    ///
    /// The router decides about paths, and its middleware sees every request first.
    ///
    /// Plain functions run on the runtime's blocking threads, where they may block and start runtimes of their own, as
    /// `reqwest::blocking` does inside; those with the key `inline` run on its workers.
    /// Functions beyond the runtime's `max_blocking_threads`, 512 unless told otherwise, wait for each other, and for their
    /// time to run out.
    ///
    /// # Errors
    ///
    /// A host, an origin or the rate of the options cannot be used.
    pub fn into_service_with(self, options: HttpOptions) -> Result<HttpService, TransportError> {
        HttpService::new(self, options)
    }

    /// Serves over HTTP at `/mcp` until SIGINT or SIGTERM, within the caller's tokio runtime.
    ///
    /// Listen on `127.0.0.1` for clients of this machine; for others see
    /// [`allow_host`](HttpOptions::allow_host), and put a proxy in front that speaks TLS.
    ///
    /// A client that closes its connection cancels what it has asked for. One that closes only its own direction and still
    /// waits for answers counts as gone, too, since over TCP the two begin alike: it gets no answer to what is running.
    ///
    /// # Errors
    ///
    /// The address cannot be listened on.
    pub async fn serve_http(&self, address: impl ToSocketAddrs) -> Result<(), TransportError> {
        self.serve_http_with(address, HttpOptions::new()).await
    }

    /// The same with options.
    ///
    /// # Errors
    ///
    /// The address cannot be listened on, or a host, an origin or the rate of the options cannot be used.
    pub async fn serve_http_with(
        &self,
        address: impl ToSocketAddrs,
        options: HttpOptions,
    ) -> Result<(), TransportError> {
        self.serve_http_at(address, options, None, |_| {}).await
    }

    /// The same, and tells at first which address it is: port 0 is whichever is free.
    async fn serve_http_at(
        &self,
        address: impl ToSocketAddrs,
        options: HttpOptions,
        workers: Option<&Handle>,
        tell: impl FnOnce(SocketAddr),
    ) -> Result<(), TransportError> {
        let signal =
            stop_signal().map_err(|error| TransportError::start("listen for signals", error))?;
        // What cannot be served is told before anybody is told where.
        options.doorkeeper()?;
        options.check_path()?;
        let listener = listen(address)
            .await
            .map_err(|error| TransportError::start("listen", error))?;
        let bound = listener
            .local_addr()
            .map_err(|error| TransportError::start("listen", error))?;
        tell(bound);
        self.serve_connections(listener, options, workers, signal)
            .await
    }

    /// Serves over HTTP on a listener that is there already, until a future is ready.
    ///
    /// Running calls then get the [`drain_timeout`](HttpOptions::drain_timeout) to finish; what is not done afterwards is
    /// dropped with its connection.
    ///
    /// # Errors
    ///
    /// The listener has no address, or a host, an origin or the rate of the options cannot be used.
    pub async fn serve_http_on(
        &self,
        listener: TcpListener,
        options: HttpOptions,
        stop: impl Future<Output = ()>,
    ) -> Result<(), TransportError> {
        self.serve_connections(listener, options, None, stop).await
    }

    /// The same, with the connections on the workers of another runtime if one is given.
    async fn serve_connections(
        &self,
        listener: TcpListener,
        options: HttpOptions,
        workers: Option<&Handle>,
        stop: impl Future<Output = ()>,
    ) -> Result<(), TransportError> {
        let mut door = options.doorkeeper()?;
        options.check_path()?;
        let address = listener
            .local_addr()
            .map_err(|error| TransportError::start("listen", error))?;
        door.bound_to(address);
        let is_loopback_only = door.is_loopback_only();
        let endpoint = Endpoint::new(Arc::clone(self.core()), options, door)?.with_path();
        let endpoint = Arc::new(endpoint);
        let drain_timeout = endpoint.options().drain_timeout;
        tracing::info!("serving on http://{address}{}", endpoint.options().path);
        if address.ip().to_canonical().is_unspecified() && is_loopback_only {
            tracing::warn!("{NO_HOST_ALLOWED}");
        }
        accept(&endpoint, listener, workers, stop).await;
        if timeout(drain_timeout, self.shut_down()).await.is_err() {
            tracing::warn!("a shutdown hook did not return in time");
        }
        self.core().refusals.finish();
        Ok(())
    }

    /// Serves over HTTP on a runtime of its own until SIGINT or SIGTERM, while the calling thread waits.
    ///
    /// Within an async runtime, where a thread should not wait, there is [`serve_http`](Self::serve_http).
    ///
    /// # Errors
    ///
    /// The address cannot be listened on, a host, an origin or the rate of the options cannot be used, or there are no threads.
    pub fn serve_http_blocking(
        &self,
        address: SocketAddr,
        options: HttpOptions,
    ) -> Result<(), TransportError> {
        outside_runtimes(|| self.serve_http_telling(address, options, |_| {}))
    }

    /// The same, and tells at first which address it is.
    pub(crate) fn serve_http_telling(
        &self,
        address: SocketAddr,
        options: HttpOptions,
        tell: impl FnOnce(SocketAddr),
    ) -> Result<(), TransportError> {
        let threads = |error| TransportError::start("start threads", error);
        let workers = std::thread::available_parallelism().map_or(FEWEST_WORKERS, usize::from);
        let workers = Builder::new_multi_thread()
            .worker_threads(workers.max(FEWEST_WORKERS))
            .max_blocking_threads(
                self.core()
                    .options
                    .limits
                    .max_calls_in_flight
                    .clamp(FEWEST_BLOCKING, MOST_BLOCKING),
            )
            .enable_all()
            .build()
            .map_err(threads)?;
        // Signals, new connections and the end are seen to here, where no function of the user's runs: one that blocks a
        // worker may stop the timers and sockets of all of them.
        let supervisor = Builder::new_current_thread()
            .enable_all()
            .build()
            .map_err(threads)?;
        let served =
            supervisor.block_on(self.serve_http_at(address, options, Some(workers.handle()), tell));
        // A function that never returns must not keep the process from ending.
        workers.shutdown_background();
        served
    }
}

/// Listens at the first of the addresses that can be had, with room for bursts of connections.
async fn listen(address: impl ToSocketAddrs) -> io::Result<TcpListener> {
    let mut failure = None;
    for address in lookup_host(address).await? {
        match listen_at(address) {
            Ok(listener) => return Ok(listener),
            Err(error) => failure = Some(error),
        }
    }
    Err(failure.unwrap_or_else(|| io::Error::from(io::ErrorKind::AddrNotAvailable)))
}

fn listen_at(address: SocketAddr) -> io::Result<TcpListener> {
    let socket = if address.is_ipv4() {
        TcpSocket::new_v4()?
    } else {
        TcpSocket::new_v6()?
    };
    // Elsewhere it would let others take the address as well.
    #[cfg(unix)]
    socket.set_reuseaddr(true)?;
    socket.bind(address)?;
    socket.listen(BACKLOG)
}

/// Takes connections until told to stop, and then waits for them within the bound.
async fn accept(
    endpoint: &Arc<Endpoint>,
    listener: TcpListener,
    workers: Option<&Handle>,
    stop: impl Future<Output = ()>,
) {
    let closing = Closing::new();
    let room = Room::new(endpoint.options().max_connections);
    let _tied = Tied(Arc::clone(&closing));
    let mut stop = std::pin::pin!(stop);
    loop {
        tokio::select! {
            // Beyond the bound, connections wait where the system keeps them.
            (guard, accepted) = async { (enter(&room, endpoint).await, listener.accept().await) } => match accepted {
                Ok((stream, peer)) => {
                    let endpoint = Arc::clone(endpoint);
                    let closing = Arc::clone(&closing);
                    match workers {
                        None => drop(spawn(serve(endpoint, stream, peer.ip(), closing, guard))),
                        Some(workers) => drop(workers.spawn(async move {
                            match stream.into_std().and_then(TcpStream::from_std) {
                                Ok(stream) => serve(endpoint, stream, peer.ip(), closing, guard).await,
                                Err(error) => tracing::error!("a connection could not be taken: {error}"),
                            }
                        })),
                    }
                }
                Err(error) if is_of_one_connection(&error) => {}
                Err(error) => {
                    tracing::error!("a connection could not be taken: {error}");
                    sleep(BREATH).await;
                }
            },
            () = &mut stop => break,
        }
    }
    drop(listener);
    endpoint.end_streams();
    tracing::info!("stopping");
    let mut gone = std::pin::pin!(room.empty());
    closing.enter(Stage::Draining);
    let drain_timeout = endpoint.options().drain_timeout;
    let (is_drained, _) = tokio::join!(
        timeout(drain_timeout, &mut gone),
        timeout(drain_timeout, endpoint.core().drain_tasks()),
    );
    if is_drained.is_err() {
        tracing::warn!("calls that did not end in time are dropped");
        closing.enter(Stage::Dropped);
        // A worker that an async function blocks may hold its connection for as long as it likes.
        if timeout(drain_timeout, gone).await.is_err() {
            tracing::warn!("functions that still block their threads are left to themselves");
        }
    }
    let stopped = timeout(drain_timeout, endpoint.core().stop_tasks());
    if stopped.await.is_err() {
        tracing::warn!(
            "the task store did not answer in time; tasks wait for the end of their leases"
        );
    }
}

/// Waits for room for a connection, and has the log say so if there is none.
async fn enter(room: &Room, endpoint: &Endpoint) -> Guard {
    if room.is_full() {
        endpoint.log_refusal(TOO_MANY_CONNECTIONS, "");
    }
    room.enter().await
}

/// Whether an error of `accept` concerns only a client that is gone already.
fn is_of_one_connection(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::ConnectionAborted
            | io::ErrorKind::ConnectionRefused
            | io::ErrorKind::ConnectionReset
            | io::ErrorKind::Interrupted
    )
}

/// Serves one connection to its end.
async fn serve(
    endpoint: Arc<Endpoint>,
    stream: TcpStream,
    peer: IpAddr,
    closing: Arc<Closing>,
    _counted: Guard,
) {
    let mut connection = open(endpoint, stream, peer);
    let mut signal = pin!(closing.listen());
    let ended = poll_fn(|context| {
        match signal.as_mut().poll_stage(context) {
            None => {}
            Some(Stage::Dropped) => return Poll::Ready(Ok(())),
            Some(_) => connection.as_mut().shut_down(),
        }
        connection.as_mut().poll(context)
    });
    // Whatever ends a connection early is the client's doing, and its calls are dropped with it.
    if let Err(error) = ended.await {
        tracing::debug!("a connection ended: {error}");
    }
}

/// A connection as hyper serves it.
fn open(endpoint: Arc<Endpoint>, stream: TcpStream, peer: IpAddr) -> Pin<Box<dyn Served>> {
    // Answers are whole writes; waiting for more to send would only delay them.
    if let Err(error) = stream.set_nodelay(true) {
        tracing::debug!("TCP_NODELAY could not be set: {error}");
    }
    let requests = Requests::default();
    let stream = Watched::new(stream, requests.clone(), Arc::clone(&endpoint));
    let service = service_fn(move |request: Request<Incoming>| {
        let (endpoint, requests) = (Arc::clone(&endpoint), requests.clone());
        let answering = requests.begin();
        async move {
            let is_http2 = request.version() == Version::HTTP_2;
            if request.body().is_end_stream() {
                requests.has_arrived();
            }
            // Each request of HTTP/2 has a body of its own.
            let of_connection = (!is_http2).then_some(&requests);
            let mut response = endpoint.respond(request, Some(peer), of_connection).await;
            if !is_http2 && requests.is_stopping() {
                response.headers_mut().insert(CONNECTION, CLOSE);
            }
            response.body_mut().hold(answering, is_http2);
            Ok::<_, Infallible>(response)
        }
    });
    Box::pin(Opening::new(stream, service))
}

/// Ready when the process is asked to end.
#[cfg(unix)]
fn stop_signal() -> io::Result<impl Future<Output = ()>> {
    use tokio::signal::unix::{SignalKind, signal};
    let mut interrupt = signal(SignalKind::interrupt())?;
    let mut terminate = signal(SignalKind::terminate())?;
    Ok(async move {
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
        }
    })
}

/// Ready when the process is asked to end.
#[cfg(not(unix))]
#[allow(clippy::unnecessary_wraps, reason = "on other platforms it can fail")]
fn stop_signal() -> io::Result<impl Future<Output = ()>> {
    Ok(async {
        if let Err(error) = tokio::signal::ctrl_c().await {
            tracing::warn!("nothing but a kill will end this process: {error}");
            std::future::pending::<()>().await;
        }
    })
}
