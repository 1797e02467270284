/** Tools: their list, their results, and what is wrong with a call. */

import assert from 'node:assert/strict';
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/client/validators/ajv';
import { call, check, complaints, errorText, onlyText, refused } from './session.mjs';

const TOOLS = ['add', 'block_until_cancelled', 'echo', 'fail', 'panic_now', 'wait_for_ever', 'structured'];

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
