import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { scripted } from '../../src/agents/scripted/scripted.ts';
import { eventually } from '../support/eventually.ts';
import { write } from '../support/git-playground.ts';
import { remoteBench, workIn, type RemoteBench, type Started } from '../support/remote-place.ts';
import type { WorkRequest } from '../../src/workspaces/index.ts';

/** A task whose command counts how often it begins, and ends when it is told so. */
const patient = [
  'sh',
  '-c',
  'echo begun >>count; echo first; until [ -f go ]; do sleep 0.05; done; echo last; exit 5',
];

async function atWork(bench: RemoteBench): Promise<{ work: (attempt: string) => WorkRequest; path: string }> {
  const request = bench.request('build');
  const { place } = await bench.places.prepare(request);
  return { work: (attempt) => workIn(request, place, { attempt }), path: place.path };
}

/** A shell makes a file before it writes into it. */
function isWritten(file: string): boolean {
  return existsSync(file) && readFileSync(file, 'utf8').endsWith('\n');
}

function begun(path: string): number {
  const file = join(path, 'count');
  return existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n').length : 0;
}

/** All that stands for it here, as when this machine goes down. */
function killRelay({ pid }: Started): void {
  process.kill(-pid, 'SIGKILL');
}

test('what goes on there when the relay is killed is followed to its end, not started again', async () => {
  const bench = await remoteBench();
  const { work, path } = await atWork(bench);
  const first = await bench.start(work('a1'), { argv: patient });
  await eventually('it has begun', () => first.stdout() === 'first\n');
  killRelay(first);
  expect((await first.ended)?.type).toBe('vanished');
  const second = await bench.start(work('a2'), { argv: patient });
  await eventually('it is followed again', () => second.stdout() === 'first\n');
  write(path, { go: '' });
  expect(await second.ended).toEqual({ type: 'exited', exit: { code: 5, timedOut: false } });
  expect(second.stdout()).toBe('first\nlast\n');
  expect(begun(path)).toBe(1);
});

test('what has ended while nobody stood for it here is taken, not done again; what was told is done again', async () => {
  const bench = await remoteBench();
  const { work, path } = await atWork(bench);
  const first = await bench.start(work('a1'), { argv: patient });
  await eventually('it has begun', () => begun(path) === 1);
  killRelay(first);
  write(path, { go: '' });
  const second = await bench.start(work('a2'), { argv: patient });
  expect(await second.ended).toEqual({ type: 'exited', exit: { code: 5, timedOut: false } });
  expect(second.stdout()).toBe('first\nlast\n');
  expect(begun(path)).toBe(1);
  const third = await bench.start(work('a3'), { argv: patient });
  expect(await third.ended).toEqual({ type: 'exited', exit: { code: 5, timedOut: false } });
  expect(begun(path)).toBe(2);
});

test('another kind of attempt does not take the end of an earlier one for its own, and ends what is left of it', async () => {
  const bench = await remoteBench();
  const { work, path } = await atWork(bench);
  const first = await bench.start(work('a1'), { argv: ['sh', '-c', 'echo $$ >pid; exec sleep 600'] });
  await eventually('it has begun', () => isWritten(join(path, 'pid')));
  killRelay(first);
  const pid = Number(readFileSync(join(path, 'pid'), 'utf8'));
  const check = await bench.start({ ...work('a2'), kind: 'check' }, { argv: ['echo', 'checked'] });
  expect(await check.ended).toEqual({ type: 'exited', exit: { code: 0, timedOut: false } });
  expect(check.stdout()).toBe('checked\n');
  expect(isAlive(pid)).toBe(false);
});

test('a connection that is cut, and a machine that is away for a while, lose and repeat nothing of the output', async () => {
  const bench = await remoteBench();
  const { work, path } = await atWork(bench);
  const script =
    'n=0; until [ -f go ]; do n=$((n + 1)); echo "line $n"; echo "error $n" >&2; sleep 0.02; done; echo end';
  const started = await bench.start(work('a1'), { argv: ['sh', '-c', script] });
  await eventually('output', () => started.stdout() !== '');
  for (const pid of bench.server.connections()) kill(pid);
  const cut = started.stdout().length;
  await eventually('it is followed again', () => started.stdout().length > cut);
  const connections = bench.server.connections();
  bench.server.close();
  for (const pid of connections) kill(pid);
  await bench.server.reopen();
  const before = started.stdout().length;
  await eventually('it is followed on', () => started.stdout().length > before);
  write(path, { go: '' });
  expect(await started.ended).toEqual({ type: 'exited', exit: { code: 0, timedOut: false } });
  const lines = started.stdout().split('\n').slice(0, -2);
  expect(lines).toEqual(lines.map((_, index) => `line ${index + 1}`));
  expect(started.stderr()).toBe(lines.map((_, index) => `error ${index + 1}\n`).join(''));
});

