//! Web servers of this machine, run with the configurations of `packages/web_servers` on ports of their own.
#![allow(unreachable_pub, reason = "a module of a test program")]

use std::fmt;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Nginx,
    Apache,
    Caddy,
    Lighttpd,
    /// `http.server` of Python.
    Python,
    /// An S3 server for tests.
    Moto,
}

/// A server that ends with the test.
pub struct Running {
    pub address: String,
    child: Child,
    _folder: tempfile::TempDir,
}

impl Drop for Running {
    fn drop(&mut self) {
        // Those with several processes end them all at this signal.
        _ = Command::new("kill").args(["-TERM", &self.child.id().to_string()]).status();
        _ = self.child.wait();
    }
}

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

fn configuration(name: &str) -> String {
    std::fs::read_to_string(repository().join("packages/web_servers").join(name)).unwrap()
}

/// The path of a program, also of those for administrators.
fn program(name: &str) -> Option<PathBuf> {
    let path = std::env::var("PATH").unwrap_or_default();
    let venv = repository().join(".venv/bin");
    let folders = path.split(':').map(PathBuf::from).chain(["/usr/sbin", "/sbin"].map(PathBuf::from)).chain([venv]);
    folders.map(|folder| folder.join(name)).find(|file| file.is_file())
}

/// Replaces what users of a configuration set, each of which must be there.
fn replaced(text: &str, replacements: &[(&str, &str)]) -> String {
    replacements.iter().fold(text.to_owned(), |text, (from, to)| {
        assert!(text.contains(from), "the configuration has no '{from}'");
        text.replace(from, to)
    })
}

impl Running {
    /// Starts a server of a folder with its configuration, or `None` if it is not installed. With listings, the configuration is a
    /// plain one that lists folders.
    pub fn start(kind: Kind, root: &Path, has_listings: bool) -> Option<Running> {
        let folder = tempfile::tempdir().unwrap();
        make_readable(folder.path());
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let mut command = match kind {
            Kind::Nginx => nginx(folder.path(), root, port, has_listings)?,
            Kind::Apache => apache(folder.path(), root, port, has_listings)?,
            Kind::Caddy => caddy(folder.path(), root, port)?,
            Kind::Lighttpd => lighttpd(folder.path(), root, port)?,
            Kind::Python => {
                let mut command = Command::new(program("python3")?);
                command.args(["-m", "http.server", "--bind", "127.0.0.1", &port.to_string()]).current_dir(root);
                command
            }
            Kind::Moto => {
                let mut command = Command::new(program("moto_server")?);
                command.args(["-H", "127.0.0.1", "-p", &port.to_string()]);
                command
            }
        };
        let log = std::fs::File::create(folder.path().join("output")).unwrap();
        command.env("HOME", folder.path()).stdin(Stdio::null()).stdout(log.try_clone().unwrap()).stderr(log);
        let mut child = command.spawn().unwrap();
        let begun = Instant::now();
        while TcpStream::connect(("127.0.0.1", port)).is_err() {
            let output = || std::fs::read_to_string(folder.path().join("output")).unwrap_or_default();
            assert!(child.try_wait().unwrap().is_none(), "{kind:?} ends: {}", output());
            assert!(begun.elapsed() < Duration::from_secs(60), "{kind:?} does not listen: {}", output());
            std::thread::sleep(Duration::from_millis(20));
        }
        Some(Running { address: format!("http://127.0.0.1:{port}"), child, _folder: folder })
    }

    /// Creates a bucket with the policy and the rules of CORS, with the client library of the S3 server's environment.
    pub fn create_public_bucket(&self, bucket: &str) {
        let script = "import boto3, json, sys\n\
            address, bucket, policy, cors = sys.argv[1:]\n\
            s3 = boto3.client('s3', endpoint_url=address, region_name='us-east-1', aws_access_key_id='test',\n\
            \x20   aws_secret_access_key='test')\n\
            s3.create_bucket(Bucket=bucket)\n\
            s3.put_bucket_policy(Bucket=bucket, Policy=policy)\n\
            s3.put_bucket_cors(Bucket=bucket, CORSConfiguration=json.loads(cors))\n\
            assert json.loads(s3.get_bucket_policy(Bucket=bucket)['Policy'])['Statement'][0]['Principal'] == '*'\n\
            assert 'ETag' in s3.get_bucket_cors(Bucket=bucket)['CORSRules'][0]['ExposeHeaders']\n";
        let policy = configuration("s3_policy.json").replace("BUCKET", bucket);
        // The environment of the server has the client.
        let python = program("moto_server").unwrap().with_file_name("python3");
        let arguments = ["-c", script, &self.address, bucket, &policy, &configuration("s3_cors.json")];
        let output = Command::new(python).args(arguments).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }
}

fn nginx(folder: &Path, root: &Path, port: u16, has_listings: bool) -> Option<Command> {
    let program = program("nginx")?;
    let (listen, root) = (format!("listen 127.0.0.1:{port};"), format!("root {};", root.display()));
    let site = if has_listings {
        format!("server {{ {listen} {root} autoindex on; }}")
    } else {
        replaced(&configuration("nginx.conf"), &[("listen 80;", &listen), ("root /srv/site;", &root)])
    };
    let temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
        .map(|kind| format!("{kind}_temp_path {}/{kind};\n", folder.display()));
    // The site turns off what the server does elsewhere.
    let whole = format!(
        "daemon off;\npid {0}/pid;\nerror_log stderr;\nworker_processes 1;\nevents {{}}\nhttp {{\naccess_log off;\ngzip on;\n\
         include /etc/nginx/mime.types;\ngzip_types *;\ngzip_min_length 1;\ndefault_type application/octet-stream;\n{1}{site}\n}}\n",
        folder.display(),
        temporary.concat()
    );
    std::fs::write(folder.join("nginx.conf"), whole).unwrap();
    let mut command = Command::new(program);
    command.arg("-c").arg(folder.join("nginx.conf")).arg("-p").arg(folder);
    Some(command)
}

