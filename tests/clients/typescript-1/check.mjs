/** The official TypeScript SDK of the first generation, which opens with `initialize` and knows nothing else. */

import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { converse } from '../conversation.mjs';

await converse(async (server, { onQuestion, onNotification, onError }) => {
  const client = new Client({ name: 'check', version: '1.0.0' }, { capabilities: { elicitation: {} } });
  client.setRequestHandler(ElicitRequestSchema, ({ params }) => onQuestion(params));
  client.fallbackNotificationHandler = async ({ method, params }) => onNotification(method, params);
  client.onerror = onError;
  await client.connect(server.url ? new StreamableHTTPClientTransport(server.url) : new StdioClientTransport(server));
  const call = (name, args, options) => client.callTool({ name, arguments: args }, undefined, options);
  return { client, call, era: 'initialize' };
});
