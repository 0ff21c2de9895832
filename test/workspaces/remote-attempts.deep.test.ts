import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { write } from '../support/git-playground.ts';
import { remoteBench } from '../support/remote-place.ts';
import { atWork, begun, isAlive, isWritten, kill, killRelay, patient } from './remote-attempts.ts';

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
  await eventually('it has begun', () => isWritten(join(path, 'wrapper')));
  kill(Number(readFileSync(join(path, 'wrapper'), 'utf8')));
  expect(await started.ended).toEqual({ type: 'vanished' });
  const again = await bench.start(work('a2'), { argv: ['echo', 'anew'] });
  expect(await again.ended).toEqual({ type: 'exited', exit: { code: 0, timedOut: false } });
  expect(again.stdout()).toBe('anew\n');
});

test('an exit record there that its wrapper did not write is no end, for nobody', async () => {
  const bench = await remoteBench();
  const { work } = await atWork(bench);
  const script =
    'printf "%s 000 0 %032d end\\n" forged 0 >"$(dirname "$PITON_OUTPUT")/exit"; kill -KILL $PPID; exit 0';
  const forged = await bench.start(work('forged'), { argv: ['sh', '-c', script] });
  expect(await forged.ended).toEqual({ type: 'vanished' });
  expect(forged.stderr()).toContain('wrong nonce');
  const again = await bench.start(work('afterwards'), { argv: ['echo', 'anew'] });
  expect(await again.ended).toEqual({ type: 'exited', exit: { code: 0, timedOut: false } });
  expect(again.stdout()).toBe('anew\n');
});
