//! The statements, one function for each method of the store; each runs within the worker's transaction.

use rusqlite::types::ToSql;
use rusqlite::{Connection, OptionalExtension as _, Row, named_params};

use crate::task::store::{LeaseOwner, StoredTask, TaskLease, TaskQuota};
use crate::task::{TaskId, TaskStoreError};

const COLUMNS: &str =
    "id, principal, version, is_active, expires_at, lease_owner, lease_until, content";

/// The tasks of a principal are numbered as they end, so that the first to end is the first to go.
const NEXT_END: &str = "coalesce(max(ended), 0) + 1 FROM task";

/// Counts what a principal has, by its index alone: the tasks themselves may be large.
pub(super) const COUNT: &str = "SELECT count(*) FILTER (WHERE is_active), count(*) FROM task
    WHERE principal IS :principal AND (expires_at IS NULL OR expires_at >= :now)";

pub(super) fn create(
    connection: &Connection,
    task: &StoredTask,
    quota: TaskQuota,
    now: u64,
) -> Result<(), TaskStoreError> {
    let is_there = connection
        .prepare_cached("SELECT 1 FROM task WHERE id = ?")?
        .exists([task.id.as_bytes()])?;
    if is_there {
        return Err(TaskStoreError::Unavailable(
            "a task of the id is there already".to_owned(),
        ));
    }
    let (active, stored): (i64, i64) = connection.prepare_cached(COUNT)?.query_row(
        named_params! { ":principal": task.principal, ":now": signed(now) },
        |row| Ok((row.get(0)?, row.get(1)?)),
    )?;
    if active >= size(quota.active) {
        return Err(TaskStoreError::TooManyActive(quota.active));
    }
    let surplus = stored.saturating_add(1).saturating_sub(size(quota.stored));
    if surplus > stored - active {
        return Err(TaskStoreError::TooManyStored(quota.stored));
    }
    if surplus > 0 {
        make_room(connection, task, surplus, now)?;
    }
    connection
        .prepare_cached(&format!(
            "INSERT INTO task ({COLUMNS}, ended) VALUES
             (:id, :principal, :version, :active, :expiry, :owner, :until, :content,
              iif(:active, NULL, (SELECT {NEXT_END} WHERE principal IS :principal AND ended IS NOT NULL)))"
        ))?
        .execute(named_params! {
            ":id": task.id.as_bytes(),
            ":principal": task.principal,
            ":version": signed(task.version),
            ":active": task.is_active,
            ":expiry": task.expires_at.map(signed),
            ":owner": task.lease.map(|lease| *lease.owner.as_bytes()),
            ":until": task.lease.map(|lease| signed(lease.until)),
            ":content": task.content,
        })?;
    Ok(())
}

/// Forgets the tasks of a new one's principal that have ended first.
fn make_room(
    connection: &Connection,
    task: &StoredTask,
    surplus: i64,
    now: u64,
) -> Result<(), TaskStoreError> {
    connection
        .prepare_cached(
            "DELETE FROM task WHERE id IN (
                 SELECT id FROM task
                 WHERE principal IS :principal AND ended IS NOT NULL
                     AND (expires_at IS NULL OR expires_at >= :now)
                 ORDER BY ended LIMIT :surplus)",
        )?
        .execute(named_params! {
            ":principal": task.principal,
            ":now": signed(now),
            ":surplus": surplus,
        })?;
    Ok(())
}

pub(super) fn load(
    connection: &Connection,
    id: TaskId,
) -> Result<Option<StoredTask>, TaskStoreError> {
    Ok(connection
        .prepare_cached(&format!("SELECT {COLUMNS} FROM task WHERE id = ?"))?
        .query_row([id.as_bytes()], read)
        .optional()?)
}

pub(super) fn replace(connection: &Connection, task: &StoredTask) -> Result<bool, TaskStoreError> {
    let changed = connection
        .prepare_cached(&format!(
            "UPDATE task SET version = version + 1, is_active = :active, expires_at = :expiry, content = :content,
                 lease_owner = iif(:active, lease_owner, NULL), lease_until = iif(:active, lease_until, NULL),
                 ended = iif(:active, NULL,
                     (SELECT {NEXT_END} AS other WHERE other.principal IS task.principal AND ended IS NOT NULL))
             WHERE id = :id AND version = :version"
        ))?
        .execute(named_params! {
            ":id": task.id.as_bytes(),
            ":version": signed(task.version),
            ":active": task.is_active,
            ":expiry": task.expires_at.map(signed),
            ":content": task.content,
        })?;
    Ok(changed == 1)
}

