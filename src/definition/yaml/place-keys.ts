import { z } from 'zod';
import { run } from './command-keys.ts';
import { workspaceModes } from './later-keys.ts';

/** The keys that say where tasks work, and what becomes of what they leave there. */
const workspace = z
  .enum(workspaceModes)
  .optional()
  .describe(
    'Where commands and agents work: worktree (a git worktree for each; its work is brought to the branch of the run) or shared (the folder of the run); directory and remote come with a later version. Default: in a git repository and with agents that write, worktree for all who write or see what was written; else shared.',
  );

const setup = z
  .union([
    z.literal(false),
    z.string(),
    z.strictObject({
      run: run.optional(),
      copy: z
        .union([z.string(), z.array(z.string())])
        .optional()
        .describe(
          'Files and folders that git does not have, such as .env: paths in the folder of the run, copied before `run`.',
        ),
    }),
  ])
  .optional()
  .describe(
    'Makes a worktree usable before the first attempt in it: a command, or what is to be copied and run. It has the shell, environment and secrets of the task, not its `working-directory`, and is repeated after an interruption. false: none, whatever the file or the defaults say.',
  );

export const workflowPlaceKeys = {
  workspace,
  base: z
    .string()
    .optional()
    .describe('The branch or commit that runs begin from, where tasks work in worktrees. Default: HEAD.'),
  setup,
};

/** May stand in `defaults` too. */
export const placeSettings = {
  workspace,
  setup,
  'on-conflict': z
    .enum(['hold', 'agent'])
    .optional()
    .describe(
      'What becomes of work that does not fit to that of other tasks: hold (a person is asked), or agent (the agent that made it is to make it fit, twice at most). Default: hold.',
    ),
};
