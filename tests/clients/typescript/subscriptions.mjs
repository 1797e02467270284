/** Subscriptions: what a client that listens is told, and what it is not. */

import assert from 'node:assert/strict';
import { SUBSCRIPTION_ID_META_KEY } from '@modelcontextprotocol/client';
import { call, check } from './session.mjs';

const RULES = 'library://rules';
const BYTES = 'library://bytes';
const LISTS = ['notifications/tools/list_changed', 'notifications/prompts/list_changed', 'notifications/resources/list_changed'];

/** Gives the next changes that the client is told of, one for each call: a method, and the URI if there is one. */
function changes(session) {
  const told = [];
  const waiting = [];
  for (const method of [...LISTS, 'notifications/resources/updated']) {
    session.client.setNotificationHandler(method, ({ params }) => {
      const change = params?.uri ? [method, params.uri] : [method];
      if (waiting.length > 0) waiting.shift()(change);
      else told.push(change);
    });
  }
  return () => (told.length > 0 ? Promise.resolve(told.shift()) : new Promise((resolve) => waiting.push(resolve)));
}

const announce = (session, what) => call(session, 'announce', { what });

check('a subscription tells of the lists and resources that it is for, and of no others', async (s) => {
  const next = changes(s);
  const subscription = await s.client.listen({ toolsListChanged: true, resourceSubscriptions: [RULES] });
  assert.deepEqual(subscription.honoredFilter, { toolsListChanged: true, resourceSubscriptions: [RULES] });
  await announce(s, 'tools');
  assert.deepEqual(await next(), [LISTS[0]]);
  await announce(s, 'prompts');
  await announce(s, 'resources');
  await announce(s, BYTES);
  await announce(s, RULES);
  assert.deepEqual(await next(), ['notifications/resources/updated', RULES]);
  await subscription.close();
  assert.equal(await subscription.closed, 'local');
});

check('two subscriptions at once, each with its own', async (s) => {
  const next = changes(s);
  const prompts = await s.client.listen({ promptsListChanged: true });
  const resources = await s.client.listen({ resourcesListChanged: true });
  await announce(s, 'resources');
  assert.deepEqual(await next(), [LISTS[2]]);
  await announce(s, 'prompts');
  assert.deepEqual(await next(), [LISTS[1]]);
  const ids = s.received.filter((m) => LISTS.slice(1).includes(m.method)).map((m) => m.params._meta[SUBSCRIPTION_ID_META_KEY]);
  assert.equal(ids.length, 2, 'changes told');
  assert.equal(new Set(ids).size, 2, 'subscriptions that were told');
  await Promise.all([prompts.close(), resources.close()]);
});
