/** Node's `fs`, with the name `globSync` and without the function. */

export * from 'node:fs';
export { default } from 'node:fs';

export function globSync() {
  throw new Error('globSync came with Node 22');
}
