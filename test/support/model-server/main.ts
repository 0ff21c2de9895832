/** The model server as a program: prints its address and serves until it is killed. `GET /log` tells what it was asked. */
import { appendFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { startModelServer } from './server.ts';

const { values } = parseArgs({
  options: { port: { type: 'string', default: '0' }, raw: { type: 'string' } },
});
const { raw } = values;
const server = await startModelServer({
  port: Number(values.port),
  ...(raw !== undefined && { onRequest: (path, body) => appendFileSync(raw, `${path}\n${body}\n\n`) }),
});
console.log(server.url);
