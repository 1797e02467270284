/** What a check is and what it gets, and the words in which checks say what they expect. */

import assert from 'node:assert/strict';
import { Client, ProtocolError, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';

export const REVISION = '2026-07-28';
/** A check that has not ended by then has failed. */
export const CHECK_MILLISECONDS = 30_000;

/** What the validator or the client complains about on the console; a host would show it to its user. */
export const complaints = [];
for (const level of ['warn', 'error']) console[level] = (...words) => complaints.push(words.join(' '));

/**
 * A client connected to a server, with every message of both directions recorded: a server of its own over
 * stdio, or the one at a URL. It answers questions by handlers of their methods, as far as its capabilities declare them.
 *
 * The transport is the client's own class and not a subclass: only then does the client probe as
 * it does for its users, over stdio with `server/discover` on a short-lived sibling process.
 */
export async function connect(server, mode, { capabilities = {}, handlers = {} } = {}) {
  const client = new Client({ name: 'check', version: '1.0.0' }, { capabilities, versionNegotiation: { mode } });
  for (const [method, handler] of Object.entries(handlers)) client.setRequestHandler(method, handler);
  const transport = server.url ? new StreamableHTTPClientTransport(server.url) : new StdioClientTransport(server);
  const session = { client, server, sent: [], received: [], errors: [] };
  client.onerror = (error) => session.errors.push(error.message);
  const send = transport.send.bind(transport);
  transport.send = (message, options) => {
    session.sent.push(message);
    return send(message, options);
  };
  await client.connect(transport, { timeout: CHECK_MILLISECONDS });
  const deliver = transport.onmessage;
  transport.onmessage = (message, extra) => {
    session.received.push(message);
    deliver(message, extra);
  };
  return session;
}

/** All checks, in the order in which they run: a title, and a function of a session. */
export const checks = [];
export const check = (title, run) => checks.push([title, run]);

/** The ids of all answers so far, in the order in which they arrived. */
export const answers = (session) => session.received.filter((m) => !('method' in m)).map((m) => m.id);

export const call = (session, name, args, options) =>
  session.client.callTool({ name, ...(args && { arguments: args }) }, { timeout: CHECK_MILLISECONDS, ...options });

/** The text of a result whose content is exactly one text block. */
export function onlyText(result) {
  assert.deepEqual(result.content.map((block) => block.type), ['text'], 'content blocks');
  return result.content[0].text;
}

export function errorText(result) {
  assert.equal(result.isError, true, 'isError');
  return onlyText(result);
}

/** The protocol error that a request ends with. */
export async function refused(promise) {
  const error = await promise.then((value) => assert.fail(`no error but ${JSON.stringify(value)}`), (reason) => reason);
  if (!(error instanceof ProtocolError)) throw error;
  return error;
}
