import type { RunEvent } from '../../../../library/index.ts';
import type { Output } from '../../output/index.ts';
import { demoRun, endGroup, failed, Stage, type DemoOptions } from '../stage.ts';
import { git, makeRepository, workflowLines } from './repository.ts';
import { openGate, pieces, workDone } from './scripts.ts';

/** Agents build two features, are killed together with Piton, go on, and are merged. True if nothing was done twice. */
export function showFeatures(options: DemoOptions): Promise<boolean> {
  return Stage.use(options, async (stage) => {
    await introduce(stage);
    const before = await runAndKill(stage);
    await resume(stage);
    await takeResult(stage);
    return countWork(stage, options.output, before);
  });
}

async function introduce(stage: Stage): Promise<void> {
  makeRepository(stage);
  await stage.tell(
    '1. A small git repository has tests for two features that nobody has written yet: search and export. ' +
      'This workflow lets two agents write them at the same time:',
  );
  for (const line of workflowLines) stage.show(line);
  await stage.tell(
    'The agents follow a script, so the demo needs no account and no network. The processes, git, the tests and the kills are real.',
  );
}

/** Gives back what had been done when Piton was killed. */
async function runAndKill(stage: Stage): Promise<readonly string[]> {
  await stage.tell('2. Piton runs it. Each agent works in a git worktree of its own:');
  const { child, ended } = stage.piton(['run', 'features', '--id', demoRun]);
  await stage.until('both agents are in the middle of their work', () => {
    const done = workDone(stage);
    return (['export: wrote the first half', 'search: read why its test failed'] as const).every((piece) =>
      done.includes(piece),
    );
  });
  await stage.tell(
    '3. The first version of search failed its test. Piton sent the output of the test back to the agent, which is correcting its code. ' +
      'The other agent has written half of export. Now kill -9: Piton dies, and the agent of export dies with it.',
  );
  const victim = (await stage.events()).findLast(isStartOf('export'));
  if (victim?.type !== 'attempt.spawned') throw failed('The agent of export has no process.');
  child.kill('SIGKILL');
  endGroup(victim.data.process);
  await ended;
  stage.show('Killed');
  return workDone(stage);
}

async function resume(stage: Stage): Promise<void> {
  await stage.tell(
    '4. The agent of search is a process of its own, so it is still at work. You come back and resume the run. ' +
      'Piton adopts that agent, and lets the other one continue its conversation where it broke off:',
  );
  const resumed = stage.type('resume', demoRun);
  const opened = stage
    .until('Piton has adopted the agent of search', async () => (await stage.events()).some(isAdoption))
    .then(() => openGate(stage));
  await Promise.all([resumed, opened]);
}

async function takeResult(stage: Stage): Promise<void> {
  await stage.tell(
    '5. Both features pass their tests, alone and together, and are on the branch of the run. Your own branch is as it was. Look at the work, and merge it:',
  );
  await stage.type('diff', demoRun, '--patch');
  await stage.type('merge', demoRun);
  stage.prompt('git log --oneline --first-parent main');
  for (const line of git(stage, 'log', '--oneline', '--first-parent', 'main')) stage.show(line);
}

async function countWork(stage: Stage, output: Output, before: readonly string[]): Promise<boolean> {
  await stage.tell(
    '6. Each agent added a line to a file whenever it had done a piece of work. These are the lines, counted:',
  );
  const done = workDone(stage);
  const times = (piece: string): number => done.filter((line) => line === piece).length;
  output.table(
    [...new Set([...pieces, ...done])].map((piece) => [
      `   ${piece}`,
      before.includes(piece) ? 'before the kill' : 'after it',
      `${times(piece)}×`,
    ]),
  );
  const isRight = done.length === pieces.length && pieces.every((piece) => times(piece) === 1);
  const { green, red } = output.style;
  output.print();
  output.print(
    isRight
      ? green(
          `${pieces.length} pieces of work, each done once: nothing was lost, and nothing was done again.`,
        )
      : red('Something was lost, or done twice. This is a bug: please report it with what you see above.'),
  );
  return isRight;
}

function isStartOf(task: string): (event: RunEvent) => boolean {
  return (event) => event.type === 'attempt.spawned' && event.task === task;
}

function isAdoption(event: RunEvent): boolean {
  return event.type === 'attempt.recovered' && event.task === 'search' && event.data.how === 'adopted';
}
