/** Agents that a workflow may name. Kept apart from their adapters, so that a definition is checked without loading any. */
export const agentNames = ['claude', 'codex', 'gemini', 'opencode', 'goose', 'command', 'scripted'] as const;

export type AgentName = (typeof agentNames)[number];
