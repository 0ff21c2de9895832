import { findExecutable, installedVersion, untestedText, type Agent } from '../agents/index.ts';
import type { Outcome } from '../model/index.ts';
import type { Environment } from './task-environment.ts';
import type { AgentSettings } from './options.ts';

export interface ProgramGiven {
  readonly agent: Agent;
  /** As the task gives them. */
  readonly args: readonly string[];
  readonly settings: AgentSettings | undefined;
  /** As an earlier driver has found it. */
  readonly version?: string | undefined;
}

/** The program that an attempt's agent is, and which version of it. */
export class AgentProgram {
  readonly #given: ProgramGiven;
  /** Where that is known before it says anything. */
  #version: string | undefined;

  constructor(given: ProgramGiven) {
    this.#given = given;
    this.#version = given.version;
  }

  get executable(): string | undefined {
    return this.#given.settings?.executable;
  }

  get facts(): { readonly version?: string } {
    return this.#version === undefined ? {} : { version: this.#version };
  }

  async find(environment: Readonly<Record<string, string>>): Promise<void> {
    const { executable } = this;
    const named = executable === undefined ? {} : { executable };
    this.#version = await installedVersion(this.#given.agent, { environment, ...named });
  }

  /** For people; `told`: by the conversation itself. */
  describe(told: string | undefined): string {
    const { agent } = this.#given;
    const version = told ?? this.#version;
    if (version === undefined) return `${agent.title}, whose version is not known`;
    return `${agent.title} ${version}${this.untested(told) === undefined ? '' : ', an untested version'}`;
  }

  untested(told: string | undefined): string | undefined {
    return untestedText(this.#given.agent.name, told ?? this.#version);
  }

  /** It could not be started: because it is not there, or in spite of that. */
  missing(environment: Environment, lastWords: string): Outcome {
    const { agent, args } = this.#given;
    const { title, name } = agent;
    const own = agent.executable === '' ? (args[0] ?? '') : agent.executable;
    const executable = this.executable ?? own;
    const where = executable.includes('/') ? '' : ' on the PATH';
    const isThere = findExecutable(executable, environment['PATH'] ?? '') !== undefined;
    const message = isThere
      ? `${title} is installed, but cannot be run: ${lastWords}`
      : agent.executable === ''
        ? `The program that \`args\` names for ${name} is not there: there is no ${executable}${where}.`
        : `${title} is not installed: there is no ${executable}${where}. See \`piton agents\`.`;
    return {
      type: 'failed',
      failure: { code: 'AGENT_MISSING', message, retryable: false, class: 'permanent' },
    };
  }
}
