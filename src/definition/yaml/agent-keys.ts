import { z } from 'zod';
import { agentNames } from '../../model/index.ts';
import { duration, run } from './command-keys.ts';

/** The keys of tasks that are done by an agent. */
const known = agentNames.join(', ');

const argumentList = z.array(z.union([z.string(), z.number(), z.boolean()]));

/** May stand in `defaults` too. */
export const agentSettings = {
  agent: z
    .union([z.string(), z.array(z.string())])
    .optional()
    .describe(`The agent that does the task, or several by preference: ${known}.`),
  permissions: z
    .union([z.enum(['read', 'edit', 'full']), z.array(z.string())])
    .optional()
    .describe(
      'What the agent may do by itself: read, edit (files), full, or a list in the words of its CLI. Default: edit.',
    ),
  model: z.string().optional().describe("The model, by the agent's own name for it. Default: the agent's."),
  effort: z
    .string()
    .optional()
    .describe("How hard the model thinks, in the agent's own words. Default: the agent's."),
  'max-turns': z
    .number()
    .optional()
    .describe('Turns of the conversation after which an attempt fails. Default: no limit.')
    .meta({ minimum: 1 }),
  'idle-timeout': duration
    .optional()
    .describe(
      'An attempt of an agent that prints nothing for so long, such as 45m, while no tool of it is at work, is ended and goes on in its session. 0: never. Default: as configured, or 30m.',
    ),
  args: z
    .union([argumentList, z.record(z.string(), argumentList)])
    .optional()
    .describe(
      "Further arguments, handed to the agent's CLI as they are: a list, or lists by agent. For command and acp: the program and its arguments.",
    ),
  check: z
    .union([
      z.literal(false),
      z.string(),
      z.strictObject({
        run: run.describe(
          'The command that decides: shell text, or a list of a program and its arguments, which no shell sees.',
        ),
        revise: z
          .number()
          .optional()
          .describe(
            'So often at most the agent is told what the check has found, and goes on in its session. Default: 1.',
          )
          .meta({ minimum: 0, maximum: 20 }),
      }),
    ])
    .optional()
    .describe(
      'A command that decides whether the work of an agent is done. If it fails, the agent is told why. It is run where the agent is, with the same environment. false: none, whatever the defaults say.',
    ),
};

const money = {
  usd: z.number().optional().describe('Dollars, as far as agents tell their price.').meta({ minimum: 0 }),
  tokens: z.number().optional().describe('Tokens, read and written.').meta({ minimum: 0 }),
};

const budget = z.strictObject(money);

export const runBudget = z.strictObject({
  ...money,
  'per-day': budget
    .optional()
    .describe(
      'Of the file only: `usd` and `tokens` that all runs of the store together may use up on one day of the local calendar.',
    ),
});

export const usageLimits = z.strictObject({
  wait: z
    .union([z.boolean(), duration])
    .optional()
    .describe(
      'How long the end of a usage limit is waited for: true (as long as it takes), false (not at all: the task is held), or a time span, such as 6h. Default: true.',
    ),
  'quiet-hours': z
    .string()
    .optional()
    .describe('Local hours, such as 22:00-07:00, in which no agent that has waited goes on.'),
});

const prompt = z
  .union([
    z.string(),
    z.strictObject({
      file: z.string().describe('The path of a text file that holds the prompt, relative to this file.'),
    }),
  ])
  .describe('What an agent is to do: text, or a file that holds it. Both may hold `${{ }}`.');

const session = z
  .strictObject({
    continue: z.string().optional().describe('The task whose session is gone on in.'),
    fork: z.string().optional().describe('The task whose session is copied, and gone on in the copy.'),
  })
  .describe('The conversation of another task that this one goes on in. Default: a new one.');

export const agentWork = {
  prompt: prompt.optional(),
  session: session.optional(),
  budget: budget
    .optional()
    .describe(
      'What all attempts of the task together may use up; then it is stopped, and held until a person raises it. Counted is what agents tell; Codex, Gemini CLI and Goose tell it at the end of a turn only, and nothing of one that is killed.',
    ),
};
