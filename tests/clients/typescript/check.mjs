/**
 * Drives a server over stdio with the official TypeScript client, in revision 2026-07-28.
 *
 *     node check.mjs -- path/to/server [its arguments]
 *
 * The server must offer these tools:
 *
 *     add(a: i64, b: i64) -> i64
 *     structured(count: u32) -> { rows: [{ id, name, price }] }
 *     fail(message: String) -> Result<String, String>     always Err(message)
 *     echo(text: String) -> String
 *     sleep_ms(ms: u64)                                   async
 *     block_ms(ms: u64)                                   blocks its thread
 *     panic_now()
 *
 * One line is printed for each check, and a summary. The exit status is 0 only if all hold.
 */

import assert from 'node:assert/strict';
import process from 'node:process';
import { Client, ProtocolError } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/client/validators/ajv';

const REVISION = '2026-07-28';
const TOOLS = ['add', 'block_ms', 'echo', 'fail', 'panic_now', 'sleep_ms', 'structured'];
/** A check that has not ended by then has failed. */
const CHECK_MILLISECONDS = 30_000;
/** How long the client waits after closing the server's input before it sends SIGTERM. */
const CLIENT_PATIENCE_MILLISECONDS = 2_000;

/** What the validator or the client complains about on the console; a host would show it to its user. */
const complaints = [];
for (const level of ['warn', 'error']) console[level] = (...words) => complaints.push(words.join(' '));

/**
 * A client connected to a fresh server, with every message of both directions recorded.
 *
 * The transport is the client's own class and not a subclass: only then does the client probe as
 * it does for its users, with `server/discover` on a short-lived sibling process.
 */
async function connect(server, mode) {
  const client = new Client({ name: 'check', version: '1.0.0' }, { versionNegotiation: { mode } });
  const transport = new StdioClientTransport(server);
  const session = { client, sent: [], received: [], errors: [] };
  client.onerror = (error) => session.errors.push(error.message);
  const send = transport.send.bind(transport);
  transport.send = (message) => {
    session.sent.push(message);
    return send(message);
  };
  await client.connect(transport, { timeout: CHECK_MILLISECONDS });
  const deliver = transport.onmessage;
  transport.onmessage = (message, extra) => {
    session.received.push(message);
    deliver(message, extra);
  };
  return session;
}

/** The ids of all answers so far, in the order in which they arrived. */
const answers = (session) => session.received.filter((m) => !('method' in m)).map((m) => m.id);

const call = (session, name, args, options) =>
  session.client.callTool({ name, ...(args && { arguments: args }) }, { timeout: CHECK_MILLISECONDS, ...options });

/** The text of a result whose content is exactly one text block. */
function onlyText(result) {
  assert.deepEqual(result.content.map((block) => block.type), ['text'], 'content blocks');
  return result.content[0].text;
}

function errorText(result) {
  assert.equal(result.isError, true, 'isError');
  return onlyText(result);
}

/** The protocol error that a call ends with. */
async function refused(promise) {
  const error = await promise.then((value) => assert.fail(`no error but ${JSON.stringify(value)}`), (reason) => reason);
  if (!(error instanceof ProtocolError)) throw error;
  return error;
}

const checks = [];
const check = (title, run) => checks.push([title, run]);

check('discover names the revision, the tools capability and the server', async (s) => {
  assert.equal(s.client.getNegotiatedProtocolVersion(), REVISION);
  const capabilities = s.client.getServerCapabilities();
  assert.ok(capabilities.tools, 'no tools capability');
  assert.equal(capabilities.resources, undefined, 'a resources capability without resources');
  const { name, version } = s.client.getServerVersion();
  assert.ok(name && version, 'an empty name or version');
  const { supportedVersions } = await s.client.discover();
  assert.deepEqual(supportedVersions, [REVISION]);
});

check('tools/list: sorted, described, and schemas that close the object', async (s) => {
  const { tools } = await s.client.listTools();
  const names = tools.map((tool) => tool.name);
  assert.deepEqual(names, [...names].sort(), 'order');
  assert.deepEqual(TOOLS.filter((name) => !names.includes(name)), [], 'missing tools');
  for (const tool of tools) {
    assert.ok(tool.description, `${tool.name} has no description`);
    assert.equal(tool.inputSchema.type, 'object', `${tool.name}: root type`);
    assert.equal(tool.inputSchema.additionalProperties, false, `${tool.name}: additionalProperties`);
  }
  const add = tools.find((tool) => tool.name === 'add');
  assert.deepEqual(Object.keys(add.inputSchema.properties), ['a', 'b'], 'add: properties');
  assert.deepEqual(add.inputSchema.required, ['a', 'b'], 'add: required');
});

