import { spawn, type ChildProcess } from 'node:child_process';
import type { Readable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { errorField, PitonError, withOwnPath, systemClock } from '../../base/index.ts';
import { sshArguments, type Machine, type Reach } from './machine.ts';
import { answerIn, programLine, readProgram } from './program-line.ts';

/** What is to be run there: a program in POSIX sh. Each can be cut off anywhere and run again. */
export interface Call {
  readonly program: string;
  readonly args: readonly string[];
  /** What it finds on its standard input. Made anew for each try. */
  input?(): string | Uint8Array | Readable;
}

export interface Line extends Reach {
  /** For ssh itself. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** So long a machine that cannot be reached is called again. */
  readonly patienceMs: number;
}

/** What ssh ends with if the connection was not made, or was lost. Programs of ours never do. */
const noConnection = 255;
export const retryMs = 1_000;

/** Runs a program there and gives its answer. Throws `REMOTE_FAILED`. */
export async function callMachine(line: Line, call: Call): Promise<Buffer> {
  const until = systemClock.elapsed() + line.patienceMs;
  for (;;) {
    const end = await callOnce(line, call);
    if (end.code === 0 && end.answer !== undefined) return end.answer;
    const isOver = systemClock.elapsed() + retryMs > until;
    if (end.code !== noConnection || isOver) throw failureOf(line.machine, end);
    await pause(retryMs);
  }
}

interface End {
  readonly code: number | undefined;
  readonly answer: Buffer | undefined;
  readonly words: string;
}

async function callOnce(line: Line, call: Call): Promise<End> {
  const child = openLine(line, call);
  const [pieces, words] = [collect(child.stdout!), collect(child.stderr!)];
  const end = await endOf(child);
  return {
    code: end.code,
    answer: answerIn(Buffer.concat(pieces)),
    words: end.failure ?? Buffer.concat(words).toString('utf8').trim(),
  };
}

/** Starts ssh. The answer begins after a mark (`answerIn`). */
export function openLine(line: Line, call: Call): ChildProcess {
  const child = spawn('ssh', sshArguments(line, readProgram), {
    env: sshEnvironment(line.environment),
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  // One that ends before it has read everything is judged by its exit code.
  child.stdin.on('error', () => undefined);
  child.stdin.write(programLine(call.program, call.args));
  const input = call.input?.() ?? '';
  if (typeof input === 'string' || input instanceof Uint8Array) child.stdin.end(input);
  else input.on('error', () => child.stdin.destroy()).pipe(child.stdin);
  return child;
}

export interface LineEnd {
  readonly code: number | undefined;
  /** It could not be started at all. */
  readonly failure?: string;
}

export function endOf(child: ChildProcess): Promise<LineEnd> {
  const { promise, resolve } = Promise.withResolvers<LineEnd>();
  child.once('error', (error) => resolve({ code: undefined, failure: startFailure(error) }));
  child.once('close', (code) => resolve({ code: code ?? noConnection }));
  return promise;
}

function startFailure(error: Error): string {
  if (errorField(error, 'code') === 'ENOENT') return 'there is no program `ssh` here';
  return error.message;
}

function collect(stream: Readable): Buffer[] {
  const pieces: Buffer[] = [];
  stream.on('data', (piece: Buffer) => pieces.push(piece));
  return pieces;
}

/** No window may open and ask for a password; crash points are for the process that was told so. */
function sshEnvironment(given: Line['environment']): Record<string, string> {
  const entries = Object.entries(withOwnPath(given)).filter(
    (entry): entry is [string, string] =>
      entry[1] !== undefined && !/^PITON_(CRASH_AT|STOP_AT|CRASH_LOG)$/.test(entry[0]),
  );
  return { ...Object.fromEntries(entries), SSH_ASKPASS_REQUIRE: 'never' };
}

function failureOf(machine: Machine, { code, answer, words }: End): PitonError {
  const { name, host } = machine;
  const said = words === '' ? `ssh ended with ${code}` : words;
  if (answer === undefined || code === noConnection) return unreachable(machine, said);
  return new PitonError('REMOTE_FAILED', `Something went wrong on ${name} (${host}): ${said}`, {
    remote: name,
    host,
    code,
    remedy: 'See what it says; git and a POSIX shell have to be there. Then `piton retry`.',
  });
}

export function unreachable({ name, host }: Machine, words: string, cause?: unknown): PitonError {
  return new PitonError('REMOTE_FAILED', `The machine ${name} (${host}) cannot be reached: ${words}`, {
    remote: name,
    host,
    remedy: `Try \`ssh -o BatchMode=yes ${host} true\`: it has to work without any question (host key, password). Then \`piton retry\`.`,
    ...(cause !== undefined && { cause }),
  });
}
