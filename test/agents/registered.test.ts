import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { agentNamed, untestedText } from '../../src/agents/index.ts';
import { open, registerAgent, workflow, type Agent } from '../../src/index.ts';
import { traitsOf } from '../../src/model/index.ts';
import { agentContract } from '../contracts/agent.ts';
import { parseProblems, parsed } from '../definition/support.ts';
import { library } from '../support/built.ts';
import { parrot } from '../support/parrot.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const hello = '{"type":"hello","session":"c9b0a1d2-0000-4000-8000-000000000002"}';

agentContract(parrot, {
  streams: [
    { title: 'it speaks', lines: [hello, '{"type":"said","text":"ahoy"}'], outcome: 'result' },
    { title: 'it says nothing', lines: [hello], outcome: 'error' },
    { title: 'it has learnt something new', lines: [hello, '{"type":"constructor"}'], outcome: 'error' },
  ],
});

describe('an agent of a user', () => {
  test('is known to workflows once it is registered, with what they are checked with', async () => {
    const name = registerAgent(parrot);
    expect(registerAgent(parrot)).toBe(name);
    expect(agentNamed('parrot')).toBe(parrot);
    const file = (more: string) => `
name: w
defaults: { agent: parrot }
tasks:
  a: { prompt: x }
  b: { needs: a, prompt: x, session: { ${more}: a } }`;
    expect((await parsed(file('continue'))).tasks).toHaveLength(2);
    expect(await parseProblems(file('fork'))).toMatchObject([
      { message: '`a` is done by `parrot`, whose sessions cannot be copied.' },
    ]);
  });

  test('does the work of a task, and goes on in its session', async () => {
    await using piton = await open({ store: 'memory:' });
    const definition = workflow('w')
      .agent('greet', { agent: registerAgent(parrot) }, 'ahoy')
      .agent(
        'again',
        { agent: registerAgent(parrot), session: { continue: 'greet' }, needs: ['greet'] },
        'hi',
      );
    const { status, outputs } = await (await piton.start(definition)).result();
    expect(status).toBe('succeeded');
    expect(outputs).toMatchObject({ greet: 'new: ahoy', again: expect.stringMatching(/^continue: hi/) });
  });

  test.each<[string, Partial<Record<keyof Agent, unknown>>, string, string]>([
    ['a taken name', { name: 'claude' }, 'AGENT_NAME_TAKEN', 'Register yours under another name.'],
    ['a name that is none', { name: 'My Agent' }, 'AGENT_INVALID', 'small letters, digits and hyphens'],
    ['a part that is missing', { name: 'half', parser: undefined }, 'AGENT_INVALID', 'Give it `parser`'],
  ])('is refused with %s', (_, given, code, remedy) => {
    const agent = { ...parrot, ...given } as Agent;
    expect(() => registerAgent(agent)).toThrowError(
      expect.objectContaining({ code, message: expect.stringContaining(remedy) as string }),
    );
    expect(traitsOf(agent.name)).not.toMatchObject(parrot.traits);
  });

  test('is missed before anything is begun, where a run of it is taken up without it', async () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'begin.mjs'), begin);
    spawnSync(process.execPath, ['begin.mjs'], { cwd: folder });
    await using piton = await open({ store: `sqlite:${folder}/state.db` });
    const { definition } = await piton.definitionOf('begun');
    await expect(piton.resume(definition, 'begun')).rejects.toMatchObject({
      code: 'AGENT_UNKNOWN',
      message: expect.stringContaining('registerAgent') as string,
    });
    expect(await (await piton.find('begun')).checkpoint()).toMatchObject({ status: 'running' });
  });

  test('that is not registered here can still be told of', () => {
    expect(untestedText('elsewhere', '1.0')).toBe('elsewhere 1.0 is not tested with Piton (none is)');
  });
});

/** Leaves a run behind of an agent that nobody else knows. */
const begin = `import { open, registerAgent, workflow } from ${JSON.stringify(library)};
const no = () => { throw new Error('never asked'); };
const agent = registerAgent({
  name: 'macaw', title: 'A macaw', traits: { sessions: 'none', ignores: [] }, choosesSession: false, pricing: 'none',
  showsToolStart: false, asks: false, executable: 'macaw', variables: { always: [] }, login: '', versionCommand: no,
  parseVersion: no, command: no, interactive: no, parser: no, toolClass: no, explainPermissions: no,
});
const piton = await open({ store: 'sqlite:state.db' });
const flow = workflow('w').command('first', {}, 'true').agent('then', { agent, needs: ['first'] }, 'x');
await piton.start(flow, { id: 'begun' });
process.kill(process.pid, 'SIGKILL');
`;
