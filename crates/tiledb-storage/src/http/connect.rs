//! Cancellable connections: waits are divided into short steps, between which the cancellation flag is checked.

use std::cell::Cell;
use std::io::{ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::{Duration, Instant};

use ureq::Error;
use ureq::unversioned::transport::{
    Buffers, ConnectProxyConnector, ConnectionDetails, Connector, LazyBuffers, NextTimeout, Transport,
};

use super::throughput::{MeteredTransport, MinThroughput, ThroughputMeter};
use super::tls::{SecureConnector, TlsSettings};
use tiledb_core::pool::CancelToken;

/// Maximum wait between two checks of the cancellation flag.
const STEP: Duration = Duration::from_millis(50);

/// Timeouts of successive connection attempts; the last one is repeated.
const KNOCKS: [Duration; 4] =
    [Duration::from_secs(1), Duration::from_secs(2), Duration::from_secs(4), Duration::from_secs(8)];

thread_local! {
    /// The connections that the request of this thread waits for: one to a proxy is part of that to a server.
    static CONNECTING: Cell<u32> = const { Cell::new(0) };
}

/// Whether the request that failed last on this thread never had a connection, so that no server has seen it.
pub(super) fn was_connecting() -> bool {
    CONNECTING.get() > 0
}

/// To be called before a request, which may find a connection that is open already.
pub(super) fn begin() {
    CONNECTING.set(0);
}

/// The connector: its connections check `cancel` and enforce the minimum throughput of `pace`.
pub(super) fn connector(
    cancel: Option<&CancelToken>,
    keep_alive: bool,
    pace: MinThroughput,
    tls: TlsSettings,
) -> impl Connector {
    let steps = CancellableConnector { cancel: cancel.cloned(), keep_alive, pace };
    let proxied = ().chain(FirstConnector).chain(ConnectProxyConnector::default());
    proxied.chain(steps).chain(SecureConnector::new(tls)).chain(ThroughputConnector(pace))
}

/// The beginning of connecting.
#[derive(Debug)]
struct FirstConnector;

impl<In: Transport> Connector<In> for FirstConnector {
    type Out = In;

    fn connect(&self, _: &ConnectionDetails, chained: Option<In>) -> Result<Option<In>, Error> {
        CONNECTING.set(CONNECTING.get().saturating_add(1));
        Ok(chained)
    }
}

/// Its end. Throughput is measured above TLS, whose records make much of a byte, and below it, where a record may not come whole.
#[derive(Debug)]
struct ThroughputConnector(MinThroughput);

impl<In: Transport> Connector<In> for ThroughputConnector {
    type Out = MeteredTransport<In>;

    fn connect(&self, _: &ConnectionDetails, chained: Option<In>) -> Result<Option<MeteredTransport<In>>, Error> {
        CONNECTING.set(CONNECTING.get().saturating_sub(1));
        Ok(chained.map(|chained| MeteredTransport::new(chained, self.0)))
    }
}

#[derive(Debug)]
struct CancellableConnector {
    cancel: Option<CancelToken>,
    keep_alive: bool,
    pace: MinThroughput,
}

impl<In: Transport> Connector<In> for CancellableConnector {
    type Out = Box<dyn Transport>;

    fn connect(&self, details: &ConnectionDetails, chained: Option<In>) -> Result<Option<Self::Out>, Error> {
        if let Some(chained) = chained {
            return Ok(Some(Box::new(chained)));
        }
        let stream = self.reach(details)?;
        stream.set_nodelay(details.config.no_delay())?;
        if self.keep_alive {
            rustix::net::sockopt::set_socket_keepalive(&stream, true).map_err(std::io::Error::from)?;
        }
        let buffers = LazyBuffers::new(details.config.input_buffer_size(), details.config.output_buffer_size());
        let meter = ThroughputMeter::new(self.pace);
        let (cancel, steps) = (self.cancel.clone(), [None; 2]);
        Ok(Some(Box::new(CancellableTransport { stream, buffers, cancel, meter, is_sending: true, steps })))
    }
}

impl CancellableConnector {
    /// A connection to the first address that accepts one.
    fn reach(&self, details: &ConnectionDetails) -> Result<TcpStream, Error> {
        let begun = Instant::now();
        let limit = details.timeout.not_zero().map(|limit| *limit);
        let mut refused = None;
        for knock in KNOCKS.iter().copied().chain(std::iter::repeat(KNOCKS[KNOCKS.len() - 1])) {
            for address in &details.addrs {
                check(self.cancel.as_ref())?;
                let left = limit.map_or(knock, |limit| limit.saturating_sub(begun.elapsed()));
                match connect(address, knock.min(left).max(STEP)) {
                    Ok(stream) => return Ok(stream),
                    Err(error) => refused = Some(error),
                }
            }
            let is_over = limit.is_some_and(|limit| begun.elapsed() >= limit);
            match refused {
                // A retry would be rejected in the same way.
                Some(error) if error.kind() != ErrorKind::TimedOut => return Err(Error::Io(error)),
                None => return Err(Error::HostNotFound),
                Some(_) if is_over => return Err(Error::Timeout(details.timeout.reason)),
                Some(_) => refused = None,
            }
        }
        Err(Error::ConnectionFailed)
    }
}

fn connect(address: &SocketAddr, within: Duration) -> std::io::Result<TcpStream> {
    TcpStream::connect_timeout(address, within).map_err(|error| match error.kind() {
        ErrorKind::WouldBlock => ErrorKind::TimedOut.into(),
        _ => error,
    })
}

fn check(cancel: Option<&CancelToken>) -> Result<(), Error> {
    match cancel.is_some_and(CancelToken::is_requested) {
        true => Err(Error::Io(std::io::Error::new(ErrorKind::ConnectionAborted, "cancelled"))),
        false => Ok(()),
    }
}

/// A connection with short waits.
#[derive(Debug)]
struct CancellableTransport {
    stream: TcpStream,
    buffers: LazyBuffers,
    cancel: Option<CancelToken>,
    meter: ThroughputMeter,
    /// The direction that the meter measures.
    is_sending: bool,
    /// The timeouts that the socket has for reads and writes.
    steps: [Option<Duration>; 2],
}

impl CancellableTransport {
    /// Measures the throughput in this direction from now on.
    fn turn(&mut self, is_sending: bool) {
        if std::mem::replace(&mut self.is_sending, is_sending) != is_sending {
            self.meter.restart();
        }
    }
}

/// Sets a timeout of a socket, unless it has that already.
fn set(
    has: &mut Option<Duration>,
    step: Duration,
    set: impl FnOnce(Option<Duration>) -> std::io::Result<()>,
) -> std::io::Result<()> {
    if *has == Some(step) {
        return Ok(());
    }
    set(Some(step))?;
    *has = Some(step);
    Ok(())
}

/// Repeats `act` in steps until it makes progress, fails, or `limit` has passed.
fn stepwise(
    cancel: Option<&CancelToken>,
    limit: NextTimeout,
    mut act: impl FnMut(Duration) -> std::io::Result<usize>,
) -> Result<usize, Error> {
    let (begun, most) = (Instant::now(), limit.not_zero().map(|limit| *limit));
    loop {
        check(cancel)?;
        let left = most.map_or(STEP, |most| most.saturating_sub(begun.elapsed()));
        if left.is_zero() {
            return Err(Error::Timeout(limit.reason));
        }
        match act(left.min(STEP)) {
            Ok(count) => return Ok(count),
            Err(error)
                if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut | ErrorKind::Interrupted) => {}
            Err(error) => return Err(Error::Io(error)),
        }
    }
}

