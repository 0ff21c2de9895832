/**
 * An agent that is told to break out, in the sandbox and without it. What it could do is compared with the table below, line by line:
 * that is the one in docs/security.md, under "Inside of a run".
 */
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { stateFolder } from '../../src/base/index.ts';
import { findSandbox } from '../../src/sandbox/index.ts';
import { git, openRepository, type RepositoryPlace } from '../support/repository-place.ts';
import { played } from '../support/scripted-place.ts';

const environment = { ...process.env, PITON_BWRAP: undefined };
const here = (await findSandbox(environment)).by === 'bubblewrap';
const isRoot = process.getuid!() === 0;

interface World extends RepositoryPlace {
  /** A folder of the user that has nothing to do with the project. */
  readonly outside: string;
}

interface Deed {
  /** Done if it succeeds. Whatever it changes, it puts back, or changes only what the test has made. */
  readonly by: (world: World) => string;
  readonly inSandbox: 'open' | 'shut';
  /** Not tried where it would touch the machine. */
  readonly without?: 'open' | 'shut';
  readonly needsRoot?: true;
}

const shut = (by: Deed['by'], more: Partial<Deed> = {}): Deed => ({
  by,
  inSandbox: 'shut',
  without: 'open',
  ...more,
});
const open = (by: Deed['by'], more: Partial<Deed> = {}): Deed => ({
  by,
  inSandbox: 'open',
  without: 'open',
  ...more,
});
/** Nobody can, or nobody should try. */
const never = (by: Deed['by']): Deed => ({ by, inSandbox: 'shut' });

const node = (text: string): string => `'${process.execPath}' -e "${text}"`;
const record = '"$(git rev-parse --git-dir)"';
const shared = '"$(git rev-parse --git-common-dir)"';
const spool = '"$(dirname "$PITON_OUTPUT")"';

