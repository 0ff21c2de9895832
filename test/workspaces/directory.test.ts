/** What only folders without git do. All else is in the conformance suite. */
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Place, PlaceMode, PlaceRequest } from '../../src/workspaces/index.ts';
import { fingerprint, write } from '../support/git-playground.ts';
import { twoAtATime, killAt, pointsPassed, type Starter } from '../support/kill.ts';
import { openLocal, placeRequest, plainFolder } from '../support/local-places.ts';
import { changeHands } from '../support/place-hands.ts';
import { startProgram } from '../support/start-program.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const byDefault = 'remove-when-clean-else-archive';
const fresh = { mode: 'directory' } as const;
const at = Date.UTC(2026, 0, 2, 3, 4, 5);

function stand(mode: PlaceMode = fresh) {
  const folder = join(realpathSync(temporaryFolder()), 'project');
  plainFolder(folder);
  const state = join(folder, '.piton');
  const { places } = openLocal({ kind: 'directory', state, folder });
  if (!('isOwn' in places)) throw new Error('these are worktrees');
  const request = (more: Partial<PlaceRequest> = {}): PlaceRequest =>
    placeRequest({ folder, mode }, more.task ?? 'build', more);
  const prepare = async (more: Partial<PlaceRequest> = {}) => places.prepare(request(more));
  const clean = (known: Place) =>
    places.clean({ ...request({ known }), known, hasSucceeded: true, at }, byDefault);
  return { folder, state, places, request, prepare, clean };
}

