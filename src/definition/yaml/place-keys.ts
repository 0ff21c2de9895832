import { z } from 'zod';
import { cleanupPolicies, sandboxModes } from '../../model/index.ts';
import { approval, run } from './command-keys.ts';

const paths = z.union([z.string(), z.array(z.string())]);

/** The keys that say where tasks work, and what becomes of what they leave there. */
const workspace = z
  .union([
    z.enum(['worktree', 'shared', 'directory']),
    z.strictObject({
      copy: z
        .string()
        .optional()
        .describe(
          'A folder of its own that begins as a copy of this one, a path in the folder of the run; `.`: of all of it.',
        ),
      remote: z
        .string()
        .optional()
        .describe('A worktree on this machine, which stands under `remotes` in .piton/config.yaml.'),
    }),
  ])
  .optional()
  .describe(
    'Where commands and agents work: worktree (a git worktree for each; its work is brought to the branch of the run), directory (an empty folder for each), { copy: folder } (a copy of a folder for each), { remote: machine } (a worktree on another machine) or shared (the folder of the run). Default: in a git repository and with agents that write, worktree for all who write or see what was written; else shared.',
  );

const setup = z
  .union([
    z.literal(false),
    z.string(),
    z.strictObject({
      run: run.optional(),
      copy: paths
        .optional()
        .describe(
          'Files and folders that git does not have, such as .env: paths in the folder of the run, copied before `run`.',
        ),
      ports: z
        .number()
        .optional()
        .describe(
          'So many free ports that no other place has: PITON_PORT is the first, PITON_PORTS all of them, separated by blanks.',
        )
        .meta({ minimum: 1, maximum: 100 }),
      caches: paths
        .optional()
        .describe(
          'Folders that all places of the repository share, such as .turbo: paths in the folder of the run, which git ignores.',
        ),
    }),
  ])
  .optional()
  .describe(
    'Makes a place of its own usable before the first attempt in it: a command, or what it is given and what is to be run. The command has the shell, environment and secrets of the task, not its `working-directory`, and is repeated after an interruption. false: none, whatever the file or the defaults say.',
  );

const pullRequest = z.strictObject({
  base: z
    .string()
    .optional()
    .describe(
      'The branch that it is to be merged into. Default: that which the remote repository takes for its main one.',
    ),
  branch: z.string().optional().describe('The branch that is pushed. Default: piton/<run>.'),
  draft: z.boolean().optional().describe('true: it is not to be merged yet. Default: false.'),
  title: z
    .string()
    .optional()
    .describe('Default: what those who changed something say of it, as `${{ delivery.title }}`.'),
  body: z
    .string()
    .optional()
    .describe(
      'Default: what they say of it in full (`${{ delivery.summary }}`), then checks, cost and conversations, folded (`${{ delivery.evidence }}`).',
    ),
  template: z
    .string()
    .optional()
    .describe(
      'A file that holds the body, in Markdown and with expressions, instead of `body`: a path from this file. If it begins with a heading (`# …`), that is the title, unless there is a `title`.',
    ),
});

const deliver = z.union([
  z.literal('pr'),
  z.strictObject({
    pr: pullRequest.describe('How the pull request is to be. Its texts may hold expressions.'),
    approval: approval.optional(),
    if: z
      .union([z.string(), z.boolean()])
      .optional()
      .describe('Whether to deliver: an expression. Default: success(), if no task failed or was skipped.'),
  }),
]);

export const workflowPlaceKeys = {
  workspace,
  base: z
    .string()
    .optional()
    .describe('The branch or commit that runs begin from, where tasks work in worktrees. Default: HEAD.'),
  setup,
  cleanup: z
    .enum(cleanupPolicies)
    .optional()
    .describe(
      'What becomes of places whose tasks have ended; nothing is removed that is not kept elsewhere. remove-when-clean-else-archive: archives what the result does not hold; remove-on-success: the same, but places of tasks that did not succeed stay; archive-on-failure: those are archived in any case; archive: all are; keep: all stay. Default: as configured, else remove-when-clean-else-archive.',
    ),
  deliver: deliver
    .optional()
    .describe(
      'What is done when all tasks have succeeded: pr (the branch of the run is pushed, and a pull request opened, unless there is one). It becomes a task named `deliver`. A task whose `if` begins with failure() is not waited for.',
    ),
};

/** May stand in `defaults` too. */
export const placeSettings = {
  workspace,
  setup,
  'on-conflict': z
    .enum(['hold', 'agent'])
    .optional()
    .describe(
      'What becomes of work that conflicts with that of other tasks: hold (a person is asked), or agent (its agent resolves the conflict, in at most two tries). Default: hold.',
    ),
  sandbox: z
    .enum(sandboxModes)
    .optional()
    .describe(
      'Whether the processes of commands and agents, and their checks, can write only in their place, their temporary folder and package caches: auto (where this machine can do that), off, or required (not started otherwise). Default: auto for agents with the permissions read and edit and for their checks, off for all others.',
    ),
  network: z
    .enum(['on', 'off'])
    .optional()
    .describe(
      'Whether contained processes reach the network. off: only a loopback of their own. Default: on.',
    ),
};

/** Of single tasks and nodes. */
export const taskPlaceKeys = {
  pool: z
    .number()
    .optional()
    .describe(
      'With `for-each`, for a command or an agent: so many places for all items, which take them in turn. Each is set up once. Default: one for each item.',
    )
    .meta({ minimum: 1 }),
  artifacts: paths
    .optional()
    .describe(
      'Files and folders that a command or an agent leaves and git ignores, such as dist: paths in the folder of the run, kept, and laid out in the places of tasks that need this one.',
    ),
  'repository-locks': z
    .union([z.string(), z.array(z.string())])
    .optional()
    .describe('Like `locks`, but held exclusively among all runs on the same repository.'),
};
