import { execFileSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const programs = fileURLToPath(new URL('./programs/', import.meta.url));

/** Installs packages into a folder outside the repository, unless they are there, and puts a program beside them. */
export function installPeer(folder: string, packages: readonly string[], program: string): void {
  mkdirSync(folder, { recursive: true });
  if (!packages.every((name) => existsSync(manifestOf(folder, name)))) {
    writeFileSync(join(folder, 'package.json'), '{ "private": true, "type": "module" }\n');
    execFileSync('npm', ['install', '--no-fund', '--no-audit', ...packages], {
      cwd: folder,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
  }
  for (const file of [program, 'protocol.js']) copyFileSync(join(programs, file), join(folder, file));
}

export function versionsOf(folder: string, packages: readonly string[]): string {
  const versions = packages.map((name) => {
    const { version } = JSON.parse(readFileSync(manifestOf(folder, name), 'utf8')) as { version: string };
    return `${withoutRange(name)} ${version}`;
  });
  return versions.join(', ');
}

function manifestOf(folder: string, name: string): string {
  return join(folder, 'node_modules', withoutRange(name), 'package.json');
}

function withoutRange(name: string): string {
  return name.replace(/(?<=.)@.*$/, '');
}

/** This one, and every other on the path: what was built natively may fit only one of them. */
export function nodesAtHand(): string[] {
  const found = (process.env['PATH'] ?? '').split(delimiter).map((folder) => join(folder, 'node'));
  return [...new Set([process.execPath, ...found.filter((file) => existsSync(file))])];
}
