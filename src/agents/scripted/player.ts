/** The program behind the scripted agent. `player.ts <order file> [--part <file>]`, the prompt on standard input. */
import { readFileSync } from 'node:fs';
import { play } from './play.ts';
import { setUp, type Setting } from './setting.ts';
import { talk } from './talk.ts';
import { say } from './voice.ts';

const playerVersion = '1.0.0';

async function main([first, ...rest]: readonly string[]): Promise<number> {
  if (first === '--version') return print(playerVersion);
  if (first === '--talk') return talk(rest[0] ?? '');
  if (first === undefined) return refuse('Name the file with the order.');
  const setting = setUp({ orderFile: first, args: rest, prompt: readFileSync(0, 'utf8') });
  if ('refusal' in setting) return fail(setting.refusal);
  return playPart(setting);
}

async function playPart(setting: Setting): Promise<number> {
  const { session, turn, order } = setting;
  say({ event: 'opened', session, turn, version: playerVersion, ...(order.model && { model: order.model }) });
  return play(setting);
}

function print(text: string): number {
  process.stdout.write(`${text}\n`);
  return 0;
}

function refuse(text: string): number {
  process.stderr.write(`${text}\n`);
  return 2;
}

function fail(refusal: { readonly kind: string; readonly message: string }): number {
  say({ event: 'failed', ...refusal });
  return 1;
}

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  process.exitCode = refuse(error instanceof Error ? error.message : String(error));
}
