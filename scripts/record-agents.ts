/**
 * Records what the installed CLIs print in each case, for test/fixtures/agents. Run it for a new version of a CLI and
 * look at the difference. `node scripts/record-agents.ts [claude codex …] [--only case]`
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import {
  closeSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import {
  agentCases,
  agentLines,
  schema,
  type AgentCase,
  type LineOptions,
} from '../test/support/agent-cases.ts';
import { agentClis, agentsFolder, installedVersion, type AgentCli } from '../test/support/agent-clis.ts';
import { agentHome, type AgentHome } from '../test/support/agent-home.ts';
import { eventually } from '../test/support/eventually.ts';
import { startModelServer, type ModelServer, type Said } from '../test/support/model-server/index.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { only: { type: 'string' } },
});
const marker = `PITON_RECORDING=${randomUUID()}`;
const chosen = agentClis.filter((cli) => positionals.length === 0 || positionals.includes(cli.name));
for (const cli of chosen) await record(cli);

async function record(cli: AgentCli): Promise<void> {
  const version = installedVersion(cli);
  if (version === undefined)
    return console.log(`${cli.name} is not installed: node scripts/install-agents.ts`);
  const folder = join(import.meta.dirname, '..', 'test', 'fixtures', 'agents', `${cli.name}-${version}`);
  mkdirSync(folder, { recursive: true });
  for (const one of agentCases[cli.name]) {
    if (values.only !== undefined && values.only !== one.name) continue;
    await recordCase(cli, one, folder);
    console.log(`${cli.name} ${version}: ${one.name}`);
  }
}

/** One recorded process. `saw` is what the model was told in its last request. */
interface Recording {
  readonly args: readonly string[];
  readonly exit: number | string;
  readonly stdout: string;
  readonly stderr: string;
  readonly saw: unknown;
}

async function recordCase(cli: AgentCli, one: AgentCase, folder: string): Promise<void> {
  const root = mkdtempSync(join(tmpdir(), 'piton-record-'));
  const server = await startModelServer();
  try {
    const home = agentHome(cli.name, { root, model: server.url, isSubscriber: one.isSubscriber === true });
    const clean = cleaner(root, server.url);
    const first = await run({ home, server, one, session: { type: 'new', id: randomUUID() } });
    keep(join(folder, one.name), first, clean);
    if (one.killed) {
      const id = sessionIn(first.stdout);
      const goOn = { name: one.name, permissions: one.permissions, prompt: 'Go on. [[say:went on]]' };
      const second = await run({ home, server, one: goOn, session: { type: 'continue', id } });
      keep(join(folder, `${one.name}-resumed`), second, clean);
    }
  } finally {
    await server.close();
    rmSync(root, { recursive: true, force: true });
  }
}

interface Order {
  readonly home: AgentHome;
  readonly server: ModelServer;
  readonly one: AgentCase;
  readonly session: LineOptions['session'];
}

async function run({ home, server, one, session }: Order): Promise<Recording> {
  const line = agentLines[home.cli]({ permissions: one.permissions, session, project: home.project });
  const args = withExtra(line.args, one, home);
  const files = {
    input: join(home.home, 'input'),
    output: join(home.home, 'output'),
    errors: join(home.home, 'errors'),
  };
  writeFileSync(files.input, one.prompt);
  const [name, value] = marker.split('=') as [string, string];
  const handles = [openSync(files.input, 'r'), openSync(files.output, 'w'), openSync(files.errors, 'w')];
  const child = spawn(home.executable, args, {
    cwd: home.project,
    env: { ...home.env, ...line.env, ...one.env, [name]: value },
    stdio: handles as [number, number, number],
    detached: true,
  });
  const ended = new Promise<number | string>((resolve) => {
    child.on('exit', (code, signal) => resolve(code ?? signal ?? 'unknown'));
  });
  handles.forEach(closeSync);
  if (one.killed) await killWhenBusy(child, { home, server, one, output: files.output });
  const patience = setTimeout(() => endAll(), one.patienceMs ?? 90_000);
  const exit = await ended;
  clearTimeout(patience);
  endAll();
  const saw =
    server
      .log()
      .findLast((request) => request.side === undefined)
      ?.said.filter(isConversation) ?? [];
  return {
    args,
    exit,
    stdout: readFileSync(files.output, 'utf8'),
    stderr: readFileSync(files.errors, 'utf8'),
    saw,
  };
}

