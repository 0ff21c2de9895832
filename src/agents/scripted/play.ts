import { writeFileSync } from 'node:fs';
import { hasCode } from '../../base/index.ts';
import { readStep, type Step } from './part.ts';
import type { Setting } from './setting.ts';
import type { Ending, Stage } from './stage.ts';
import { steps } from './steps.ts';
import { say } from './voice.ts';

/** The exit code. */
export async function play(setting: Setting): Promise<number> {
  const stage: Stage = { setting, lastWords: '', toolCalls: 0, spentUsd: 0, hasAnswered: false };
  for (const step of setting.steps) {
    const ending = isDue(step) ? await playStep(step, stage) : undefined;
    if (ending !== undefined) return ending;
  }
  if (!stage.hasAnswered) say({ event: 'ended', text: stage.lastWords });
  return 0;
}

async function playStep(step: Step, stage: Stage): Promise<Ending> {
  const [name, given] = readStep(step);
  return steps[name](given, stage);
}

/** Of a step with `once`, only the first to create the file plays it, in whichever process. */
function isDue({ once }: Step): boolean {
  if (once === undefined) return true;
  try {
    writeFileSync(String(once), '', { flag: 'wx' });
    return true;
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return false;
    throw error;
  }
}