describe('a copy of a folder', () => {
  const whole = { mode: 'directory', copyOf: '.' } as const;

  test('is archived if a file in it is another one, though it has the size and the time of its original', async () => {
    const { folder, prepare, clean } = stand(whole);
    write(folder, { 'notes.txt': 'old' });
    const { place } = await prepare();
    writeFileSync(join(place.path, 'notes.txt'), 'new');
    for (const root of [folder, place.path]) utimesSync(join(root, 'notes.txt'), 1_000_000, 1_000_000);
    expect(await clean(place)).toMatchObject({ how: 'archived', reason: 'it holds notes.txt' });
  });

  test('holds all of it, links as they are written, but not what Piton keeps there', async () => {
    const { folder, prepare } = stand(whole);
    write(folder, { 'bin/tool': 'tool', '.git/HEAD': 'ref', '.piton/config.yaml': 'x', 'lib/.piton/y': 'y' });
    chmodSync(join(folder, 'bin/tool'), 0o755);
    symlinkSync('../src/a.txt', join(folder, 'bin/link'));
    mkdirSync(join(folder, 'locked'));
    writeFileSync(join(folder, 'locked/in'), 'in');
    chmodSync(join(folder, 'locked'), 0o555);
    const { place } = await prepare();
    expect(readdirSync(place.path).sort()).toEqual(['.env', '.git', 'bin', 'lib', 'locked', 'src']);
    expect(readlinkSync(join(place.path, 'bin/link'))).toBe('../src/a.txt');
    expect(lstatSync(join(place.path, 'bin/tool')).mode & 0o777).toBe(0o755);
    expect(lstatSync(join(place.path, 'locked')).mode & 0o777).toBe(0o555);
    expect(readdirSync(join(place.path, 'lib'))).toEqual([]);
  });

  test('holds no way into the repository of the user, but one inside of the copy', async () => {
    const { folder, prepare } = stand(whole);
    write(folder, { '.git': 'gitdir: /home/ada/repo/.git/worktrees/one\n', 'out/.git': 'gitdir: ../../x\n' });
    write(folder, {
      'lib/.git/worktrees/one/HEAD': 'ref',
      'part/.git': 'gitdir: ../lib/.git/modules/part\n',
    });
    const { place } = await prepare();
    const names = ['.git', 'out/.git', 'lib/.git/worktrees', 'lib/.git', 'part/.git'];
    expect(names.map((name) => existsSync(join(place.path, name)))).toEqual([
      false,
      false,
      false,
      true,
      true,
    ]);
  });

  test('does not hold itself where Piton keeps its own beside the files of the user', async () => {
    const { folder, request } = stand(whole);
    const { places } = openLocal({ kind: 'directory', state: folder, folder });
    for (const task of ['one', 'two']) await places.prepare(request({ task }));
    const { place } = await places.prepare(request({ task: 'three' }));
    expect(readdirSync(place.path).sort()).toEqual(['.env', 'src']);
  });

  test('that cannot be made says why, and is made when that is put right', async () => {
    const { state, prepare } = stand(whole);
    write(state, { directories: 'a file is in the way' });
    await expect(prepare()).rejects.toMatchObject({
      code: 'SETUP_FAILED',
      message: expect.stringContaining('could not be made') as string,
    });
    rmSync(join(state, 'directories'));
    expect(readdirSync((await prepare()).place.path).sort()).toEqual(['.env', 'src']);
  });

  test('in which nothing was changed is removed, also if it is read-only', async () => {
    const { folder, prepare, clean } = stand(whole);
    mkdirSync(join(folder, 'locked'));
    writeFileSync(join(folder, 'locked/in'), 'in');
    chmodSync(join(folder, 'locked'), 0o555);
    const { place } = await prepare();
    expect(await clean(place)).toMatchObject({ how: 'removed' });
    expect(existsSync(dirname(place.path))).toBe(false);
  });

  test.for([
    ['changed', (path: string) => writeFileSync(join(path, 'src/a.txt'), 'b\n')],
    ['added', (path: string) => writeFileSync(join(path, 'src/new.txt'), '')],
    ['added as an empty folder', (path: string) => mkdirSync(join(path, 'empty'))],
    ['linked otherwise', (path: string) => relink(join(path, 'src/link'), 'b.txt')],
  ] as const)('in which something was %s is archived as it is', async ([, change]) => {
    const { folder, prepare, clean } = stand(whole);
    symlinkSync('a.txt', join(folder, 'src/link'));
    const { place } = await prepare();
    change(place.path);
    const { how, ref } = await clean(place);
    expect(how).toBe('archived');
    expect(readFileSync(join(ref!, 'src/a.txt'), 'utf8')).toMatch(/^[ab]\n$/);
  });

  test('of a repository is without the branches of Piton, which change with every task', async () => {
    const { folder, prepare, clean } = stand(whole);
    const own = [
      'refs/piton/r1/a/saved',
      'refs/heads/piton-tasks/r1/a',
      'refs/heads/piton/r1',
      'logs/refs/heads/piton/r1',
    ];
    write(folder, { '.git/HEAD': 'ref: refs/heads/main\n', '.git/refs/heads/main': 'one\n' });
    write(folder, Object.fromEntries(own.map((ref) => [`.git/${ref}`, 'one\n'])));
    const { place } = await prepare();
    expect(own.map((ref) => existsSync(join(place.path, '.git', ref)))).toEqual(own.map(() => false));
    expect(existsSync(join(place.path, '.git/refs/heads/main'))).toBe(true);
    write(folder, Object.fromEntries(own.map((ref) => [`.git/${ref}`, 'two\n'])));
    expect(await clean(place)).toMatchObject({ how: 'removed' });
  });

  test('of a repository has the branch of a run that is checked out', async () => {
    const { folder, prepare } = stand(whole);
    write(folder, { '.git/HEAD': 'ref: refs/heads/piton/r1\n', '.git/refs/heads/piton/r1': 'one\n' });
    const { place } = await prepare();
    expect(existsSync(join(place.path, '.git/refs/heads/piton/r1'))).toBe(true);
  });

  test('in which somebody has committed names the files first, and what git wrote for itself last', async () => {
    const { folder, prepare, clean } = stand(whole);
    write(folder, { '.git/HEAD': 'ref: refs/heads/main\n' });
    const { place } = await prepare();
    write(place.path, { '.git/COMMIT_EDITMSG': 'x', '.git/index': 'x', '.git/logs/HEAD': 'x', 'z.txt': 'z' });
    expect((await clean(place)).reason).toMatch(/^it holds z\.txt, /);
  });

  test('whose original has changed since is archived: it may be the last of its kind', async () => {
    const { folder, prepare, clean } = stand(whole);
    const { place } = await prepare();
    writeFileSync(join(folder, 'src/a.txt'), 'edited by the user\n');
    const { how, ref } = await clean(place);
    expect(how).toBe('archived');
    expect(readFileSync(join(ref!, 'src/a.txt'), 'utf8')).toBe('a\n');
  });

  test.for(['nowhere', '.env', '../elsewhere', 'away'])('of %s is refused', async (copyOf) => {
    const { folder, prepare } = stand({ mode: 'directory', copyOf });
    mkdirSync(join(folder, '../elsewhere'));
    symlinkSync('../elsewhere', join(folder, 'away'));
    await expect(prepare()).rejects.toMatchObject({
      code: 'SETUP_FAILED',
      message: expect.stringContaining(join(folder, copyOf)) as string,
    });
  });
});

