/** Mastra's client: `path/to/server [its arguments]`. */

import { MCPClient } from '@mastra/mcp';

const [command, ...args] = process.argv.slice(2);
const client = new MCPClient({ servers: { checked: { command, args } } });
const tools = await client.listTools();
console.log(JSON.stringify(await tools.checked_add.execute({ a: 2, b: 40 }, {})));
await client.disconnect();
