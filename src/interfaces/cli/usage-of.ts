import type { RunEvent } from '../../engine/index.ts';
import { UsageTally } from './conversation/index.ts';
import { agentWorks } from './agents/agent-works.ts';

/**
 * What the agents of a run have used. Of a run without agents only the beginning is read: those that a changed
 * definition brought in later are not counted.
 */
export async function usageOf(events: AsyncIterable<RunEvent>): Promise<UsageTally> {
  const tally = new UsageTally();
  for await (const event of events) {
    if (event.type === 'run.created' && agentWorks(event.data.workflow).length === 0) break;
    tally.add(event);
  }
  return tally;
}
