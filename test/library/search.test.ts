import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { open, workflow, type Definition, type Piton, type SearchHit } from '../../src/index.ts';
import type { PitonError } from '../../src/index.ts';
import { systemClock } from '../../src/base/index.ts';
import type { Store } from '../../src/store/index.ts';
import { openSqliteStore } from '../../src/store/sqlite/index.ts';
import { openPiton } from '../support/open-piton.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

/** Its agent says that. */
function saying(...texts: readonly string[]): Definition {
  const turns = [[...texts.map((say) => ({ say })), { answer: 'done' }]];
  const prompt = `Do it.\n\`\`\`part\n${JSON.stringify({ turns })}\n\`\`\`\n`;
  return workflow('talk').agent('fix', { agent: 'scripted', permissions: 'full' }, prompt);
}

async function run(piton: Piton, id: string, definition: Definition, directory: string): Promise<void> {
  const started = await piton.start(definition, { id, origin: { directory } });
  expect((await started.result()).status).toBe('succeeded');
}

/** What was said; the prompt has the same words. */
async function said(hits: AsyncIterable<SearchHit>): Promise<string[]> {
  const all = await Array.fromAsync(hits);
  return all.filter(({ role }) => role === 'assistant').map(({ run: id, line }) => `${id}: ${line}`);
}

test('the newest run is searched first, however many there are, and in it what was said last', async () => {
  const folder = temporaryFolder();
  const piton = await openPiton({ store: `sqlite:${folder}/p.db`, durability: 'process' });
  await run(piton, 'old', saying('road 1', 'road 2'), folder);
  const silent = workflow('silent').task('add', () => 1);
  for (let index = 0; index < 101; index++) await run(piton, `silent-${index}`, silent, folder);
  await run(piton, 'new', saying('road 3', 'road 4'), folder);
  expect(await said(piton.search('ROAD'))).toEqual([
    'new: road 4',
    'new: road 3',
    'old: road 2',
    'old: road 1',
  ]);
  expect(await said(piton.search('road', { run: 'old' }))).toEqual(['old: road 2', 'old: road 1']);
  expect(await said(piton.search('road [13]', { regex: true }))).toEqual(['new: road 3', 'old: road 1']);
  for (const [limit, lines] of [
    [3, 3],
    [1.5, 1],
    [0, 0],
    [-1, 0],
    [Number.NaN, 0],
  ] as const)
    expect(await Array.fromAsync(piton.search('road', { limit }))).toHaveLength(lines);
  const refused = [
    piton.search(''),
    piton.search('(', { regex: true }),
    piton.search('road', { run: 'none' }),
    piton.search('road', { run: 'old', task: 'fox' }),
  ];
  expect(await Promise.all(refused.map(codeOf))).toEqual([
    'USAGE_INVALID',
    'USAGE_INVALID',
    'RUN_NOT_FOUND',
    'TASK_UNKNOWN',
  ]);
});

function codeOf(hits: AsyncIterable<SearchHit>): Promise<string> {
  return Array.fromAsync(hits).then(
    () => 'none',
    (thrown: PitonError) => thrown.code,
  );
}

test('a run that is removed while it is searched is not damaged', async () => {
  const folder = temporaryFolder();
  const piton = await openPiton({ store: `sqlite:${folder}/p.db`, durability: 'process' });
  for (const id of ['old', 'new']) await run(piton, id, saying('road'), folder);
  const store = await openSqliteStore(`sqlite:${folder}/p.db`, { durability: 'process', clock: systemClock });
  const removing = new Proxy(store, {
    get(inner, name: keyof Store) {
      const value: unknown = inner[name];
      if (name !== 'readBlob') return typeof value === 'function' ? value.bind(inner) : value;
      return (hash: string) => piton.prune({ runs: ['new'] }).then(() => inner.readBlob(hash));
    },
  });
  await using looking = await open({ store: removing });
  expect(await said(looking.search('road'))).toEqual(['old: road']);
});

test.each([
  ['a transcript is lost', `DELETE FROM blobs WHERE instr(text, 'road 3') AND NOT instr(text, 'part')`],
  [
    'a transcript is another',
    `UPDATE blobs SET text = replace(text, 'road 3', 'road 5') WHERE instr(text, 'road 3') AND NOT instr(text, 'part')`,
  ],
  [
    'a commit is no JSON',
    `UPDATE commits SET body = '{' WHERE run_number = (SELECT number FROM runs WHERE run = 'new') AND seq = (SELECT max(seq) FROM commits)`,
  ],
])('a run in which %s hides no others', async (_, damage) => {
  const folder = temporaryFolder();
  await using piton = await open({ store: `sqlite:${folder}/p.db`, durability: 'process' });
  await run(piton, 'old', saying('road 1'), folder);
  await run(piton, 'new', saying('road 3'), folder);
  using database = new DatabaseSync(`${folder}/p.db`);
  expect(database.prepare(damage).run().changes).toBeGreaterThan(0);
  const damages: PitonError[] = [];
  const found = await said(piton.search('road', { onDamaged: (error) => damages.push(error) }));
  expect(found).toContain('old: road 1');
  expect(damages).toMatchObject([
    { code: 'RUN_DAMAGED', details: { run: 'new' }, remedy: expect.stringContaining('piton verify new') },
  ]);
  expect(await codeOf(piton.search('road'))).toBe('RUN_DAMAGED');
});
