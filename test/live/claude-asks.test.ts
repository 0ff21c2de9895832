/** What Claude Code may not do by itself is asked: the whole way with the real CLI. */
import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { AgentEvent, AgentRequest } from '../../src/agents/index.ts';
import { testedClis } from '../support/agent-clis.ts';
import { agentHome, type AgentHome } from '../support/agent-home.ts';
import { agentTurn } from '../support/agent-turn.ts';
import { eventually } from '../support/eventually.ts';
import { livePlace, sessionsOf } from '../support/live-agents.ts';
import { startModelServer, type ModelServer } from '../support/model-server/index.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

interface Place extends AgentHome {
  readonly server: ModelServer;
}

async function prepare(): Promise<Place> {
  const server = await startModelServer();
  onTestFinished(() => server.close());
  return { ...agentHome('claude', { root: temporaryFolder(), model: server.url }), server };
}

function asked(events: readonly AgentEvent[]): Extract<AgentEvent, { type: 'asked' }> {
  expect(events.at(-1)).toMatchObject({ type: 'failure', kind: 'asked' });
  return events.find((event) => event.type === 'asked')!;
}

function userSettings(place: Place, settings: object): void {
  mkdirSync(join(place.home, 'claude'), { recursive: true });
  writeFileSync(join(place.home, 'claude', 'settings.json'), JSON.stringify(settings));
}

const began = (): Pick<AgentRequest, 'session'> => ({ session: { type: 'new', id: randomUUID() } });
const goOn = ({ session }: Pick<AgentRequest, 'session'>): Pick<AgentRequest, 'session'> => ({
  session: { type: 'continue', id: (session as { readonly id: string }).id },
});

describe.runIf(testedClis().some(({ name }) => name === 'claude'))('Claude Code', () => {
  test('stops before a command it may not run, and runs it once when a person has allowed it', async () => {
    const place = await prepare();
    const made = join(place.project, 'made');
    const first = began();
    const call = '[[shell:sh -c "echo made >> made"]] [[say:made it]]';
    const question = asked(await agentTurn(place, { ...first, prompt: `Make it. ${call}` }));
    expect(question).toMatchObject({ tool: 'Bash', input: { command: 'sh -c "echo made >> made"' } });
    expect(existsSync(made)).toBe(false);

    const allowed = [{ tool: question.tool, input: question.input }];
    const second = await agentTurn(place, { ...goOn(first), allowed, prompt: `Go on. ${call}` });
    expect(second.at(-1)).toMatchObject({ type: 'result', text: 'made it' });
    expect(readFileSync(made, 'utf8')).toBe('made\n');
    const told = JSON.stringify(place.server.log().at(-1)!.said);
    expect(told).toContain('Make it.');
    expect(told).toContain('who has allowed them');
  });

  test('in a run holds its task, and goes on in its session when the call is approved', async () => {
    const { run, project } = await livePlace(['claude']);
    // The second time is what a model does that is told to do it now.
    const calls = '[[shell:sh -c "echo made >> made"]] [[shell:sh -c "echo made >> made"]]';
    const started = await run({ task: { agent: 'claude', prompt: `Make it. ${calls} [[say:made it]]` } });
    const task = async () => (await started.checkpoint()).tasks['task']!;
    await eventually('it is asked', async () => (await task()).gate !== undefined, 60_000);
    expect(await task()).toMatchObject({
      status: 'held',
      call: { tool: 'Bash', input: { command: 'sh -c "echo made >> made"' } },
    });
    expect(existsSync(join(project, 'made'))).toBe(false);

    await started.approve('task');
    expect(await started.result()).toMatchObject({ status: 'succeeded', outputs: { task: 'made it' } });
    expect(readFileSync(join(project, 'made'), 'utf8')).toBe('made\n');
    const events = await Array.fromAsync(started.events());
    expect(new Set(sessionsOf(events, 'task')).size).toBe(1);
  });

  test('asks again without the permission, and about anything else with it', async () => {
    const place = await prepare();
    const first = began();
    const one = '[[shell:sh -c "echo 1 >> one"]] [[say:x]]';
    const question = asked(await agentTurn(place, { ...first, prompt: one }));
    asked(await agentTurn(place, { ...goOn(first), prompt: one }));
    const allowed = [{ tool: question.tool, input: question.input }];
    const other = '[[shell:sh -c "echo 1 >> one; echo 2 >> two"]] [[say:x]]';
    const next = asked(await agentTurn(place, { ...goOn(first), allowed, prompt: other }));
    expect(next.input).toMatchObject({ command: 'sh -c "echo 1 >> one; echo 2 >> two"' });
    expect(existsSync(join(place.project, 'one')) || existsSync(join(place.project, 'two'))).toBe(false);
  });

  test.each([
    ['read', 'a file elsewhere', (folder: string) => `[[read:${folder}/there.txt]]`],
    ['edit', 'a new file elsewhere', (folder: string) => `[[edit:${folder}/new.txt=words]]`],
    [['Read'], 'an edit by a relative path', () => '[[edit:notes.txt=words]]'],
  ] as const)('under %j asks about %s, and does it when allowed', async (permissions, _, write) => {
    const place = await prepare();
    writeFileSync(join(place.home, 'there.txt'), 'words');
    const first = began();
    const prompt = `${write(place.home)} [[say:did it]]`;
    const { tool, input } = asked(await agentTurn(place, { ...first, permissions, prompt }));
    const events = await agentTurn(place, {
      ...goOn(first),
      permissions,
      prompt,
      allowed: [{ tool, input }],
    });
    expect(events.at(-1)).toMatchObject({ type: 'result', text: 'did it' });
    expect(events.filter((event) => event.type === 'tool-finished' && event.isError)).toEqual([]);
  });

  test('does not ask about what the person has forbidden in own settings, which goes on to be denied', async () => {
    const place = await prepare();
    userSettings(place, { permissions: { deny: ['Bash(sh:*)'] } });
    const events = await agentTurn(place, {
      ...began(),
      prompt: '[[shell:sh -c "echo 1 >> one"]] [[say:x]]',
    });
    expect(events.at(-1)).toMatchObject({ type: 'failure', kind: 'denied' });
    expect(events.filter(({ type }) => type === 'asked')).toEqual([]);
  });

  test("asks beside the person's own hooks, which still run", async () => {
    const place = await prepare();
    const log = join(place.home, 'hook.log');
    const hooks = [{ matcher: '*', hooks: [{ type: 'command', command: `cat >> ${log}` }] }];
    userSettings(place, { hooks: { PreToolUse: hooks, PermissionRequest: hooks } });
    asked(await agentTurn(place, { ...began(), prompt: '[[shell:sh -c "echo 1 >> one"]] [[say:x]]' }));
    expect(readFileSync(log, 'utf8')).toContain('PreToolUse');
    expect(readFileSync(log, 'utf8')).toContain('PermissionRequest');
  });
});
