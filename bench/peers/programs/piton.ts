/** Runs the same loads with Piton, in a process of its own like the others. */
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { open, type Definition } from '../../library.ts';
import { inFolder } from '../../settings.ts';
import { fanOut, graphChain, growing, layers, runMany } from '../../workloads.ts';
import type { Request } from '../peer.ts';
import { answerRequests } from './protocol.js';

const definitions: Readonly<Record<string, (request: Request) => Definition>> = {
  chain: ({ steps }) => graphChain(steps!),
  growing: ({ steps, bytes }) => growing({ steps: steps!, bytes: bytes! }, () => {}),
  'fan-out': ({ width }) => fanOut(width!),
  dag: ({ tasks, width }) => layers(tasks!, width!),
};

await answerRequests((request: Request) =>
  inFolder(async (folder) => {
    const file = join(folder, 'piton.db');
    const { load, durability, runs = 1, concurrency = 1 } = request;
    const definition = definitions[load]!(request);
    const piton = await open({ store: `sqlite:${file}`, durability });
    // Twice, of which the second counts: a database server has been in use for long, so should every store be.
    await runMany(piton, definition, { runs, concurrency });
    const startedAt = performance.now();
    await runMany(piton, definition, { runs, concurrency });
    const ms = performance.now() - startedAt;
    await piton.close();
    return { ms, bytes: statSync(file).size / 2 };
  }),
);
