import { nearest, PitonError } from '../../base/index.ts';
import type { RemoteMachine } from '../../model/index.ts';
import { quoted } from './program-line.ts';

/** The same, complete. Data alone: the relay is told it in a file. */
export interface Machine {
  readonly name: string;
  readonly host: string;
  readonly folder: string;
  readonly ssh: readonly string[];
}

const defaultFolder = '~/.piton-remote';

/** Throws `REMOTE_UNKNOWN`. */
export function machineNamed(machines: Readonly<Record<string, RemoteMachine>>, name: string): Machine {
  const found = Object.hasOwn(machines, name) ? machines[name] : undefined;
  if (found === undefined) throw unknownMachine(name, Object.keys(machines));
  return Object.freeze({
    name,
    host: found.host,
    folder: found.folder ?? defaultFolder,
    ssh: Object.freeze([...(found.ssh ?? [])]),
  });
}

function unknownMachine(name: string, known: readonly string[]): PitonError {
  const guess = nearest(name, known);
  const hint = guess === undefined ? '' : ` Did you mean '${guess}'?`;
  return new PitonError('REMOTE_UNKNOWN', `There is no machine '${name}' in the configuration.${hint}`, {
    remote: name,
    known,
    remedy: `Add it to .piton/config.yaml: remotes: { ${name}: { host: user@host } }.`,
  });
}

/** Nobody is asked anything, and nothing of this machine is lent to the other. In ssh the first word counts: these cannot be changed. */
const imposed = [
  'BatchMode=yes',
  'ForwardAgent=no',
  'ForwardX11=no',
  'ClearAllForwardings=yes',
  'PermitLocalCommand=no',
  'RequestTTY=no',
  'EscapeChar=none',
];

/** These can be chosen otherwise. A connection that is dead without knowing it is given up after the product of the last two. */
const usual = ['ConnectTimeout=10', 'ServerAliveInterval=5', 'ServerAliveCountMax=3'];

/** How a machine is reached. */
export interface Reach {
  readonly machine: Machine;
  /** The socket over which several calls share one connection; without it each has its own. */
  readonly shared?: string | undefined;
}

/** It closes by itself when it has not been used for a while. */
const sharedSeconds = 30;

function sshOptions({ machine, shared }: Reach): string[] {
  return [
    ...imposed.flatMap(asOption),
    ...sharing(shared).flatMap(asOption),
    ...machine.ssh,
    ...usual.flatMap(asOption),
  ];
}

function sharing(socket: string | undefined): string[] {
  // One that began in an attempt would be ended together with it, and cut off everybody else.
  if (socket === undefined) return ['ControlMaster=no', 'ControlPath=none'];
  return ['ControlMaster=auto', `ControlPath=${socket}`, `ControlPersist=${sharedSeconds}`];
}

function asOption(option: string): string[] {
  return ['-o', option];
}

/** The words after `ssh` that run a command line there. */
export function sshArguments(reach: Reach, command: string): string[] {
  return [...sshOptions(reach), '--', reach.machine.host, command];
}

/** For git's own connections to the same machine. */
export function gitOverSsh(reach: Reach): Readonly<Record<string, string>> {
  const words = ['ssh', ...sshOptions(reach)];
  return { GIT_SSH_COMMAND: words.map(quoted).join(' '), GIT_SSH_VARIANT: 'ssh' };
}

/** A repository there, as git is to call it. */
export function addressOf({ host }: Machine, path: string): string {
  return `${host}:${path}`;
}
