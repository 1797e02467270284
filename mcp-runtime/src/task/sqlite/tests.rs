//! What only a file can suffer: crashes, other programs, full disks, damage.

use std::fs;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};

use rusqlite::Connection;

use super::SqliteTaskStore;
use crate::task::store::TaskStore as _;
use crate::task::tests::{MANY, lease, task, wait};
use crate::task::{TaskId, TaskStoreError};

/// A folder of a test, with the file of a store in it.
pub(crate) struct Folder(PathBuf);

impl Folder {
    pub(crate) fn new() -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let name = format!("mcp-task-store-{}-{number}", std::process::id());
        let path = std::env::temp_dir().join(name);
        fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    fn file(&self) -> PathBuf {
        self.0.join("tasks.sqlite")
    }

    pub(crate) fn open(&self) -> SqliteTaskStore {
        self.try_open().unwrap()
    }

    fn try_open(&self) -> Result<SqliteTaskStore, TaskStoreError> {
        SqliteTaskStore::open(self.file())
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // A folder that stays behind in the system's place for such harms nobody.
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn error_of(folder: &Folder) -> TaskStoreError {
    match folder.try_open() {
        Ok(_) => panic!("it was opened"),
        Err(error) => error,
    }
}

#[test]
fn tasks_are_there_when_the_file_is_opened_again() {
    let folder = Folder::new();
    let store = folder.open();
    wait(store.create(task(1), MANY, 0)).unwrap();
    drop(store);
    assert_eq!(wait(folder.open().load(task(1).id)).unwrap(), Some(task(1)));
}

#[test]
fn two_stores_on_one_file_see_each_other() {
    let folder = Folder::new();
    let (one, two) = (folder.open(), folder.open());
    wait(one.create(task(1), MANY, 0)).unwrap();
    let mut read = wait(two.load(task(1).id)).unwrap().unwrap();
    read.content = "two".to_owned();
    assert!(wait(two.replace(read.clone())).unwrap());
    assert!(!wait(one.replace(read)).unwrap());
}

#[test]
fn several_may_make_the_file_at_one_time() {
    for _ in 0..10 {
        let folder = Folder::new();
        let start = std::sync::Barrier::new(4);
        std::thread::scope(|scope| {
            for number in 0..4 {
                let (folder, start) = (&folder, &start);
                scope.spawn(move || {
                    start.wait();
                    let store = folder.open();
                    wait(store.create(task(number), MANY, 0)).unwrap();
                });
            }
        });
        let store = folder.open();
        for number in 0..4 {
            assert_eq!(
                wait(store.load(task(number).id)).unwrap(),
                Some(task(number))
            );
        }
    }
}

#[cfg(unix)]
#[test]
fn the_file_is_for_its_owner_alone() {
    use std::os::unix::fs::PermissionsExt as _;

    let folder = Folder::new();
    let store = folder.open();
    wait(store.create(task(1), MANY, 0)).unwrap();
    let mut files = 0;
    for file in fs::read_dir(&folder.0).unwrap() {
        let mode = file.unwrap().metadata().unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        files += 1;
    }
    // The file, what is written ahead, and its index.
    assert_eq!(files, 3);
}

#[test]
fn writes_wait_for_the_disk() {
    let folder = Folder::new();
    let settings = folder.open().submit(|connection| {
        let setting = |name| {
            connection.query_row(&format!("PRAGMA {name}"), [], |row| {
                row.get::<_, rusqlite::types::Value>(0)
            })
        };
        Ok((setting("journal_mode")?, setting("synchronous")?))
    });
    let (mode, synchronous) = wait(settings).unwrap();
    assert_eq!(mode, "wal".to_owned().into());
    assert_eq!(synchronous, 2.into(), "2 is FULL");
}

#[test]
fn a_newer_file_is_left_alone() {
    let folder = Folder::new();
    drop(folder.open());
    let other = Connection::open(folder.file()).unwrap();
    other.pragma_update(None, "user_version", 2).unwrap();
    let error = error_of(&folder);
    assert_eq!(error, TaskStoreError::Newer { found: 2, known: 1 });
    assert_eq!(
        error.to_string(),
        "the task store has layout 2, and this program knows layouts up to 1; use a newer program"
    );
    let version: i64 = other
        .query_row("PRAGMA user_version", [], |row| row.get(0))
        .unwrap();
    assert_eq!(version, 2);
}

#[test]
fn another_programs_database_is_left_alone() {
    let folder = Folder::new();
    let other = Connection::open(folder.file()).unwrap();
    other.execute_batch("CREATE TABLE a (b)").unwrap();
    let error = error_of(&folder);
    assert!(matches!(error, TaskStoreError::Foreign(_)), "{error}");
    let tables: i64 = other
        .query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))
        .unwrap();
    assert_eq!(tables, 1);
}

