//! Connections on which one waits in short steps, so that a request can be cancelled however long its answer takes.

use std::cell::Cell;
use std::io::{ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::{Duration, Instant};

use ureq::Error;
use ureq::unversioned::transport::{
    Buffers, ConnectProxyConnector, ConnectionDetails, Connector, LazyBuffers, NativeTlsConnector, NextTimeout,
    Transport,
};

use crate::pool::Cancel;

/// The longest wait before looking whether somebody wants to stop.
const STEP: Duration = Duration::from_millis(50);

/// The waits for a connection before it is asked for anew; the last is repeated.
const KNOCKS: [Duration; 4] =
    [Duration::from_secs(1), Duration::from_secs(2), Duration::from_secs(4), Duration::from_secs(8)];

thread_local! {
    /// The connections that the request of this thread waits for: one to a proxy is part of that to a server.
    static CONNECTING: Cell<u32> = const { Cell::new(0) };
}

/// Whether the request that failed just now on this thread never had a connection, so that nobody has seen it.
pub(super) fn was_connecting() -> bool {
    CONNECTING.get() > 0
}

/// To be called before a request, which may find a connection that is open already.
pub(super) fn begin() {
    CONNECTING.set(0);
}

/// What makes connections that look at `cancel`.
pub(super) fn connector(cancel: &Cancel, keep_alive: bool) -> impl Connector {
    let steps = Steps { cancel: cancel.clone(), keep_alive };
    ().chain(Begin).chain(ConnectProxyConnector::default()).chain(steps).chain(NativeTlsConnector::default()).chain(End)
}

/// The beginning of connecting.
#[derive(Debug)]
struct Begin;

impl<In: Transport> Connector<In> for Begin {
    type Out = In;

    fn connect(&self, _: &ConnectionDetails, chained: Option<In>) -> Result<Option<In>, Error> {
        CONNECTING.set(CONNECTING.get().saturating_add(1));
        Ok(chained)
    }
}

/// Its end.
#[derive(Debug)]
struct End;

impl<In: Transport> Connector<In> for End {
    type Out = In;

    fn connect(&self, _: &ConnectionDetails, chained: Option<In>) -> Result<Option<In>, Error> {
        CONNECTING.set(CONNECTING.get().saturating_sub(1));
        Ok(chained)
    }
}

#[derive(Debug)]
struct Steps {
    cancel: Cancel,
    keep_alive: bool,
}

impl<In: Transport> Connector<In> for Steps {
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
        Ok(Some(Box::new(Stepwise { stream, buffers, cancel: self.cancel.clone() })))
    }
}

impl Steps {
    /// A connection to the first address that answers.
    fn reach(&self, details: &ConnectionDetails) -> Result<TcpStream, Error> {
        let begun = Instant::now();
        let limit = details.timeout.not_zero().map(|limit| *limit);
        let mut refused = None;
        for knock in KNOCKS.iter().copied().chain(std::iter::repeat(KNOCKS[KNOCKS.len() - 1])) {
            for address in &details.addrs {
                check(&self.cancel)?;
                let left = limit.map_or(knock, |limit| limit.saturating_sub(begun.elapsed()));
                match connect(address, knock.min(left).max(STEP)) {
                    Ok(stream) => return Ok(stream),
                    Err(error) => refused = Some(error),
                }
            }
            let is_over = limit.is_some_and(|limit| begun.elapsed() >= limit);
            match refused {
                // Another try would be refused alike.
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

fn check(cancel: &Cancel) -> Result<(), Error> {
    match cancel.is_requested() {
        true => Err(Error::Io(std::io::Error::new(ErrorKind::ConnectionAborted, "cancelled"))),
        false => Ok(()),
    }
}

/// A connection with short waits.
#[derive(Debug)]
struct Stepwise {
    stream: TcpStream,
    buffers: LazyBuffers,
    cancel: Cancel,
}

/// Tries `act` until it does something, fails, or `limit` has passed; a step at a time.
fn stepwise(
    cancel: &Cancel,
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

impl Transport for Stepwise {
    fn buffers(&mut self) -> &mut dyn Buffers {
        &mut self.buffers
    }

    fn transmit_output(&mut self, amount: usize, timeout: NextTimeout) -> Result<(), Error> {
        let mut stream = &self.stream;
        let mut output = self.buffers.output().get(..amount).unwrap_or_default();
        while !output.is_empty() {
            let sent = stepwise(&self.cancel, timeout.for_write(), |step| {
                stream.set_write_timeout(Some(step))?;
                stream.write(output)
            })?;
            if sent == 0 {
                return Err(Error::Io(ErrorKind::WriteZero.into()));
            }
            output = output.get(sent..).unwrap_or_default();
        }
        Ok(())
    }

    fn await_input(&mut self, timeout: NextTimeout) -> Result<bool, Error> {
        let mut stream = &self.stream;
        let input = self.buffers.input_append_buf();
        let count = stepwise(&self.cancel, timeout.for_read(), |step| {
            stream.set_read_timeout(Some(step))?;
            stream.read(input)
        })?;
        self.buffers.input_appended(count);
        Ok(count > 0)
    }

    fn is_open(&mut self) -> bool {
        // Nobody has anything to say on a connection that is not in use.
        let mut stream = &self.stream;
        let silent = stream.set_nonblocking(true).is_ok()
            && matches!(stream.read(&mut [0]), Err(error) if error.kind() == ErrorKind::WouldBlock);
        stream.set_nonblocking(false).is_ok() && silent
    }
}
