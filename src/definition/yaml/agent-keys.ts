import { z } from 'zod';
import { agentNames } from '../../model/index.ts';

/** The keys of tasks that are done by an agent. */
const known = agentNames.join(', ');

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
  args: z
    .array(z.union([z.string(), z.number(), z.boolean()]))
    .optional()
    .describe("Further arguments, handed to the agent's CLI as they are."),
};

export const budget = z.strictObject({
  usd: z.number().optional().describe('Dollars, as far as agents tell their price.').meta({ minimum: 0 }),
  tokens: z.number().optional().describe('Tokens, read and written.').meta({ minimum: 0 }),
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
  budget: budget.optional().describe('What all attempts of the task together may use up; then it is held.'),
};
