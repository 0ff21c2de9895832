import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { RunEvent } from '../../src/index.ts';
import { testedClis, type AgentCliName } from '../support/agent-clis.ts';
import {
  kill,
  livePlace,
  lostSessions,
  sessionsOf,
  type LivePlace,
  type Tasks,
} from '../support/live-agents.ts';

const kills = 20;
/** Fewer than the interruptions in a row after which Piton asks. */
const killsPerRun = 7;
const agents: readonly AgentCliName[] = ['claude', 'codex', 'opencode'];
const apis = { claude: 'anthropic', codex: 'responses', opencode: 'chat', gemini: 'gemini' } as const;
const areThere = agents.every((agent) => testedClis().some(({ name }) => name === agent));

/** Each agent: some work, and then more of it in the same session. */
function parallelWork(): Tasks {
  return Object.fromEntries(
    agents.flatMap((agent) => {
      // What OpenCode was doing nobody knows, so that it would be held: here it may go on.
      const common = {
        agent,
        permissions: 'full',
        ...(agent === 'opencode' && { 'on-interrupt': 'restart' }),
      };
      const first = `Remember FIRST-${agent}. [[shell:sleep 2; touch ${agent}-1]] [[say:first]] [[stall:3]]`;
      const second = `Remember SECOND-${agent}. [[stall:3]] [[shell:sleep 2; touch ${agent}-2]] [[say:second]]`;
      return [
        [`${agent}-1`, { ...common, prompt: first }],
        [
          `${agent}-2`,
          { ...common, needs: [`${agent}-1`], session: { continue: `${agent}-1` }, prompt: second },
        ],
      ];
    }),
  );
}

const kinds = ['driver', 'agents', 'both'] as const;
type Victim = (typeof kinds)[number];

/** Kills at random moments until it has ended or enough were killed, and lets it come to its end. */
async function strike(place: LivePlace, most: number): Promise<Victim[]> {
  const tasks = parallelWork();
  const victims: Victim[] = [];
  let driver = place.drive(tasks);
  while (victims.length < most) {
    // From before its first word to deep in its work: OpenCode takes seconds to begin.
    await pause(200 + Math.random() * 9_800);
    if (driver.child.exitCode !== null) return victims;
    const victim = kinds[victims.length % kinds.length]!;
    victims.push(victim);
    if (victim !== 'agents') await kill(driver);
    if (victim !== 'driver') await place.killAgents();
    if (victim !== 'agents') driver = place.drive(tasks);
  }
  await driver.ended();
  return victims;
}

async function expectWholeness(place: LivePlace): Promise<void> {
  const run = await place.look();
  const { tasks } = await run.checkpoint();
  const events = await Array.fromAsync(run.events());
  const ends = Object.entries(tasks).map(([name, { status, output }]) => [name, status, output]);
  expect(ends).toEqual(
    ends.map(([name]) => [name, 'succeeded', String(name).endsWith('1') ? 'first' : 'second']),
  );
  expect(place.processes()).toEqual([]);
  expect(place.gaps(events)).toEqual([]);
  for (const agent of agents) expectOneSession(agent, { place, events });
}

function expectOneSession(
  agent: AgentCliName,
  { place, events }: { readonly place: LivePlace; readonly events: readonly RunEvent[] },
): void {
  const both = [`${agent}-1`, `${agent}-2`];
  const sessions = new Set(both.flatMap((task) => sessionsOf(events, task)));
  const lost = both.reduce((sum, task) => sum + lostSessions(events, task), 0);
  // One that was killed before the agent had written down that it exists is not there to be gone on in.
  expect(sessions.size).toBeLessThanOrEqual(1 + lost);
  const asked = place.server.log().findLast(({ api, side }) => api === apis[agent] && side === undefined)!;
  const said = JSON.stringify(asked.said);
  expect(said).toContain(`FIRST-${agent}`);
  expect(said).toContain(`SECOND-${agent}`);
}

test.runIf(areThere)(
  'three agents side by side, killed with or without their driver at twenty random moments, all end well',
  { timeout: 600_000 },
  async () => {
    const victims: Victim[] = [];
    while (victims.length < kills) {
      const place = await livePlace(agents);
      victims.push(...(await strike(place, Math.min(killsPerRun, kills - victims.length))));
      await expectWholeness(place);
    }
    expect(victims).toHaveLength(kills);
  },
);
