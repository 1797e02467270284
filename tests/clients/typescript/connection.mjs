/** How a connection begins, and what may come over it. */

import assert from 'node:assert/strict';
import { SUBSCRIPTION_ID_META_KEY } from '@modelcontextprotocol/client';
import { REVISION, answers, call, check, complaints, connect, onlyText } from './session.mjs';

check('discover names the revision, the capabilities and the server', async (s) => {
  assert.equal(s.client.getNegotiatedProtocolVersion(), REVISION);
  const capabilities = s.client.getServerCapabilities();
  for (const name of ['tools', 'resources', 'prompts', 'completions', 'logging']) assert.ok(capabilities[name], `no capability ${name}`);
  for (const name of ['tools', 'resources', 'prompts']) {
    assert.equal(capabilities[name].listChanged, true, `no word of changes of the list of ${name}`);
  }
  assert.equal(capabilities.resources.subscribe, true, 'no word of changes of resources');
  const { name, version } = s.client.getServerVersion();
  assert.ok(name && version, 'an empty name or version');
  const { supportedVersions } = await s.client.discover();
  assert.deepEqual(supportedVersions, [REVISION]);
});

check('a client that pins the revision connects', async (s) => {
  const pinned = await connect(s.server, { pin: REVISION });
  assert.equal(onlyText(await call(pinned, 'add', { a: 1, b: 2 })), '3');
  await pinned.client.close();
});

check('a client that opens with initialize is served over stdio, and over HTTP told the version served', async (s) => {
  const connecting = connect(s.server, 'legacy');
  if (!s.server.url) {
    const older = await connecting;
    assert.equal(older.client.getNegotiatedProtocolVersion(), '2025-11-25');
    assert.equal(onlyText(await call(older, 'add', { a: 1, b: 2 })), '3');
    await older.client.close();
    return;
  }
  const error = await connecting.then(() => assert.fail('it connected'), (reason) => reason);
  assert.match(error.message, new RegExp(REVISION));
  // Its request lacks the headers of this revision, which is found first; the client shows the answer as it came.
  const answer = JSON.parse(error.message.slice(error.message.indexOf('{')));
  assert.equal(answer.error.code, -32020);
  assert.deepEqual(answer.error.data, { supported: [REVISION] });
});

check('everything the server wrote was an answer, once, or what it was asked to tell', async (s) => {
  assert.deepEqual(s.errors, [], 'what the client could not use');
  const asked = s.sent.filter((m) => 'id' in m).map((m) => m.id);
  const answered = answers(s);
  assert.deepEqual(answered.filter((id) => !asked.includes(id)), [], 'answers to nothing');
  assert.equal(answered.length, new Set(answered).size, 'answers, each id once');
  const cancelled = s.sent.filter((m) => m.params?.name === 'block_until_cancelled').map((m) => m.id);
  assert.equal(cancelled.length, 2);
  assert.deepEqual(answered.filter((id) => cancelled.includes(id)), [], 'answers to cancelled calls');
  assert.deepEqual(s.received.filter((m) => 'method' in m && 'id' in m), [], 'requests from the server');
  const tokens = s.sent.map((m) => m.params?._meta?.progressToken);
  const listening = s.sent.filter((m) => m.method === 'subscriptions/listen').map((m) => m.id);
  const askedFor = ({ method, params }) =>
    method === 'notifications/progress'
      ? tokens.includes(params.progressToken)
      : listening.includes(params._meta[SUBSCRIPTION_ID_META_KEY]);
  assert.deepEqual(s.received.filter((m) => 'method' in m && !askedFor(m)), [], 'notifications that nobody asked for');
  assert.deepEqual(complaints, [], 'complaints on the console');
});
