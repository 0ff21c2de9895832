/** The real CLIs behind a program that changes what they print: as their next versions might. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { binFolder, testedClis, type AgentCliName } from '../support/agent-clis.ts';
import { eventually } from '../support/eventually.ts';
import { livePlace, type LivePlace } from '../support/live-agents.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const patienceMs = 120_000;

/** `filter`: what its output is led through, in shell text. `then`: what happens when it has ended. */
function shim(cli: AgentCliName, filter: string, then = ''): string {
  const file = join(temporaryFolder(), cli);
  const real = join(binFolder(cli), cli);
  const text = `#!/bin/sh\n[ "$1" != --version ] || exec ${real} --version\n${real} "$@" | ${filter}\n${then}\n`;
  writeFileSync(file, text, { mode: 0o755 });
  return file;
}

function shimmed(cli: AgentCliName, executable: string): Promise<LivePlace> {
  return livePlace([cli], { agents: { [cli]: { executable } }, lingerMs: 500 });
}

describe.each(testedClis())('$name', ({ name: agent }) => {
  test('whose events are renamed, killed in a push, is held, and pushes once', async () => {
    const place = await shimmed(agent, shim(agent, `sed -u 's/"type":"/"type":"new-/g'`));
    const prompt = 'Remember KIWI. [[shell:echo pushed >> pushes; sleep 300]] [[say:worked]]';
    const run = await place.run({ task: { agent, permissions: 'full', prompt } });
    const pushes = (): string =>
      existsSync(join(place.project, 'pushes')) ? readFileSync(join(place.project, 'pushes'), 'utf8') : '';
    await eventually('the tool runs', () => pushes() !== '', patienceMs);
    await place.killAgents();
    const taskOf = async () => (await run.checkpoint()).tasks['task']!;
    await eventually('it waits', async () => (await taskOf()).status !== 'running', patienceMs);
    const { status, reason, cli } = await taskOf();
    expect({ status, cli }).toMatchObject({ status: 'held', cli: { agent } });
    expect(reason).toContain('does not understand');
    expect(pushes()).toBe('pushed\n');
  });

  test('that does not end after its result, is ended, and the result counts', async () => {
    const place = await shimmed(agent, shim(agent, 'cat', 'exec sleep 600'));
    const run = await place.run({
      task: { agent, permissions: 'full', prompt: 'Remember KIWI. [[say:worked]]' },
    });
    expect(await run.result()).toMatchObject({ outputs: { task: 'worked' } });
    expect(place.survivors()).toEqual([]);
  });
});
