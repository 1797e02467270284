/** Gives the suite, and nobody else, the `fs` of `fs.mjs`. */

const ours = new URL('fs.mjs', import.meta.url).href;

export function resolve(specifier, context, next) {
  const fromSuite = context.parentURL?.includes('/node_modules/@modelcontextprotocol/conformance/');
  const isFs = specifier === 'fs' || specifier === 'node:fs';
  return fromSuite && isFs ? { url: ours, format: 'module', shortCircuit: true } : next(specifier, context);
}