/** The lines of docs/security.md; of each, what is tried. */
const table: Readonly<Record<string, Readonly<Record<string, Deed>>>> = {
  'its place, its temporary folder': {
    'a file in its place': open(() => 'echo x >x.txt'),
    'a commit of its own': open(
      () => 'date +%N >y.txt && git add y.txt && git -c user.name=A -c user.email=a@b commit -qm y',
    ),
    'a temporary file': open(() => 'mktemp && touch /tmp/piton-break-out && rm /tmp/piton-break-out'),
    'shared memory': open(() => 'touch /dev/shm/piton-break-out && rm /dev/shm/piton-break-out'),
    'its output': open(() => 'echo 1 >"$PITON_OUTPUT.x" && rm "$PITON_OUTPUT.x"'),
  },
  'writing anywhere else': {
    'the home': shut(() => 'touch "$HOME/.piton-break-out" && rm "$HOME/.piton-break-out"'),
    'another folder': shut(({ outside }) => `echo x >${outside}/written`),
    'its name': shut(({ outside }) => `mv ${outside}/a ${outside}/c && mv ${outside}/c ${outside}/a`),
    'its mode': shut(({ outside }) => `chmod 700 ${outside}/b`),
    'its times': shut(({ outside }) => `touch -d @0 ${outside}/b`),
    'a hard link to it': never(({ outside }) => `ln ${outside}/b hard`),
    'a link to it': shut(({ outside }) => `ln -s ${outside} soft && touch soft/by-link`),
    'the system': { ...shut(() => 'touch /etc/piton-break-out && rm /etc/piton-break-out'), needsRoot: true },
    'what hooks of the shell obey': never(
      () => '[ -w "$HOME/.bashrc" ] || [ -w "$HOME/.profile" ] || [ -w "$HOME/.config" ]',
    ),
  },
  'your checkout, git’s configuration, hooks, your branches, packed history, the link of the worktree': {
    'the checkout': shut(({ repository }) => `echo evil >${repository}/evil.txt`),
    'its configuration': shut(() => 'git config piton.break out'),
    'configuration of its own': shut(() => `echo x >${record}/config.worktree`),
    hooks: shut(() => `echo evil >${shared}/hooks/post-merge`),
    attributes: shut(() => `mkdir -p ${shared}/info && echo "* -text" >${shared}/info/attributes`),
    'the branch of the user': shut(() => 'git update-ref refs/heads/other HEAD'),
    'a new branch': shut(() => 'git branch evil && git branch -q -D evil'),
    'packed refs': shut(() => `touch ${shared}/packed-refs`),
    'a replacement': shut(
      () => 'git replace HEAD:a.txt HEAD:.mcp.json && git replace -d $(git rev-parse HEAD:a.txt)',
    ),
    'a stash': shut(() => 'echo z >z.txt && git add z.txt && git -c user.name=A -c user.email=a@b stash -q'),
    'packed history': shut(() => `touch ${shared}/objects/pack/x`),
    'where objects are': shut(() => `mkdir -p ${shared}/objects/info && touch ${shared}/objects/info/x`),
    'the record of another worktree': shut(
      () => `touch ${shared}/worktrees/x || mkdir ${shared}/worktrees/evil`,
    ),
    'its own record, as git believes it': shut(
      () => `cat ${record}/gitdir >${record}/gitdir.x && mv ${record}/gitdir.x ${record}/gitdir`,
    ),
    'the link to git': shut(() => 'cat .git >.git.x && cat .git.x >.git; r=$?; rm -f .git.x; [ $r = 0 ]'),
  },
  'branches of other tasks of the run (noticed when results are brought in); deleting or exchanging loose objects of the repository':
    {
      'the branch of another task': open(
        () =>
          `touch "$(dirname ${shared}/"$(git symbolic-ref HEAD)")/other"  && rm "$(dirname ${shared}/"$(git symbolic-ref HEAD)")/other"`,
      ),
      'a loose object': open(
        () => `mkdir -p ${shared}/objects/zz && touch ${shared}/objects/zz/x && rm -r ${shared}/objects/zz`,
      ),
    },
  'existing settings, hooks and MCP files, at the top of the place': {
    'settings of an agent': shut(() => 'echo "{}" >.claude/settings.json'),
    'their removal': shut(() => 'mv .claude .gone && mv .gone .claude'),
    'servers of an agent': shut(() => 'echo "{}" >.mcp.json'),
  },
  'those that are not there yet, or lie deeper (held before they are brought in)': {
    'new settings': open(() => 'mkdir .codex && echo x >.codex/config.toml && rm -r .codex'),
    'settings deeper': open(() => 'echo "{}" >sub/.claude/settings.json'),
  },
  'places and spools of others, its own exit record, the store, Piton’s keys and records of trust': {
    'its own exit record': shut(
      () => `touch "$(dirname "$(dirname "$PITON_OUTPUT")")"/*/exit || touch ${spool}/../exit`,
    ),
    'other spools': shut(({ root }) => `[ "$(ls ${root}/spool | wc -l)" -gt 1 ]`),
    'other places': shut(({ root }) => `cat ${root}/worktrees/other/a.txt`),
    'the store': shut(({ root }) => `[ -w ${root}/piton.db ]`),
    'what the store says': open(({ root }) => `head -c 16 ${root}/piton.db | grep -q SQLite`),
    'the keys': shut(() => `ls ${stateFolder('keys')}/*`),
    'a record of trust': shut(
      () =>
        `mkdir -p ${stateFolder('trust')} && touch ${stateFolder('trust')}/break-out && rm ${stateFolder('trust')}/break-out`,
    ),
  },
  'the kernel’s files, remounting, namespaces, processes outside': {
    'a remount': never(() => 'mount -o remount,rw,bind /'),
    'an unmount': never(() => 'umount -l .git || umount -l /proc/sys'),
    'a mount': never(() => 'mount -t tmpfs x /mnt || mount -t proc x /mnt'),
    'a root of its own': never(() => 'mkdir -p /tmp/r && chroot /tmp/r /x; [ $? = 127 ]'),
    'a device': never(() => 'mknod /tmp/dev b 8 0'),
    'a namespace': never(() => 'unshare -U true || unshare -m true'),
    'files of the kernel': never(
      () =>
        '[ -w /proc/sys/kernel/core_pattern ] || [ -w /proc/sysrq-trigger ] || [ -w /sys/kernel/uevent_helper ]',
    ),
    'a control group': never(() => 'mkdir /sys/fs/cgroup/evil || [ -w /sys/fs/cgroup/cgroup.procs ]'),
    'a process outside': shut(() => `kill -0 ${process.pid}`),
    'what it knows': shut(() => `cat /proc/${process.pid}/environ`),
    'its files': shut(() => `ls /proc/${process.pid}/root/ /proc/${process.pid}/fd`),
    'the wrapper': { by: () => 'grep -lqa PITON_WRAPPER= /proc/[0-9]*/environ', inSandbox: 'shut' },
    'a descriptor that was left open': never(
      () =>
        'ls -l /proc/self/fd | grep -vE "attack.sh|/dev/null|pipe:|/proc/|worktrees/run/agent|/stderr$" | grep -q -- "->"',
    ),
    'a terminal': never(() => 'exec 9<>/dev/tty'),
    'more rights': never(
      () =>
        '[ "$(grep -c "^Cap\\(Prm\\|Eff\\|Bnd\\):.*[1-9a-f]" /proc/self/status)" -gt 0 ] || ! grep -q "NoNewPrivs:.*1" /proc/self/status',
    ),
    'a process that outlives it': never(() => ': tried in sandbox.test.ts; false'),
  },
  'sockets in the file system that others listen at': {
    'of an engine, an editor, a terminal': shut(({ outside }) =>
      node(
        `require('net').connect('${outside}/s').on('connect',()=>process.exit(0)).on('error',()=>process.exit(1))`,
      ),
    ),
    'of services': never(() => '[ -n "$(ls /run | grep -v systemd)" ]'),
  },
  'reading what you may read': {
    'a file of the user': open(({ outside }) => `grep -q precious ${outside}/precious`),
    'the checkout, read': open(({ repository }) => `cat ${repository}/a.txt`),
  },
  'the network, and by it local services and abstract sockets': {
    'a local service': open(({ outside }) =>
      node(
        `require('net').connect(+require('fs').readFileSync('${outside}/port','utf8'),'127.0.0.1').on('connect',()=>process.exit(0)).on('error',()=>process.exit(1))`,
      ),
    ),
    'an abstract socket': open(({ outside }) =>
      node(
        `require('net').connect('\\\\0piton-'+require('fs').readFileSync('${outside}/port','utf8')).on('connect',()=>process.exit(0)).on('error',()=>process.exit(1))`,
      ),
    ),
  },
};

