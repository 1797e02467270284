/**
 * One conversation with a server, which every JavaScript client has: list, call, read, complete, be told, be asked, cancel.
 *
 *     node <client's script> -- path/to/server [its arguments]     over stdio
 *     node <client's script> http://127.0.0.1:8000/mcp             over HTTP
 *
 * The server is `test-server` of the workspace's tests. `expected.json` says what is sent and what comes back, in
 * every language. A client's script connects in its own way.
 *
 * One line is printed for each check, and a summary. The exit status is 0 only if all hold.
 */

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import process from 'node:process';

/** A check that has not ended by then has failed. */
const CHECK_MILLISECONDS = 30_000;
/** How long the client waits after closing the server's input before it sends SIGTERM. */
const CLIENT_PATIENCE_MILLISECONDS = 2_000;

const expected = JSON.parse(readFileSync(new URL('./expected.json', import.meta.url), 'utf8'));

/** All checks, in the order in which they run: a title, and a function of a session. */
const checks = [];
const check = (title, run) => checks.push([title, run]);

/** The text of a result whose content is exactly one text block. */
function onlyText(result) {
  assert.deepEqual(result.content.map((block) => block.type), ['text'], 'content blocks');
  return result.content[0].text;
}

const names = (list) => list.map(({ name }) => name);

check('the lists name what there is', async ({ client }) => {
  const tools = names(await client.tools());
  const missing = expected.calls.map(({ tool }) => tool).filter((tool) => !tools.includes(tool));
  assert.deepEqual(missing, [], 'missing tools');
  assert.deepEqual((await client.resources()).map(({ uri }) => uri), expected.resources);
  assert.deepEqual((await client.templates()).map(({ uriTemplate }) => uriTemplate), expected.templates);
  assert.deepEqual(names(await client.prompts()), expected.prompts);
});

check('calls: text, structured output, failing tools', async ({ client }) => {
  for (const { tool, arguments: args, text, error, structured } of expected.calls) {
    const result = await client.call(tool, args);
    assert.equal(result.isError ?? false, error !== undefined, `${tool}: isError`);
    if (structured) {
      assert.deepEqual(result.structuredContent, structured);
      assert.deepEqual(JSON.parse(onlyText(result)), structured);
    } else {
      assert.equal(onlyText(result), text ?? error);
    }
  }
});

check('resources are read, and one that is missing is refused', async ({ client }) => {
  for (const wanted of expected.reads) assert.deepEqual((await client.read(wanted.uri)).contents, [wanted]);
  const { uri, codes } = expected.missing;
  const error = await client.read(uri).then(() => assert.fail('it was read'), (reason) => reason);
  assert.equal(error.code, client.missingCode ?? codes[client.era], error.message);
});

check('prompts have messages', async ({ client }) => {
  for (const { prompt, arguments: args, messages } of expected.gets) {
    const result = await client.prompt(prompt, args);
    assert.deepEqual(result.messages.map(({ role, content }) => [role, content.text]), messages);
  }
});

check('arguments are completed', async ({ client }) => {
  for (const { prompt, template, argument, value, context, values } of expected.completions) {
    const reference = prompt ? { type: 'ref/prompt', name: prompt } : { type: 'ref/resource', uri: template };
    const result = await client.complete(reference, { name: argument, value }, context);
    assert.deepEqual(result.completion.values, values);
  }
});

check('progress arrives while the call runs', async ({ client }) => {
  const { tool, arguments: args, told, release, text } = expected.progress;
  const received = [];
  let call;
  await new Promise((resolve, reject) => {
    const onprogress = ({ progress, total }) => {
      received.push([progress, total]);
      if (received.length === told.length) resolve();
    };
    call = client.call(tool, args, { onprogress });
    call.catch(reject);
  });
  await client.call('release', release);
  assert.equal(onlyText(await call), text);
  assert.deepEqual(received, told);
});

check('questions in the middle of a call are answered, declined and cancelled', async (session) => {
  for (const { tool, arguments: args, answers, texts } of expected.questions) {
    const left = new Map(Object.entries(answers));
    session.answer = ({ message }) => {
      const answer = left.get(message);
      assert.ok(left.delete(message), `asked without need: ${message}`);
      return answer;
    };
    assert.equal(onlyText(await session.client.call(tool, args)), texts[session.client.era]);
    assert.deepEqual([...left.keys()], [], 'answers that were not asked for');
  }
});

