/** Prompts: their list, their messages, and completions of their arguments. */

import assert from 'node:assert/strict';
import { check, refused } from './session.mjs';

check('prompts/list: the arguments, and which have to be there', async (s) => {
  const { prompts } = await s.client.listPrompts();
  assert.deepEqual(prompts.map(({ name, description }) => [name, description]), [
    ['praise', 'Praise a book, as the user wants it.'],
    ['recommend', 'Recommend a book.']
  ]);
  const args = prompts[1].arguments.map(({ name, required }) => [name, required ?? false]);
  assert.deepEqual(args, [['book', true], ['chapter', false], ['tone', false]]);
});

check('prompts/get: messages of both roles', async (s) => {
  for (const [args, text] of [
    [{ book: 'emma' }, 'Recommend emma, with warmth.'],
    [{ book: 'emma', chapter: '3', tone: 'Terse' }, 'Recommend emma, from chapter 3 on, in three words.']
  ]) {
    const { messages } = await s.client.getPrompt({ name: 'recommend', arguments: args });
    assert.deepEqual(messages, [
      { role: 'user', content: { type: 'text', text } },
      { role: 'assistant', content: { type: 'text', text: 'Gladly.' } }
    ]);
  }
});

check('prompts/get with wrong arguments: −32602 that names them', async (s) => {
  for (const [name, args, named] of [
    ['recommend', undefined, /book/],
    ['recommend', { book: 'emma', chapter: 'three' }, /chapter/],
    ['recommend', { book: 'emma', colour: 'red' }, /colour/],
    ['no_such_prompt', undefined, /no_such_prompt/]
  ]) {
    const { code, message } = await refused(s.client.getPrompt({ name, ...(args && { arguments: args }) }));
    assert.equal(code, -32602, `code for ${name} with ${JSON.stringify(args)}`);
    assert.match(message, named);
  }
});

check('completion: by a function, by an enum, and with the other arguments', async (s) => {
  const complete = async (name, value, others) => {
    const ref = { type: 'ref/prompt', name: 'recommend' };
    const { completion } = await s.client.complete({ ref, argument: { name, value }, ...(others && { context: { arguments: others } }) });
    return completion;
  };
  for (const [name, value, others, values] of [
    ['book', 'mi', undefined, ['middlemarch']],
    ['book', 'x', undefined, []],
    ['tone', '', undefined, ['Terse', 'Warm']],
    ['chapter', '13', { book: 'moby dick' }, ['13', '130', '131', '132', '133', '134', '135']],
    ['chapter', '13', { book: 'emma' }, ['13']]
  ]) {
    assert.deepEqual((await complete(name, value, others)).values, values, `${name} from "${value}"`);
  }
  const many = await complete('chapter', '', { book: 'moby dick' });
  assert.deepEqual([many.values.length, many.total, many.hasMore], [100, 135, true]);
});
