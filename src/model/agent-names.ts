/** The agents that come with Piton. Kept apart from their adapters, so that a definition is checked without loading any. */
export const agentNames = [
  'claude',
  'codex',
  'gemini',
  'opencode',
  'goose',
  'command',
  'acp',
  'scripted',
] as const;

export type AgentName = (typeof agentNames)[number];

declare const registered: unique symbol;

/** The name of an agent that a user has registered: to the compiler, other words are none. */
export type RegisteredAgent = string & { readonly [registered]: true };

/** What of an agent decides whether a definition can be carried out. */
export interface AgentTraits {
  /** Whether it can go on in a session, and whether also in a copy of one. */
  readonly sessions: 'none' | 'continue' | 'fork';
  /** Settings that it has no means for: it works without them. */
  readonly ignores: readonly ('model' | 'effort' | 'max-turns')[];
  /** Unless it may do anything, its tools run in a sandbox of its own, which cannot be made inside of another. */
  readonly containsItself?: boolean;
}

interface KnownAgent extends AgentTraits {
  /** It stands for any program: the task names it in `args`. */
  readonly isAnyProgram: boolean;
}

/** Of `acp` it depends on the program, which is asked when it is there: what some can is not refused. */
const ownAgents: Readonly<Record<AgentName, KnownAgent>> = {
  claude: { sessions: 'fork', isAnyProgram: false, ignores: [] },
  codex: { sessions: 'fork', isAnyProgram: false, ignores: ['max-turns'], containsItself: true },
  gemini: { sessions: 'continue', isAnyProgram: false, ignores: ['effort', 'max-turns'] },
  opencode: { sessions: 'fork', isAnyProgram: false, ignores: ['max-turns'] },
  goose: { sessions: 'continue', isAnyProgram: false, ignores: ['effort'] },
  command: { sessions: 'none', isAnyProgram: true, ignores: ['model', 'effort', 'max-turns'] },
  acp: { sessions: 'fork', isAnyProgram: true, ignores: ['max-turns'] },
  scripted: { sessions: 'fork', isAnyProgram: false, ignores: ['effort'] },
};

const known = new Map<string, KnownAgent>(Object.entries(ownAgents));

/** All agents that a workflow may name, those of users last. */
export function knownAgents(): readonly string[] {
  return [...known.keys()];
}

/** Undefined for a name that is none. */
export function traitsOf(agent: AgentName): KnownAgent;
export function traitsOf(agent: string): KnownAgent | undefined;
export function traitsOf(agent: string): KnownAgent | undefined {
  return known.get(agent);
}

/** Makes workflows accept an agent. Whether the name is free is judged where its adapter is registered. */
export function admitAgent(name: string, agent: KnownAgent): void {
  known.set(name, agent);
}
