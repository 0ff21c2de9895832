import type { Output } from '../../output/index.ts';
import { demoRun, endGroup, failed, Stage, type DemoOptions } from '../stage.ts';
import { findingsOf, type Findings } from './findings.ts';
import { cast, ledgerOf, makeProject, taskNames } from './project.ts';

/** Runs commands, kills, resumes, counts. True if every task did its work exactly once. */
export function showCommands(options: DemoOptions): Promise<boolean> {
  return Stage.use(options, async (stage) => {
    makeProject(stage.project);
    await stage.tell(
      `1. A project with a workflow of ${taskNames.length} commands, in ${stage.project}. Piton runs it:`,
    );
    await runAndKill(stage);
    await stage.tell('4. You come back and resume the run:');
    await stage.type('resume', demoRun);
    const findings = findingsOf(await stage.events(), ledgerOf(stage.project));
    await stage.tell('5. What happened to each task:');
    printFindings(options.output, findings);
    return findings.isSucceeded && findings.wrong.length === 0;
  });
}

async function runAndKill(stage: Stage): Promise<void> {
  const { child, ended } = stage.piton(['run', 'demo', '--id', demoRun]);
  const killed = await processOf(stage, cast.killed);
  await stage.tell(`2. In the middle of it, kill -9: Piton itself, and ${cast.killed} with it.`);
  child.kill('SIGKILL');
  endGroup(killed);
  await ended;
  await stage.tell(
    `3. The other commands run on without Piton. ${cast.whileAway.join(' and ')} finish; ${cast.lasting} is still running.`,
  );
  await stage.until('the commands end by themselves', () => {
    const ledger = ledgerOf(stage.project);
    return cast.whileAway.every((name) => ledger.includes(name));
  });
}

type Process = Parameters<typeof endGroup>[0];

/** The process of a task, once it and all that are to run beside it have begun. */
async function processOf(stage: Stage, task: string): Promise<Process> {
  const wanted = [...cast.whileAway, cast.lasting, task];
  let found: Process | undefined;
  await stage.until('the commands begin', async () => {
    const begun = (await stage.events()).filter((event) => event.type === 'attempt.spawned');
    found = begun.find((event) => event.task === task)?.data.process;
    return wanted.every((name) => begun.some((event) => event.task === name));
  });
  if (found === undefined) throw failed(`${task} has no process.`);
  return found;
}

function printFindings(output: Output, findings: Findings): void {
  const { doneBefore, adopted, harvested, restarted, startedAfter, wrong } = findings;
  output.table([
    ['   finished before the kill', 'not run again', doneBefore.join(', ')],
    ['   harvested', 'finished while Piton was dead; its result counts', harvested.join(', ')],
    ['   adopted', 'was still running, and was left to finish', adopted.join(', ')],
    ['   started again', 'was killed before its work was done', restarted.join(', ')],
    ['   started afterwards', 'had not begun', startedAfter.join(', ')],
  ]);
  output.print();
  const { green, red } = output.style;
  output.print(
    wrong.length === 0
      ? green(
          `Each of the ${taskNames.length} tasks wrote its name into a file when it did its work: ${taskNames.length} names, none twice.`,
        )
      : red(`Not exactly once: ${wrong.join(', ')}.`),
  );
}
