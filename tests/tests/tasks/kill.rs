//! Kill −9 in the middle of a hundred tasks, again and again.

use std::collections::{HashMap, HashSet};

use serde_json::{Value, json};

use crate::client::{Folder, Server};

const TASKS: usize = 100;
const KILLS: usize = 8;

/// Numbers that are as good as random, and the same again for the same seed.
struct Chance(u64);

impl Chance {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % limit
    }
}

/// What the client was told, which no crash may take back.
#[derive(Default)]
struct Told {
    /// The ids of all tasks, by their numbers.
    tasks: Vec<String>,
    /// Those whose answer was acknowledged.
    answered: HashSet<usize>,
    /// Those that were seen to have ended.
    ended: HashSet<usize>,
}

impl Told {
    /// Does the next thing that a client would do with a task.
    fn look(&mut self, server: &mut Server, number: usize) {
        let task = server.get(&self.tasks[number]);
        let asks = task["inputRequests"].get("name").is_some();
        match task["status"].as_str().unwrap() {
            "working" => {}
            "input_required" => {
                assert!(asks, "{task}");
                assert!(!self.answered.contains(&number), "asked again: {task}");
                let name = format!("N{number}");
                let answer = json!({"action": "accept", "content": {"name": name}});
                let params =
                    json!({"taskId": self.tasks[number], "inputResponses": {"name": answer}});
                server.ask("tasks/update", params);
                self.answered.insert(number);
            }
            "completed" => {
                let text = task["result"]["content"][0]["text"].as_str().unwrap();
                assert_eq!(text, format!("N{number} walked {number}"));
                self.ended.insert(number);
            }
            other => panic!("{other}: {task}"),
        }
        assert!(!self.ended.contains(&number) || task["status"] == "completed");
    }

    fn begin(&mut self, server: &mut Server) {
        let number = self.tasks.len();
        let id = server.begin("walk", json!({"number": number}));
        self.tasks.push(id);
    }
}

#[test]
fn nothing_that_was_acknowledged_is_lost_and_nothing_that_was_kept_is_done_again() {
    let seed = u64::from(std::process::id()) | 1;
    println!("the seed is {seed}");
    let mut chance = Chance(seed);
    let folder = Folder::new();
    let mut told = Told::default();
    let mut server = Server::start(&folder, "old");
    let morph = server.begin("morph", json!({}));
    for _ in 0..KILLS {
        // A moment is a number of answers, in the middle of what is under way then.
        for _ in 0..chance.below(150) {
            if told.tasks.len() < TASKS {
                told.begin(&mut server);
            } else {
                let number = usize::try_from(chance.below(TASKS as u64)).unwrap();
                told.look(&mut server, number);
            }
        }
        // One more thing is asked, and perhaps done, that the client never hears of.
        if let Some(id) = told.tasks.first() {
            server.send("tasks/get", json!({"taskId": id}));
        }
        server.kill();
        server = Server::start(&folder, "old");
    }
    while told.tasks.len() < TASKS {
        told.begin(&mut server);
    }
    while told.ended.len() < TASKS {
        for number in 0..TASKS {
            if !told.ended.contains(&number) {
                told.look(&mut server, number);
            }
        }
    }
    check_effects(&folder.effects_so_far());
    let waiting = server.get(&morph);
    assert_eq!(waiting["status"], "input_required");
    server.kill();
    let mut server = Server::start(&folder, "new");
    let failed = ended(&mut server, &morph);
    assert_eq!(failed["status"], "failed");
    assert_eq!(
        failed["error"]["message"],
        "the tool `morph` has changed since the task began; call it again"
    );
    server.stop();
}

/// Looks at a task until it has ended.
fn ended(server: &mut Server, id: &str) -> Value {
    loop {
        let task = server.get(id);
        if !["working", "input_required"].contains(&task["status"].as_str().unwrap()) {
            return task;
        }
    }
}

/// Each step was done, always under one key, and never again once it was kept.
fn check_effects(effects: &[String]) {
    let mut keys: HashMap<(&str, &str), &str> = HashMap::new();
    let mut kept = HashSet::new();
    let mut cut = 0;
    for effect in effects {
        let words: Vec<_> = effect.split(' ').collect();
        match words[..] {
            ["did", number, step, key] => {
                let step = (number, step);
                assert!(!kept.contains(&step), "done again although kept: {effect}");
                if let Some(before) = keys.insert(step, key) {
                    assert_eq!(before, key, "{effect}");
                    cut += 1;
                }
            }
            ["kept", number, step] => {
                kept.insert((number, step));
            }
            _ => panic!("not an effect: {effect}"),
        }
    }
    println!("{cut} steps were cut before they were kept");
    assert_eq!(keys.len(), TASKS * 6);
    assert_eq!(kept.len(), TASKS * 6);
    let all: HashSet<_> = keys.values().collect();
    assert_eq!(all.len(), TASKS * 6, "no key serves two steps");
}

#[test]
fn a_server_that_is_stopped_is_followed_at_once() {
    let folder = Folder::new();
    let mut server = Server::start(&folder, "old");
    let id = server.begin("walk", json!({"number": 7}));
    while server.get(&id)["status"] != "input_required" {}
    server.stop();
    let mut server = Server::start(&folder, "old");
    let answer = json!({"action": "decline"});
    server.ask(
        "tasks/update",
        json!({"taskId": id, "inputResponses": {"name": answer}}),
    );
    let task = ended(&mut server, &id);
    assert_eq!(task["result"]["content"][0]["text"], " walked 7");
}
