//! The file: how it is opened, what it must not be, and the tables in it.

use std::fs::OpenOptions;
use std::io;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use rusqlite::{Connection, ErrorCode, OpenFlags, TransactionBehavior};

use crate::task::TaskStoreError;

/// How long a lock of somebody else's is waited for.
pub(super) const PATIENCE: Duration = Duration::from_secs(5);
/// How long SQLite itself waits for a lock, so that what needs none is done meanwhile.
const RETRY: Duration = Duration::from_millis(20);
/// How long after a lock that SQLite does not wait for it is tried again.
const AGAIN: Duration = Duration::from_millis(10);
/// "mcpt": marks the files that are ours.
const APPLICATION: i64 = 0x6d63_7074;
/// The version of the tables below.
const LAYOUT: i64 = 1;

const TABLES: &str = "
    CREATE TABLE task (
        id BLOB PRIMARY KEY NOT NULL,
        principal TEXT,
        version INTEGER NOT NULL,
        is_active INTEGER NOT NULL,
        expires_at INTEGER,
        lease_owner BLOB,
        lease_until INTEGER,
        ended INTEGER,
        content TEXT NOT NULL
    ) STRICT;
    CREATE INDEX task_by_principal ON task (principal, is_active, expires_at);
    CREATE INDEX task_by_lease ON task (lease_until) WHERE is_active;
    CREATE INDEX task_by_owner ON task (lease_owner) WHERE lease_owner IS NOT NULL;
    CREATE INDEX task_by_end ON task (principal, ended) WHERE ended IS NOT NULL;
    CREATE INDEX task_by_expiry ON task (expires_at) WHERE expires_at IS NOT NULL;
";

/// Opens the file, and makes it if it is not there.
pub(super) fn open(path: &Path) -> Result<(Connection, Files), TaskStoreError> {
    make_file(path).map_err(|error| {
        TaskStoreError::Unavailable(format!("{} cannot be made: {error}", path.display()))
    })?;
    let mut connection = Connection::open_with_flags(
        path,
        OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX,
    )
    .map_err(|error| at(path, error.into()))?;
    let began = Instant::now();
    loop {
        match prepare(&mut connection) {
            Ok(()) => break,
            // SQLite waits for no lock when it changes the mode of a file, as several do that make it at one time.
            Err(TaskStoreError::Locked(_)) if began.elapsed() < PATIENCE => thread::sleep(AGAIN),
            Err(error) => return Err(at(path, error)),
        }
    }
    let files = Files::of(path).map_err(|error| {
        TaskStoreError::Unavailable(format!("{} cannot be found: {error}", path.display()))
    })?;
    Ok((connection, files))
}

/// Makes an empty file for its owner alone. SQLite gives its two companions the same mode.
fn make_file(path: &Path) -> io::Result<()> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    match options.open(path) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Err(error),
        _ => Ok(()),
    }
}

fn prepare(connection: &mut Connection) -> Result<(), TaskStoreError> {
    connection.busy_timeout(PATIENCE)?;
    // Another process may be making the tables at this moment.
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let number = |pragma| transaction.query_row(pragma, [], |row| row.get::<_, i64>(0));
    let application = number("PRAGMA application_id")?;
    let layout = number("PRAGMA user_version")?;
    let tables = number("SELECT count(*) FROM sqlite_schema")?;
    match (application, layout) {
        (APPLICATION, LAYOUT) => {}
        (APPLICATION, found) if found > LAYOUT => {
            return Err(TaskStoreError::Newer {
                found,
                known: LAYOUT,
            });
        }
        (0, 0) if tables == 0 => {
            transaction.execute_batch(TABLES)?;
            transaction.pragma_update(None, "application_id", APPLICATION)?;
            transaction.pragma_update(None, "user_version", LAYOUT)?;
        }
        _ => {
            return Err(TaskStoreError::Foreign(format!(
                "it is a database with application id {application:#x} and {tables} entries in its schema"
            )));
        }
    }
    transaction.commit()?;
    // This reads the whole file, so it must not keep other processes from writing.
    let verdict: String = connection.query_row("PRAGMA quick_check(1)", [], |row| row.get(0))?;
    if verdict != "ok" {
        return Err(TaskStoreError::Damaged(verdict));
    }
    // The mode is a property of the file, but it can be set only outside of a transaction.
    let mode: String = connection.query_row("PRAGMA journal_mode = WAL", [], |row| row.get(0))?;
    if mode != "wal" {
        return Err(TaskStoreError::Unavailable(format!(
            "it cannot be written ahead; its journal mode stays {mode}"
        )));
    }
    connection.pragma_update(None, "synchronous", "FULL")?;
    // The companions of the file are made by the first look at it.
    connection.query_row("SELECT count(*) FROM sqlite_schema", [], |_| Ok(()))?;
    connection.busy_timeout(RETRY)?;
    Ok(())
}

