import type { Piton } from '../../../library/index.ts';
import { canAsk, type Prompting } from '../prompt.ts';

/** What is needed to ask a person who watches. */
export interface KeyPorts extends Prompting {
  readonly piton: Piton;
  now(): number;
}

/** Whether whoever watches can be asked: not without a terminal on both sides, in a pipe, or on a build server. */
export function canAskHere(prompting: Prompting): boolean {
  const { output, env } = prompting;
  const isBuildServer = env['CI'] !== undefined && env['CI'] !== '';
  return output.canRedraw && !output.isJson && !isBuildServer && canAsk(prompting);
}
