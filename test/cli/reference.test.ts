import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { commandTable } from '../../src/interfaces/cli/command-table.ts';
import { exitCodes, exitCodesByError } from '../../src/interfaces/cli/exit-codes.ts';

const reference = readFileSync('docs/reference/cli.md', 'utf8');

test('the reference of the command line is what the commands say of themselves', () => {
  const { status, stderr } = spawnSync(process.execPath, ['scripts/write-cli-reference.ts', '--check'], {
    encoding: 'utf8',
  });
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
});

test('every exit code is explained', () => {
  const explained = [...reference.matchAll(/^\| (\d+) +\|/gm)].map(([, code]) => Number(code));
  expect(explained).toEqual(Object.values(exitCodes));
});

test('every error that has an exit code of its own is in the reference of errors', () => {
  const errors = readFileSync('docs/reference/errors.md', 'utf8');
  const listed = new Set([...errors.matchAll(/^\| `([A-Z_]+)`/gm)].map(([, code]) => code!));
  expect(Object.keys(exitCodesByError).filter((code) => !listed.has(code))).toEqual([]);
});

test('every command has examples that call it', async () => {
  const silent: string[] = [];
  for (const { name, load } of commandTable) {
    const { examples } = (await load()).command;
    if (!examples.some(([line]) => line.includes(`piton ${name}`))) silent.push(name);
  }
  expect(silent).toEqual([]);
});

test('whoever reads has --json', async () => {
  const { Command } = await import('commander');
  const withoutJson: string[] = [];
  for (const { name, load } of commandTable) {
    const command = (await load()).command.configure(new Command(name));
    if (!command.options.some(({ long }) => long === '--json')) withoutJson.push(name);
  }
  expect(withoutJson).toEqual(['demo', 'completion', '__complete']);
});