#[test]
fn a_damaged_file_is_told_and_left_alone() {
    let folder = Folder::new();
    fs::write(
        folder.file(),
        "no database, but some text that is long enough".repeat(100),
    )
    .unwrap();
    let before = fs::read(folder.file()).unwrap();
    let error = error_of(&folder);
    assert!(matches!(error, TaskStoreError::Damaged(_)), "{error}");
    assert!(error.to_string().contains("tasks.sqlite"), "{error}");
    assert_eq!(fs::read(folder.file()).unwrap(), before);
}

#[test]
fn damage_behind_a_good_header_is_found_when_the_file_is_opened() {
    let folder = Folder::new();
    let store = folder.open();
    for number in 0..100 {
        let mut task = task(number);
        task.content = "x".repeat(2_000);
        wait(store.create(task, MANY, 0)).unwrap();
    }
    drop(store);
    let mut bytes = fs::read(folder.file()).unwrap();
    let end = bytes.len();
    bytes[8 * 4096..end].fill(0xa5);
    fs::write(folder.file(), bytes).unwrap();
    let error = error_of(&folder);
    assert!(matches!(error, TaskStoreError::Damaged(_)), "{error}");
}

#[test]
fn a_damaged_task_is_left_and_all_others_are_taken_up() {
    let folder = Folder::new();
    let store = folder.open();
    for number in 1..=3 {
        wait(store.create(task(number), MANY, 0)).unwrap();
    }
    let other = Connection::open(folder.file()).unwrap();
    let damage = "UPDATE task SET content = CAST(x'7bff7d' AS TEXT) WHERE id = ?";
    let damaged = other.execute(damage, [task(2).id.as_bytes()]).unwrap();
    assert_eq!(damaged, 1);
    let claimed = wait(store.claim(lease(9, u64::MAX), u64::MAX / 4, 9, &[])).unwrap();
    let mut ids: Vec<_> = claimed.iter().map(|task| task.id).collect();
    ids.sort();
    assert_eq!(ids, [task(1).id, task(3).id]);
    assert_eq!(wait(store.renew(lease(9, u64::MAX))).unwrap().len(), 3);
}

#[test]
fn a_folder_that_is_not_there_is_told() {
    let error = SqliteTaskStore::open("/nowhere/at/all/tasks.sqlite").unwrap_err();
    assert!(matches!(error, TaskStoreError::Unavailable(_)), "{error}");
    assert!(
        error.to_string().contains("/nowhere/at/all/tasks.sqlite"),
        "{error}"
    );
}

#[test]
fn a_lock_is_told_and_loses_nothing() {
    let folder = Folder::new();
    let store = folder.open();
    // The patience of the store is for users; a test has none.
    wait(store.submit(|connection| Ok(connection.busy_timeout(std::time::Duration::ZERO)?)))
        .unwrap();
    wait(store.create(task(1), MANY, 0)).unwrap();
    let mut other = Connection::open(folder.file()).unwrap();
    let lock = other
        .transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)
        .unwrap();
    let refused = wait(store.create(task(2), MANY, 0)).unwrap_err();
    assert!(matches!(refused, TaskStoreError::Locked(_)), "{refused}");
    drop(lock);
    wait(store.create(task(2), MANY, 0)).unwrap();
    assert_eq!(wait(store.load(task(1).id)).unwrap(), Some(task(1)));
}

#[test]
fn a_full_disk_is_told_and_loses_nothing() {
    let folder = Folder::new();
    let store = folder.open();
    wait(store.submit(|connection| {
        let pages: i64 =
            connection.query_row("PRAGMA max_page_count = 20", [], |row| row.get(0))?;
        assert_eq!(pages, 20);
        Ok(())
    }))
    .unwrap();
    let mut kept = Vec::new();
    let full = loop {
        let mut next = task(u8::try_from(kept.len()).unwrap());
        next.content = "x".repeat(3_000);
        match wait(store.create(next.clone(), MANY, 0)) {
            Ok(()) => kept.push(next),
            Err(error) => break error,
        }
    };
    assert!(matches!(full, TaskStoreError::Full(_)), "{full}");
    assert!(!kept.is_empty());
    // What was acknowledged is there, now and later, and there is room again once something has gone.
    for task in &kept {
        assert_eq!(wait(store.load(task.id)).unwrap().as_ref(), Some(task));
    }
    drop(store);
    let store = folder.open();
    for task in &kept {
        assert_eq!(wait(store.load(task.id)).unwrap().as_ref(), Some(task));
    }
    let refused = TaskId::from_bytes([u8::try_from(kept.len()).unwrap(); 16]);
    assert_eq!(wait(store.load(refused)).unwrap(), None);
}