function relink(path: string, target: string): void {
  rmSync(path);
  symlinkSync(target, path);
}

describe('a folder of a task', () => {
  test('that was replaced can be taken as it is by a person, and is the place from then on', async () => {
    const { prepare } = stand();
    const { place } = await prepare();
    rmSync(place.path, { recursive: true });
    write(place.path, { 'theirs.txt': 'theirs' });
    await expect(prepare({ known: place })).rejects.toMatchObject({ code: 'WORKSPACE_DRIFTED' });
    expect(await prepare({ known: place, isAdopted: true })).toEqual({ place });
    expect(await prepare({ known: place })).toEqual({ place });
    expect(readFileSync(join(place.path, 'theirs.txt'), 'utf8')).toBe('theirs');
  });

  test('that was replaced is archived when a person wants it made again', async () => {
    const { prepare, places } = stand();
    const { place } = await prepare();
    rmSync(place.path, { recursive: true });
    write(place.path, { 'theirs.txt': 'theirs' });
    const order = { id: 'order-1', action: 'recreate' } as const;
    expect(await prepare({ known: place, order })).toMatchObject({ recovered: { how: 'recreated' } });
    expect(readdirSync(place.path)).toEqual([]);
    const [archive] = await places.archives(undefined);
    expect(readFileSync(join(archive!.ref, 'theirs.txt'), 'utf8')).toBe('theirs');
  });

  test('that is gone is not made from what a person has discarded', async () => {
    const { prepare } = stand();
    const { place } = await prepare();
    write(place.path, { 'bad.txt': 'bad' });
    const order = { id: 'order-1', action: 'discard' } as const;
    await prepare({ known: place, order });
    rmSync(place.path, { recursive: true });
    expect(await prepare({ known: place, order })).toMatchObject({ recovered: { how: 'recreated' } });
    expect(readdirSync(place.path)).toEqual([]);
  });

  test('of which nothing was kept cannot be restored, and stays as it is', async () => {
    const { prepare } = stand();
    const { place } = await prepare();
    write(place.path, { 'made.txt': 'made' });
    const order = { id: 'order-1', action: 'restore' } as const;
    await expect(prepare({ known: place, order })).rejects.toMatchObject({ code: 'WORKSPACE_DRIFTED' });
    const from = { ...order, from: '/nowhere' };
    await expect(prepare({ known: place, order: from })).rejects.toMatchObject({
      code: 'ARCHIVE_UNREADABLE',
    });
    expect(readdirSync(place.path)).toEqual(['made.txt']);
  });

  test('is not given to another task, unless it is a slot', async () => {
    const { prepare } = stand();
    const { place } = await prepare();
    write(place.path, { 'made.txt': 'made' });
    for (const more of [{}, { isAdopted: true }]) {
      const other = prepare({ token: 'another', ...more });
      await expect(other).rejects.toMatchObject({
        message: expect.stringContaining('belongs to build') as string,
      });
    }
    expect(readdirSync(place.path)).toEqual(['made.txt']);
  });

  test('that is a slot is to be made usable again by each task that takes it', async () => {
    const { prepare } = stand();
    const slot = { pool: 'each', number: 1 };
    expect(await prepare({ task: 'each[a]', slot })).not.toHaveProperty('recovered');
    const taken = await prepare({ task: 'each[b]', slot });
    expect(taken).toMatchObject({
      handedOver: { task: 'each[a]', cleaned: { how: 'removed' } },
      recovered: { how: 'recreated' },
    });
    // Killed before it was recorded, it is told again; and once it is recorded, no more.
    expect(await prepare({ task: 'each[b]', slot })).toEqual(taken);
    const { place } = taken;
    expect(await prepare({ task: 'each[b]', slot, known: place })).toEqual({ place });
  });

  test('is removed with caches that can be made again, and archived without them', async () => {
    const { prepare, clean } = stand();
    const { place } = await prepare();
    write(place.path, { 'node_modules/x/index.js': 'x' });
    expect(await clean(place)).toMatchObject({ how: 'removed' });
    await prepare();
    write(place.path, { 'lib/node_modules/x/index.js': 'x', 'lib/made.txt': 'made' });
    const { how, ref } = await clean(place);
    expect([how, readdirSync(join(ref!, 'lib'))]).toEqual(['archived', ['made.txt']]);
  });

  test('cannot be integrated', async () => {
    const { prepare, places, request } = stand();
    const { place: known } = await prepare();
    const work = { ...request({ known }), known, attempt: 'a1', seq: 1, at };
    const rest = { isChecked: false, others: [], knownRefs: [] };
    await expect(places.integrate({ ...work, ...rest })).rejects.toThrow('no branch');
  });
});

