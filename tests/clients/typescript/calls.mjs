/** Calls in flight: many at once, told of, and cancelled. */

import assert from 'node:assert/strict';
import { LOG_LEVEL_META_KEY } from '@modelcontextprotocol/client';
import { REVISION, call, check, connect, errorText, onlyText } from './session.mjs';

check('a call that is cancelled ends for the client at once, and the server goes on', async (s) => {
  const abort = new AbortController();
  // It returns a result, which nobody is to get: the last check looks for it once more.
  const slow = call(s, 'block_until_cancelled', {}, { signal: abort.signal });
  const outcome = slow.then(() => 'answered', () => 'cancelled');
  assert.equal(onlyText(await call(s, 'add', { a: 1, b: 1 })), '2', 'a call beside it');
  abort.abort('the user changed their mind');
  assert.equal(await outcome, 'cancelled');
  assert.equal(onlyText(await call(s, 'add', { a: 2, b: 3 })), '5', 'the call after it');
  const { id } = s.sent.find((m) => calls(m, 'block_until_cancelled'));
  const cancellations = s.sent.filter((m) => m.method === 'notifications/cancelled' && m.params.requestId === id);
  // RoundEnded HTTP the client closes the connection instead.
  assert.equal(cancellations.length, s.server.url ? 0 : 1, 'cancellations sent');
});

check('half a character in an argument fails the call, which is answered', async (s) => {
  const cut = await call(s, 'echo', { text: 'cut emoji \ud83d' });
  assert.equal(cut.isError, true);
  assert.match(errorText(cut), /^`text`: `\\ud83d` is half of a character/);
  assert.equal(onlyText(await call(s, 'add', { a: 2, b: 3 })), '5', 'the call after it');
});

check('cancelling a call ends it on the server, too', async (s) => {
  const abort = new AbortController();
  const begun = new Promise((resolve) => {
    const options = { signal: abort.signal, onprogress: resolve };
    call(s, 'wait_under', { label: 'a lamp' }, options).catch(() => {});
  });
  await begun;
  abort.abort('the user changed their mind');
  assert.equal(onlyText(await call(s, 'cut_short', { label: 'a lamp' })), 'a lamp was cut short');
});

check('progress is told while the call runs, in order and growing', async (s) => {
  const told = [];
  let counting;
  await new Promise((resolve) => {
    const onprogress = ({ progress, total }) => {
      told.push([progress, total]);
      if (progress === total) resolve();
    };
    counting = call(s, 'count_under', { label: 'a shelf', to: 50 }, { onprogress });
  });
  // Only now: the client forgets whom progress is for when the answer comes in the same piece as the progress.
  await call(s, 'release', { label: 'a shelf' });
  assert.equal(onlyText(await counting), '50');
  assert.deepEqual(told, Array.from({ length: 50 }, (_, n) => [n + 1, 50]));
});

check('log messages come only to who asks, from the level on that it asks for', async (s) => {
  await call(s, 'log_all');
  const listening = await connect(s.server, { pin: REVISION });
  const messages = (session) => session.received.filter((m) => m.method === 'notifications/message');
  const answer = await listening.client.callTool({ name: 'log_all', _meta: { [LOG_LEVEL_META_KEY]: 'error' } });
  assert.equal(onlyText(answer), 'logged');
  assert.deepEqual(
    messages(listening).map(({ params }) => [params.level, params.data]),
    [['error', 5], ['critical', 6], ['alert', 7], ['emergency', 8]]
  );
  assert.deepEqual(messages(s), [], 'messages that were not asked for');
  await listening.client.close();
});

check('64 calls at once: each gets its own answer', async (s) => {
  const numbers = [...Array(64).keys()];
  const texts = await Promise.all(numbers.map(async (n) => onlyText(await call(s, 'add', { a: n, b: 1000 * n }))));
  assert.deepEqual(texts, numbers.map((n) => String(1001 * n)));
});

check('64 quick calls overtake a waiting one and a blocking one', async (s) => {
  const abort = new AbortController();
  const outcomes = ['block_until_cancelled', 'wait_for_ever'].map((tool) =>
    call(s, tool, {}, { signal: abort.signal }).then(() => 'answered', () => 'cancelled'));
  const quick = [...Array(64).keys()].map(async (n) =>
    assert.equal(onlyText(await call(s, 'echo', { text: `quick ${n}` })), `quick ${n}`));
  await Promise.all(quick);
  abort.abort('enough');
  assert.deepEqual(await Promise.all(outcomes), ['cancelled', 'cancelled']);
});

check('a panic is a failed call, and the server goes on', async (s) => {
  assert.equal(errorText(await call(s, 'panic_now', {})), 'Error: the tool failed');
  assert.equal(onlyText(await call(s, 'add', { a: 20, b: 3 })), '23');
});

const calls = (message, tool) => message.params?.name === tool;
