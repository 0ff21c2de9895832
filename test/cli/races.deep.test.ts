import { describe, expect, test } from 'vitest';
import { edits, git, projectInRepository } from '../support/git-project.ts';
import { newProject, type Answer, type Project } from './command-line.ts';
import { played, writeFlow } from './played.ts';
import { bothAt, countsIn, expectTold, isTaken, raceRetries } from './process-races.ts';
import { askingRun, conflictingRun, deciding, failedRun, heldRun, places, race } from './races.ts';

describe(`of ${places.what}`, () => {
  const rest = Object.keys(places.commands).filter((first) => first !== 'adopt');
  test.each(rest)(
    '%s counts once it has come first: whoever looked before is told, and nothing is done twice',
    async (first) => expect(await race(places, first)).toEqual(deciding(places)),
  );
});

test('two piton retry 150 ms apart, fifty times: one effect, both told', async () => {
  for (let round = 0; round < 50; round++)
    expect(await raceRetries(failedRun, 150)).toEqual({ ran: 'aab', taken: 1 });
});

/** Work of an agent that is in the branch of its run, or was given up in its place. */
async function agentRun(turns: readonly (readonly object[])[], code: number): Promise<Project> {
  const project = projectInRepository();
  writeFlow(project, { fix: played(turns) });
  expect((await project.piton(['run', 'flow', '--id', 'r'])).code).toBe(code);
  return project;
}

async function unheardRun(): Promise<Project> {
  const project = newProject();
  writeFlow(project, {
    build: played([[{ exit: 1 }], [{ answer: 'heard' }]]),
    later: { approval: 'And that?', run: 'true' },
  });
  expect((await project.piton(['run', 'flow', '--id', 'r'])).code).toBe(3);
  return project;
}

interface Row {
  readonly make: () => Promise<Project>;
  readonly commands: readonly [readonly string[], readonly string[]];
  /** How many of them may be taken. */
  readonly taken: readonly number[];
  /** What must be so then. */
  check?(project: Project, taken: readonly boolean[]): void;
}

const number = (taken: readonly boolean[]): number => taken.filter(Boolean).length;
const perTaken =
  (letter: string) =>
  (project: Project, taken: readonly boolean[]): void =>
    expect(countsIn(project)[letter]).toBe(1 + number(taken));
const adopt = ['workspace', 'adopt', 'r', 'two'];
const resolve = ['resolve', 'r', 'two', '--done'];
const redo = ['resume', 'r', '--redo', 'a'];
const fresh = ['retry', 'r', 'a', '--fresh'];
const tell = ['tell', 'r', 'build', 'listen'];
const merge = ['merge', 'r', '--no-ff'];

const rows: Readonly<Record<string, Row>> = {
  'skip and retry': {
    make: failedRun,
    commands: [
      ['skip', 'r', 'a'],
      ['retry', 'r', 'a'],
    ],
    // Who looks when the other has done it, decides anew.
    taken: [1, 2],
    check: (project, [, retried]) => expect(countsIn(project)['a']).toBe(retried === true ? 2 : 1),
  },
  'skip, twice': {
    make: failedRun,
    commands: [
      ['skip', 'r', 'a'],
      ['skip', 'r', 'a'],
    ],
    taken: [1],
  },
  'resume --redo, twice': { make: failedRun, commands: [redo, redo], taken: [1, 2], check: perTaken('a') },
  'retry --fresh, twice': { make: failedRun, commands: [fresh, fresh], taken: [1, 2], check: perTaken('a') },
  'retry of what is held, twice': {
    make: heldRun,
    commands: [
      ['retry', 'r'],
      ['retry', 'r'],
    ],
    taken: [1],
    check: perTaken('p'),
  },
  'approve, twice': {
    make: askingRun,
    commands: [
      ['approve', 'r', 'ship'],
      ['approve', 'r', 'ship'],
    ],
    taken: [1],
    check: (project) => expect(countsIn(project)['s']).toBe(1),
  },
  'cancel, twice': {
    make: askingRun,
    commands: [
      ['cancel', 'r'],
      ['cancel', 'r'],
    ],
    taken: [1, 2],
  },
  'tell, twice': { make: unheardRun, commands: [tell, tell], taken: [2] },
  'adopt, twice': { make: conflictingRun, commands: [adopt, adopt], taken: [1] },
  'resolve and adopt': { make: conflictingRun, commands: [resolve, adopt], taken: [1] },
  'merge, twice': {
    make: () => agentRun([edits('b.txt', 'two\n')], 0),
    commands: [merge, merge],
    taken: [1, 2],
    check: ({ folder }) => expect(git(folder, 'rev-list', '--first-parent', '--count', 'main')).toBe('2'),
  },
  'workspace clean, twice': {
    make: () => agentRun([[{ run: 'echo half > half.txt' }, { exit: 1 }]], 1),
    commands: [
      ['workspace', 'clean'],
      ['workspace', 'clean'],
    ],
    taken: [1, 2],
    check({ folder }) {
      expect(git(folder, 'for-each-ref', 'refs/piton/archive').split('\n')).toHaveLength(1);
    },
  },
};

describe.each(Object.entries(rows))('%s, by two processes', (_, { make, commands, taken, check }) => {
  test.each([0, 120])('%d ms apart: one effect, both told', async (laterMs) => {
    const project = await make();
    const answers: readonly Answer[] = await bothAt(project, commands, laterMs);
    expectTold(answers);
    const which = answers.map(isTaken);
    expect({ taken: number(which), answers }).toMatchObject({ taken: expect.toBeOneOf([...taken]) });
    check?.(project, which);
  });
});
