/** LangChain's adapter for JavaScript: `path/to/server [its arguments]`. */

import { MultiServerMCPClient } from '@langchain/mcp-adapters';

const [command, ...args] = process.argv.slice(2);
const client = new MultiServerMCPClient({ mcpServers: { checked: { transport: 'stdio', command, args } } });
const tools = await client.getTools();
console.log(JSON.stringify(await tools.find(({ name }) => name.endsWith('add')).invoke({ a: 2, b: 40 })));
await client.close();
