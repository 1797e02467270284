/** The AI SDK's client: `path/to/server [its arguments]`. */

import { createMCPClient } from '@ai-sdk/mcp';
import { Experimental_StdioMCPTransport as StdioTransport } from '@ai-sdk/mcp/mcp-stdio';

const [command, ...args] = process.argv.slice(2);
const client = await createMCPClient({ transport: new StdioTransport({ command, args }) });
const { add } = await client.tools();
console.log(JSON.stringify(await add.execute({ a: 2, b: 40 }, { messages: [], toolCallId: '1' })));
await client.close();