describe('a folder that changes hands', () => {
  const slot = { pool: 'each', number: 1 };

  function standWithHands(action: 'restore' | 'discard') {
    const { folder, state, places, request } = stand({ mode: 'directory', copyOf: 'src' });
    const world = { kind: 'directory', state, folder } as const;
    const asked = request({ task: 'each[a]', slot });
    const successor = request({ task: 'each[b]', slot });
    const notes = join(temporaryFolder(), 'notes.json');
    const from = join(state, 'archive/run-1/earlier/then');
    write(from, { 'kept.txt': 'kept' });
    writeFileSync(`${from}.piton.json`, '{"run":"run-1","task":"earlier","token":"t","at":1}');
    const order = { id: 'order-1', action, ...(action === 'restore' && { from }) };
    const hands = { request: asked, order, successor, notes };
    const starting: Starter = (env) =>
      startProgram('place-hands', { args: [JSON.stringify({ world, hands })], env });
    const ending = async (): Promise<object> => {
      const { anew, taken } = await changeHands(places, hands);
      const archives = await places.archives(undefined);
      const texts = archives.map(({ task, ref }) => [task, ...readdirSync(ref).sort()]);
      return {
        how: [anew!.recovered!.how, taken!.recovered!.how, taken!.handedOver!.cleaned.how],
        texts,
        place: fingerprint(taken!.place.path),
        names: readdirSync(dirname(taken!.place.path)),
      };
    };
    return { starting, ending };
  }

  test.for(['restore', 'discard'] as const)(
    'by an order to %s and then by another task, does so once, wherever it is killed',
    async (action) => {
      const untouched = standWithHands(action);
      const places = (await pointsPassed(untouched.starting)).flat();
      const expected = await untouched.ending();
      expect(expected).toMatchObject({
        how: [expect.stringContaining(action) as string, 'recreated', 'archived'],
        texts: [
          ['each[a]', 'a.txt', 'made.txt'],
          ['each[a]', action === 'restore' ? 'kept.txt' : 'a.txt', 'made.txt'],
          ['earlier', 'kept.txt'],
        ],
      });
      const trials = places.filter((place) => place.startsWith('after:'));
      expect(trials.length).toBeGreaterThan(8);
      const stands = trials.map((place) => ({ place, ...standWithHands(action) }));
      await twoAtATime(stands, async ({ place, starting, ending }) => {
        await killAt(place, starting);
        expect({ place, ...(await ending()) }).toEqual({ place, ...expected });
      });
    },
  );
});

