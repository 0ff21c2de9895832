import { z } from 'zod';
import { agentSettings, agentWork, runBudget, usageLimits } from './agent-keys.ts';
import {
  approval,
  ask,
  breaker,
  commandSettings,
  duration,
  environment,
  inheritEnv,
  run,
} from './command-keys.ts';
import { placeSettings, taskPlaceKeys, workflowPlaceKeys } from './place-keys.ts';
import { laterTaskKeys, laterWorkflowKeys } from './later-keys.ts';

/**
 * What a workflow file may look like. It validates, and the JSON Schema for editors is made from it; so every key has a
 * description. What the parts mean together (names, needs, limits, expressions) is checked elsewhere.
 */
const names = z.union([z.string(), z.array(z.string())]);
/** Any value, in whose texts `${{ }}` may stand. */
const dynamic = z.unknown();
const condition = z.union([z.string(), z.boolean()]);

export const typeNames = [
  'string',
  'number',
  'integer',
  'boolean',
  'object',
  'array',
  'null',
  'any',
] as const;

/** `string`, `[string]`, `{ name: string, note?: string }`, or a full JSON Schema. */
const shortSchema = z.union([z.enum(typeNames), z.array(z.unknown()), z.record(z.string(), z.unknown())]);

const input = z.strictObject({
  type: shortSchema.optional().describe('A type name, [type], or a mapping of fields to types.'),
  schema: z
    .record(z.string(), z.unknown())
    .optional()
    .describe('A full JSON Schema (draft 2020-12), instead of `type`.'),
  default: z.unknown().optional().describe('Used when the input is not given.'),
  description: z.string().optional().describe('What it is, for whoever starts a run.'),
  required: z.boolean().optional().describe('Default: true, unless there is a default.'),
});

const retry = z.union([
  z.number(),
  z.strictObject({
    attempts: z.number().optional().describe('All tries together. Default: 1.').meta({ minimum: 1 }),
    backoff: duration.optional().describe('Delay before the second try. Default: 1s.'),
    factor: z
      .number()
      .optional()
      .describe('By which the delay grows with every try. Default: 2.')
      .meta({ minimum: 1 }),
    max: duration.optional().describe('The longest delay. Default: 1m.'),
    jitter: z
      .union([z.boolean(), z.number()])
      .optional()
      .describe(
        'Shortens each delay by chance: from 0 (not) to 1 (down to nothing). Default and `true`: 0.5.',
      ),
    on: names.optional().describe('Retry only these: error codes or names, or /patterns/ on the message.'),
    'not-on': names
      .optional()
      .describe('Never retry these: error codes or names, or /patterns/ on the message.'),
  }),
]);

const checkpointName = z.enum(['every-task', 'on-gates', 'manual', 'off']);

const checkpoint = z.union([
  checkpointName,
  z.strictObject({
    every: z
      .union([checkpointName, z.number(), z.string()])
      .optional()
      .describe('A number of tasks, a time (`30s`), `every-task`, `on-gates`, `manual` or `off`.'),
    preserve: z
      .union([z.boolean(), z.literal('remove-on-success')])
      .optional()
      .describe(
        'What is kept when the run has succeeded. false: no big payloads; `remove-on-success`: nothing, the run is removed. Default: true, all of it.',
      ),
  }),
]);

const forEachSettings = z.strictObject({
  in: dynamic.optional().describe('The list: an expression, or the list itself.'),
  matrix: dynamic
    .optional()
    .describe(
      'Instead of `in`: a mapping of names to lists; every combination is an item. `exclude` lists combinations to leave out, `include` fields to add to combinations, or further ones.',
    ),
  as: z
    .string()
    .optional()
    .describe('The variable that holds the item. Default: item (of a matrix: matrix).'),
  key: dynamic
    .optional()
    .describe('Names the item, stable when the list changes. Default: the item, or its place.'),
  'max-parallel': z
    .number()
    .optional()
    .describe('Items at work at once. Default: no limit.')
    .meta({ minimum: 1 }),
  'max-failures': z.number().optional().describe('So many items may fail. Default: 0.').meta({ minimum: 0 }),
  'fail-fast': z
    .boolean()
    .optional()
    .describe(
      'What happens to the other items once too many have failed. true: all of them are cancelled; false: all of them run, and the task fails at the end. Default: those that run finish, and no other starts.',
    ),
});

/** The list alone is the same as `{ in: … }`. */
const forEach = z.union([z.string(), z.array(z.unknown()), forEachSettings]);

const edge = z.strictObject({
  if: condition.optional().describe('The edge is taken if this holds. Absent: always.'),
  to: z.string().describe('A node, or `end`.'),
});

/** Typed as nothing: their values are not to be used. */
function later(keys: Readonly<Record<string, string>>): object {
  return Object.fromEntries(
    Object.entries(keys).map(([key, reason]) => [
      key,
      z.unknown().optional().describe(`Not available yet: ${reason}.`),
    ]),
  );
}

const settings = {
  retry: retry
    .optional()
    .describe('A number of attempts, or how to try again after a failure. Default: 1 attempt.'),
  timeout: duration.optional().describe('Longest running time of one attempt, such as 30s or 1h30m.'),
  'continue-on-error': z.boolean().optional().describe('true: tasks that need this one go on if it fails.'),
  priority: z.number().optional().describe('Higher starts first among those that may start. Default: 0.'),
  locks: names.optional().describe('Held exclusively within the run while an attempt runs.'),
  'on-interrupt': z
    .enum(['restart', 'continue', 'ask'])
    .optional()
    .describe(
      'What an interrupted task may do by itself; `ask` also forbids automatic retry. Default: restart; continue, of an agent; ask, if a command is seen to do what cannot be undone.',
    ),
  ...commandSettings,
  ...agentSettings,
  ...placeSettings,
  ...later(laterTaskKeys),
};

