import { expect, test } from 'vitest';
import { newProject, type Project } from './command-line.ts';
import { played, writeFlow } from './played.ts';

/** Runs in which a road is spoken of, one after the other. */
async function withTalk(ids: readonly string[]): Promise<Project> {
  const project = newProject();
  const steps = [{ say: 'The Road is long.' }, { run: 'echo "a road (1)"' }, { answer: 'There.' }];
  writeFlow(project, { walk: played([steps]), rest: played([[{ answer: 'No road here.' }]]) });
  for (const id of ids) expect((await project.piton(['run', 'flow', '--id', id])).code).toBe(0);
  return project;
}

interface Found {
  readonly run: string;
  readonly task: string;
  readonly role: string;
  readonly line: string;
}

test('search finds lines in the conversations of all runs, newest run first, or of those that are named', async () => {
  const { piton, json } = await withTalk(['one', 'two']);
  const searchAll = async (...args: string[]): Promise<Found[]> =>
    (await json(['search', ...args])) as Found[];
  // What the agents were told is found too: their parts, here.
  expect(await searchAll('Do it', '--run', 'on', '--task', 'rest')).toMatchObject([{ role: 'user' }]);
  const search = async (...args: string[]): Promise<Found[]> =>
    (await searchAll(...args)).filter(({ role }) => role !== 'user');
  const all = await search('ROAD');
  expect(all.map(({ run }) => run)).toEqual([...Array(4).fill('two'), ...Array(4).fill('one')]);
  expect(new Set(all.map(({ role }) => role))).toEqual(new Set(['assistant', 'call', 'answer', 'result']));
  expect(await search('road', '--run', 'on', '--task', 'rest')).toEqual([
    {
      run: 'one',
      workflow: 'flow',
      task: 'rest',
      attempt: expect.any(String),
      number: 1,
      agent: 'scripted',
      seq: expect.any(Number),
      at: expect.any(Number),
      role: 'result',
      line: 'No road here.',
      places: [{ start: 3, end: 7 }],
    },
  ]);
  expect((await search('road (1)', '--limit', '1')).map(({ line }) => line)).toEqual(['a road (1)']);
  expect(await search(String.raw`road\s\(\d`, '--regex')).toHaveLength(4);
  const { code, stdout } = await piton(['search', 'long']);
  expect(stdout).toMatch(
    /^two \(flow\): walk, attempt 1 \(scripted\) {2}\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\n {2}\d\d:\d\d:\d\d assistant: The Road is long\.\n(?: {2}.*\n)*\none /,
  );
  expect(stdout).toMatch(/\nNext: piton logs two walk\n$/);
  expect(code).toBe(0);
});

test('search ends with 1 if nothing was found, and with 2 if it cannot search', async () => {
  const { piton } = await withTalk(['one']);
  const answer = async (...args: string[]): Promise<unknown> => {
    const { code, stdout, stderr } = await piton(['search', ...args]);
    return [code, stdout, stderr];
  };
  expect(await answer('nowhere')).toEqual([1, '', 'Nothing was found.\n']);
  expect(await answer('nowhere', '--json')).toEqual([1, '[]\n', '{"note":"Nothing was found."}\n']);
  expect(await answer('road', '--task', 'fly')).toEqual([1, '', 'Nothing was found.\n']);
  expect(await answer('road', '--run', 'one', '--task', 'wal')).toEqual([
    2,
    '',
    expect.stringContaining('Did you mean walk?'),
  ]);
  expect(await answer('road', '--run', 'three')).toEqual([2, '', expect.stringContaining('RUN_NOT_FOUND')]);
  expect(await answer('(', '--regex')).toEqual([2, '', expect.stringContaining('USAGE_INVALID')]);
  expect(await answer('')).toEqual([2, '', expect.stringContaining('the text is empty')]);
  expect(await answer('road', '--limit', '0')).toEqual([2, '', expect.stringContaining('--limit is 0')]);
});
