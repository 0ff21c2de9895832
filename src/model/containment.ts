import type { SandboxMode, TaskSpec } from './workflow.ts';

/** How the processes of a task are to be contained. */
export interface Containment {
  readonly mode: SandboxMode;
  readonly hasNetwork: boolean;
}

/**
 * What the task says; else agents that are not meant to do anything are contained, and so are their checks, which run what they
 * wrote. `kind`: of the attempt. What a person wrote, and who was given full rights on purpose, is not.
 */
export function containmentOf(spec: TaskSpec, kind?: string): Containment {
  const { sandbox, network, work } = spec;
  const isLimited = work.type === 'agent' && (work.permissions === 'read' || work.permissions === 'edit');
  const byItself = isLimited && kind !== 'setup' ? 'auto' : 'off';
  // Who wants no network must not get one in silence.
  const mode = sandbox ?? (network === 'off' ? 'required' : byItself);
  return { mode, hasNetwork: network !== 'off' };
}
