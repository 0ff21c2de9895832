import { asError } from '../../base/index.ts';
import type { KnownRequest } from '../contract.ts';
import type { Health, Look } from '../upkeep-contract.ts';
import { Answers } from './answers.ts';
import { markOf, thereOf } from './layout.ts';
import { lookAtPlaces } from './place-programs.ts';
import { lineTo, type Resolved } from './ports.ts';
import { callMachine } from './ssh.ts';

/** All places of one machine over one connection. What cannot be reached is unknown: nothing follows from that. */
export async function lookAtRemote(
  options: Resolved,
  requests: readonly KnownRequest[],
): Promise<readonly Look[]> {
  const looks = new Map<KnownRequest, Look>();
  const groups = Map.groupBy(requests, ({ known }) => known.remote ?? '');
  await Promise.all(
    [...groups].map(async ([remote, group]) => {
      const lines = await askMachine(options, remote, group);
      group.forEach((request, index) => looks.set(request, lookIn(request, lines[index] ?? '')));
    }),
  );
  return requests.map((request) => looks.get(request)!);
}

async function askMachine(
  options: Resolved,
  remote: string,
  group: readonly KnownRequest[],
): Promise<readonly string[]> {
  const args = group.flatMap(({ known }) => [thereOf(known).repository, known.path, markOf(known)]);
  try {
    const line = { ...lineTo(options, remote), patienceMs: 0 };
    return new Answers(await callMachine(line, { program: lookAtPlaces, args })).lines();
  } catch (error) {
    return group.map(() => `unknown ${asError(error).message}`);
  }
}

const healths: ReadonlySet<string> = new Set(['clean', 'dirty', 'missing', 'drifted']);

function lookIn({ known }: KnownRequest, line: string): Look {
  const space = line.indexOf(' ');
  const [word, text] = [line.slice(0, space), line.slice(space + 1)];
  return { token: known.token, health: healths.has(word) ? (word as Health) : 'unknown', text };
}
