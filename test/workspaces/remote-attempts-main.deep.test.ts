import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { scripted } from '../../src/agents/scripted/scripted.ts';
import { eventually } from '../support/eventually.ts';
import { write } from '../support/git-playground.ts';
import { remoteBench } from '../support/remote-place.ts';
import { atWork, begun, isAlive, isWritten, kill, killRelay, patient } from './remote-attempts.ts';

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
