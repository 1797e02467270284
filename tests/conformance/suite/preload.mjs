/**
 * Lets the suite start on Node 20: it imports `globSync` from `fs`, which came with Node 22, though only a command
 * that is not used here ever calls it. To go once Node 22 is the oldest.
 */

import fs from 'node:fs';
import { register } from 'node:module';

if (!fs.globSync) register('./hooks.mjs', import.meta.url);
