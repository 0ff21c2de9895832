import { join } from 'node:path';
import { expect, test } from 'vitest';
import { write } from '../../support/git-playground.ts';
import { prepare, type MakeBench } from './bench.ts';

const byDefault = 'remove-when-clean-else-archive';

export function copiesContract(make: MakeBench): void {
  test('a file that is copied is there, and when the task has changed it, it stays so', async () => {
    const bench = await make();
    const stay = await prepare(bench, bench.request('build', { copy: ['.env'] }));
    expect(stay.read('.env')).toBe('SECRET=1');
    stay.write('.env', 'SECRET=2');
    expect((await stay.again()).read('.env')).toBe('SECRET=2');
  });
}

export function furtherCopiesContract(make: MakeBench): void {
  test('a copy that is as it was does not keep a place from being removed', async () => {
    const bench = await make();
    const stay = await prepare(bench, bench.request('build', { copy: ['.env'] }));
    expect(await stay.clean(byDefault)).toMatchObject({ how: 'removed' });
  });

  test('a file that is to be copied and is not there is named', async () => {
    const bench = await make();
    const { unfilled } = await bench
      .open()
      .prepare(bench.request('build', { copy: ['.secret'] }))
      .catch((thrown: unknown) => ({ unfilled: thrown }));
    expect(unfilled).toMatchObject({
      code: 'SETUP_FAILED',
      message: expect.stringContaining('.secret') as string,
    });
  });
}

export function cachesContract(make: MakeBench): void {
  test('places share a cache, and it outlives them', async () => {
    const bench = await make();
    const one = await prepare(bench, bench.request('one', { caches: ['cache'] }));
    const other = await prepare(bench, bench.request('other', { caches: ['cache'] }));
    one.write('cache/object', 'costly');
    expect(other.read('cache/object')).toBe('costly');
    expect(await one.clean(byDefault)).toMatchObject({ how: 'removed' });
    expect(other.read('cache/object')).toBe('costly');
    expect((await other.look()).health).toBe('clean');
  });
}

export function artifactsContract(make: MakeBench): void {
  test('what one task keeps is laid out for another, as it was kept', async () => {
    const bench = await make();
    const builder = await prepare(bench, bench.request('build'));
    builder.write('dist/deep/app.js', 'app');
    const order = { run: 'run-1', task: 'build', folder: builder.folder, paths: ['dist'] };
    expect(await bench.keepArtifacts(order)).toEqual({ bytes: 3 });
    builder.write('dist/deep/app.js', 'changed since');
    const tester = await prepare(bench, bench.request('test', { artifactsOf: ['build'] }));
    expect(tester.read('dist/deep/app.js')).toBe('app');
    tester.write('dist/deep/app.js', 'patched');
    expect((await tester.again()).read('dist/deep/app.js')).toBe('patched');
  });

  test('artifacts that are as they were do not keep a place from being removed', async () => {
    const bench = await make();
    write(join(bench.folder, 'dist'), { 'app.js': 'app' });
    await bench.keepArtifacts({ run: 'run-1', task: 'build', folder: bench.folder, paths: ['dist/app.js'] });
    const tester = await prepare(bench, bench.request('test', { artifactsOf: ['build'] }));
    expect(tester.read('dist/app.js')).toBe('app');
    expect(await tester.clean(byDefault)).toMatchObject({ how: 'removed' });
  });
}

export function portsContract(make: MakeBench): void {
  test('every place has ports of its own, and keeps them', async () => {
    const bench = await make();
    const stays = [];
    for (const task of ['a', 'b', 'c']) stays.push(await prepare(bench, bench.request(task, { ports: 3 })));
    const ports = stays.flatMap(({ place: { ports } }) => [0, 1, 2].map((index) => ports!.first + index));
    expect(new Set(ports).size).toBe(9);
    const again = await stays[1]!.again();
    expect(again.place.ports).toEqual({ first: stays[1]!.place.ports!.first, count: 3 });
  });
}
