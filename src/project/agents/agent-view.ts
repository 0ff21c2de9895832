import type { Agent, Detection } from '../../agents/index.ts';

const policies = ['read', 'edit', 'full'] as const;

/** An agent that Piton knows, and what is installed of it. */
export interface AgentView {
  /** By which workflows name it. */
  readonly name: string;
  /** For people. */
  readonly title: string;
  /** Whether its program was found. False for those without one (`hasProgram`): there the workflow names it. */
  readonly installed: boolean;
  /** Of its program, if that is there. */
  readonly path?: string;
  /** As its program tells it; `unknown` if it could not be read. */
  readonly version?: string;
  /** Whether Piton was tested with that version. */
  readonly isTested?: boolean;
  /** Why it cannot be used. */
  readonly missing?: string;
  /** What to do about that. */
  readonly remedy?: string;
  /** Its program, if the settings of the project name another than usual. */
  readonly executable?: string;
  /** The versions that Piton was tested with; absent: none. */
  readonly tested?: { readonly from: string; readonly to: string };
  /** When the id of a new session is known. */
  readonly session: 'chosen' | 'first-event' | 'none';
  /** Whether a session can be copied. */
  readonly forks: boolean;
  /** What it tells of its cost. */
  readonly pricing: 'usd' | 'tokens' | 'none';
  /** Whether it asks a person for what it may not do; else that is denied. */
  readonly asks: boolean;
  /** Whether a person can go on in its sessions: `piton open`. */
  readonly opens: boolean;
  /** Whether it is a program at all; a protocol is told which program to start. */
  readonly hasProgram: boolean;
  /** What each policy becomes for it, in words. */
  readonly permissions: Readonly<Record<'read' | 'edit' | 'full', string>>;
  /** The command that logs in. */
  readonly login?: string;
  /** Whether there are signs of a login: a key, or a file of its own. Absent: nobody can tell without starting it. */
  readonly isLoggedIn?: boolean;
}

interface Looked {
  readonly agent: Agent;
  readonly detection: Detection;
  readonly executable?: string;
  readonly isLoggedIn?: boolean;
}

export function agentView({ agent, detection, executable, isLoggedIn }: Looked): AgentView {
  const { name, title, tested, traits, pricing, asks, login } = agent;
  const isMissing = 'missing' in detection;
  return {
    name,
    title,
    installed: !isMissing,
    ...detection,
    ...(isMissing && { remedy: remedyFor(agent, detection) }),
    ...(executable !== undefined && { executable }),
    ...(tested !== undefined && { tested }),
    session: sessionOf(agent),
    forks: traits.sessions === 'fork',
    pricing,
    asks,
    opens: agent.interactive('').length > 0,
    hasProgram: agent.executable !== '',
    permissions: Object.fromEntries(
      policies.map((policy) => [policy, agent.explainPermissions(policy)]),
    ) as AgentView['permissions'],
    ...(login !== '' && { login }),
    ...(isLoggedIn !== undefined && { isLoggedIn }),
  };
}

/** What to do where it cannot be used. */
export function remedyFor(agent: Agent, { path }: Pick<Detection, 'path'> = {}): string {
  const { name, title, executable, login } = agent;
  if (path !== undefined) return `see what it says: ${[path, ...agent.versionCommand().slice(1)].join(' ')}`;
  if (executable === '') return `name a program where it is used: agent: ${name}, args: [<program>, …]`;
  return login === '' ? `install ${title}` : `install ${title}, then log in: ${login}`;
}

function sessionOf(agent: Agent): AgentView['session'] {
  if (agent.traits.sessions === 'none') return 'none';
  return agent.choosesSession ? 'chosen' : 'first-event';
}

/** With which versions it was tested, in words. */
export function testedText({ tested }: Pick<AgentView, 'tested'>): string {
  if (tested === undefined) return 'not tested: written from its documentation';
  const { from, to } = tested;
  return from === to ? `tested with ${from}` : `tested with ${from} to ${to}`;
}
