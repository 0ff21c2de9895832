import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { agentNamed } from '../../src/agents/index.ts';
import { inheritedBy, loginNames, takenFrom, variablesOfAgent } from '../../src/engine/task-environment.ts';
import { loadWorkflow, open, workflow, type OpenOptions } from '../../src/index.ts';
import { newProject } from '../cli/command-line.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

/** What a shell of a person may have. */
const mine = {
  ...process.env,
  LANG: 'de_AT.UTF-8',
  LC_TIME: 'C',
  https_proxy: 'http://localhost:9',
  AWS_SECRET_ACCESS_KEY: 'of-the-cloud',
  AWS_REGION: 'eu-central-1',
  GITHUB_TOKEN: 'of-github',
  SSH_AUTH_SOCK: '/tmp/agent',
  PITON_TRUST: '1',
  TOKEN: 'of-another-task',
  ANTHROPIC_API_KEY: 'sk-of-claude',
};

interface Result {
  readonly outputs?: Readonly<Record<string, string>>;
  readonly error?: { readonly message: string };
}

const names = 'env | cut -d= -f1 | sort';

async function resultOf(
  file: Readonly<Record<string, unknown>>,
  options: Partial<OpenOptions> = {},
): Promise<Result> {
  const folder = temporaryFolder();
  const piton = await open({
    store: `sqlite:${join(folder, 'piton.db')}`,
    durability: 'process',
    environment: mine,
    ...options,
  });
  onTestFinished(() => piton.close());
  const path = join(folder, 'flow.yaml');
  // JSON is YAML.
  writeFileSync(path, JSON.stringify({ name: 'flow', ...file }));
  const run = await piton.start(await loadWorkflow(path), { id: 'run', origin: { directory: folder } });
  return (await run.result()) as Result;
}

async function namesGiven(
  file: Readonly<Record<string, unknown>>,
  options?: Partial<OpenOptions>,
): Promise<string[]> {
  const { outputs } = await resultOf(file, options);
  return outputs!['task']!.split('\n');
}

describe('a task is given of the environment', () => {
  test('a base, what it adds, and its own secrets; neither those of others nor any account', async () => {
    const given = await namesGiven({
      tasks: {
        task: { run: names, env: { ADDED: 1 }, secrets: ['GITHUB_TOKEN'] },
        other: { run: 'true', secrets: ['TOKEN'] },
      },
    });
    for (const name of [
      'PATH',
      'HOME',
      'LANG',
      'LC_TIME',
      'https_proxy',
      'ADDED',
      'GITHUB_TOKEN',
      'PITON_RUN',
    ])
      expect(given).toContain(name);
    for (const name of ['TOKEN', 'AWS_REGION', 'AWS_SECRET_ACCESS_KEY', 'SSH_AUTH_SOCK', 'ANTHROPIC_API_KEY'])
      expect(given).not.toContain(name);
  });

  test('nothing of the base that is the secret of another', async () => {
    const given = await namesGiven({
      tasks: { task: { run: names }, other: { run: 'true', secrets: ['https_proxy'] } },
    });
    expect(given).toContain('LANG');
    expect(given).not.toContain('https_proxy');
  });

  test.each([
    ['itself by names', { tasks: { task: { run: names, 'inherit-env': ['AWS_*', 'NOT_THERE'] } } }, {}],
    ['the defaults', { defaults: { 'inherit-env': 'AWS_*' }, tasks: { task: { run: names } } }, {}],
    ['the file', { 'inherit-env': 'AWS_*', tasks: { task: { run: names } } }, {}],
    ['the project', { tasks: { task: { run: names } } }, { inheritEnv: ['AWS_*'] }],
  ])('what is asked for by %s', async (_, file, options) => {
    const given = await namesGiven(file, options);
    expect(given).toContain('AWS_REGION');
    expect(given).toContain('AWS_SECRET_ACCESS_KEY');
    expect(given).not.toContain('GITHUB_TOKEN');
  });

  test('less than others, if it says so itself', async () => {
    const given = await namesGiven({
      'inherit-env': true,
      tasks: { task: { run: names, 'inherit-env': [] } },
    });
    expect(given).not.toContain('GITHUB_TOKEN');
  });

  test('everything, where it asks for that, but what would let it decide for the person', async () => {
    const given = await namesGiven({ tasks: { task: { run: names, 'inherit-env': true } } });
    expect(given).toContain('SSH_AUTH_SOCK');
    expect(given).not.toContain('PITON_TRUST');
  });

  test('the same in TypeScript', async () => {
    const piton = await open({ store: 'memory:', environment: mine });
    onTestFinished(() => piton.close());
    const flow = workflow('flow')
      .command('bare', names)
      .command('more', { inheritEnv: ['GITHUB_TOKEN'] }, names);
    const { outputs } = await (await piton.start(flow, { id: 'r' })).result();
    expect(outputs!.bare).not.toContain('GITHUB_TOKEN');
    expect(outputs!.more).toContain('GITHUB_TOKEN');
  });
});

