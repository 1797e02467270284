//! Attacks on the database, through the same pipeline that serves a client.
//!
//! The limit of memory holds for a process as a whole and would be felt by the other tests, so it is not tried here.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use mcp_runtime::{Server, client::CallOutcome};
use rusqlite::Connection;
use serde_json::{Value, json};

use super::server;
use crate::database::Database;

mcp_runtime::check!(server(database(None)));

/// A folder that is gone after the test.
struct Folder(PathBuf);

impl Folder {
    fn new() -> Self {
        static NEXT: AtomicUsize = AtomicUsize::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let path =
            std::env::temp_dir().join(format!("sqlite-explorer-{}-{number}", std::process::id()));
        std::fs::create_dir(&path).unwrap();
        Self(path)
    }

    /// A database file made by a script.
    fn database(&self, script: &str) -> PathBuf {
        let path = self.0.join("test.db");
        Connection::open(&path)
            .unwrap()
            .execute_batch(script)
            .unwrap();
        path
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // A folder that stays behind is no reason to fail.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn database(file: Option<&Path>) -> Database {
    Database {
        file: file.map(Path::to_owned),
        bytes: 64 * 1024,
        time: Duration::from_secs(60),
    }
}

fn sample() -> Server {
    server(database(None)).build().unwrap()
}

fn of_file(path: &Path) -> Server {
    server(database(Some(path))).build().unwrap()
}

fn query(server: &Server, sql: &str) -> CallOutcome {
    server.call_blocking("query", json!({ "sql": sql }))
}

/// The rows of a query on the sample.
#[track_caller]
fn rows(sql: &str) -> Value {
    let outcome = query(&sample(), sql);
    assert!(!outcome.is_error(), "{sql}: {}", outcome.text());
    outcome.structured_content().unwrap()["rows"].clone()
}

/// What a model is told of a query on the sample that fails.
#[track_caller]
fn refused(sql: &str) -> String {
    let outcome = query(&sample(), sql);
    assert!(
        outcome.is_error() && outcome.error().is_none(),
        "{sql}: {:?}",
        outcome.response()
    );
    outcome.text()
}

#[test]
fn the_tables_are_listed_and_described() {
    let tables = sample().call_blocking("list_tables", json!({}));
    let names: Vec<_> = tables
        .structured_content()
        .unwrap()
        .as_array()
        .unwrap()
        .iter()
        .map(|table| table["name"].clone())
        .collect();
    assert_eq!(names, ["customer", "product", "purchase", "sales"]);
    assert_eq!(
        tables.structured_content().unwrap()[3],
        json!({ "name": "sales", "kind": "view", "columns": 3 })
    );
    let purchase = sample().call_blocking("describe_table", json!({ "table": "Purchase" }));
    let purchase = purchase.structured_content().unwrap();
    assert_eq!(
        purchase["columns"][0],
        json!({ "name": "id", "kind": "INTEGER", "not_null": false, "primary_key": true })
    );
    assert_eq!(
        purchase["foreign_keys"][0],
        json!({ "column": "product", "references": "product.id" })
    );
    assert!(
        purchase["sql"]
            .as_str()
            .unwrap()
            .starts_with("CREATE TABLE purchase")
    );
}

#[test]
fn values_keep_their_types() {
    let sql =
        "SELECT 1, 9223372036854775807, 0.5, 'é 🦀', NULL, x'00ff', 9e999, -9e999, 0.0/0.0, ''";
    let wanted = json!([[1, 9_223_372_036_854_775_807_i64, 0.5, "é 🦀", null, { "bytes": 2, "hex": "00ff" }, "inf", "-inf", null, ""]]);
    assert_eq!(rows(sql), wanted);
}

#[test]
fn long_bytes_and_text_that_is_not_utf8_are_shown_by_their_beginning() {
    assert_eq!(
        rows("SELECT zeroblob(1000)"),
        json!([[{ "bytes": 1000, "hex": "00".repeat(32) }]])
    );
    assert_eq!(
        rows("SELECT CAST(x'41ff' AS TEXT)"),
        json!([[{ "bytes": 2, "hex": "41ff" }]])
    );
    assert_eq!(rows("SELECT 'a' || char(0) || 'b'"), json!([["a\0b"]]));
}

#[test]
fn names_that_are_not_utf8_are_survived() {
    let folder = Folder::new();
    let path = folder.database("CREATE TABLE t (badname); INSERT INTO t VALUES (1);");
    let mut bytes = std::fs::read(&path).unwrap();
    let at = bytes
        .windows(7)
        .position(|window| window == b"badname")
        .unwrap();
    bytes[at] = 0xff;
    std::fs::write(&path, bytes).unwrap();
    let server = of_file(&path);
    assert!(query(&server, "SELECT * FROM t").is_error());
    assert_eq!(
        query(&server, "SELECT 1").structured_content().unwrap()["rows"],
        json!([[1]])
    );
}

#[test]
fn nothing_is_written() {
    let folder = Folder::new();
    let path = folder.database(include_str!("../sample.sql"));
    let before = std::fs::read(&path).unwrap();
    let elsewhere = folder.0.join("elsewhere.db");
    let elsewhere = elsewhere.display();
    for server in [of_file(&path), sample()] {
        for sql in [
            "DELETE FROM customer",
            "DELETE FROM customer RETURNING *",
            "INSERT INTO customer VALUES (9, 'x', 'y', 'z')",
            "WITH x AS (SELECT 1) UPDATE customer SET name = 'x'",
            "REPLACE INTO customer VALUES (1, 'x', 'y', 'z')",
            "DROP TABLE customer",
            "ALTER TABLE customer RENAME TO c",
            "CREATE TABLE t (x)",
            "CREATE TEMP TABLE t (x)",
            "CREATE TEMP VIEW v AS SELECT 1",
            "CREATE VIRTUAL TABLE t USING fts5(x)",
            "CREATE TRIGGER t AFTER INSERT ON customer BEGIN SELECT 1; END",
            "VACUUM",
            &format!("VACUUM INTO '{elsewhere}'"),
            &format!("ATTACH '{elsewhere}' AS e"),
            "ATTACH ':memory:' AS e",
            "DETACH main",
            "REINDEX",
            "ANALYZE",
            "BEGIN",
            "BEGIN IMMEDIATE",
            "COMMIT",
            "SAVEPOINT s",
            "PRAGMA query_only = OFF",
            "PRAGMA user_version = 7",
            "PRAGMA journal_mode = DELETE",
            "PRAGMA writable_schema = ON",
            "PRAGMA hard_heap_limit = 0",
            "PRAGMA wal_checkpoint",
            "PRAGMA temp_store_directory = '/'",
            "EXPLAIN DELETE FROM customer",
            "SELECT * FROM pragma_query_only(0)",
            "SELECT * FROM pragma_user_version",
            "SELECT load_extension('evil')",
            "SELECT LOAD_EXTENSION('evil', 'entry')",
            "UPDATE sqlite_schema SET sql = ''",
            "INSERT INTO sqlite_dbpage VALUES (1, x'')",
        ] {
            let outcome = query(&server, sql);
            assert!(
                outcome.is_error() && outcome.error().is_none(),
                "{sql}: {}",
                outcome.text()
            );
        }
        assert_eq!(
            query(&server, "SELECT count(*) FROM customer")
                .structured_content()
                .unwrap()["rows"],
            json!([[4]])
        );
    }
    assert!(
        std::fs::read(&path).unwrap() == before,
        "the file has changed"
    );
    let left: Vec<_> = std::fs::read_dir(&folder.0)
        .unwrap()
        .map(|entry| entry.unwrap().file_name())
        .collect();
    assert_eq!(left, ["test.db"]);
}

#[test]
fn a_file_that_is_not_there_is_not_made() {
    let folder = Folder::new();
    let path = folder.0.join("none.db");
    assert!(query(&of_file(&path), "SELECT 1").is_error());
    assert!(!path.exists());
    assert!(
        !query(&of_file(&path), "SELECT 1")
            .text()
            .contains("none.db"),
        "paths are nobody's business"
    );
    let garbage = folder.0.join("garbage.db");
    std::fs::write(
        &garbage,
        "This is no database, but it is longer than the header of one would be. ".repeat(20),
    )
    .unwrap();
    assert!(
        query(&of_file(&garbage), "SELECT * FROM t")
            .text()
            .contains("not a database")
    );
}

#[test]
fn exactly_one_statement_is_run() {
    for sql in [
        "-- nothing",
        " ",
        ";",
        "SELECT 1; SELECT 2",
        "SELECT 1; DROP TABLE customer",
    ] {
        let text = refused(sql);
        assert!(
            text.contains("one statement") || text.contains("only be read"),
            "{sql}: {text}"
        );
    }
    assert_eq!(rows("SELECT 1; -- that is all"), json!([[1]]));
    assert!(refused("SELECT * FROM customer WHERE id = ?").contains("placeholders"));
    assert!(refused("SELECT 'a\0b'").contains("Error"));
}

#[test]
fn what_only_reads_is_allowed() {
    for sql in [
        "VALUES (1), (2)",
        "WITH RECURSIVE n (i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 9) SELECT sum(i) FROM n",
        "EXPLAIN QUERY PLAN SELECT * FROM sales",
        "SELECT * FROM pragma_table_info('customer')",
        "SELECT * FROM json_each('[1,2]')",
        "SELECT name, rank() OVER (ORDER BY price) FROM product",
        "PRAGMA table_info(customer)",
    ] {
        assert_ne!(rows(sql), json!([]), "{sql}");
    }
}

#[test]
fn full_text_search_works_on_a_file_that_has_it() {
    let folder = Folder::new();
    let path = folder.database("CREATE VIRTUAL TABLE t USING fts5(x); INSERT INTO t VALUES ('a red otter'), ('a blue whale');");
    let found = query(&of_file(&path), "SELECT x FROM t WHERE t MATCH 'otter'");
    assert_eq!(
        found.structured_content().unwrap()["rows"],
        json!([["a red otter"]])
    );
}

#[test]
fn results_are_bounded_in_rows() {
    let endless =
        "WITH RECURSIVE n (i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n) SELECT i FROM n";
    let outcome = query(&sample(), endless);
    let found = outcome.structured_content().unwrap();
    assert_eq!(
        (found["rows"].as_array().unwrap().len(), &found["more"]),
        (100, &json!(true))
    );
    let one = sample().call_blocking("query", json!({ "sql": "VALUES (1), (2)", "limit": 1 }));
    assert_eq!(
        one.structured_content().unwrap(),
        &json!({ "columns": ["column1"], "rows": [[1]], "more": true })
    );
    let all = sample().call_blocking("query", json!({ "sql": "VALUES (1), (2)", "limit": 2 }));
    assert_eq!(all.structured_content().unwrap()["more"], false);
    assert!(
        sample()
            .call_blocking("query", json!({ "sql": "VALUES (1)", "limit": 1001 }))
            .is_error()
    );
}

#[test]
fn results_are_bounded_in_bytes() {
    let wide = "WITH RECURSIVE n (i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n) SELECT hex(zeroblob(5000)) FROM n";
    let outcome = query(&sample(), wide);
    let found = outcome.structured_content().unwrap();
    assert_eq!(
        (found["rows"].as_array().unwrap().len(), &found["more"]),
        (6, &json!(true))
    );
    assert!(refused("SELECT hex(zeroblob(50000))").contains("substr"));
    assert!(refused("SELECT zeroblob(100000000)").contains("1 MiB"));
    assert!(refused("SELECT printf('%.*c', 1000000000, 'x')").contains("1 MiB"));
}

#[test]
fn a_query_is_bounded_in_time() {
    let impatient = Database {
        time: Duration::ZERO,
        ..database(None)
    };
    let impatient = server(impatient).build().unwrap();
    for sql in [
        "WITH RECURSIVE n (i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n",
        "WITH RECURSIVE n (i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n) SELECT i FROM n WHERE i < 0",
        "WITH RECURSIVE n (i) AS (VALUES (1) UNION SELECT i + 1 FROM n) SELECT max(i) FROM n",
    ] {
        let text = query(&impatient, sql).text();
        assert!(text.contains("too long"), "{sql}: {text}");
    }
}

#[test]
fn a_model_is_told_how_to_mend_its_query() {
    let text = refused("SELECT * FROM costumer");
    assert!(
        text.contains("costumer") && text.contains("customer, product, purchase, sales"),
        "{text}"
    );
    let text = refused("SELECT nmae FROM customer");
    assert!(text.contains("no such column: nmae"), "{text}");
    let text = refused("SELEC 1");
    assert!(
        text.contains("syntax error") && text.contains("SELEC 1"),
        "{text}"
    );
    let text = refused("SELECT 'é' FORM customer");
    assert!(
        text.contains("FORM customer") || text.contains("customer"),
        "{text}"
    );
    let text = refused("DELETE FROM customer");
    assert!(text.contains("only be read"), "{text}");
    let text = sample()
        .call_blocking("describe_table", json!({ "table": "costumer" }))
        .text();
    assert!(
        text.contains("customer, product, purchase, sales"),
        "{text}"
    );
}

#[test]
fn a_name_is_never_part_of_a_statement() {
    for table in [
        "customer'; DROP TABLE customer; --",
        "\"customer\"",
        "",
        "sqlite_schema",
        "\0",
    ] {
        assert!(
            sample()
                .call_blocking("describe_table", json!({ "table": table }))
                .is_error(),
            "{table:?}"
        );
    }
    let folder = Folder::new();
    let path = folder.database("CREATE TABLE \"it's \"\"odd\"\"\" (\"a b\" INTEGER NOT NULL)");
    let described =
        of_file(&path).call_blocking("describe_table", json!({ "table": "it's \"odd\"" }));
    assert_eq!(
        described.structured_content().unwrap()["columns"][0]["name"],
        "a b"
    );
}

#[test]
fn a_file_that_somebody_writes_can_be_read_meanwhile() {
    let folder = Folder::new();
    let path = folder.database("PRAGMA journal_mode = WAL; CREATE TABLE t (x);");
    let server = of_file(&path);
    let count = || {
        query(&server, "SELECT count(*) FROM t")
            .structured_content()
            .unwrap()["rows"][0][0]
            .clone()
    };
    assert_eq!(count(), 0);
    let writer = Connection::open(&path).unwrap();
    writer
        .execute_batch("INSERT INTO t VALUES (1); BEGIN; INSERT INTO t VALUES (2);")
        .unwrap();
    assert_eq!(count(), 1, "what is not committed is not seen");
    writer.execute_batch("COMMIT").unwrap();
    assert_eq!(count(), 2);
}

#[test]
fn a_file_cannot_smuggle_in_what_a_model_may_not_do() {
    let folder = Folder::new();
    let path = folder.database(
        "CREATE VIEW evil AS SELECT load_extension('evil');
         CREATE VIEW pragma AS SELECT * FROM pragma_query_only(0);
         CREATE VIEW endless AS WITH RECURSIVE n (i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n;",
    );
    let file = of_file(&path);
    for view in ["evil", "pragma"] {
        let text = query(&file, &format!("SELECT * FROM {view}")).text();
        assert!(
            text.contains("only be read") || text.contains("unsafe"),
            "{view}: {text}"
        );
    }
    let impatient = Database {
        time: Duration::ZERO,
        ..database(Some(&path))
    };
    let impatient = server(impatient).build().unwrap();
    assert!(
        query(&impatient, "SELECT * FROM endless")
            .text()
            .contains("too long")
    );
}
