#!/usr/bin/env node
// Also read by old versions of Node, which then look for a newer one: nothing newer than ES modules may stand here.
import { spawn } from 'child_process';
import { existsSync, lstatSync, mkdirSync } from 'fs';
import module from 'module';
import { constants, homedir } from 'os';
import { dirname, isAbsolute, join } from 'path';
import { fileURLToPath, pathToFileURL } from 'url';

const here = dirname(fileURLToPath(import.meta.url));
const neededMajor = 24;

if (process.platform === 'win32') {
  refuse('Piton does not run on Windows itself: use WSL (https://learn.microsoft.com/windows/wsl).');
} else if (parseInt(process.versions.node, 10) >= neededMajor) {
  start();
} else {
  startWithNewerNode();
}

function start() {
  keepCompiled();
  const source = join(here, '../src/interfaces/cli/main.ts');
  const built = join(here, '../dist/interfaces/cli/main.js');
  const file = existsSync(source) ? source : built;
  import(pathToFileURL(file).href).then((loaded) => loaded.main(process.argv.slice(2)));
}

// Not in Node's own place for it, the temporary folder: others could put there what we would then run.
function keepCompiled() {
  const given = process.env.XDG_CACHE_HOME;
  try {
    const caches = given !== undefined && isAbsolute(given) ? given : join(homedir(), '.cache');
    const folder = join(caches, 'piton');
    if (!isAbsolute(caches)) return;
    for (const place of [caches, folder]) if (!existsSync(place)) mkdirSync(place, { mode: 0o700 });
    if (isOwn(caches) && isOwn(folder)) module.enableCompileCache(folder);
  } catch {
    // No home, or none that can be written to: then every call compiles for itself.
  }
}

// Nobody else can change what is in it.
function isOwn(folder) {
  const found = lstatSync(folder);
  return found.isDirectory() && found.uid === process.getuid() && (found.mode & 0o022) === 0;
}

function startWithNewerNode() {
  const node = findNode(here);
  if (node === undefined || process.env.PITON_NODE_TRIED !== undefined) {
    refuse(
      'Piton needs Node ' +
        neededMajor +
        ' or newer, and this is ' +
        process.versions.node +
        ' (' +
        process.execPath +
        ').\nInstall a newer one (https://nodejs.org), or put one beside Piton, for Piton only: npm install node@' +
        neededMajor +
        ' in your project, or npm install --global node@' +
        neededMajor +
        ' if Piton is installed globally.',
    );
    return;
  }
  const env = Object.assign({}, process.env, { PITON_NODE_TRIED: '1' });
  const child = spawn(node, process.argv.slice(1), { stdio: 'inherit', env });
  const signals = forwardSignals(child);
  child.on('error', (error) => refuse('Cannot start ' + node + ': ' + error.message));
  child.on('exit', (code, signal) => {
    for (const [name, forward] of signals) process.removeListener(name, forward);
    process.exitCode = signal === null ? code : 128 + constants.signals[signal];
    if (signal !== null) process.kill(process.pid, signal);
  });
}

// A terminal sends SIGINT and SIGHUP to the whole group: the child has them already, and a second one means "at once".
function forwardSignals(child) {
  const hasTerminal = [0, 1, 2].some((stream) => isTerminal(stream));
  return ['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGUSR2', 'SIGCONT'].map((name) => {
    const isSentToAll = hasTerminal && (name === 'SIGINT' || name === 'SIGHUP' || name === 'SIGCONT');
    const forward = () => {
      if (!isSentToAll) child.kill(name);
    };
    process.on(name, forward);
    return [name, forward];
  });
}

function isTerminal(stream) {
  return Boolean([process.stdin, process.stdout, process.stderr][stream].isTTY);
}

function findNode(folder) {
  for (const place of ['node_modules/node/bin/node', 'node_modules/.bin/node']) {
    const file = join(folder, place);
    if (existsSync(file)) return file;
  }
  const parent = dirname(folder);
  return parent === folder ? undefined : findNode(parent);
}

function refuse(message) {
  process.stderr.write(message + '\n');
  process.exitCode = 2;
}
