import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { asError, PitonError, shellWord, type Json } from '../../../base/index.ts';
import { isFinal } from '../../../model/index.ts';
import { defineCommand } from '../command-spec.ts';
import { cannotWait, configureDecision, decide } from '../decide.ts';
import { configureRedo, confirmRedo, type RedoFlags } from '../drive/confirm-redo.ts';
import { exitCodes } from '../exit-codes.ts';
import { findTask } from '../find-task.ts';

interface Options extends RedoFlags {
  readonly message?: string;
  readonly output?: string;
  readonly drive: boolean;
}

export const command = defineCommand<Options>({
  configure: (command) =>
    configureDecision(
      configureRedo(
        command
          .argument('<run>', 'beginning of its id')
          .argument('<task>', 'a task that is held or has failed')
          .option('-m, --message <why>', 'how you know that it was done; kept with the run (required)')
          .option('--output <json>', 'its output, as JSON; @<file>: from a file'),
      ),
    ).addHelpText(
      'after',
      `
The task counts as if its last attempt had succeeded. If it has a check or works in a place of its own, it goes on with
these: what is in its place is checked and merged. Nothing of it is run again.`,
    ),
  examples: [
    ["piton done 4f2 deploy -m 'the site shows 1.4'", 'it was interrupted, and has taken effect'],
    [
      'piton done 4f2 deploy -m \'seen\' --output \'{"url": "https://…"}\'',
      'with the output it would have given',
    ],
    ["piton done 4f2 deploy -m 'seen' --output @result.json", 'the same, from a file'],
  ],
  async run(context, { args, options }) {
    const comment = reasonIn(args, options);
    const output = options.output === undefined ? undefined : readJson(options.output, context.directory);
    const piton = await context.openExisting();
    const { run, status } = await piton.findRecord(args[0]);
    const task = args[1]!;
    const checkpoint = await (await piton.find(run)).checkpoint();
    const hasFailed = findTask(checkpoint, task).status === 'failed';
    const given = { task, comment, ...(output !== undefined && { output }) };
    const isOpenedHere = isFinal(status) && hasFailed;
    if (isOpenedHere && !options.drive) throw cannotWait(run);
    const rerunSucceeded = await confirmRedo(context, {
      run,
      wish: { done: hasFailed ? [given] : [] },
      typed: typedAs(run, task, options),
      flags: options,
    });
    if (rerunSucceeded === undefined) return exitCodes.refused;
    const decision = { seen: checkpoint.version, rerunSucceeded };
    if (isOpenedHere) {
      const { driveRun } = await import('../drive/drive-run.ts');
      return driveRun(context, { run, done: [given], ...decision });
    }
    const more = { ...decision, ...(output !== undefined && { output }) };
    return decide(context, {
      run,
      send: (handle) => handle.done(task, comment, more),
      mayDrive: options.drive,
    });
  },
});

function typedAs(run: string, task: string, { message = '', output, drive }: Options): string {
  const words = ['done', run, task, '-m', message, ...(output === undefined ? [] : ['--output', output])];
  return ['piton', ...words.map(shellWord), ...(drive ? [] : ['--no-drive'])].join(' ');
}

/** Whoever reads the history later has to know why it was believed. */
function reasonIn(args: readonly (string | undefined)[], { message = '' }: Options): string {
  if (message.trim() !== '') return message;
  const [run = '<run>', task = '<task>'] = args;
  throw new PitonError('USAGE_INVALID', 'The reason is missing: how do you know that the task was done?', {
    remedy: `Give it with -m: piton done ${shellWord(run)} ${shellWord(task)} -m 'it took effect'`,
  });
}

/** Throws `INPUT_INVALID`, `FILE_UNREADABLE`. */
function readJson(given: string, directory: string): Json {
  const text = given.startsWith('@') ? readFile(resolve(directory, given.slice(1))) : given;
  try {
    return JSON.parse(text) as Json;
  } catch (thrown) {
    throw new PitonError('INPUT_INVALID', `--output is no JSON: ${asError(thrown).message}.`, {
      remedy: `Write JSON, as in --output '{"url": "…"}' or --output '"text"'; or name a file: --output @result.json`,
      cause: thrown,
    });
  }
}

function readFile(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (thrown) {
    throw new PitonError('FILE_UNREADABLE', `${path} cannot be read: ${asError(thrown).message}.`, {
      cause: thrown,
    });
  }
}
