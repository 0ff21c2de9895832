/** Writes the part of docs/reference/cli.md that follows from the commands. With `--check` it only compares, and fails if it is outdated. */
import { readFileSync, writeFileSync } from 'node:fs';
import type { Command } from 'commander';
import { format, resolveConfig } from 'prettier';
import { commandTable } from '../src/interfaces/cli/command-table.ts';
import { fullProgram } from '../src/interfaces/cli/program.ts';

const file = new URL('../docs/reference/cli.md', import.meta.url);
const begin = '<!-- written by scripts/write-cli-reference.ts: begin -->';
const end = '<!-- end -->';

const stored = readFileSync(file, 'utf8');
const [before, rest] = stored.split(begin);
const [, after] = rest!.split(end);
const whole = [before, begin, '\n\n', await commandsText(), '\n\n', end, after].join('');
const text = await format(whole, { ...(await resolveConfig(file)), parser: 'markdown' });

if (!process.argv.includes('--check')) writeFileSync(file, text);
else if (stored !== text) {
  console.error('docs/reference/cli.md is outdated. Write it anew: node scripts/write-cli-reference.ts');
  process.exit(1);
}

async function commandsText(): Promise<string> {
  const program = await fullProgram();
  const shared = `## Options of every command\n\n${optionsText(program)}`;
  const parts = await Promise.all(program.commands.map((command) => commandText(command)));
  return [shared, '## Commands', ...parts].join('\n\n');
}

async function commandText(command: Command): Promise<string> {
  const entry = commandTable.find(({ name }) => name === command.name())!;
  const { examples } = (await entry.load()).command;
  const width = Math.max(...examples.map(([line]) => line.length));
  const lines = examples.map(([line, meaning]) => `${line.padEnd(width)}  # ${meaning}`);
  const words = command.registeredArguments.map((argument) => {
    const name = argument.variadic ? `${argument.name()}…` : argument.name();
    return argument.required ? `<${name}>` : `[${name}]`;
  });
  const about = command.registeredArguments.map(
    (argument) => `- \`${argument.name()}\`: ${argument.description}`,
  );
  return [
    `### \`${['piton', command.name(), ...words].join(' ')}\``,
    `${capital(command.description())}.`,
    about.join('\n'),
    optionsText(command),
    `\`\`\`sh\n${lines.join('\n')}\n\`\`\``,
  ]
    .filter((part) => part !== '')
    .join('\n\n');
}

function optionsText(command: Command): string {
  if (command.options.length === 0) return '';
  const shown = command.options.filter(({ hidden }) => !hidden);
  const rows = shown.map(({ flags, description, defaultValue }) => {
    const usual = typeof defaultValue === 'string' ? ` (default: ${defaultValue})` : '';
    return `| \`${flags}\` | ${cell(description)}${usual} |`;
  });
  return ['| option | |', '| --- | --- |', ...rows].join('\n');
}

function cell(text: string): string {
  return text.replace(/[<>|]/g, String.raw`\$&`);
}

function capital(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}
