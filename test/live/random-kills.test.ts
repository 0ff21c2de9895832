import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { RunEvent, TaskView } from '../../src/index.ts';
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
      // What OpenCode does before its plugin has spoken nobody knows, so that it would be held: here it may go on.
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

/** Whom it has hit, and how long after the one before. */
interface Blow {
  readonly victim: (typeof kinds)[number];
  readonly afterMs: number;
}

/** Kills at random moments until it has ended or enough were killed, and lets it come to its end. */
async function strike(place: LivePlace, most: number): Promise<readonly Blow[]> {
  const tasks = parallelWork();
  const blows: Blow[] = [];
  let driver = place.drive(tasks);
  while (blows.length < most) {
    // From before its first word to deep in its work: OpenCode takes seconds to begin.
    const afterMs = Math.round(200 + Math.random() * 9_800);
    await pause(afterMs);
    if (driver.child.exitCode !== null) return blows;
    const victim = kinds[blows.length % kinds.length]!;
    blows.push({ victim, afterMs });
    if (victim !== 'agents') await kill(driver);
    if (victim !== 'driver') await place.killAgents();
    if (victim !== 'agents') driver = place.drive(tasks);
  }
  await driver.ended();
  return blows;
}

/** Whoever finds something missing wants to know who was killed, and when. */
async function expectWholeAfter(blows: readonly Blow[], place: LivePlace): Promise<void> {
  const story = blows.map(({ victim, afterMs }) => `${victim} after ${afterMs} ms`).join(', ');
  try {
    await expectWholeness(place);
  } catch (error) {
    throw new Error(`killed: ${story}\n${String(error)}`, { cause: error });
  }
}

async function expectWholeness(place: LivePlace): Promise<void> {
  const run = await place.look();
  const { tasks } = await run.checkpoint();
  expect(Object.entries(tasks).flatMap(troubleOf)).toEqual([]);
  const outputs = Object.fromEntries(Object.entries(tasks).map(([name, { output }]) => [name, output]));
  expect(outputs).toEqual(expectedOutputs);
  expect(place.survivors()).toEqual([]);
  const events = await Array.fromAsync(run.events());
  expect(place.gaps(events)).toEqual([]);
  for (const agent of agents) expectOneSession(agent, { place, events });
}

const expectedOutputs = Object.fromEntries(
  agents.flatMap((agent) => [
    [`${agent}-1`, 'first'],
    [`${agent}-2`, 'second'],
  ]),
);

function troubleOf([name, { status, attempts, reason, error }]: readonly [string, TaskView]): string[] {
  if (status === 'succeeded') return [];
  return [`${name} is ${status} after ${attempts} attempts: ${reason ?? error?.message ?? 'for no reason'}`];
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
    let count = 0;
    while (count < kills) {
      const place = await livePlace(agents);
      const blows = await strike(place, Math.min(killsPerRun, kills - count));
      await expectWholeAfter(blows, place);
      count += blows.length;
    }
    expect(count).toBe(kills);
  },
);
