import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { PlaceRequest } from '../../src/workspaces/index.ts';
import { fsck, playground, shell, write } from '../support/git-playground.ts';
import { killAt, twoAtATime, type Starter } from '../support/kill.ts';
import { namesBelow, openLocal, placeRequest, type LocalWorld } from '../support/local-places.ts';
import { startProgram } from '../support/start-program.ts';
import { takeStep, type UpkeepStep } from '../support/upkeep-steps.ts';

interface Scene {
  readonly root: string;
  readonly world: LocalWorld;
  readonly step: UpkeepStep;
}

interface Given {
  readonly path: string;
  readonly state: string;
  readonly request: PlaceRequest;
}

/** A place in which something was made; then somebody interferes. */
async function scene(interfere: (given: Given) => UpkeepStep): Promise<Scene> {
  const { root, folder, repository, base } = playground();
  const world = { kind: 'worktree', state: join(folder, 'state'), folder: root } as const;
  const origin = { root, commonDir: repository.commonDir, base, prefix: '' };
  const ground = { folder: root, repository: origin, mode: { mode: 'worktree' } as const };
  const request = placeRequest(ground, 'build');
  const { place } = await openLocal(world).places.prepare(request);
  write(place.path, { 'made.txt': 'made' });
  const step = interfere({ path: place.path, state: world.state, request: { ...request, known: place } });
  return { root, world, step };
}

function starting({ world, step }: Scene): Starter {
  return (env) => startProgram('upkeep-step', { args: [JSON.stringify({ world, step })], env });
}

/** All that must be the same, wherever the process was killed; only the time of an archive is another. */
function ending({ root, world: { state } }: Scene): object {
  const files = namesBelow(state, 5).filter((name) =>
    /^(made|theirs)\.txt$|set-aside|\.piton\.json$/.test(name),
  );
  return {
    files: files.map((name) => name.replaceAll(/\d{8}t\d+z/g, 'time')).sort(),
    worktrees: shell(root, 'worktree', 'list').split('\n').length,
    made: readFileSync(join(state, 'worktrees/run-1/build/src/a.txt'), 'utf8'),
    status: shell(join(state, 'worktrees/run-1/build'), 'status', '--porcelain'),
    fsck: fsck(root),
  };
}

const interferences: readonly [string, (given: Given) => UpkeepStep][] = [
  [
    'workspace.linked',
    ({ path, request }) => {
      rmSync(join(path, '.git'));
      return { type: 'prepare', request: { ...request, isAdopted: true } };
    },
  ],
  [
    'workspace.set-aside',
    ({ path, request }) => {
      rmSync(path, { recursive: true });
      write(path, { 'theirs.txt': 'theirs' });
      return { type: 'prepare', request: { ...request, order: { id: 'o1', action: 'recreate' } } };
    },
  ],
  [
    'archive.dropped',
    ({ state }) => {
      const archives = join(state, 'archive');
      const archive = join(archives, 'run-9/lost/20260102t030405000z');
      write(archive, { 'theirs.txt': 'theirs' });
      write(`${archive}/..`, { '20260102t030405000z.piton.json': '{}' });
      return { type: 'drop', archives, archive };
    },
  ],
  [
    'git.object-link-removed',
    ({ request }) => {
      const objects = join(request.repository!.commonDir, 'objects');
      const name = readdirSync(objects).find((one) => /^[0-9a-f]{2}$/.test(one))!;
      renameSync(join(objects, name), `${objects}.elsewhere`);
      symlinkSync(`${objects}.elsewhere`, join(objects, name));
      return { type: 'save', request: { ...request, known: request.known! } };
    },
  ],
  ...['workspace.folder-archived', 'workspace.rest-removed'].map(
    (name) =>
      [
        name,
        ({ state, request }: Given): UpkeepStep => {
          write(join(state, 'worktrees/run-9/lost'), { 'theirs.txt': 'theirs' });
          mkdirSync(join(state, 'worktrees/run-9/empty'));
          const recorded = { runs: ['run-1'], places: [request.known!] };
          return { type: 'strays', repository: request.repository!, recorded };
        },
      ] as const satisfies [string, (given: Given) => UpkeepStep],
  ),
];

test.for(interferences)(
  'killed before or after %s, and done again, it ends as if nothing had happened',
  async ([name, interfere]) => {
    const untouched = await scene(interfere);
    await takeStep(untouched.world, untouched.step);
    const expected = ending(untouched);
    await twoAtATime([`before:${name}`, `after:${name}`], async (place) => {
      const struck = await scene(interfere);
      await killAt(place, starting(struck));
      await takeStep(struck.world, struck.step);
      expect({ place, ...ending(struck) }).toEqual({ place, ...expected });
    });
  },
);