const deeds = Object.values(table).flatMap((line) => Object.entries(line));
const ofNetwork = Object.keys(Object.values(table).at(-1)!);

async function openWorld(): Promise<World> {
  const place = await openRepository({ environment });
  const outside = mkdtempSync(join(homedir(), '.piton-test-'));
  onTestFinished(() => rmSync(outside, { recursive: true, force: true }));
  for (const name of ['a', 'b', 'precious']) writeFileSync(join(outside, name), 'precious');
  chmodSync(outside, 0o755);
  for (const folder of ['.claude', 'sub/.claude']) {
    mkdirSync(join(place.repository, folder), { recursive: true });
    writeFileSync(join(place.repository, folder, 'settings.json'), '{}');
  }
  writeFileSync(join(place.repository, '.mcp.json'), '{}');
  git(place.repository, 'add', '.');
  git(place.repository, 'commit', '-qm', 'settings');
  git(place.repository, 'branch', 'other');
  mkdirSync(join(place.root, 'worktrees/other'), { recursive: true });
  writeFileSync(join(place.root, 'worktrees/other/a.txt'), 'theirs');
  const port = await listen(0);
  writeFileSync(join(outside, 'port'), String(port));
  await listen(join(outside, 's'));
  await listen(`\0piton-${port}`);
  return { ...place, outside };
}