pub(super) fn claim(
    connection: &Connection,
    lease: TaskLease,
    now: u64,
    most: usize,
    except: &[TaskId],
) -> Result<Vec<StoredTask>, TaskStoreError> {
    // A list has no other way into a statement that is prepared once.
    let except: Vec<_> = except.iter().map(|id| format!("\"{id}\"")).collect();
    all(
        connection,
        &format!(
            "UPDATE task SET version = version + 1, lease_owner = :owner, lease_until = :until
             WHERE id IN (
                 SELECT id FROM task
                 WHERE is_active AND (lease_until IS NULL OR lease_until < :now)
                     AND (expires_at IS NULL OR expires_at >= :now)
                     AND id NOT IN (SELECT unhex(value) FROM json_each(:except))
                 LIMIT :most)
             RETURNING {COLUMNS}"
        ),
        named_params! {
            ":owner": lease.owner.as_bytes(),
            ":until": signed(lease.until),
            ":now": signed(now),
            ":most": size(most),
            ":except": format!("[{}]", except.join(",")),
        },
        read,
    )
}

pub(super) fn renew(
    connection: &Connection,
    lease: TaskLease,
) -> Result<Vec<(TaskId, u64)>, TaskStoreError> {
    all(
        connection,
        "UPDATE task SET lease_until = :until WHERE lease_owner = :owner RETURNING id, version",
        named_params! { ":owner": lease.owner.as_bytes(), ":until": signed(lease.until) },
        |row| Ok((TaskId::from_bytes(row.get(0)?), unsigned(row.get(1)?))),
    )
}

pub(super) fn release(
    connection: &Connection,
    owner: LeaseOwner,
    only: Option<TaskId>,
) -> Result<(), TaskStoreError> {
    connection
        .prepare_cached(
            "UPDATE task SET lease_owner = NULL, lease_until = NULL
             WHERE lease_owner = :owner AND (:only IS NULL OR id = :only)",
        )?
        .execute(named_params! {
            ":owner": owner.as_bytes(),
            ":only": only.as_ref().map(TaskId::as_bytes),
        })?;
    Ok(())
}

pub(super) fn purge(connection: &Connection, now: u64) -> Result<usize, TaskStoreError> {
    Ok(connection
        .prepare_cached("DELETE FROM task WHERE expires_at < ?")?
        .execute([signed(now)])?)
}

fn all<T>(
    connection: &Connection,
    sql: &str,
    params: &[(&str, &dyn ToSql)],
    read: impl FnMut(&Row<'_>) -> rusqlite::Result<T>,
) -> Result<Vec<T>, TaskStoreError> {
    let mut statement = connection.prepare_cached(sql)?;
    let rows = statement.query_map(params, read)?;
    let mut all = Vec::new();
    for row in rows {
        match row {
            // One damaged row is no reason to leave all others.
            Err(error) if is_of_one_row(&error) => {
                tracing::error!("a task in the file cannot be read: {error}");
            }
            row => all.push(row?),
        }
    }
    Ok(all)
}

/// Whether a value has another type, or is no text, where one is expected.
fn is_of_one_row(error: &rusqlite::Error) -> bool {
    matches!(
        error,
        rusqlite::Error::FromSqlConversionFailure(..)
            | rusqlite::Error::IntegralValueOutOfRange(..)
            | rusqlite::Error::InvalidColumnType(..)
            | rusqlite::Error::Utf8Error(..)
    )
}

fn read(row: &Row<'_>) -> rusqlite::Result<StoredTask> {
    let owner: Option<[u8; 16]> = row.get(5)?;
    let until: Option<i64> = row.get(6)?;
    Ok(StoredTask {
        id: TaskId::from_bytes(row.get(0)?),
        principal: row.get(1)?,
        version: unsigned(row.get(2)?),
        is_active: row.get(3)?,
        expires_at: row.get::<_, Option<i64>>(4)?.map(unsigned),
        lease: owner.zip(until).map(|(owner, until)| TaskLease {
            owner: LeaseOwner::from_bytes(owner),
            until: unsigned(until),
        }),
        content: row.get(7)?,
    })
}

/// Times and versions are far below the limit; beyond it, "never" is as good.
fn signed(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

/// What was written was not negative.
fn unsigned(number: i64) -> u64 {
    u64::try_from(number).unwrap_or(0)
}

fn size(number: usize) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}