describe('folders that no record explains', () => {
  test('are those of dead processes and of strangers; they are archived, or removed if they hold nothing', async () => {
    const { state, prepare, places } = stand();
    const { place } = await prepare();
    write(join(state, 'directories/run-9/lost'), { 'work.txt': 'work' });
    mkdirSync(join(state, 'directories/run-9/empty'));
    const recorded = { runs: ['run-1'], places: [place] };
    const strays = await places.strays(undefined, recorded);
    const names = strays.map(({ name }) => name.split('/').at(-1));
    expect(names).toEqual(['empty', 'lost']);
    expect(await places.cleanStray(undefined, strays[0]!)).toMatchObject({ how: 'removed' });
    const { how, ref } = await places.cleanStray(undefined, strays[1]!);
    expect(how).toBe('archived');
    expect(readFileSync(join(ref!, 'work.txt'), 'utf8')).toBe('work');
    expect(await places.strays(undefined, recorded)).toEqual([]);
  });

  test('are not those that a living process has made and may be about to record', async () => {
    const { prepare, places } = stand();
    const { place } = await prepare();
    expect(await places.strays(undefined, { runs: [], places: [] })).toEqual([]);
    const marker = `${place.path}.piton.json`;
    const { maker, ...rest } = JSON.parse(readFileSync(marker, 'utf8')) as { maker: { startTime: string } };
    writeFileSync(marker, JSON.stringify({ ...rest, maker: { ...maker, startTime: '0' } }));
    const strays = await places.strays(undefined, { runs: [], places: [] });
    expect(strays).toMatchObject([{ kind: 'folder', name: place.path, run: 'run-1', task: 'build' }]);
  });

  test('are not touched outside of the folder that is ours', async () => {
    const { folder, places } = stand();
    const stray = { kind: 'folder', name: join(folder, 'src'), text: '' } as const;
    expect(await places.cleanStray(undefined, stray)).toMatchObject({ how: 'kept' });
    expect(places.isOwn(stray.name)).toBe(false);
    expect(existsSync(join(folder, 'src/a.txt'))).toBe(true);
  });
});

describe('an archive of a folder', () => {
  test('is listed with its task, and laid out where nothing is, as often as one likes', async () => {
    const { folder, prepare, places, clean } = stand();
    const { place } = await prepare({ task: 'Größe [a]' });
    write(place.path, { 'made.txt': 'made' });
    const request = placeRequest({ folder, mode: fresh }, 'Größe [a]', { known: place });
    await places.clean({ ...request, known: place, hasSucceeded: true, at }, byDefault);
    const [archive] = await places.archives(undefined);
    expect(archive).toMatchObject({ run: 'run-1', task: 'Größe [a]', at });
    for (const name of ['one', 'other']) {
      await places.restore(undefined, archive!.ref, join(folder, name));
      expect(readFileSync(join(folder, name, 'made.txt'), 'utf8')).toBe('made');
    }
    const again = places.restore(undefined, archive!.ref, join(folder, 'one'));
    await expect(again).rejects.toMatchObject({ code: 'WORKTREE_REFUSED' });
    expect(await clean(place)).toMatchObject({ how: 'removed', reason: 'it was gone already' });
  });

  test('that is not there, or is none of ours, is refused', async () => {
    const { folder, state, places } = stand();
    for (const ref of [join(state, 'archive/none'), join(folder, 'src')]) {
      const restoring = places.restore(undefined, ref, join(folder, 'target'));
      await expect(restoring).rejects.toMatchObject({ code: 'ARCHIVE_UNREADABLE' });
    }
    expect(existsSync(join(folder, 'target'))).toBe(false);
  });
});
