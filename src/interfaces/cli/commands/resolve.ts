import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { PitonError, shellWord } from '../../../base/index.ts';
import { defineCommand } from '../command-spec.ts';
import type { Context } from '../context.ts';
import { configureDecision, decide } from '../decide.ts';
import { exitCodes, type ExitCode } from '../exit-codes.ts';
import { talk } from '../open/talk.ts';
import { cleanLine } from '../output/index.ts';
import { shortCommit } from '../progress/index.ts';
import { commandFor } from '../command-for.ts';
import { findConflict, type Conflict } from '../resolve/find-conflict.ts';
import { marksIn, type Marks } from '../resolve/marks.ts';

interface Options {
  readonly done?: boolean;
  readonly drive: boolean;
}

export const command = defineCommand<Options>({
  configure: (command) =>
    configureDecision(
      command
        .argument('<run>', 'beginning of its id')
        .argument('<task>', 'a task that is held because its work conflicts with that of others')
        .option('--done', 'the files are as they should be: go on with them'),
    ).addHelpText('after', explanation),
  examples: [
    ['piton resolve v1 build', 'see the conflict, and resolve it in a shell'],
    ['piton resolve v1 build --done', 'take it as it is now'],
  ],
  async run(context, { args, options }) {
    const piton = await context.openExisting();
    const { run } = await piton.findRecord(args[0]);
    const conflict = await findConflict(await piton.find(run), args[1]!);
    if (options.done === true) return takeResult(context, conflict, options.drive);
    showConflict(context, conflict);
    if (!context.output.isJson && context.stdin().isTTY && context.output.isTerminal)
      await openShell(context, conflict);
    sayNext(context, conflict);
    return exitCodes.waiting;
  },
});

const explanation = `
Both sides are laid out in the folder of the task, between marks. Edit the files there until they are as they should be,
and remove the marks; you need not commit. On a terminal a shell is opened there: exit comes back here. Nothing of your own
checkout is touched. Exit code 3 as long as the task waits for you.`;

function takeResult(context: Context, conflict: Conflict, mayDrive: boolean): Promise<ExitCode> {
  const left = marksLeft(conflict);
  if (left.length > 0) throw unsolved(conflict, left);
  const { run, task, seen } = conflict;
  return decide(context, { run, send: (handle) => handle.retry(task, [], { seen }), mayDrive });
}

interface MarkedFile {
  readonly file: string;
  readonly marks: Marks | undefined;
}

function marksLeft(conflict: Conflict): MarkedFile[] {
  return lookAtFiles(conflict).filter(({ marks }) => marks !== undefined);
}

function lookAtFiles({ folder, files }: Conflict): MarkedFile[] {
  return files.map((file) => ({ file, marks: marksIn(join(folder, file)) }));
}

function showConflict({ output }: Context, conflict: Conflict): void {
  const { run, task, folder, files } = conflict;
  const marked = lookAtFiles(conflict);
  const sides = marked.find(({ marks }) => marks !== undefined)?.marks;
  output.json({
    run,
    task,
    folder,
    files,
    marked: marked.filter(({ marks }) => marks).map(({ file }) => file),
    sides,
  });
  output.print(`What ${output.style.bold(task)} made conflicts with what others made.`);
  output.print(`folder: ${folder}`);
  for (const { file, marks } of marked)
    output.print(
      `  ${cleanLine(file)}: ${marks === undefined ? stateOf(join(folder, file)) : placesText(marks.count)}`,
    );
  if (sides !== undefined) {
    output.print(`sides: between <<<<<<< and ======= stands what others made: ${shortened(sides.ours)},`);
    output.print(`       between ======= and >>>>>>> what this task made: ${shortened(sides.theirs)}`);
  }
  output.print('Edit the files until they are as they should be, and remove the marks; you need not commit.');
}

function shortened(side: string): string {
  return cleanLine(/^[0-9a-f]{40,}$/.test(side) ? shortCommit(side) : side);
}

function stateOf(path: string): string {
  return existsSync(path) ? 'no marks (mended, or only one side has changed it)' : 'is not there';
}

function placesText(count: number): string {
  return count === 1 ? 'one place between marks' : `${count} places between marks`;
}

async function openShell({ output, env }: Context, { folder, task }: Conflict): Promise<void> {
  output.print(`A shell opens in that folder: exit comes back here.`);
  await output.flush();
  await talk({ argv: [env['SHELL'] || '/bin/sh'], directory: folder, env: { PITON_RESOLVE: task } }, env);
}

function sayNext({ output }: Context, conflict: Conflict): void {
  const { run, task, folder } = conflict;
  const left = marksLeft(conflict).map(({ file }) => file);
  const done = `${commandFor('resolve', run, task)} --done`;
  if (left.length === 0) return output.next(done);
  output.next(`cd ${shellWord(folder)}`, done);
}

function unsolved({ run, task, folder }: Conflict, left: readonly MarkedFile[]): PitonError {
  const files = left.map(({ file }) => file);
  return new PitonError(
    'CONFLICT_UNSOLVED',
    `There are still marks of the conflict in ${files.join(', ')}.`,
    {
      run,
      task,
      folder,
      files,
      remedy: `Edit them in ${folder}, then: ${commandFor('resolve', run, task)} --done.`,
    },
  );
}
