/** The official TypeScript client of the second generation, with the options that it has by default. */

import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { converse } from '../conversation.mjs';

await converse(async (server, { onQuestion, onNotification, onError }) => {
  const client = new Client({ name: 'check', version: '1.0.0' }, { capabilities: { elicitation: {} } });
  client.setRequestHandler('elicitation/create', ({ params }) => onQuestion(params));
  client.fallbackNotificationHandler = async ({ method, params }) => onNotification(method, params);
  client.onerror = onError;
  await client.connect(server.url ? new StreamableHTTPClientTransport(server.url) : new StdioClientTransport(server));
  const call = (name, args, options) => client.callTool({ name, arguments: args }, options);
  // The client takes −32002 of older revisions, and shows the code of the newest.
  return { client, call, era: 'initialize', missingCode: -32602 };
});