test('ending an attempt here ends all its processes there', async () => {
  const bench = await remoteBench();
  const { work, path } = await atWork(bench);
  const script = 'sleep 600 & echo $! >child; echo $$ >pid; wait';
  await bench.start(work('a1'), { argv: ['sh', '-c', script] });
  await eventually('it has begun', () => isWritten(join(path, 'pid')));
  const pids = ['pid', 'child'].map((name) => Number(readFileSync(join(path, name), 'utf8')));
  expect(pids.map(isAlive)).toEqual([true, true]);
  await bench.spool.fence('a1');
  await eventually('they are gone', () => !pids.some(isAlive));
});

test('a deadline ends it there, and is told as one', async () => {
  const bench = await remoteBench();
  const { work, path } = await atWork(bench);
  const argv = ['sh', '-c', 'echo $$ >pid; exec sleep 600'];
  const started = await bench.start(work('a1'), { argv, timeoutMs: 8_000 });
  expect(await started.ended).toMatchObject({ type: 'exited', exit: { timedOut: true } });
  expect(isAlive(Number(readFileSync(join(path, 'pid'), 'utf8')))).toBe(false);
});

test('a process that vanishes there without a word vanishes here too', async () => {
  const bench = await remoteBench();
  const { work, path } = await atWork(bench);
  const started = await bench.start(work('a1'), {
    argv: ['sh', '-c', 'echo $PPID >wrapper; exec sleep 600'],
  });
  await eventually('it has begun', () => existsSync(join(path, 'wrapper')));
  kill(Number(readFileSync(join(path, 'wrapper'), 'utf8')));
  expect(await started.ended).toEqual({ type: 'vanished' });
  const again = await bench.start(work('a2'), { argv: ['echo', 'anew'] });
  expect(await again.ended).toEqual({ type: 'exited', exit: { code: 0, timedOut: false } });
  expect(again.stdout()).toBe('anew\n');
});

test('only what the task is given goes there, and values of variables never by a file', async () => {
  const bench = await remoteBench();
  const { work } = await atWork(bench);
  const argv = [
    'sh',
    '-c',
    'echo "$TOKEN/$GIVEN/${PITON_TASK}/${ONLY_HERE-none}"; tr "\\0" "\\n" </proc/$$/environ | grep -c "^PITON_WRAPPER="; true',
  ];
  const secret = 's3cret "quoted" $HOME\nsecond line';
  const started = await bench.start(work('a1'), {
    argv,
    env: { TOKEN: secret, GIVEN: 'x' },
    secrets: ['TOKEN'],
  });
  await started.ended;
  expect(started.stdout()).toBe(`${secret}/x/build/none\n0\n`);
  const found = execFileSync('grep', ['-rlF', 's3cret', bench.folder], { encoding: 'utf8' })
    .trim()
    .split('\n');
  // What it has printed itself is in its output, here and there.
  expect(found.every((file) => file.endsWith('/stdout'))).toBe(true);
});

test('an agent works there in a session, and the session is resumed there', async () => {
  const bench = await remoteBench();
  const { work, path } = await atWork(bench);
  const turn = async (
    attempt: string,
    session: { type: 'new' | 'continue'; id: string },
  ): Promise<string> => {
    const prompt = `Do it.\n\`\`\`part\n${JSON.stringify({
      turns: [
        [{ edit: { file: 'one.txt', text: 'one' } }, { answer: 'First.' }],
        [{ edit: { file: 'two.txt', text: 'two' } }, { answer: 'Second.' }],
      ],
    })}\n\`\`\`\n`;
    const command = scripted.command({
      prompt,
      directory: path,
      session,
      permissions: 'full',
      allowedCommands: [],
      allowed: [],
      args: [],
      folder: bench.spool.folderOf(attempt),
    });
    const { argv, env, input, files } = command;
    const started = await bench.start(work(attempt), {
      argv,
      env: { ...env, PITON_SCRIPTED_HOME: join(bench.folder, 'sessions') },
      files,
      ...(input !== undefined && { input }),
    });
    expect(await started.ended).toEqual({
      type: 'exited',
      exit: { code: 0, timedOut: false },
    });
    return started.stdout();
  };
  expect(await turn('a1', { type: 'new', id: 'session-1' })).toContain('First.');
  expect(await turn('a2', { type: 'continue', id: 'session-1' })).toContain('Second.');
  expect(readFileSync(join(path, 'two.txt'), 'utf8')).toBe('two');
});

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended meanwhile.
  }
}

/** A zombie is dead. */
function isAlive(pid: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return !/^[ZX]/.test(stat.slice(stat.lastIndexOf(')') + 2));
  } catch {
    return false;
  }
}
