/** Agents that a workflow may name. Kept apart from their adapters, so that a definition is checked without loading any. */
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

/** What of an agent decides whether a definition can be carried out. Its adapter says the same, in its own way. */
interface AgentTraits {
  /** Whether it can go on in a session, and whether also in a copy of one. */
  readonly sessions: 'none' | 'continue' | 'fork';
  /** It stands for any program: the task names it in `args`. */
  readonly isAnyProgram: boolean;
  /** Settings that it has no means for: it works without them. */
  readonly ignores: readonly ('model' | 'effort' | 'max-turns')[];
  /** Unless it may do anything, its tools run in a sandbox of its own, which cannot be made inside of another. */
  readonly containsItself?: boolean;
}

/** Of `acp` it depends on the program, which is asked when it is there: what some can is not refused. */
const traits: Readonly<Record<AgentName, AgentTraits>> = {
  claude: { sessions: 'fork', isAnyProgram: false, ignores: [] },
  codex: { sessions: 'fork', isAnyProgram: false, ignores: ['max-turns'], containsItself: true },
  gemini: { sessions: 'continue', isAnyProgram: false, ignores: ['effort', 'max-turns'] },
  opencode: { sessions: 'fork', isAnyProgram: false, ignores: ['max-turns'] },
  goose: { sessions: 'continue', isAnyProgram: false, ignores: ['effort'] },
  command: { sessions: 'none', isAnyProgram: true, ignores: ['model', 'effort', 'max-turns'] },
  acp: { sessions: 'fork', isAnyProgram: true, ignores: ['max-turns'] },
  scripted: { sessions: 'fork', isAnyProgram: false, ignores: ['effort'] },
};

/** Undefined for a name that is none. */
export function traitsOf(agent: string): AgentTraits | undefined {
  return Object.hasOwn(traits, agent) ? traits[agent as AgentName] : undefined;
}
