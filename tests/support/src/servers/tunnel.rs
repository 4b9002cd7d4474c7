//! An authenticating CONNECT proxy.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

/// `user:p@ss word` as a proxy is told it.
const WORD: &str = "Basic dXNlcjpwQHNzIHdvcmQ=";

/// A proxy that wants a password: its port, and the first line of each request.
pub fn proxy() -> (u16, Arc<Mutex<Vec<String>>>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let (port, heard) = (listener.local_addr().unwrap().port(), Arc::new(Mutex::new(Vec::new())));
    let lines = Arc::clone(&heard);
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let lines = Arc::clone(&lines);
            std::thread::spawn(move || connect(stream, &lines));
        }
    });
    (port, heard)
}

/// Makes one connection for somebody who knows the password.
fn connect(mut near: TcpStream, heard: &Mutex<Vec<String>>) -> Option<()> {
    let mut reader = BufReader::new(near.try_clone().ok()?);
    let (mut lines, mut line) = (Vec::new(), String::new());
    while reader.read_line(&mut line).ok()? > 2 {
        lines.push(std::mem::take(&mut line).trim_end().to_owned());
    }
    heard.lock().unwrap().push(lines[0].clone());
    let is_known = lines.iter().any(|line| {
        line.split_once(": ")
            .is_some_and(|(name, word)| name.eq_ignore_ascii_case("proxy-authorization") && word == WORD)
    });
    let place = lines[0].strip_prefix("CONNECT ").and_then(|rest| rest.split(' ').next());
    let (Some(place), true) = (place, is_known) else {
        return near.write_all(b"HTTP/1.1 407 Proxy Authentication Required\r\ncontent-length: 0\r\n\r\n").ok();
    };
    let mut far = TcpStream::connect(place).ok()?;
    near.write_all(b"HTTP/1.1 200 Connected\r\n\r\n").ok()?;
    let (mut from, mut to) = (near.try_clone().ok()?, far.try_clone().ok()?);
    std::thread::spawn(move || std::io::copy(&mut from, &mut to));
    let mut piece = [0; 4096];
    loop {
        match far.read(&mut piece).ok()? {
            0 => return near.shutdown(std::net::Shutdown::Both).ok(),
            count => near.write_all(&piece[..count]).ok()?,
        }
    }
}
