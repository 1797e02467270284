/** Resources and templates: their lists, their contents, and completions of their variables. */

import assert from 'node:assert/strict';
import { check, refused } from './session.mjs';

check('resources/list and resources/templates/list: all there is, sorted and described', async (s) => {
  const { resources } = await s.client.listResources();
  assert.deepEqual(
    resources.map(({ uri, mimeType }) => [uri, mimeType]),
    [['library://bytes', 'application/octet-stream'], ['library://closed', 'text/plain'], ['library://rules', 'text/plain']]
  );
  const { resourceTemplates } = await s.client.listResourceTemplates();
  assert.deepEqual(resourceTemplates.map((template) => template.uriTemplate), ['library://books/{book}/{number}']);
  for (const entry of [...resources, ...resourceTemplates]) assert.ok(entry.description, `${entry.name} has no description`);
});

check('resources/read: text, bytes, and JSON of a template', async (s) => {
  const read = async (uri) => {
    const { contents } = await s.client.readResource({ uri });
    assert.equal(contents.length, 1, 'contents');
    assert.equal(contents[0].uri, uri);
    return contents[0];
  };
  const rules = await read('library://rules');
  assert.equal(rules.mimeType, 'text/plain');
  assert.equal(rules.text, 'Return every book. Não há exceções. 🦀');
  const every = await read('library://bytes');
  assert.equal(every.mimeType, 'application/octet-stream');
  assert.deepEqual([...Buffer.from(every.blob, 'base64')], [...Array(256).keys()]);
  const page = await read('library://books/moby%20dick/7');
  assert.equal(page.mimeType, 'application/json');
  assert.deepEqual(JSON.parse(page.text), { book: 'moby dick', number: 7 });
});

check('resources/read of what is not there: −32602 that names it', async (s) => {
  for (const uri of ['library://nothing', 'library://books/walden/1', 'http://example.com/']) {
    const { code, data } = await refused(s.client.readResource({ uri }));
    assert.deepEqual({ code, data }, { code: -32602, data: { uri } });
  }
});

check('completion of a template\'s variable', async (s) => {
  const ref = { type: 'ref/resource', uri: 'library://books/{book}/{number}' };
  const { completion } = await s.client.complete({ ref, argument: { name: 'book', value: 'm' } });
  assert.deepEqual(completion.values, ['middlemarch', 'moby dick']);
  assert.ok(!completion.hasMore, 'more is promised');
});
