//! The command line: checks what was asked for, prints the address to open, and serves.

use crate::{
    Server, Settings, tls,
    token::{Token, TokenFile},
};
use clap::Parser;
use hapticd_client::default_socket;
use hapticd_sys::{
    signals::Signals,
    wake::{Interest, Wake, wait},
};
use std::{
    error::Error,
    io::{self, Write},
    net::SocketAddr,
    os::fd::AsFd,
    path::{Path, PathBuf},
    process::ExitCode,
    sync::Arc,
};

/// Lets browsers talk to the daemon: WebSockets, and a page that shows the scene.
///
/// Prints the address to open. Its last part is the token, which never leaves the browser but to
/// connect.
#[derive(Debug, Parser)]
#[command(name = "hapticd gateway", version)]
struct Args {
    /// Address to listen at; port 0 for any that is free. Beyond loopback only with TLS.
    #[arg(long, value_name = "IP:PORT", default_value = "127.0.0.1:8127")]
    listen: SocketAddr,
    /// The daemon's socket for applications.
    #[arg(long, value_name = "SOCKET")]
    socket: Option<PathBuf>,
    /// A page of this origin may connect, too. Repeat it for more.
    #[arg(long, value_name = "ORIGIN")]
    origin: Vec<String>,
    /// A name by which browsers reach the gateway, beyond loopback. Repeat it for more.
    #[arg(long, value_name = "NAME[:PORT]")]
    host: Vec<String>,
    /// File to write address and token into [default: gateway.token beside the daemon's socket].
    #[arg(long, value_name = "FILE")]
    token_file: Option<PathBuf>,
    /// Certificate of the gateway and those that vouch for it, PEM.
    #[arg(long, value_name = "FILE", requires_all = ["tls_key", "token_file"])]
    tls_cert: Option<PathBuf>,
    /// Private key of the certificate, PEM.
    #[arg(long, value_name = "FILE", requires = "tls_cert")]
    tls_key: Option<PathBuf>,
}

/// Runs the program.
pub fn main() -> ExitCode {
    // Before any thread: they inherit it.
    let signals = match Signals::block() {
        Ok(signals) => signals,
        Err(error) => return failed(&error),
    };
    match run(&Args::parse(), &signals) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => failed(error.as_ref()),
    }
}

fn failed(error: &dyn Error) -> ExitCode {
    let _ = writeln!(io::stderr(), "error: {error}");
    ExitCode::FAILURE
}

fn run(args: &Args, signals: &Signals) -> Result<(), Box<dyn Error>> {
    let socket = match &args.socket {
        Some(path) => path.clone(),
        None => default_socket()?,
    };
    refuse_technicians(&socket)?;
    for origin in &args.origin {
        check_origin(origin)?;
    }
    let tls = match (&args.tls_cert, &args.tls_key) {
        (Some(chain), Some(key)) => Some(tls::configuration(chain, key)?),
        _ => None,
    };
    let scheme = if tls.is_some() { "https" } else { "http" };
    let token = Token::random()?;
    let server = Arc::new(Server::start(Settings {
        listen: args.listen,
        socket: socket.clone(),
        names: args.host.clone(),
        origins: args.origin.clone(),
        tls,
        token: token.clone(),
    })?);
    let name = public_name(args, server.address());
    let file = match &args.token_file {
        Some(path) => path.clone(),
        None => socket.with_file_name("gateway.token"),
    };
    let address = format!("{}://{name}{}", scheme.replace("http", "ws"), crate::PATH);
    let _file = TokenFile::create(&file, &address, &token)?;
    let mut out = io::stdout();
    writeln!(out, "{scheme}://{name}/#token={}", token.text())?;
    writeln!(out, "address and token for programs: {}", file.display())?;
    out.flush()?;
    serve(&server, signals)
}

/// Serves until a signal comes.
fn serve(server: &Arc<Server>, signals: &Signals) -> Result<(), Box<dyn Error>> {
    let stop = Arc::new(Wake::new()?);
    let (served, stopped) = (server.clone(), stop.clone());
    let ended = Arc::new(Wake::new()?);
    let end = ended.clone();
    let thread = std::thread::Builder::new()
        .name("accept".to_owned())
        .spawn(move || {
            let result = served.serve(&stopped);
            end.signal();
            result
        })?;
    let items = [
        (signals.as_fd(), Interest::Read),
        (ended.as_fd(), Interest::Read),
    ];
    wait(&items, None)?;
    stop.signal();
    match thread.join() {
        Ok(result) => Ok(result?),
        Err(_) => Err("the accepting thread has panicked".into()),
    }
}

/// Returns the name for the address that is printed.
fn public_name(args: &Args, address: SocketAddr) -> String {
    match args.host.first() {
        Some(name) if name.contains(':') && !name.ends_with(']') => name.clone(),
        Some(name) => format!("{name}:{}", address.port()),
        None => address.to_string(),
    }
}

/// The page is for users. What only a technician may do is done on the machine.
fn refuse_technicians(socket: &Path) -> Result<(), String> {
    if socket
        .file_name()
        .is_some_and(|name| name == "technician.sock")
    {
        return Err("the gateway is for the applications' socket, never the technician's".into());
    }
    Ok(())
}

/// An origin is a scheme, a host and perhaps a port; a path would never match.
fn check_origin(origin: &str) -> Result<(), String> {
    let host = origin
        .strip_prefix("https://")
        .or_else(|| origin.strip_prefix("http://"))
        .unwrap_or_default();
    if host.is_empty() || host.contains(['/', '*', ' ', '?', '#', '@']) {
        return Err(format!(
            "`{origin}` is no origin: write it as the browser does, such as https://app.example"
        ));
    }
    Ok(())
}
