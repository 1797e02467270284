/**
 * Drives a server with the official TypeScript client, in revision 2026-07-28.
 *
 *     node check.mjs -- path/to/server [its arguments]     over stdio
 *     node check.mjs http://127.0.0.1:8000/mcp             over HTTP
 *
 * The server is `test-server` of the workspace's tests: the checks know its tools, resources and prompts.
 * One line is printed for each check, and a summary. The exit status is 0 only if all hold.
 */

import assert from 'node:assert/strict';
import process from 'node:process';
import { CHECK_MILLISECONDS, checks, connect } from './session.mjs';

// The checks register themselves, and run in this order; that of the connection looks back on all of them.
import './tools.mjs';
import './resources.mjs';
import './prompts.mjs';
import './calls.mjs';
import './asking.mjs';
import './subscriptions.mjs';
import './connection.mjs';

/** How long the client waits after closing the server's input before it sends SIGTERM. */
const CLIENT_PATIENCE_MILLISECONDS = 2_000;

async function exits(s) {
  const begin = performance.now();
  await s.client.close();
  const milliseconds = performance.now() - begin;
  assert.ok(milliseconds < CLIENT_PATIENCE_MILLISECONDS, `the client had to end it, after ${milliseconds | 0} ms`);
}

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

/** Where the server is: a command to start, or a URL. */
function serverOf([first, command, ...args]) {
  if (first === '--' && command !== undefined) return { command, args };
  if (first?.startsWith('http://') && command === undefined) return { url: new URL(first) };
}

async function main(line) {
  const server = serverOf(line);
  if (server === undefined) {
    process.stderr.write('usage: check.mjs -- path/to/server [its arguments] | URL\n');
    return 2;
  }
  let session;
  const results = [await attempt('the client connects by its discover probe', async () => {
    session = await connect(server, 'auto');
  })];
  if (session) {
    for (const [title, run] of checks) results.push(await attempt(title, () => run(session)));
    if (!server.url) results.push(await attempt('the server exits when its input ends', () => exits(session)));
  }
  const passed = results.filter(Boolean).length;
  console.log(`${passed} passed, ${results.length - passed} failed`);
  return passed === results.length ? 0 : 1;
}

process.exit(await main(process.argv.slice(2)));
