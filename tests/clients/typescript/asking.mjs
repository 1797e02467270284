/**
 * Questions in the middle of a call, which the client answers by its handlers; and tasks, which it does not know.
 *
 * A result `input_required` is the client's own business: it gives each question to the handler of its method, all of
 * one round at a time, and sends the call again with the answers and the state, until there is another result.
 * A result of any other kind it refuses, whoever asked for it, so that it cannot be taught tasks from outside.
 */

import assert from 'node:assert/strict';
import { REVISION, call, check, connect, onlyText, refused } from './session.mjs';

const EVERY_MODE = { elicitation: { form: {}, url: {} } };
const YES = { action: 'accept', content: { yes: true } };
const NO = { action: 'accept', content: { yes: false } };
const DECLINE = { action: 'decline' };
const CANCEL = { action: 'cancel' };
const BORROWING = {
  'Do you keep the rules?': [YES],
  'For how long?': [{ action: 'accept', content: { weeks: 3 } }],
  'Shall I wrap it?': [NO],
  'Do you want a bookmark?': [DECLINE]
};

/**
 * Runs a conversation with a client that gives the answers to each message in order, and returns what it was asked.
 * Each answer has to be asked for, and the server has to send no requests.
 */
async function answering(s, answers, converse, { capabilities = EVERY_MODE, handlers } = {}) {
  const left = Object.entries(answers).flatMap(([message, given]) => given.map((answer) => ({ message, answer })));
  const asked = [];
  const elicit = ({ params }) => {
    asked.push(params);
    // What was wrong with an answer stands behind the question that is asked again.
    const [question] = params.message.split(' (');
    const next = left.findIndex(({ message }) => message === question);
    assert.notEqual(next, -1, `one answer too few to ${params.message}`);
    return left.splice(next, 1)[0].answer;
  };
  const session = await connect(s.server, { pin: REVISION }, {
    capabilities,
    handlers: { 'elicitation/create': elicit, ...handlers }
  });
  await converse(session);
  await session.client.close();
  assert.deepEqual(left, [], 'answers that nobody asked for');
  assert.deepEqual(session.received.filter((m) => 'method' in m && 'id' in m), [], 'requests from the server');
  // The client forgets whom progress is for when the answer comes in the same piece as the progress.
  const unusable = session.errors.filter((error) => !error.includes('progress notification for an unknown token'));
  assert.deepEqual(unusable, [], 'what the client could not use');
  return { asked, session };
}

const results = (session) => session.received.filter((m) => m.result).map((m) => m.result);
const questions = (session) => results(session).filter(({ resultType }) => resultType === 'input_required');
/** The keys that each round asked for. */
const rounds = (session) => questions(session).map(({ inputRequests }) => Object.keys(inputRequests).sort());

check('a form with a field of each kind is filled in', async (s) => {
  const content = { name: 'Ada', age: 36, height: 1.65, delivery: 'bike', reads: ['Poems', 'Essays'] };
  const { asked } = await answering(s, { 'Who are you?': [{ action: 'accept', content }] }, async (a) => {
    const text = onlyText(await call(a, 'write_card'));
    assert.equal(text, 'Ada, None, 36, 1.65 m, letters: true, Bicycle, [Poems, Essays]');
  });
  const [{ mode, requestedSchema }] = asked;
  assert.equal(mode ?? 'form', 'form');
  assert.deepEqual(requestedSchema.required, ['name', 'age', 'height', 'reads']);
  const types = Object.entries(requestedSchema.properties).map(([name, { type }]) => [name, type]);
  assert.deepEqual(types, [
    ['name', 'string'],
    ['email', 'string'],
    ['age', 'integer'],
    ['height', 'number'],
    ['letters', 'boolean'],
    ['delivery', 'string'],
    ['reads', 'array']
  ]);
});

check('a form that is declined, and one that is cancelled', async (s) => {
  for (const [answer, text] of [[DECLINE, 'no card, as you wish'], [CANCEL, 'no card for now']]) {
    const { session } = await answering(s, { 'Who are you?': [answer] }, async (a) => {
      assert.equal(onlyText(await call(a, 'write_card')), text);
    });
    assert.deepEqual(rounds(session), [['reader']]);
  }
});

check('an answer that does not fit the form is asked for again', async (s) => {
  const fitting = { name: 'Ada', email: 'ada@example.com', age: 36, height: 2, letters: false, reads: ['Novels'] };
  const contents = [{ ...fitting, age: 131 }, { ...fitting, email: 'ada' }, { ...fitting, reads: [] }, {}, fitting];
  const answers = contents.map((content) => ({ action: 'accept', content }));
  const { asked, session } = await answering(s, { 'Who are you?': answers }, async (a) => {
    const text = onlyText(await call(a, 'write_card'));
    assert.equal(text, 'Ada, Some("ada@example.com"), 36, 2 m, letters: false, Counter, [Novels]');
  });
  const fields = asked.map(({ message }) => message.match(/^Who are you\?(?: \(.*?`(\w+)`.*\))?$/s)?.[1]);
  assert.deepEqual(fields, [undefined, 'age', 'email', 'reads', 'name']);
  assert.deepEqual(rounds(session), Array(5).fill(['reader']));
});

check('one question, another one, and two at once, with a step between them that runs once', async (s) => {
  const { session } = await answering(s, BORROWING, async (a) => {
    const text = onlyText(await call(a, 'borrow', { book: 'emma' }));
    assert.equal(text, 'emma: rules Some(true), weeks Some(3), wrapped Some(false), marked None; run 4, stamp 1');
  });
  assert.deepEqual(rounds(session), [['rules'], ['kept'], ['marked', 'wrapped']]);
  const came = questions(session).map(({ requestState }) => requestState);
  const went = session.sent.filter((m) => m.params?.inputResponses).map((m) => m.params.requestState);
  assert.deepEqual(went, came, 'states that did not come back as they were');
  assert.equal(typeof went.at(-1), 'string', 'the last round had nothing to remember');
});