check('a cancelled call ends on the server', async ({ client }) => {
  const { tool, arguments: args, after } = expected.cancellation;
  const abort = new AbortController();
  let outcome;
  await new Promise((resolve) => {
    const call = client.call(tool, args, { signal: abort.signal, onprogress: resolve });
    outcome = call.then(() => 'answered', () => 'cancelled');
  });
  abort.abort('the user changed their mind');
  assert.equal(await outcome, 'cancelled');
  assert.equal(onlyText(await client.call(after.tool, after.arguments)), after.text);
});

check('64 calls at once: each gets its own answer', async ({ client }) => {
  const numbers = [...Array(expected.many).keys()];
  const results = await Promise.all(numbers.map((n) => client.call('add', { a: n, b: 1000 * n })));
  assert.deepEqual(results.map(onlyText), numbers.map((n) => String(1001 * n)));
});

check('changes are pushed', async (session) => {
  for (const { announce, method, subscribe } of expected.pushes) {
    if (subscribe) await session.client.subscribe(subscribe);
    const pushed = new Promise((resolve) => {
      session.notified = (found, params) => {
        if (found === method && params?.uri === subscribe) resolve();
      };
    });
    await session.client.call('announce', { what: announce });
    await pushed;
  }
});

check('the client understood every message', async ({ errors }) => {
  // It forgets which call progress belongs to when the answer comes in the same piece as the progress.
  const unusable = errors.filter((error) => !error.includes('progress notification for an unknown token'));
  assert.deepEqual(unusable, []);
});

/** What a conversation needs of a client; both generations of the SDK differ only in how they call a tool. */
const operations = ({ client, call, era, missingCode }) => ({
  era,
  call,
  missingCode,
  tools: async () => (await client.listTools()).tools,
  resources: async () => (await client.listResources()).resources,
  templates: async () => (await client.listResourceTemplates()).resourceTemplates,
  read: (uri) => client.readResource({ uri }),
  prompts: async () => (await client.listPrompts()).prompts,
  prompt: (name, args) => client.getPrompt({ name, arguments: args }),
  complete: (ref, argument, context) =>
    client.complete({ ref, argument, ...(context && { context: { arguments: context } }) }),
  subscribe: (uri) => client.subscribeResource({ uri }),
  close: () => client.close()
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

async function exits({ client }) {
  const begin = performance.now();
  await client.close();
  const milliseconds = performance.now() - begin;
  assert.ok(milliseconds < CLIENT_PATIENCE_MILLISECONDS, `the client had to end it, after ${milliseconds | 0} ms`);
}

/** Where the server is: a command to start, or a URL. */
function serverOf([first, command, ...args]) {
  if (first === '--' && command !== undefined) return { command, args };
  if (first?.startsWith('http://') && command === undefined) return { url: new URL(first) };
}

/**
 * Has the whole conversation with the server that the command line names.
 *
 * `connect(server, { onQuestion, onNotification, onError })` gives a connected client of the SDK, the function that calls
 * a tool by it (`call(name, arguments, options)`), the era of the connection, `initialize` or `discover`, and the code that
 * the SDK shows for a missing resource if it is not the one that came.
 */
export async function converse(connect) {
  const server = serverOf(process.argv.slice(2));
  if (server === undefined) {
    process.stderr.write('usage: <script> -- path/to/server [its arguments] | URL\n');
    process.exit(2);
  }
  const session = { errors: [], answer: () => assert.fail('asked without need'), notified: () => {} };
  const results = [await attempt('the client connects', async () => {
    session.client = operations(await connect(server, {
      onQuestion: (params) => session.answer(params),
      onNotification: (method, params) => session.notified(method, params),
      onError: (error) => session.errors.push(error.message)
    }));
  })];
  if (session.client) {
    for (const [title, run] of checks) results.push(await attempt(title, () => run(session)));
    if (!server.url) results.push(await attempt('the server exits when its input ends', () => exits(session)));
  }
  const passed = results.filter(Boolean).length;
  console.log(`${passed} passed, ${results.length - passed} failed`);
  process.exit(passed === results.length ? 0 : 1);
}
