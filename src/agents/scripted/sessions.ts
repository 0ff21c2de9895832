import { appendFileSync, constants, copyFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { hasCode, randomId, stateFolder } from '../../base/index.ts';
import type { FailureKind, SessionRequest } from '../contract.ts';

/** The player's sessions: a file each, a line for each thing said, in PITON_SCRIPTED_HOME or the person's home, as other agents do. */
type SessionLine = TurnRecord | { readonly said: string };

export interface TurnRecord {
  readonly prompt: string;
  readonly part?: string | undefined;
  /** Whether a person has said it, who had the session open. */
  readonly isTalk?: boolean;
}

export interface OpenSession {
  readonly id: string;
  readonly lines: readonly SessionLine[];
  readonly turns: readonly TurnRecord[];
}

export interface Refusal {
  readonly refusal: { readonly kind: FailureKind; readonly message: string };
}

export function openSession(request: SessionRequest): OpenSession | Refusal {
  mkdirSync(home(), { recursive: true });
  if (request.type === 'continue') return readSession(request.id);
  const id = request.id ?? randomId();
  if (!isName(id)) return refuse('error', `${id} cannot be the id of a session.`);
  if (request.type === 'new') return create(id, (file) => appendFileSync(file, '', { flag: 'ax' }));
  const { of } = request;
  if (!exists(of)) return refuse('session-missing', `There is no session ${of}.`);
  return create(id, (file) => copyFileSync(sessionFile(of), file, constants.COPYFILE_EXCL));
}

export function recordTurn(id: string, turn: TurnRecord): void {
  append(id, turn);
}

export function recordWords(id: string, said: string): void {
  append(id, { said });
}

function append(id: string, line: SessionLine): void {
  appendFileSync(sessionFile(id), `${JSON.stringify(line)}\n`);
}

function create(id: string, write: (file: string) => void): OpenSession | Refusal {
  try {
    write(sessionFile(id));
    return readSession(id);
  } catch (error) {
    if (!hasCode(error, 'EEXIST')) throw error;
    return refuse('session-in-use', `The session ${id} is already in use.`);
  }
}

export function readSession(id: string): OpenSession | Refusal {
  if (!exists(id)) return refuse('session-missing', `There is no session ${id}.`);
  try {
    const written = readFileSync(sessionFile(id), 'utf8').split('\n');
    const lines = written.filter((line) => line !== '').map((line) => JSON.parse(line) as SessionLine);
    return { id, lines, turns: lines.filter((line) => 'prompt' in line) };
  } catch {
    return refuse('session-missing', `The session ${id} is damaged and cannot be read.`);
  }
}

function refuse(kind: FailureKind, message: string): Refusal {
  return { refusal: { kind, message } };
}

function exists(id: string): boolean {
  return isName(id) && existsSync(sessionFile(id));
}

function isName(id: string): boolean {
  return /^[\w-][\w.-]*$/.test(id);
}

/** Not in the project: a task may work in one place and go on in another. */
function home(): string {
  return process.env['PITON_SCRIPTED_HOME'] ?? stateFolder('scripted');
}

function sessionFile(id: string): string {
  return join(home(), `${id}.jsonl`);
}