check('progress is told in each round, before what the round asks', async (s) => {
  const { session } = await answering(s, BORROWING, async (a) => {
    await call(a, 'borrow', { book: 'persuasion' }, { onprogress: () => {} });
  });
  const calls = session.sent.filter((m) => m.method === 'tools/call').map((m) => m.id);
  const told = session.received
    .filter((m) => calls.includes(m.id) || m.method === 'notifications/progress')
    .map((m) => m.params?.progress ?? m.result.resultType);
  const wanted = [1, 'input_required', 1, 'input_required', 1, 2, 'input_required', 1, 2, 'complete'];
  assert.deepEqual(told, wanted);
});

check('a caller that answers by itself may do it later, and not with another state', async (s) => {
  await answering(s, {}, async (a) => {
    const next = (book, inputResponses, requestState) => {
      const params = { name: 'borrow', arguments: { book }, inputResponses, ...(requestState && { requestState }) };
      return a.client.callTool(params, { allowInputRequired: true });
    };
    const first = await next('middlemarch', {});
    assert.deepEqual(Object.keys(first.inputRequests), ['rules']);
    const { requestState, inputRequests } = await next('middlemarch', { rules: YES }, first.requestState);
    assert.deepEqual(Object.keys(inputRequests), ['kept']);
    const answer = { kept: { action: 'accept', content: { weeks: 8 } } };
    for (const [book, state] of [
      ['middlemarch', requestState.slice(0, -1)],
      ['middlemarch', `${requestState}A`],
      ['emma', requestState]
    ]) {
      assert.equal((await refused(next(book, answer, state))).code, -32602, 'a state that is not the one that came');
    }
    const third = await next('middlemarch', answer, requestState);
    assert.deepEqual(Object.keys(third.inputRequests).sort(), ['marked', 'wrapped']);
  });
});

check('a URL that the user agrees to, refuses and leaves', async (s) => {
  for (const [answer, text] of [[{ action: 'accept' }, 'Accepted(())'], [DECLINE, 'Declined'], [CANCEL, 'Cancelled']]) {
    const { asked } = await answering(s, { 'Pay your fine.': [answer] }, async (a) => {
      assert.equal(onlyText(await call(a, 'pay_fine')), text);
    });
    assert.deepEqual(asked.map(({ mode, url }) => [mode, url]), [['url', 'https://library.example/fines/7']]);
  }
});

check('the client\'s model and its folders are asked for', async (s) => {
  const sample = ({ params: { messages, maxTokens } }) => ({
    role: 'assistant',
    content: { type: 'text', text: `${messages[0].content.text} In ${maxTokens} tokens.` },
    model: 'none'
  });
  const folders = () => ({ roots: [{ uri: 'file:///books' }, { uri: 'file:///maps' }] });
  const more = {
    capabilities: { ...EVERY_MODE, sampling: {}, roots: {} },
    handlers: { 'sampling/createMessage': sample, 'roots/list': folders }
  };
  await answering(s, {}, async (a) => {
    assert.equal(onlyText(await call(a, 'sum_up', { book: 'emma' })), 'Sum up emma. In 20 tokens.');
    assert.equal(onlyText(await call(a, 'name_folders')), 'file:///books file:///maps');
  }, more);
});

check('a prompt and a resource ask, too', async (s) => {
  await answering(s, { 'Loudly?': [YES], 'Are you sure?': [CANCEL] }, async (a) => {
    const { messages } = await a.client.getPrompt({ name: 'praise', arguments: { book: 'emma' } });
    assert.equal(messages[0].content.text, 'Praise emma: Accepted(Agreed { yes: true }).');
    const { contents } = await a.client.readResource({ uri: 'library://closed' });
    assert.equal(contents[0].text, 'Cancelled');
  });
});

check('a client that cannot be asked is told what it lacks: −32021', async (s) => {
  const form = { elicitation: { form: {} } };
  for (const [request, lacking] of [
    [() => call(s, 'write_card'), form],
    [() => call(s, 'pay_fine'), { elicitation: { url: {} } }],
    [() => call(s, 'sum_up', { book: 'emma' }), { sampling: {} }],
    [() => call(s, 'name_folders'), { roots: {} }],
    [() => s.client.getPrompt({ name: 'praise', arguments: { book: 'emma' } }), form],
    [() => s.client.readResource({ uri: 'library://closed' }), form],
    [() => call(s, 'copy_book'), { extensions: { 'io.modelcontextprotocol/tasks': {} } }]
  ]) {
    const { code, data } = await refused(request());
    assert.deepEqual({ code, data }, { code: -32021, data: { requiredCapabilities: lacking } });
  }
});

check('a client that declares no mode of elicitation is asked by forms, and by nothing else', async (s) => {
  await answering(s, { 'Loudly?': [NO] }, async (a) => {
    const { messages } = await a.client.getPrompt({ name: 'praise', arguments: { book: 'emma' } });
    assert.equal(messages[0].content.text, 'Praise emma: Accepted(Agreed { yes: false }).');
    assert.equal((await refused(call(a, 'pay_fine'))).code, -32021);
  }, { capabilities: { elicitation: {} } });
});

check('a tool that is a task answers this client at once, as it does not know tasks', async (s) => {
  const { session } = await answering(s, { 'In red?': [YES] }, async (a) => {
    assert.equal(onlyText(await call(a, 'bind_book')), 'Accepted(Agreed { yes: true })');
  });
  assert.deepEqual(results(session).map(({ resultType }) => resultType), ['input_required', 'complete']);
});
