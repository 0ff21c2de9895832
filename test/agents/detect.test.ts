import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { agentNamed, detectAgent } from '../../src/agents/index.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

/** A folder with a program of this name. */
function installed(name: string, text: string): string {
  const folder = temporaryFolder();
  writeFileSync(join(folder, name), `#!/bin/sh\n${text}\n`);
  chmodSync(join(folder, name), 0o755);
  return folder;
}

const systemPath = process.env['PATH'] ?? '';
const claude = agentNamed('claude');

describe('an agent that is looked for', () => {
  test('is found in PATH, with its version', async () => {
    const folder = installed('claude', 'echo "2.1.325 (Claude Code)"');
    const found = await detectAgent(claude, { environment: { PATH: `/nowhere::${folder}:${systemPath}` } });
    expect(found).toEqual({ path: join(folder, 'claude'), version: '2.1.325', isTested: true });
  });

  test.each([
    ['2.1.324', false],
    ['2.1.326', false],
    ['2.2.0', false],
    ['no version at all', false],
  ])('of version %s is not a tested one', async (version, isTested) => {
    const folder = installed('claude', `echo "${version}"`);
    const found = await detectAgent(claude, { environment: { PATH: `${folder}:${systemPath}` } });
    expect(found).toMatchObject({ isTested, version: /^\d/.test(version) ? version : 'unknown' });
  });

  test('is found where the configuration says', async () => {
    const folder = installed('my-claude', 'echo "$1" 2.1.325');
    const executable = join(folder, 'my-claude');
    const found = await detectAgent(claude, { environment: { PATH: systemPath }, executable });
    expect(found).toMatchObject({ path: executable, version: '2.1.325' });
  });

  test('is missing if it is not in PATH, or is a folder, or may not be run', async () => {
    const folder = temporaryFolder();
    mkdirSync(join(folder, 'claude'));
    writeFileSync(join(folder, 'codex'), 'text');
    const environment = { PATH: folder };
    expect(await detectAgent(claude, { environment })).toEqual({ missing: '`claude` is not in PATH' });
    expect(await detectAgent(agentNamed('codex'), { environment })).toEqual({
      missing: '`codex` is not in PATH',
    });
    expect(await detectAgent(claude, { environment: {}, executable: '/no/claude' })).toEqual({
      missing: '/no/claude is not a program that can be run',
    });
  });

  test('that fails to tell its version does not work, and the reason is told', async () => {
    const folder = installed('claude', 'echo "node: not found" >&2; exit 127');
    const found = await detectAgent(claude, { environment: { PATH: `${folder}:${systemPath}` } });
    expect(found).toEqual({
      missing: `${join(folder, 'claude')} is there but does not work: node: not found`,
      path: join(folder, 'claude'),
    });
  });

  test('that never answers is given up', async () => {
    const folder = installed('claude', 'exec sleep 60');
    const found = await detectAgent(claude, {
      environment: { PATH: `${folder}:${systemPath}` },
      timeoutMs: 100,
    });
    expect(found).toEqual({
      missing: `${join(folder, 'claude')} is there but does not work: no answer within 0.1 s`,
      path: join(folder, 'claude'),
    });
  });

  test('that waits for input sees its end', async () => {
    const folder = installed('claude', 'cat > /dev/null; echo 2.1.325');
    const found = await detectAgent(claude, { environment: { PATH: `${folder}:${systemPath}` } });
    expect(found).toMatchObject({ version: '2.1.325' });
  });

  test('is always there if it is our own', async () => {
    const found = await detectAgent(agentNamed('scripted'), { environment: { PATH: systemPath } });
    expect(found).toEqual({ path: process.execPath, version: '1.0.0', isTested: true });
  });

  test('has to be named if it can be any command', async () => {
    expect(await detectAgent(agentNamed('command'), { environment: {} })).toMatchObject({
      missing: expect.stringContaining('args'),
    });
  });
});

describe('the names of agents', () => {
  test('that are misspelt are corrected', () => {
    expect(() => agentNamed('cluade')).toThrowError(
      expect.objectContaining({ code: 'AGENT_UNKNOWN', message: expect.stringContaining('"claude"') }),
    );
    expect(() => agentNamed('constructor')).toThrowError(expect.objectContaining({ code: 'AGENT_UNKNOWN' }));
  });
});
