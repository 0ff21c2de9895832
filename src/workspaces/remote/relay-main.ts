/**
 * The relay: an ordinary process here that stands for one on another machine. It starts it there, or finds what an earlier relay
 * has started, prints what that prints, and ends as it ends. If it is killed, the other goes on, and the next relay takes over.
 */
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { asError, errorField } from '../../base/index.ts';
import { descriptionFile, type Description } from './description.ts';
import { Relay } from './relay.ts';
import { vanish } from './vanish.ts';

const resultFile = process.env['PITON_OUTPUT']!;
const folder = dirname(resultFile);
const description = JSON.parse(readFileSync(join(folder, descriptionFile), 'utf8')) as Description;
const relay = new Relay(description, { folder, resultFile, environment: process.env });
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => relay.stop());

/** What shells end with if a command cannot be run. */
const notRun = 126;

try {
  const end = await relay.run();
  if (end.type === 'vanished') vanish(folder, description.attempt);
  else process.exitCode = end.code;
} catch (error) {
  const { message } = asError(error);
  const remedy = errorField(asError(error), 'remedy');
  process.stderr.write(`${message}\n${typeof remedy === 'string' ? `${remedy}\n` : ''}`);
  process.exitCode = notRun;
}
process.exit();