impl Transport for CancellableTransport {
    fn buffers(&mut self) -> &mut dyn Buffers {
        &mut self.buffers
    }

    fn transmit_output(&mut self, amount: usize, timeout: NextTimeout) -> Result<(), Error> {
        self.turn(true);
        let (mut stream, has) = (&self.stream, &mut self.steps[1]);
        let mut output = self.buffers.output().get(..amount).unwrap_or_default();
        while !output.is_empty() {
            let begun = Instant::now();
            let sent = stepwise(self.cancel.as_ref(), timeout.for_write(), |step| {
                set(has, step, |step| stream.set_write_timeout(step))?;
                stream.write(output)
            })?;
            if sent == 0 {
                return Err(Error::Io(ErrorKind::WriteZero.into()));
            }
            self.meter.count(sent, begun.elapsed()).map_err(Error::Io)?;
            output = output.get(sent..).unwrap_or_default();
        }
        Ok(())
    }

    fn await_input(&mut self, timeout: NextTimeout) -> Result<bool, Error> {
        self.turn(false);
        let (mut stream, has, begun) = (&self.stream, &mut self.steps[0], Instant::now());
        let input = self.buffers.input_append_buf();
        let count = stepwise(self.cancel.as_ref(), timeout.for_read(), |step| {
            set(has, step, |step| stream.set_read_timeout(step))?;
            stream.read(input)
        })?;
        self.meter.count(count, begun.elapsed()).map_err(Error::Io)?;
        self.buffers.input_appended(count);
        Ok(count > 0)
    }

    fn is_open(&mut self) -> bool {
        // The peer has nothing to send on an idle connection.
        let mut stream = &self.stream;
        let silent = stream.set_nonblocking(true).is_ok()
            && matches!(stream.read(&mut [0]), Err(error) if error.kind() == ErrorKind::WouldBlock);
        stream.set_nonblocking(false).is_ok() && silent
    }
}
