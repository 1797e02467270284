/** OpenAI's Agents SDK for JavaScript: `path/to/server [its arguments]`. */

import { MCPServerStdio } from '@openai/agents';

const [command, ...args] = process.argv.slice(2);
const server = new MCPServerStdio({ command, args });
await server.connect();
const names = (await server.listTools()).map(({ name }) => name);
if (!names.includes('add')) throw new Error(`no add among ${names}`);
console.log(JSON.stringify(await server.callTool('add', { a: 2, b: 40 })));
await server.close();