const work = {
  'for-each': forEach.optional().describe('Runs the task once for every item of a list.'),
  run: run.optional(),
  ...agentWork,
  function: z.string().optional().describe('The name of the function that does the task.'),
  uses: z
    .string()
    .optional()
    .describe('The path of a workflow file that does the task, relative to this file.'),
  ask: ask.optional(),
  approval: approval.optional(),
  with: dynamic.optional().describe('What the function, or the inputs of the workflow used, are given.'),
  output: shortSchema
    .optional()
    .describe('What the output must look like: { ok: boolean, notes?: string }, or a JSON Schema.'),
  writes: names
    .optional()
    .describe(
      'Files the task may change, as patterns. Tasks whose patterns overlap take turns; one that has changed others in a worktree is held.',
    ),
  ...taskPlaceKeys,
  version: z
    .union([z.string(), z.number()])
    .optional()
    .describe('Change it when the function behind it has changed.'),
};

const inner = 'Tasks inside of this one; they see the variables around them.';

const taskKeys = {
  needs: names.optional().describe('Tasks that must have succeeded before.'),
  if: condition
    .optional()
    .describe('Whether to run: an expression, with success() (the default), failure() and always().'),
  ...work,
  ...settings,
};

export type TaskEntry = z.infer<z.ZodObject<typeof taskKeys>> & {
  tasks?: Record<string, TaskEntry> | undefined;
};

const task: z.ZodType<TaskEntry> = z
  .strictObject({
    ...taskKeys,
    get tasks() {
      return z.record(z.string(), task).optional().describe(inner);
    },
  })
  .meta({ id: 'task' });

const node = z
  .strictObject({
    ...work,
    ...settings,
    update: dynamic
      .optional()
      .describe(
        'Fields of the state that change. Absent, for a function: its output is the update; for an agent: nothing.',
      ),
    next: z
      .union([z.string(), z.array(edge)])
      .optional()
      .describe(
        'What follows: a node, `end`, or a list of { if, to } of which the first that holds is taken.',
      ),
    tasks: z.record(z.string(), task).optional().describe(inner),
  })
  .meta({ id: 'node' });

const migrated = 'It sees `inputs` and `state` as they were';
const migration = z.strictObject({
  inputs: z
    .record(z.string(), dynamic)
    .optional()
    .describe(`Inputs that change. ${migrated}. What the workflow does not have any more is dropped.`),
  state: z
    .record(z.string(), dynamic)
    .optional()
    .describe(
      `Graph: fields of the state that change. ${migrated}. What \`state\` does not have any more is dropped.`,
    ),
  outputs: z
    .record(z.string(), dynamic)
    .optional()
    .describe(`The outputs of tasks that have ended, by task. ${migrated}, and \`output\`.`),
});

export const workflowFile = z
  .strictObject({
    name: z.string().describe('The name of the workflow.'),
    version: z
      .union([z.string(), z.number()])
      .optional()
      .describe(
        'A whole number that is raised with a change that runs under way have to be migrated for; without one it is 1. Anything else is a name for people.',
      ),
    migrations: z
      .record(z.string(), migration)
      .optional()
      .describe('What becomes of the data of a run of an older version, by the version that is come to.'),
    description: z.string().optional().describe('For people.'),
    inputs: z
      .record(z.string(), z.union([z.enum(typeNames), z.array(z.unknown()), input]))
      .optional()
      .describe('What a run is given: { feature: string }, or { feature: { type: string, default: … } }.'),
    defaults: z
      .strictObject(settings)
      .optional()
      .describe('Applied to every task that does not set the key.'),
    env: environment.optional().describe('Added to the environment of every command and agent.'),
    secrets: names.optional().describe('Environment variables of yours that every command and agent gets.'),
    'inherit-env': inheritEnv
      .optional()
      .describe(
        'What else of your environment every command and agent gets that does not say it itself: names, `AWS_*`, or true.',
      ),
    budget: runBudget
      .optional()
      .describe(
        'What agents may use up in one run, and all runs on one day; then what works is stopped, and held until a person raises it.',
      ),
    'usage-limits': usageLimits.optional().describe('What happens when an agent is at its usage limit.'),
    breakers: z
      .record(z.string(), breaker)
      .optional()
      .describe('When tasks that use a resource wait, by the name of the resource.'),
    ...workflowPlaceKeys,
    'max-parallel': z
      .number()
      .optional()
      .describe('Attempts that may run at once. Default: no limit.')
      .meta({ minimum: 1 }),
    'fail-fast': z
      .boolean()
      .optional()
      .describe('true: the first task that fails cancels the rest. Default: false.'),
    checkpoint: checkpoint.optional().describe('When the run is written down. Default: every-task.'),
    outputs: dynamic
      .optional()
      .describe('What the run gives back. Default: the output of every task, or the state.'),
    tasks: z.record(z.string(), task).optional().describe('Tasks by name, ordered by what they need.'),
    graph: z.record(z.string(), node).optional().describe('Instead of tasks: the nodes of a state machine.'),
    state: z.record(z.string(), z.unknown()).optional().describe('Graph: the state it begins with.'),
    start: z.string().optional().describe('Graph: the node it begins with.'),
    'max-steps': z
      .number()
      .optional()
      .describe('Graph: steps after which it fails. Default: 100.')
      .meta({ minimum: 1 }),
    ...later(laterWorkflowKeys),
  })
  .meta({ title: 'Piton workflow' });

export type WorkflowFile = z.infer<typeof workflowFile>;
export type NodeEntry = z.infer<typeof node>;
export type InputEntry = NonNullable<WorkflowFile['inputs']>[string];
export type Defaults = NonNullable<WorkflowFile['defaults']>;
