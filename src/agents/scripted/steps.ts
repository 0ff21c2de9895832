import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import {
  moneyText,
  parseDuration,
  PitonError,
  systemClock,
  type Json,
  type JsonObject,
} from '../../base/index.ts';
import { at, numberAt, showJson, textAt } from '../json-fields.ts';
import { askFor } from './asking.ts';
import type { StepName } from './part.ts';
import { recordWords } from './sessions.ts';
import type { Ending, Stage } from './stage.ts';
import { editFile, readFile, runCommand, useTool } from './player-tools.ts';
import { say, write } from './voice.ts';

type PlayStep = (given: Json, stage: Stage) => Ending | Promise<Ending>;

export const steps: Readonly<Record<StepName, PlayStep>> = {
  say: (text, stage) => speak(showJson(text), stage),
  think: (text) => tell({ event: 'thought', text: showJson(text) }),
  recall: (_, stage) => speak(stage.setting.earlier.join('\n'), stage),
  expect: expectPrompt,
  run: runCommand,
  edit: editFile,
  read: readFile,
  use: useTool,
  usage: spend,
  wait: async (span) => {
    await delay(spanOf(span));
    return undefined;
  },
  await: waitForFile,
  answer: giveAnswer,
  ask: (given, stage) =>
    askFor(
      {
        tool: textAt(given, 'tool') ?? 'Shell',
        input: at(given, 'input') ?? {},
        reason: textAt(given, 'reason') ?? 'not allowed',
      },
      stage,
    ),
  deny: (given) =>
    tell({
      event: 'denied',
      tool: textAt(given, 'tool') ?? 'Shell',
      reason: textAt(given, 'reason') ?? 'not allowed',
    }),
  limit: hitLimit,
  fail: (given) =>
    fail(textAt(given, 'kind') ?? 'error', textAt(given, 'message') ?? (showJson(given) || 'It failed.')),
  hang,
  stall: (text) => {
    write(showJson(text) || '{"event":"said","text":"half of a');
    return hang();
  },
  garbage: (text) => {
    write(`${showJson(text)}\n`);
    return undefined;
  },
  bytes: (digits) => {
    write(Buffer.concat([Buffer.from(showJson(digits), 'hex'), Buffer.from('\n')]));
    return undefined;
  },
  gigantic: (count, stage) => speak('x'.repeat(Number(count)), stage),
  escape: leaveBehind,
  exit: (code) => Number(code ?? 0),
  die: (signal) => {
    process.kill(process.pid, (showJson(signal) || 'SIGKILL') as NodeJS.Signals);
    return hang();
  },
};

function tell(event: JsonObject): undefined {
  say(event);
  return undefined;
}

function fail(kind: string, message: string): number {
  say({ event: 'failed', kind, message });
  return 1;
}

function speak(text: string, stage: Stage): undefined {
  stage.lastWords = text;
  recordWords(stage.setting.session, text);
  return tell({ event: 'said', text });
}

function expectPrompt(text: Json, { setting }: Stage): Ending {
  if (setting.prompt.includes(showJson(text))) return undefined;
  return fail('error', `The prompt does not contain "${showJson(text)}".`);
}

function spend(given: Json, stage: Stage): Ending {
  say({ event: 'used', ...(given as JsonObject) });
  stage.spentUsd += numberAt(given, 'costUsd') ?? 0;
  const { budgetUsd } = stage.setting.order;
  if (budgetUsd === undefined || stage.spentUsd <= budgetUsd) return undefined;
  return fail('budget', `It spent ${moneyText(stage.spentUsd)} of ${moneyText(budgetUsd)}.`);
}

async function waitForFile(file: Json): Promise<Ending> {
  while (!existsSync(showJson(file))) await delay(10);
  return undefined;
}

function giveAnswer(given: Json, stage: Stage): undefined {
  stage.hasAnswered = true;
  const output = at(given, 'output');
  const text = typeof given === 'string' ? given : (textAt(given, 'text') ?? stage.lastWords);
  if (text !== stage.lastWords) recordWords(stage.setting.session, text);
  return tell({ event: 'ended', text, ...(output !== undefined && { output }) });
}

function hitLimit(given: Json): Ending {
  const span = at(given, 'in');
  const until = span === undefined ? numberAt(given, 'until') : systemClock.now() + spanOf(span);
  const message = textAt(given, 'text') ?? 'The usage limit is reached.';
  say({ event: 'failed', kind: 'limit', message, ...(until !== undefined && { until }) });
  return 1;
}

/** A timer keeps the process alive where a promise alone would let it end. */
function hang(): Promise<Ending> {
  return new Promise(() => setInterval(() => undefined, 1_000_000));
}

function leaveBehind(command: Json): undefined {
  spawn('/bin/sh', ['-c', showJson(command)], { detached: true, stdio: 'ignore' }).unref();
  return undefined;
}

function spanOf(given: Json): number {
  const ms = typeof given === 'string' || typeof given === 'number' ? parseDuration(given) : undefined;
  if (ms === undefined) throw new PitonError('PART_INVALID', `${showJson(given)} is no time span.`);
  return ms;
}