/** Without the pages that a CLI tells the model about itself and the machine. */
function isConversation(said: Said): boolean {
  return (
    said.type !== 'text' || !/^\s*<(system-reminder|environment_context|session_context)>/.test(said.text)
  );
}

function withExtra(args: readonly string[], { extra = [] }: AgentCase, home: AgentHome): string[] {
  const file = join(home.home, 'schema.json');
  writeFileSync(file, JSON.stringify(schema));
  const given = extra.map((one) => (one === 'SCHEMA' ? file : one));
  return args.at(-1) === '-' ? [...args.slice(0, -1), ...given, '-'] : [...args, ...given];
}

async function killWhenBusy(
  child: ChildProcess,
  { home, server, one, output }: Omit<Order, 'session'> & { readonly output: string },
): Promise<void> {
  const isBusy = (): boolean =>
    one.killed === 'tool'
      ? existsSync(join(home.project, 'started.txt'))
      : server.log().some((entry) => entry.state === 'stalling');
  await eventually(`${home.cli} is busy`, isBusy, 30_000);
  // A tool may run before its call is printed, and OpenCode prints a call only with its result: hence the limit.
  const words = one.killed === 'tool' ? /tool_use|command_execution/ : /\n/;
  await eventually('its words', () => words.test(readFileSync(output, 'utf8')), 2000).catch(() => {});
  // Claude Code writes its transcript a moment after it has asked the model; killed before, there is no session.
  await pause(1000);
  process.kill(-child.pid!, 'SIGKILL');
}

/** Tools run in sessions of their own, and outlive the CLI: they are found by what they inherited. */
function endAll(): void {
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    try {
      const environment = readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0');
      if (environment.includes(marker)) process.kill(Number(pid), 'SIGKILL');
    } catch {
      // It has ended, or is not ours.
    }
  }
}

function sessionIn(stdout: string): string {
  const found = /"(?:session_id|thread_id|sessionID)":"([^"]+)"/.exec(stdout);
  if (!found) throw new Error(`no session in: ${stdout.slice(0, 500)}`);
  return found[1]!;
}

/** Takes out what differs between machines. */
function cleaner(root: string, url: string): (text: string) => string {
  const names: [string, string][] = [
    [join(root, 'project'), '/project'],
    [join(root, 'home'), '/home/dev'],
    [root, '/scratch'],
    [root.replaceAll(/[/.]/g, '-'), '-scratch'],
    [basename(root), 'scratch'],
    [agentsFolder(), '/agents'],
    [dirname(process.execPath), '/node'],
    [process.cwd(), '/piton'],
    [url, 'http://127.0.0.1:4000'],
    [url.replace('http://', ''), '127.0.0.1:4000'],
  ];
  return (text) =>
    names
      .reduce((cleaned, [from, to]) => cleaned.replaceAll(from, to), text)
      .replaceAll(/cc-socks\/\d+/g, 'cc-socks/1');
}

function keep(file: string, { stdout, stderr, ...rest }: Recording, clean: (text: string) => string): void {
  writeFileSync(`${file}.jsonl`, clean(stdout.split('\n').map(shortened).join('\n')));
  const told = stderr.split('\n').slice(0, 12).join('\n');
  writeFileSync(`${file}.json`, clean(`${JSON.stringify({ ...rest, stderr: told }, undefined, 2)}\n`));
}

/** Claude Code begins with long lists of what it can do; three of each tell as much. */
function shortened(line: string): string {
  if (!line.includes('"subtype":"init"')) return line;
  const entries = Object.entries(JSON.parse(line) as Record<string, unknown>);
  return JSON.stringify(
    Object.fromEntries(
      entries.map(([key, value]) => [key, Array.isArray(value) ? value.slice(0, 3) : value]),
    ),
  );
}
