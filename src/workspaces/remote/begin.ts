import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PitonError } from '../../base/index.ts';
import { blankExit, watcherText, wrapperText } from '../../spool/index.ts';
import { Answers } from './answers.ts';
import { beginAttempt, launchAttempt } from './attempt-programs.ts';
import { watcherRounds, type Attempts } from './attempts.ts';
import { aside, type Description, type Surroundings } from './description.ts';
import { quoted } from './program-line.ts';
import { callMachine } from './ssh.ts';

interface Beginning extends Surroundings {
  /** For its exit record there; the command must never know them. */
  readonly nonces: string;
}

/** Starts it there, once at most, however often the connection is lost meanwhile. */
export async function begin(attempts: Attempts, description: Description, here: Beginning): Promise<void> {
  const { attempt, kind, argv, directory, timeoutMs, graceMs } = description;
  const there = `${attempts.folder}/${attempt}`;
  // Wherever the folder of the attempt is named, the one there is meant.
  const moved = (text: string): string => text.replaceAll(here.folder, there);
  const files = description.files.map((name) => {
    return { name, bytes: Buffer.from(moved(readFileSync(join(here.folder, name), 'utf8'))) };
  });
  const bundle = Buffer.concat(files.map(({ bytes }) => bytes));
  const timeout = timeoutMs === undefined ? '' : (timeoutMs / 1000).toFixed(3);
  const about = [
    attempts.folder,
    attempt,
    kind,
    directory,
    timeout,
    watcherRounds(graceMs),
    blankExit(attempt).slice(0, -1),
  ];
  const listed = files.flatMap(({ name, bytes }) => [name, String(bytes.length)]);
  const answer = await callMachine(attempts.line, {
    program: [beginAttempt, exportsOf(description, here, { there, moved }), launchAttempt].join('\n'),
    args: [...about, String(bundle.length), ...listed, '--', ...argv.map(moved)],
    // The nonces first: arguments can be read by everybody there.
    input: () => Buffer.concat([Buffer.from(`${here.nonces}\n`), bundle]),
  });
  if (new Answers(answer).has('superseded')) throw superseded(attempt);
}

interface Move {
  readonly there: string;
  moved(text: string): string;
}

/** Our own variables that have the same meaning there. */
const ownVariables = ['PITON_RUN', 'PITON_TASK', 'PITON_ATTEMPT', 'PITON_ATTEMPT_ID', 'PITON_KEY'];

function exportsOf(description: Description, { environment }: Surroundings, { there, moved }: Move): string {
  const variables: Record<string, string> = {};
  for (const name of [...ownVariables, ...description.variables]) {
    const value = environment[aside(name)] ?? environment[name];
    if (value !== undefined) variables[name] = moved(value);
  }
  Object.assign(variables, {
    PITON_OUTPUT: `${there}/output`,
    // Not the mark of attempts here: where both are the same machine, whoever ends the relay must not find the other.
    [`PITON_REMOTE_${description.attempt}`]: '1',
    PITON_WRAPPER: wrapperText,
    ...(description.timeoutMs !== undefined && { PITON_WATCHER: watcherText }),
  });
  return Object.entries(variables)
    .map(([name, value]) => `export ${name}=${quoted(value)}`)
    .join('\n');
}

function superseded(attempt: string): PitonError {
  return new PitonError('REMOTE_FAILED', 'Another attempt of the same task has begun there meanwhile.', {
    attempt,
    remedy: 'Nothing: the other one goes on.',
  });
}
