//! A running daemon, with which a test talks through its sockets and whose log it reads.

use std::io::{BufRead, BufReader, Lines};
use std::path::PathBuf;
use std::process::{Child, ChildStderr, Command, Stdio};
use std::time::Duration;

use hapticd_client::Client;

/// Bound that counts as a failure, above what a busy machine needs.
pub const PATIENCE: Duration = Duration::from_secs(120);

/// A running daemon. Ends with its test, however that ends. The folder stays if the test fails.
pub struct Daemon {
    pub folder: PathBuf,
    pub process: Child,
    log: Lines<BufReader<ChildStderr>>,
}

impl Daemon {
    /// Runs `rig.toml` in a separate folder with these other files; `name` is that of the folder.
    pub fn run(name: &str, setup: &str, files: &[(&str, &str)], args: &[&str]) -> Self {
        let process = std::process::id();
        let folder = std::env::temp_dir().join(format!("hapticd-{name}-{process}"));
        let _ = std::fs::remove_dir_all(&folder);
        std::fs::create_dir_all(&folder).unwrap();
        for (file, text) in files.iter().chain(&[("rig.toml", setup)]) {
            std::fs::write(folder.join(file), text).unwrap();
        }
        let mut process = Command::new(env!("CARGO_BIN_EXE_hapticd"))
            .args(["run", "rig.toml", "--plain"])
            .args(args)
            .current_dir(&folder)
            .env("XDG_RUNTIME_DIR", &folder)
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let log = BufReader::new(process.stderr.take().unwrap()).lines();
        Daemon {
            folder,
            process,
            log,
        }
    }

    pub fn socket(&self, of: &str) -> PathBuf {
        self.folder.join("hapticd").join(of)
    }

    pub fn client(&self, socket: &str) -> Client {
        let path = self.socket(socket);
        let mut client = Client::connect_until(&path, "test", PATIENCE).unwrap();
        client.set_timeout(PATIENCE);
        client
    }

    pub fn app(&self) -> Client {
        self.client("app.sock")
    }

    /// Reads the log up to a line with these words, and returns that line.
    pub fn until(&mut self, what: &str) -> String {
        let mut seen = String::new();
        for line in self.log.by_ref() {
            let line = line.unwrap();
            if line.contains(what) {
                return line;
            }
            seen += &line;
            seen.push('\n');
        }
        panic!("`{what}` was never said:\n{seen}");
    }

    pub fn ask_to_end(&self) {
        let pid = self.process.id().to_string();
        let sent = Command::new("kill").args(["-TERM", &pid]).status();
        assert!(sent.unwrap().success());
    }

    pub fn end(mut self) {
        self.ask_to_end();
        assert_eq!(self.process.wait().unwrap().code(), Some(0));
    }
}

impl Drop for Daemon {
    fn drop(&mut self) {
        // A daemon that has ended already needs no kill.
        let _ = self.process.kill();
        let _ = self.process.wait();
        if !std::thread::panicking() {
            let _ = std::fs::remove_dir_all(&self.folder);
        }
    }
}
