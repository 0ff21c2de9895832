import { PitonError, shellWord, type Json } from '../../../base/index.ts';
import type { QuestionView, TaskView } from '../../../library/index.ts';
import { choiceText } from '../../../model/index.ts';
import { askAtTerminal } from '../answers/ask-at-terminal.ts';
import { answerKind, readGiven } from '../answers/question-text.ts';
import { commandFor } from '../command-for.ts';
import { defineCommand } from '../command-spec.ts';
import type { Context } from '../context.ts';
import { configureGate, openGate, type GateOptions } from '../decide-gate.ts';
import { decide } from '../decide.ts';
import { canAsk } from '../prompt.ts';

interface Place {
  readonly run: string;
  readonly address: string;
}

export const command = defineCommand<GateOptions>({
  configure: (command) =>
    configureGate(command)
      .argument('[answer]', 'the answer; at a terminal it is asked for if it is left out')
      .addHelpText(
        'after',
        `
The answer must be what the task asks for: a text, a number, yes or no, or one of its choices. It becomes the output of the task, and is
kept with the run, with who gave it: it is no place for secrets.`,
      ),
  examples: [
    ['piton answer 4f2 port 8080', 'answer, and go on with the run'],
    ['piton answer 4f2 target', 'be shown the question and its choices, and answer there'],
    ['piton answer 4f2 offset -- -5', 'an answer that begins with a dash'],
    ['piton answer 4f2 target staging --no-drive', 'answer now, resume later'],
  ],
  async run(context, { args, options }) {
    const { run, address, gate, task } = await openGate(context, args);
    const { question } = task;
    if (question === undefined) throw notAsked({ run, address }, task);
    const answer = await answerOf(context, { run, address, question, given: args[2] });
    return decide(context, {
      run,
      send: (handle) =>
        handle.answer(address, answer, {
          ...(options.message !== undefined && { comment: options.message }),
          ...(gate !== undefined && { gate }),
        }),
      mayDrive: options.drive,
      drift: options,
    });
  },
});

interface Asked extends Place {
  readonly question: QuestionView;
  readonly given: string | undefined;
}

/** Throws `ANSWER_INVALID`, and `USAGE_INVALID` where there is none and nobody to ask. */
async function answerOf(context: Context, asked: Asked): Promise<Json> {
  const { question, given } = asked;
  if (given !== undefined) {
    const read = readGiven(question, given);
    if ('answer' in read) return read.answer;
    throw new PitonError('ANSWER_INVALID', `That is no answer for ${asked.address}: ${read.why}.`, {
      remedy: remedyFor(asked),
    });
  }
  const typed = canAsk(context) ? await askAtTerminal(context, question) : undefined;
  if (typed !== undefined) return typed;
  throw new PitonError('USAGE_INVALID', `The answer is missing: ${answerKind(question)}.`, {
    remedy: remedyFor(asked),
  });
}

function remedyFor({ run, address, question }: Asked): string {
  const example = examples[question.type] ?? shellWord(choiceText(question.choices?.[0] ?? ''));
  return `Type: ${commandFor('answer', run, address)} ${example}`;
}

const examples: Readonly<Partial<Record<QuestionView['type'], string>>> = {
  string: '"some text"',
  number: '1.5',
  integer: '8080',
  boolean: 'yes',
};

function notAsked({ run, address }: Place, { status, gate }: TaskView): PitonError {
  const waits = gate === undefined ? `it is ${status}` : 'it waits for approval';
  return new PitonError('COMMAND_REFUSED', `${address} asks no question: ${waits}.`, {
    run,
    remedy:
      gate === undefined
        ? `See its status: ${commandFor('show', run, address)}`
        : `Decide about it: ${commandFor('approve', run, address)}`,
  });
}
