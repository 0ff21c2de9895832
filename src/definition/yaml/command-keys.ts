import { z } from 'zod';

/** The keys of tasks that are done by a command (some also by an agent), and of what is asked and known around tasks. */
const names = z.union([z.string(), z.array(z.string())]);
/** Of numbers only 0 is one, which is checked where it is converted: there it can be said what to write instead. */
export const duration = z.union([z.string(), z.number().meta({ const: 0 })]);

export const environment = z.record(z.string(), z.unknown());

export const inheritEnv = z.union([z.literal(true), z.string(), z.array(z.string())]);

const errorRule = z.strictObject({
  exit: z
    .union([z.number(), z.array(z.number())])
    .optional()
    .describe('Exit codes of a command.'),
  match: z.string().optional().describe('An error code or name, or a /pattern/ on the message.'),
  class: z
    .enum(['transient', 'permanent', 'unknown'])
    .describe(
      'transient: trying again may help; permanent: it cannot, so it is not tried again, unless `retry.on` names it.',
    ),
});

/** May stand in `defaults` too. */
export const commandSettings = {
  shell: z
    .string()
    .optional()
    .describe(
      'The shell that `run`, `check` or `setup` is written for: sh, bash, zsh, dash or ksh. Default: sh.',
    ),
  env: environment
    .optional()
    .describe('Added to the environment of the command or agent. Values may hold `${{ }}`; null is empty.'),
  secrets: names
    .optional()
    .describe(
      'Environment variables of yours that the command or agent gets. Shown as `***` wherever its output is.',
    ),
  'inherit-env': inheritEnv
    .optional()
    .describe(
      'What else of your environment the command or agent gets: variables by name, `AWS_*` for all that begin so, or true for all. Default: a base (PATH, HOME, language, proxies, places of tools), and for agents their own login.',
    ),
  'working-directory': z
    .string()
    .optional()
    .describe('Where the command or agent runs, relative to the folder of the run.'),
  capture: z
    .enum(['text', 'json', 'last-line', 'none'])
    .optional()
    .describe(
      'What of its standard output is the output of a command. Default: text; json if `output` asks for more than text.',
    ),
  resources: names
    .optional()
    .describe('What it depends on outside, by name: after failures in a row, tasks that use it wait.'),
  errors: z
    .array(errorRule)
    .optional()
    .describe('How failures are to be understood. The first rule that fits counts.'),
};

export const run = z
  .union([z.string(), z.array(z.union([z.string(), z.number(), z.boolean()]))])
  .describe('A command: shell text, or a list of a program and its arguments, which no shell sees.');

export const approval = z.string().describe('What a person is asked before the first attempt.');

export const ask = z
  .union([
    z.string(),
    z.strictObject({
      question: z.string().describe('What the person reads. May hold `${{ }}`.'),
      type: z
        .enum(['string', 'number', 'integer', 'boolean'])
        .optional()
        .describe('What the answer must be. Default: string.'),
      choices: z
        .union([z.string(), z.array(z.unknown())])
        .optional()
        .describe('Instead of `type`: the answers to choose from; a list, or an expression that gives one.'),
      default: z
        .unknown()
        .optional()
        .describe('Becomes the answer when the deadline passes. At a prompt, Enter takes it.'),
      deadline: duration
        .optional()
        .describe(
          'How long to wait for an answer, such as 2h. Then the default is the answer; without one the task fails. Default: for ever.',
        ),
    }),
  ])
  .describe('A question to a person: its text, or more about it. The answer is the output of the task.');

export const breaker = z.strictObject({
  failures: z
    .number()
    .optional()
    .describe('So many transient failures in a row open it. Default: 5.')
    .meta({ minimum: 1 }),
  cooldown: duration
    .optional()
    .describe('How long tasks wait then; doubled each time it does not help. Default: 30s.'),
  'max-cooldown': duration.optional().describe('The longest wait. Default: 30m.'),
});