describe('an agent is given', () => {
  const givenTo = (name: string, environment: Record<string, string | undefined>): string[] => {
    const inherited = variablesOfAgent(agentNamed(name).variables, environment);
    return Object.keys(takenFrom({ environment, inherited, secrets: [] }));
  };

  test('its own login, not that of others', () => {
    const both = { ...mine, OPENAI_API_KEY: 'sk-of-codex' };
    expect(givenTo('claude', both)).toContain('ANTHROPIC_API_KEY');
    expect(givenTo('claude', both)).not.toContain('OPENAI_API_KEY');
    expect(givenTo('codex', both)).toContain('OPENAI_API_KEY');
    expect(givenTo('codex', both)).not.toContain('ANTHROPIC_API_KEY');
    expect(givenTo('command', both)).not.toContain('OPENAI_API_KEY');
  });

  test('the account of a cloud only where it was told to use that', () => {
    expect(givenTo('claude', mine)).not.toContain('AWS_REGION');
    expect(givenTo('claude', { ...mine, CLAUDE_CODE_USE_BEDROCK: '0' })).not.toContain('AWS_REGION');
    expect(givenTo('claude', { ...mine, CLAUDE_CODE_USE_BEDROCK: '1' })).toContain('AWS_REGION');
    expect(givenTo('goose', { ...mine, GOOSE_PROVIDER: 'aws_bedrock' })).toContain('AWS_REGION');
    expect(givenTo('goose', { ...mine, GOOSE_PROVIDER: 'openai' })).not.toContain('AWS_REGION');
  });

  test('a login that is hidden as a secret is', () => {
    const environment = {
      ANTHROPIC_API_KEY: 'sk-of-claude',
      ANTHROPIC_BASE_URL: 'https://localhost',
      PATH: '/bin',
    };
    expect(loginNames(agentNamed('claude').variables, environment)).toEqual(['ANTHROPIC_API_KEY']);
    expect(loginNames(agentNamed('claude').variables, { ANTHROPIC_API_KEY: 'dummy' })).toEqual([]);
  });
});

test('a run that an older version has begun goes on with the whole environment', () => {
  expect(inheritedBy({}, { inheritEnv: [] }, [])).toBe(true);
  expect(inheritedBy({ environment: 'base' }, {}, ['A'])).toEqual(['A']);
});

describe('a failure for want of a variable names the way to give it', () => {
  test.each([
    ['sh', 'set -u; echo $AWS_REGION'],
    ['bash', 'set -u; echo $AWS_REGION'],
    ['sh', 'echo ${AWS_REGION:?is missing}'],
    ['sh', 'echo "Error: AWS_REGION must be set" >&2; exit 1'],
    ['sh', 'test -n "$AWS_REGION"'],
    ['sh', 'curl() { echo 401 >&2; return 22; }; curl -H "region: ${AWS_REGION}"'],
  ])('of %s: %s', async (shell, run) => {
    const { error } = await resultOf({ tasks: { task: { shell, run } } });
    expect(error!.message).toMatch(/AWS_REGION is in your environment and was not given.*inherit-env/s);
  });

  test('of ssh: what it says names none', async () => {
    const run = 'echo "git@example.com: Permission denied (publickey)." >&2; exit 128';
    const environment = { ...mine, SSH_AUTH_SOCK: '/nowhere' };
    const { error } = await resultOf({ tasks: { task: { run } } }, { environment });
    expect(error!.message).toMatch(/SSH_AUTH_SOCK is in your environment.*inherit-env/s);
  });

  test('but not where that cannot help', async () => {
    const run = 'echo "Error: NO_SUCH_NAME and PATH" >&2; exit 1';
    expect((await resultOf({ tasks: { task: { run } } })).error!.message).not.toContain('inherit-env');
    const own = 'AWS_REGION=eu; test "$AWS_REGION" = us';
    expect((await resultOf({ tasks: { task: { run: own } } })).error!.message).not.toContain('inherit-env');
    const asked = { run: 'echo "no AWS_REGION" >&2; exit 1', 'inherit-env': 'AWS_*' };
    expect((await resultOf({ tasks: { task: asked } })).error!.message).not.toContain('inherit-env');
  });

  test('also for a program that is not found', async () => {
    const { error } = await resultOf({ tasks: { task: { run: 'no-such-program' } } });
    expect(error!.message).toContain('inherit-env');
  });
});

test('what is no name is refused where it stands', async () => {
  const project = newProject();
  project.write(
    '.piton/workflows/flow.yaml',
    'name: flow\ntasks:\n  a: { run: x, inherit-env: ["*", "A-B"] }\n',
  );
  const { code, stdout, stderr } = await project.piton(['validate', 'flow']);
  expect(code).not.toBe(0);
  expect(stdout + stderr).toMatch(/`\*` is neither.*`A-B` is neither/s);
  project.write('.piton/config.yaml', 'inherit-env: [A=b]\n');
  expect((await project.piton(['list'])).stderr).toMatch(/config.yaml:1: inherit-env\[0\] must be the name/);
});
