import { hasCode } from '../base/index.ts';
import { decideSettings, withoutSecrets, type Engine, type EnginePorts } from '../engine/index.ts';
import { endedText, type Command, type CommandAnswer } from '../model/index.ts';
import { readSettings, type RunSettings } from './run-settings.ts';

interface Setting {
  readonly engine: Engine;
  readonly ports: EnginePorts;
  readonly run: string;
  /** What whoever drives the run has decided; undefined once nobody does. */
  answerOf(command: string): Promise<CommandAnswer | undefined>;
}

/** Sets what is said of a run, and its limits. Decided by whoever drives it, else here. Throws `USAGE_INVALID`, `RUN_DAMAGED`, `RUN_BEHIND`. */
export async function setRun(setting: Setting, settings: RunSettings): Promise<CommandAnswer> {
  const { engine, run } = setting;
  const command = readSettings(settings);
  for (;;) {
    const answer = await answerOrDecide(setting, await send(setting, command));
    // It came too late for the driver, which has answered what was left over when the run ended.
    if (answer.text !== endedText((await engine.find(run)).status)) return answer;
  }
}

/** Values of secrets do not even get into the inbox. */
async function send(
  { engine, ports, run }: Setting,
  command: Extract<Command, { type: 'set' }>,
): Promise<string> {
  const { about } = command;
  if (about === undefined) return engine.send(run, command);
  const { workflow } = await engine.load(run);
  return engine.send(run, { ...command, about: withoutSecrets(ports, workflow, about) });
}

async function answerOrDecide({ ports, run, answerOf }: Setting, id: string): Promise<CommandAnswer> {
  for (;;) {
    const answer = await answerOf(id);
    if (answer !== undefined) return answer;
    try {
      await decideSettings(ports, run);
    } catch (thrown) {
      // Somebody has taken it meanwhile, and decides this too.
      if (!hasCode(thrown, 'RUN_DRIVEN')) throw thrown;
    }
  }
}