#[test]
fn quotas_are_counted_without_a_look_at_the_tasks_themselves() {
    let folder = Folder::new();
    let plan = folder.open().submit(|connection| {
        let plan = connection.query_row(
            &format!("EXPLAIN QUERY PLAN {}", super::statement::COUNT),
            rusqlite::named_params! { ":principal": None::<String>, ":now": 0 },
            |row| row.get::<_, String>("detail"),
        );
        Ok(plan?)
    });
    let plan = wait(plan).unwrap();
    assert!(plan.contains("COVERING INDEX task_by_principal"), "{plan}");
}

#[test]
fn what_one_wants_and_cannot_have_is_not_refused_to_others() {
    let folder = Folder::new();
    let store = folder.open();
    wait(store.create(task(1), MANY, 0)).unwrap();
    let (hold, held) = std::sync::mpsc::channel::<()>();
    let blocked = store.submit(move |_| Ok(held.recv().is_err()));
    let before = store.create(task(2), MANY, 0);
    let again = store.create(task(1), MANY, 0);
    let after = store.load(task(2).id);
    drop(hold);
    assert!(wait(blocked).unwrap());
    wait(before).unwrap();
    assert!(wait(again).is_err(), "the id is taken");
    assert_eq!(wait(after).unwrap(), Some(task(2)));
}

#[test]
fn one_commit_serves_all_who_wait() {
    let folder = Folder::new();
    let store = folder.open();
    // While the worker is held up, everything gathers.
    let (hold, held) = std::sync::mpsc::channel::<()>();
    let blocked = store.submit(move |_| Ok(held.recv().is_err()));
    let many: Vec<_> = (0..100)
        .map(|number| store.create(task(number), MANY, 0))
        .collect();
    let changes = store.submit(|connection| Ok(connection.is_autocommit()));
    drop(hold);
    assert!(wait(blocked).unwrap());
    for created in many {
        wait(created).unwrap();
    }
    assert!(!wait(changes).unwrap(), "it ran within a transaction");
}

#[test]
fn a_store_that_is_locked_can_be_looked_at_meanwhile() {
    let folder = Folder::new();
    let store = folder.open();
    wait(store.create(task(1), MANY, 0)).unwrap();
    let other = Connection::open(folder.file()).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let writing = store.create(task(2), MANY, 0);
    // The write stands before it in the queue.
    assert_eq!(wait(store.load(task(1).id)).unwrap(), Some(task(1)));
    other.execute_batch("ROLLBACK").unwrap();
    wait(writing).unwrap();
    assert_eq!(wait(store.load(task(2).id)).unwrap(), Some(task(2)));
}

#[cfg(unix)]
#[test]
fn a_file_that_is_lost_while_it_is_open_is_named_at_the_next_lease() {
    let changes: [fn(&Folder); 5] = [
        |folder| fs::remove_file(folder.file()).unwrap(),
        |folder| fs::rename(folder.file(), folder.0.join("moved")).unwrap(),
        |folder| {
            let other = folder.0.join("other");
            fs::copy(folder.file(), &other).unwrap();
            fs::rename(&other, folder.file()).unwrap();
        },
        |folder| fs::remove_file(folder.0.join("tasks.sqlite-wal")).unwrap(),
        |folder| fs::remove_dir_all(&folder.0).unwrap(),
    ];
    for change in changes {
        let folder = Folder::new();
        let store = folder.open();
        wait(store.create(task(1), MANY, 0)).unwrap();
        change(&folder);
        let path = folder.file().display().to_string();
        let is_named = |error: TaskStoreError| {
            assert!(matches!(error, TaskStoreError::Replaced(_)), "{error}");
            assert!(error.to_string().contains(&path), "{error}");
        };
        is_named(wait(store.renew(lease(1, 10))).unwrap_err());
        is_named(wait(store.claim(lease(1, 10), 20, 10, &[])).unwrap_err());
        is_named(wait(store.create(task(2), MANY, 0)).unwrap_err());
        is_named(wait(store.load(task(1).id)).unwrap_err());
    }
}
