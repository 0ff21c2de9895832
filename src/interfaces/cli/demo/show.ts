import { rmSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { hasCode, PitonError, systemClock } from '../../../base/index.ts';
import type { RunEvent } from '../../../library/index.ts';
import { findProject } from '../../../project/index.ts';
import { cleanText, type Output } from '../output/index.ts';
import { startDriver, type DriverProcess } from './driver-process.ts';
import { findingsOf, type Findings } from './findings.ts';
import { cast, makeProject, taskNames, type DemoProject } from './project.ts';

const run = 'demo';
const patienceMs = 15_000;
const lookEveryMs = 20;

/** Runs, kills, resumes, counts. True if every task did its work exactly once. */
export async function showDemo(output: Output, keeps: boolean): Promise<boolean> {
  const project = makeProject();
  try {
    tell(
      output,
      1,
      `A project with a workflow of ${taskNames.length} tasks, in ${project.folder}. Piton runs it:`,
    );
    await runAndKill(output, project);
    tell(output, 4, 'Somebody comes back and types piton resume:');
    await resume(output, project);
    const findings = findingsOf(await eventsOf(project), project.ledger());
    printFindings(output, findings);
    return findings.isSucceeded && findings.wrong.length === 0;
  } finally {
    if (keeps) output.print(`Kept: ${project.folder}`);
    else rmSync(project.folder, { recursive: true, force: true });
  }
}

async function runAndKill(output: Output, project: DemoProject): Promise<void> {
  const driver = startDriver(project, ['run', 'demo', '--id', run], indented(output));
  try {
    const killed = await processOf(project, cast.killed);
    tell(
      output,
      2,
      `In the middle of it, kill -9: Piton itself, and ${cast.killed} with it. Nobody is left to clean up.`,
    );
    driver.child.kill('SIGKILL');
    killGroup(killed);
    await driver.ended;
  } finally {
    driver.child.kill('SIGKILL');
  }
  tell(
    output,
    3,
    `The other commands do not notice. ${cast.whileAway.join(' and ')} end by themselves; ${cast.lasting} still runs.`,
  );
  await until('the commands end by themselves', async () => {
    const ledger = project.ledger();
    return cast.whileAway.every((name) => ledger.includes(name));
  });
}

/** On a slow machine it may have ended just now: then it is harvested like the others. */
function killGroup(group: number): void {
  try {
    process.kill(-group, 'SIGKILL');
  } catch (thrown) {
    if (!hasCode(thrown, 'ESRCH')) throw thrown;
  }
}

/** The process group of a task, once it and all that are to run beside it have begun. */
async function processOf(project: DemoProject, task: string): Promise<number> {
  const wanted = [...cast.whileAway, cast.lasting, task];
  let group: number | undefined;
  await until('the commands begin', async () => {
    const begun = (await eventsOf(project)).filter((event) => event.type === 'attempt.spawned');
    group = begun.find((event) => event.task === task)?.data.process.pid;
    return wanted.every((name) => begun.some((event) => event.task === name));
  });
  return group!;
}

async function resume(output: Output, project: DemoProject): Promise<void> {
  const driver: DriverProcess = startDriver(project, ['resume', run], indented(output));
  const by = await driver.ended;
  if (by !== 0) throw new PitonError('DEMO_FAILED', `piton resume ended with ${by}; it was to end with 0.`);
}

async function eventsOf({ folder }: DemoProject): Promise<RunEvent[]> {
  const project = await findProject({ root: folder, environment: {} });
  if (!project.hasStore()) return [];
  const piton = await project.openExisting();
  try {
    const [record] = await piton.runs({ prefix: run });
    if (record === undefined) return [];
    return await Array.fromAsync((await piton.find(run)).history({ upTo: record.seq }));
  } finally {
    await piton.close();
  }
}

async function until(what: string, holds: () => Promise<boolean>): Promise<void> {
  const deadline = systemClock.elapsed() + patienceMs;
  while (!(await holds())) {
    if (systemClock.elapsed() > deadline)
      throw new PitonError('DEMO_FAILED', `Waited in vain until ${what}.`);
    await pause(lookEveryMs);
  }
}

function tell({ print, style }: Output, step: number, text: string): void {
  print(`\n${style.bold(`${step}. ${text}`)}`);
}

function indented({ print, style }: Output): (line: string) => void {
  return (line) => print(`   ${style.dim('│')} ${cleanText(line)}`);
}

function printFindings(output: Output, findings: Findings): void {
  const { doneBefore, adopted, harvested, restarted, startedAfter, wrong } = findings;
  tell(output, 5, 'What became of the tasks:');
  output.table([
    ['   done before the kill', 'not touched again', doneBefore.join(', ')],
    ['   harvested', 'ended while nobody looked', harvested.join(', ')],
    ['   adopted', 'still ran, and was let run', adopted.join(', ')],
    ['   started again', 'was killed before its work was done', restarted.join(', ')],
    ['   started after it', 'had not begun', startedAfter.join(', ')],
  ]);
  output.print();
  const { green, red } = output.style;
  output.print(
    wrong.length === 0
      ? green(
          `Each of the ${taskNames.length} tasks wrote its name down when it did its work: ${taskNames.length} names, none twice.`,
        )
      : red(`Not exactly once: ${wrong.join(', ')}.`),
  );
}