check('every schema compiles in the hosts\' validator without a complaint', async (s) => {
  const { tools } = await s.client.listTools();
  const validator = new AjvJsonSchemaValidator();
  for (const tool of tools) {
    for (const schema of [tool.inputSchema, tool.outputSchema]) if (schema) validator.getValidator(schema);
  }
  const accepts = validator.getValidator(tools.find((tool) => tool.name === 'add').inputSchema);
  assert.equal(accepts({ a: 1, b: -2 }).valid, true, 'add refuses two integers');
  for (const wrong of [{ a: 1 }, { a: 1, b: 'two' }, { a: 1, b: 1.5 }, { a: 1, b: 2, c: 3 }]) {
    assert.equal(accepts(wrong).valid, false, `add accepts ${JSON.stringify(wrong)}`);
  }
  assert.deepEqual(complaints, []);
});

check('add: the sum as text, and a success', async (s) => {
  const result = await call(s, 'add', { a: 2, b: 40 });
  assert.notEqual(result.isError, true);
  assert.equal(onlyText(result), '42');
});

check('structured: content that the client validates against the output schema', async (s) => {
  const { tools } = await s.client.listTools();
  assert.ok(tools.find((tool) => tool.name === 'structured').outputSchema, 'no outputSchema, so that the client validates nothing');
  for (const count of [0, 3, 1000]) {
    const result = await call(s, 'structured', { count });
    assert.notEqual(result.isError, true);
    assert.equal(result.structuredContent.rows.length, count);
    for (const row of result.structuredContent.rows) assert.deepEqual(Object.keys(row).sort(), ['id', 'name', 'price']);
    assert.deepEqual(JSON.parse(onlyText(result)), result.structuredContent, 'the JSON text');
  }
});

check('structured: the output schema refuses a broken row', async (s) => {
  const { tools } = await s.client.listTools();
  const accepts = new AjvJsonSchemaValidator().getValidator(tools.find((tool) => tool.name === 'structured').outputSchema);
  const { structuredContent } = await call(s, 'structured', { count: 2 });
  assert.equal(accepts(structuredContent).valid, true);
  for (const [key, value] of [['name', null], ['price', 'free'], ['id', []]]) {
    const broken = structuredClone(structuredContent);
    broken.rows[1][key] = value;
    assert.equal(accepts(broken).valid, false, `a row with ${key} = ${JSON.stringify(value)} passed`);
  }
});

check('fail: isError with the text of the error', async (s) => {
  for (const message of ['out of stock', '', 'não há 🐚']) {
    assert.equal(errorText(await call(s, 'fail', { message })), `Error: ${message}`);
  }
});

check('a missing argument: isError that names it', async (s) => {
  for (const [args, missing] of [[{ a: 1 }, 'b'], [{ b: 1 }, 'a'], [{}, 'a'], [undefined, 'a']]) {
    const text = errorText(await call(s, 'add', args));
    assert.ok(text.startsWith(`Missing required argument: ${missing}`), text);
  }
});

check('arguments of a wrong type: isError with a line for each fault', async (s) => {
  const lines = errorText(await call(s, 'add', { a: 'five', b: [1] })).split('\n');
  assert.deepEqual(lines, ['`a`: expected an integer, found the string "five"', '`b`: expected an integer, found an array']);
  const text = errorText(await call(s, 'add', { a: 1, b: 2, carry: 3 }));
  assert.ok(text.includes('`carry`'), `the unknown argument is not named in ${JSON.stringify(text)}`);
});

check('an unknown tool: −32602 that names it', async (s) => {
  const { code, message } = await refused(call(s, 'no_such_tool', {}));
  assert.equal(code, -32602);
  assert.match(message, /Unknown tool: no_such_tool$/);
});

check('unicode comes back unchanged', async (s) => {
  const texts = {
    emoji: '🦀 👩‍👩‍👧‍👦 🏳️‍🌈 👍🏽',
    'right to left': 'שלום עולם \u202Eمرحبا\u202C \u2067עברית\u2069',
    combining: 'e\u0301 é ｱ か\u3099 Z͑ͫ̓',
    NUL: '\0a\0\0b\0',
    'control characters': `${String.fromCharCode(...Array(0x20).keys())}\x7F\x80\x9F`,
    'line ends': 'a\nb\r\nc\rd\u0085e\u2028f\u2029g',
    quotes: '"\\" \\u0041 \\n </script> a<b && c>d',
    'edges of the planes': '\uD7FF\uE000\uFEFF\uFFFD\uFFFE\uFFFF\u{10000}\u{10FFFF}',
    empty: ''
  };
  for (const [kind, text] of Object.entries(texts)) assert.equal(onlyText(await call(s, 'echo', { text })), text, kind);
});

check('1 MiB of text comes back unchanged', async (s) => {
  const pattern = 'plain "quoted" back\\slash é 🦀\n';
  for (const text of ['x'.repeat(2 ** 20), pattern.repeat(2 ** 20 / Buffer.byteLength(pattern) + 1)]) {
    assert.ok(onlyText(await call(s, 'echo', { text })) === text, 'the text changed');
  }
});