/// The files of a store as they were when it was opened, by what tells one from another of the same name.
#[derive(Debug)]
pub(super) struct Files(Vec<(PathBuf, Identity)>);

#[cfg(unix)]
type Identity = (u64, u64);

#[cfg(not(unix))]
type Identity = ();

impl Files {
    /// Notes the file and its companions.
    fn of(path: &Path) -> io::Result<Self> {
        // The process may change its directory, and the file may stand behind a symbolic link, its companions never do.
        let path = std::path::absolute(path)?;
        let real = path.canonicalize()?;
        let companion = |suffix: &str| {
            let mut name = real.clone().into_os_string();
            name.push(suffix);
            PathBuf::from(name)
        };
        let mut files = vec![(path.clone(), identity(&path)?)];
        for companion in [companion("-wal"), companion("-shm")] {
            if let Ok(identity) = identity(&companion) {
                files.push((companion, identity));
            }
        }
        Ok(Self(files))
    }

    /// Fails if one of the files is not there any more, or is another one.
    pub(super) fn check(&self) -> Result<(), TaskStoreError> {
        for (path, opened) in &self.0 {
            let found = identity(path);
            if !matches!(&found, Ok(found) if found == opened) {
                return Err(TaskStoreError::Replaced(path.display().to_string()));
            }
        }
        Ok(())
    }
}

#[cfg(unix)]
fn identity(path: &Path) -> io::Result<Identity> {
    use std::os::unix::fs::MetadataExt as _;

    let metadata = std::fs::metadata(path)?;
    Ok((metadata.dev(), metadata.ino()))
}

/// On this platform a file that is open cannot be deleted or replaced.
#[cfg(not(unix))]
fn identity(path: &Path) -> io::Result<Identity> {
    std::fs::metadata(path).map(drop)
}

/// Says in an error which file it is about.
fn at(path: &Path, error: TaskStoreError) -> TaskStoreError {
    let about = |text: String| format!("{}: {text}", path.display());
    match error {
        TaskStoreError::Locked(text) => TaskStoreError::Locked(about(text)),
        TaskStoreError::Full(text) => TaskStoreError::Full(about(text)),
        TaskStoreError::Damaged(text) => TaskStoreError::Damaged(about(text)),
        TaskStoreError::Foreign(text) => TaskStoreError::Foreign(about(text)),
        TaskStoreError::Unavailable(text) => TaskStoreError::Unavailable(about(text)),
        TaskStoreError::Replaced(text) => TaskStoreError::Replaced(text),
        other @ (TaskStoreError::Newer { .. }
        | TaskStoreError::TooManyActive(_)
        | TaskStoreError::TooManyStored(_)) => other,
    }
}

impl From<rusqlite::Error> for TaskStoreError {
    fn from(error: rusqlite::Error) -> Self {
        let text = error.to_string();
        match error.sqlite_error_code() {
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => Self::Locked(text),
            Some(ErrorCode::DiskFull) => Self::Full(text),
            Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => Self::Damaged(text),
            Some(_) => Self::Unavailable(text),
            // What was read is not of the type that was written.
            None => Self::Damaged(text),
        }
    }
}
