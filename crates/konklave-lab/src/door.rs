//! The server: sockets, and nothing else. Every connection has a thread that reads requests; one
//! thread answers them, so systems need not be shared.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{IpAddr, SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;
use std::time::Duration;

use crate::answer::Lab;
use crate::ask::{Answer, Asked};
use crate::guard::BODY;

/// A server that listens.
pub struct Door {
    listener: TcpListener,
    address: SocketAddr,
}

/// How many ports are tried, if the first ones are in use.
const TRIES: u16 = 20;
/// How many connections there can be at a time: a browser has six.
const CONNECTIONS: usize = 64;
/// The largest head of a request.
const HEAD: u64 = 16 << 10;
/// How long a connection may be silent.
const SILENCE: Duration = Duration::from_secs(30);

/// A request, and where its answer goes.
type Letter = (Asked, Sender<Answer>);

impl Door {
    /// Listens on this port, or on one of the next if it is in use.
    ///
    /// # Errors
    ///
    /// If none of them can be listened on.
    pub fn open(host: IpAddr, port: u16) -> io::Result<Self> {
        let mut refused = io::Error::other("there is no such port");
        for port in port..=port.saturating_add(TRIES) {
            match TcpListener::bind((host, port)) {
                Ok(listener) => {
                    let address = listener.local_addr()?;
                    return Ok(Self { listener, address });
                }
                Err(error) if error.kind() == io::ErrorKind::AddrInUse => refused = error,
                Err(error) => return Err(error),
            }
        }
        Err(refused)
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Answers one request after the other, for ever.
    ///
    /// # Errors
    ///
    /// If the socket cannot be listened on any more.
    pub fn serve(self, lab: &mut Lab<'_>) -> io::Result<()> {
        let (letters, incoming) = channel();
        thread::Builder::new().spawn(move || accept(&self.listener, &letters))?;
        for (asked, reply) in incoming {
            // A browser that has gone away does not matter.
            let _ = reply.send(lab.answer(&asked));
        }
        Ok(())
    }
}

fn accept(listener: &TcpListener, letters: &Sender<Letter>) {
    let open = Arc::new(AtomicUsize::new(0));
    for stream in listener.incoming() {
        let Ok(stream) = stream else { continue };
        if open.fetch_add(1, Ordering::SeqCst) >= CONNECTIONS {
            open.fetch_sub(1, Ordering::SeqCst);
            continue; // It is closed at once.
        }
        let (letters, open) = (letters.clone(), Arc::clone(&open));
        thread::spawn(move || {
            // Whatever goes wrong with a connection is the end of it.
            let _ = converse(&stream, &letters);
            open.fetch_sub(1, Ordering::SeqCst);
        });
    }
}

/// Answers the requests of a connection until it ends.
fn converse(stream: &TcpStream, letters: &Sender<Letter>) -> io::Result<()> {
    stream.set_read_timeout(Some(SILENCE))?;
    stream.set_write_timeout(Some(SILENCE))?;
    stream.set_nodelay(true)?;
    let mut input = BufReader::new(stream);
    loop {
        let answer = match read(&mut input)? {
            Heard::End => return Ok(()),
            Heard::Asked(asked) => ask(*asked, letters)?,
            Heard::Bad(answer) => {
                write(stream, &answer, false)?;
                return Ok(());
            }
        };
        write(stream, &answer, true)?;
    }
}

fn ask(asked: Asked, letters: &Sender<Letter>) -> io::Result<Answer> {
    let closed = || io::Error::other("the lab is closed");
    let (reply, answer): (_, Receiver<Answer>) = channel();
    letters.send((asked, reply)).map_err(|_| closed())?;
    answer.recv().map_err(|_| closed())
}

/// What was read from a connection.
enum Heard {
    Asked(Box<Asked>),
    /// Nothing that can be understood; the answer says why.
    Bad(Answer),
    /// The browser has nothing more to ask.
    End,
}

fn read(input: &mut impl BufRead) -> io::Result<Heard> {
    let mut head = Vec::new();
    loop {
        let before = head.len();
        input.by_ref().take(HEAD + 1 - before as u64).read_until(b'\n', &mut head)?;
        if head.len() == before {
            return Ok(Heard::End);
        }
        if head.len() as u64 > HEAD {
            return Ok(Heard::Bad(Answer::refusal(431, "the head of this request is too long")));
        }
        if head.ends_with(b"\r\n\r\n") || head.ends_with(b"\n\n") {
            break;
        }
    }
    let mut headers = [httparse::EMPTY_HEADER; 64];
    let mut request = httparse::Request::new(&mut headers);
    let bad = |why: &str| Ok(Heard::Bad(Answer::refusal(400, why)));
    if !matches!(request.parse(&head), Ok(httparse::Status::Complete(_))) {
        return bad("this is not a request of HTTP");
    }
    let header = |name: &str| {
        let found = request.headers.iter().find(|it| it.name.eq_ignore_ascii_case(name))?;
        Some(String::from_utf8_lossy(found.value).into_owned())
    };
    if header("Transfer-Encoding").is_some() {
        return bad("the lab takes bodies whose length is known");
    }
    let length = match header("Content-Length").map(|text| text.trim().parse::<usize>()) {
        None => 0,
        Some(Ok(length)) => length,
        Some(Err(_)) => return bad("the length of the body is not a number"),
    };
    let mut asked = Asked {
        method: request.method.unwrap_or_default().to_owned(),
        path: request.path.unwrap_or_default().to_owned(),
        body: Vec::new(),
        host: header("Host"),
        origin: header("Origin"),
        fetch_site: header("Sec-Fetch-Site"),
        content_type: header("Content-Type"),
        known: header("If-None-Match"),
    };
    if length > BODY {
        // What is not read is thrown away with the connection.
        let answer =
            Answer::refusal(413, format!("this is too much: {} MiB are the limit", BODY >> 20));
        io::copy(&mut input.take(length.min(4 * BODY) as u64), &mut io::sink())?;
        return Ok(Heard::Bad(answer));
    }
    input.take(length as u64).read_to_end(&mut asked.body)?;
    match asked.body.len() == length {
        true => Ok(Heard::Asked(Box::new(asked))),
        false => Ok(Heard::End),
    }
}

/// What every answer says about itself: that nothing may be loaded but from here, and that no other
/// page may look into it.
const HEADERS: &str = "\
    Content-Security-Policy: default-src 'none'; script-src 'self'; style-src 'self'; \
    img-src 'self' data: blob:; connect-src 'self'; base-uri 'none'; form-action 'none'; \
    frame-ancestors 'none'\r\n\
    X-Content-Type-Options: nosniff\r\n\
    Referrer-Policy: no-referrer\r\n\
    Cross-Origin-Opener-Policy: same-origin\r\n\
    Cross-Origin-Resource-Policy: same-origin\r\n\
    Cache-Control: no-cache\r\n";

fn write(mut stream: &TcpStream, answer: &Answer, goes_on: bool) -> io::Result<()> {
    let Answer { status, content_type, body, version } = answer;
    let version = version.as_ref().map(|version| format!("ETag: {version}\r\n"));
    let connection = if goes_on { "keep-alive" } else { "close" };
    let head = format!(
        "HTTP/1.1 {status} {}\r\n{HEADERS}{}Content-Type: {content_type}\r\nContent-Length: {}\r\n\
         Connection: {connection}\r\n\r\n",
        reason(*status),
        version.unwrap_or_default(),
        body.len(),
    );
    stream.write_all(&[head.as_bytes(), body].concat())
}

fn reason(status: u16) -> &'static str {
    match status {
        200 => "OK",
        304 => "Not Modified",
        400 => "Bad Request",
        403 => "Forbidden",
        404 => "Not Found",
        405 => "Method Not Allowed",
        413 => "Content Too Large",
        415 => "Unsupported Media Type",
        431 => "Request Header Fields Too Large",
        _ => "Internal Server Error",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(text: &str) -> Heard {
        read(&mut text.as_bytes()).unwrap()
    }

    fn status(text: &str) -> Option<u16> {
        match asked(text) {
            Heard::Bad(answer) => Some(answer.status),
            Heard::Asked(_) | Heard::End => None,
        }
    }

    #[test]
    fn a_request_is_read_with_its_body() {
        let text = "POST /api/film?x=1 HTTP/1.1\r\nhost: localhost:3000\r\nContent-Length: 2\r\n\
                    Content-Type: application/json\r\n\r\n{}rest";
        let Heard::Asked(asked) = asked(text) else { panic!("it is a request") };
        assert_eq!((asked.method.as_str(), asked.path.as_str()), ("POST", "/api/film?x=1"));
        assert_eq!((asked.host.as_deref(), &asked.body[..]), (Some("localhost:3000"), &b"{}"[..]));
        assert_eq!(asked.content_type.as_deref(), Some("application/json"));
    }

    #[test]
    fn what_cannot_be_understood_is_refused() {
        assert_eq!(status("nonsense\r\n\r\n"), Some(400));
        assert_eq!(status("GET / HTTP/1.1\r\nContent-Length: x\r\n\r\n"), Some(400));
        assert_eq!(status("POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n"), Some(400));
        assert_eq!(status("POST / HTTP/1.1\r\nContent-Length: 9999999999\r\n\r\n"), Some(413));
        let long = format!("GET / HTTP/1.1\r\nx: {}\r\n\r\n", "y".repeat(1 << 15));
        assert_eq!(status(&long), Some(431));
    }

    #[test]
    fn what_ends_too_early_is_not_asked() {
        for text in ["", "GET /", "POST / HTTP/1.1\r\nContent-Length: 9\r\n\r\nshort"] {
            assert!(matches!(asked(text), Heard::End), "{text:?}");
        }
    }
}