fn apache(folder: &Path, root: &Path, port: u16, has_listings: bool) -> Option<Command> {
    let program = program("apache2").or_else(|| program("httpd"))?;
    let modules = ["/usr/lib/apache2/modules", "/usr/lib64/httpd/modules", "/usr/libexec/apache2"];
    let modules = modules.iter().find(|modules| Path::new(modules).is_dir())?;
    let names = [
        "mpm_event",
        "authz_core",
        "headers",
        "env",
        "mime",
        "dir",
        "alias",
        "autoindex",
        "filter",
        "deflate",
        "unixd",
    ];
    let exists = |name: &&&str| Path::new(modules).join(format!("mod_{name}.so")).is_file();
    let loaded = names.iter().filter(exists).map(|name| format!("LoadModule {name}_module {modules}/mod_{name}.so\n"));
    let root = root.display().to_string();
    let site = if has_listings {
        format!("DocumentRoot \"{root}\"\n<Directory \"{root}\">\nRequire all granted\nOptions Indexes\n</Directory>\n")
    } else {
        replaced(&configuration("apache.conf"), &[("*:80", &format!("127.0.0.1:{port}")), ("/srv/site", &root)])
    };
    let whole = format!(
        "ServerRoot \"{0}\"\nServerName localhost\nPidFile \"{0}/pid\"\nErrorLog \"{0}/errors\"\nListen 127.0.0.1:{port}\n{1}\
         User nobody\nGroup nogroup\nTypesConfig /etc/mime.types\nDirectoryIndex index.html\n\
         <IfModule mod_deflate.c>\nSetOutputFilter DEFLATE\n</IfModule>\n{site}\n",
        folder.display(),
        loaded.collect::<String>()
    );
    std::fs::write(folder.join("apache.conf"), whole).unwrap();
    let mut command = Command::new(program);
    command.args(["-D", "FOREGROUND", "-f"]).arg(folder.join("apache.conf"));
    Some(command)
}

fn caddy(folder: &Path, root: &Path, port: u16) -> Option<Command> {
    let program = program("caddy")?;
    let site = replaced(
        &configuration("Caddyfile"),
        &[("data.example.org {", &format!("http://127.0.0.1:{port} {{")), ("/srv/site", root.to_str().unwrap())],
    );
    std::fs::write(folder.join("Caddyfile"), format!("{{\n\tadmin off\n\tauto_https off\n}}\n\n{site}")).unwrap();
    let mut command = Command::new(program);
    command.args(["run", "--adapter", "caddyfile", "--config"]).arg(folder.join("Caddyfile"));
    Some(command)
}

fn lighttpd(folder: &Path, root: &Path, port: u16) -> Option<Command> {
    let program = program("lighttpd")?;
    let site = replaced(
        &configuration("lighttpd.conf"),
        &[
            ("server.port = 80", &format!("server.port = {port}\nserver.bind = \"127.0.0.1\"")),
            ("/srv/site", root.to_str().unwrap()),
        ],
    );
    std::fs::write(folder.join("lighttpd.conf"), site).unwrap();
    let mut command = Command::new(program);
    command.args(["-D", "-f"]).arg(folder.join("lighttpd.conf"));
    Some(command)
}

/// Lets every user read a folder and what is below it, as servers that run as another user need.
pub fn make_readable(folder: &Path) {
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        std::fs::set_permissions(&folder, PermissionsExt::from_mode(0o755)).unwrap();
        for entry in std::fs::read_dir(folder).unwrap().map(Result::unwrap) {
            match entry.file_type().unwrap().is_dir() {
                true => folders.push(entry.path()),
                false => std::fs::set_permissions(entry.path(), PermissionsExt::from_mode(0o644)).unwrap(),
            }
        }
    }
}

/// A response.
pub struct Exchange {
    pub status: u16,
    headers: String,
    pub body: Vec<u8>,
}

impl fmt::Debug for Exchange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, {} bytes", self.headers, self.body.len())
    }
}

impl Exchange {
    pub fn header(&self, name: &str) -> Option<&str> {
        let lines = self.headers.lines().filter_map(|line| line.split_once(':'));
        lines.into_iter().find(|(own, _)| own.eq_ignore_ascii_case(name)).map(|(_, value)| value.trim())
    }
}

/// Sends the first lines of a request on a connection of its own, and reads the response to its end.
pub fn exchange(address: &str, request: &str) -> Exchange {
    let host = address.strip_prefix("http://").unwrap();
    let mut client = TcpStream::connect(host).unwrap();
    client.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
    client.write_all(format!("{request}Host: {host}\r\nConnection: close\r\n\r\n").as_bytes()).unwrap();
    let mut response = Vec::new();
    client.read_to_end(&mut response).unwrap();
    let end = response.windows(4).position(|window| window == b"\r\n\r\n").unwrap();
    let headers = String::from_utf8_lossy(&response[..end]).into_owned();
    let status = headers.split(' ').nth(1).unwrap().parse().unwrap();
    Exchange { status, headers, body: response.split_off(end + 4) }
}