check('a cancelled call is never answered, and the server goes on', async (s) => {
  const abort = new AbortController();
  const slow = call(s, 'sleep_ms', { ms: 1000 }, { signal: abort.signal });
  const outcome = slow.then(() => 'answered', () => 'cancelled');
  assert.equal(onlyText(await call(s, 'add', { a: 1, b: 1 })), '2', 'a call beside it');
  abort.abort('the user changed their mind');
  assert.equal(await outcome, 'cancelled');
  assert.equal(onlyText(await call(s, 'add', { a: 2, b: 3 })), '5', 'the call after it');
  const { id } = s.sent.find((m) => calls(m, 'sleep_ms', 1000));
  const cancellations = s.sent.filter((m) => m.method === 'notifications/cancelled' && m.params.requestId === id);
  assert.equal(cancellations.length, 1, 'cancellations sent');
  // The server's own clock: when this answer is here, the cancelled call's time is long over.
  await call(s, 'sleep_ms', { ms: 1500 });
  assert.ok(!answers(s).includes(id), 'the cancelled call was answered');
});

check('64 calls at once: each gets its own answer', async (s) => {
  const numbers = [...Array(64).keys()];
  const texts = await Promise.all(numbers.map(async (n) => onlyText(await call(s, 'add', { a: n, b: 1000 * n }))));
  assert.deepEqual(texts, numbers.map((n) => String(1001 * n)));
});

check('64 quick calls overtake a sleeping one and a blocking one', async (s) => {
  const slow = ['block_ms', 'sleep_ms'].map((tool) => call(s, tool, { ms: 3000 }));
  const quick = [...Array(64).keys()].map(async (n) =>
    assert.equal(onlyText(await call(s, 'echo', { text: `quick ${n}` })), `quick ${n}`));
  await Promise.all(quick);
  const ids = s.sent.filter((m) => calls(m, 'block_ms', 3000) || calls(m, 'sleep_ms', 3000)).map((m) => m.id);
  assert.equal(ids.length, 2);
  const early = ids.filter((id) => answers(s).includes(id));
  for (const result of await Promise.all(slow)) assert.notEqual(result.isError, true);
  assert.deepEqual(early, [], 'slow calls answered before the quick ones were');
});

const calls = (message, tool, ms) => message.params?.name === tool && message.params.arguments.ms === ms;

check('a panic is a failed call, and the server goes on', async (s) => {
  assert.equal(errorText(await call(s, 'panic_now', {})), 'Error: the tool failed');
  assert.equal(onlyText(await call(s, 'add', { a: 20, b: 3 })), '23');
});

check('a client that pins the revision connects', async (s) => {
  const pinned = await connect(s.server, { pin: REVISION });
  assert.equal(onlyText(await call(pinned, 'add', { a: 1, b: 2 })), '3');
  await pinned.client.close();
});

check('a client of an older revision is told why: −32601 and the version served', async (s) => {
  const error = await refused(connect(s.server, 'legacy'));
  assert.equal(error.code, -32601);
  assert.match(error.message, new RegExp(REVISION));
  assert.deepEqual(error.data?.supported, [REVISION]);
});

check('everything the server wrote was an answer, once, to a request', async (s) => {
  assert.deepEqual(s.errors, [], 'what the client could not use');
  const asked = s.sent.filter((m) => 'id' in m).map((m) => m.id);
  const answered = answers(s);
  assert.deepEqual(answered.filter((id) => !asked.includes(id)), [], 'answers to nothing');
  assert.equal(answered.length, new Set(answered).size, 'answers, each id once');
  assert.deepEqual(s.received.filter((m) => 'method' in m), [], 'requests and notifications from the server');
  assert.deepEqual(complaints, [], 'complaints on the console');
});

check('the server exits when its input ends', async (s) => {
  const begin = performance.now();
  await s.client.close();
  const milliseconds = performance.now() - begin;
  assert.ok(milliseconds < CLIENT_PATIENCE_MILLISECONDS, `the client had to end it, after ${milliseconds | 0} ms`);
});

/** Runs one check and prints its line. */
async function attempt(title, run) {
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no end within ${CHECK_MILLISECONDS / 1000} s`)), CHECK_MILLISECONDS);
  });
  try {
    await Promise.race([run(), late]);
    console.log(`ok    ${title}`);
    return true;
  } catch (error) {
    console.log(`FAIL  ${title}: ${error.message.slice(0, 1000)}`);
    return false;
  } finally {
    clearTimeout(timer);
  }
}

async function main([separator, command, ...args]) {
  if (separator !== '--' || command === undefined) {
    process.stderr.write('usage: check.mjs -- path/to/server [its arguments]\n');
    return 2;
  }
  const server = { command, args };
  let session;
  const results = [await attempt('the client connects by its discover probe', async () => {
    session = { ...(await connect(server, 'auto')), server };
  })];
  if (session) for (const [title, run] of checks) results.push(await attempt(title, () => run(session)));
  const passed = results.filter(Boolean).length;
  console.log(`${passed} passed, ${results.length - passed} failed`);
  return passed === results.length ? 0 : 1;
}

process.exit(await main(process.argv.slice(2)));