async function listen(where: number | string): Promise<number> {
  const server = createServer((socket) => void socket.on('error', () => {}).end());
  if (typeof where === 'number') server.listen(where, '127.0.0.1');
  else server.listen(where);
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}

type Seen = Readonly<Record<string, string>>;

function scriptOf(world: World, isDone: (deed: Deed) => boolean): string {
  const lines = deeds
    .filter(([, deed]) => isDone(deed) && (isRoot || deed.needsRoot !== true))
    .map(
      ([name, { by }]) =>
        `if (${by(world)}) </dev/null >/dev/null 2>&1; then echo "open ${name}"; else echo "shut ${name}"; fi`,
    );
  return `#!/bin/sh\n${lines.join('\n')}\n`;
}

const seenIn = (text: string): Seen =>
  Object.fromEntries(
    text
      .split('\n')
      .filter((line) => /^(open|shut) /.test(line))
      .map((line) => [line.slice(5), line.slice(0, 4)]),
  );

const expected = (which: 'inSandbox' | 'without', changed: Seen = {}): Seen =>
  Object.fromEntries(
    deeds.flatMap(([name, deed]) => {
      const how = changed[name] ?? deed[which];
      return how === undefined || (deed.needsRoot === true && !isRoot) ? [] : [[name, how]];
    }),
  );

interface Told {
  readonly agent: Seen;
  readonly check: Seen;
}

/** The agent does it in its tool, and its check, which runs what it wrote, does it again. */
async function tellToBreakOut(
  world: World,
  { isBare = false, ...more }: { isBare?: boolean; network?: string },
): Promise<Told> {
  const script = scriptOf(world, (deed) => !isBare || deed.without !== undefined);
  writeFileSync(join(world.root, 'attack.sh'), script);
  const attack = `sh ${world.root}/attack.sh`;
  const other = { run: 'sleep 0', workspace: 'worktree' };
  const run = await world.run({
    other,
    agent: played([[{ run: `${attack} >by-agent.txt` }, { answer: 'done' }]], {
      needs: ['other'],
      sandbox: isBare ? 'off' : 'required',
      check: `${attack} >by-check.txt; git checkout -q -- sub .claude .mcp.json || true`,
      ...more,
    }),
  });
  for await (const event of run.events())
    if (event.type === 'task.held' || (event.type === 'task.succeeded' && event.task === 'agent')) break;
  const read = (name: string): Seen =>
    seenIn(readFileSync(join(world.root, 'worktrees/run/agent', name), 'utf8'));
  return { agent: read('by-agent.txt'), check: read('by-check.txt') };
}

describe.skipIf(!here)('an agent that is told to break out', () => {
  test('can do in the sandbox what is documented, and so can its check', async () => {
    const world = await openWorld();
    const { agent, check } = await tellToBreakOut(world, {});
    expect(agent).toEqual(expected('inSandbox'));
    expect(check).toEqual(expected('inSandbox'));
    expect(readFileSync(join(world.outside, 'precious'), 'utf8')).toBe('precious');
    expect(existsSync('/tmp/piton-break-out')).toBe(false);
  });

  test('reaches no service either, where the network is off', async () => {
    const { agent } = await tellToBreakOut(await openWorld(), { network: 'off' });
    const closed = Object.fromEntries(ofNetwork.map((name) => [name, 'shut']));
    expect(agent).toEqual(expected('inSandbox', closed));
  });
});

test('without a sandbox, it can do what its user can', async () => {
  const { agent, check } = await tellToBreakOut(await openWorld(), { isBare: true });
  expect(agent).toEqual(expected('without'));
  expect(check).toEqual(expected('without'));
});

test('every line is in the documentation', () => {
  const text = readFileSync(join(import.meta.dirname, '../../docs/security.md'), 'utf8');
  const lines = Object.keys(table).map((line) => line.replaceAll('’', "'"));
  expect(lines.filter((line) => !text.includes(line))).toEqual([]);
});
