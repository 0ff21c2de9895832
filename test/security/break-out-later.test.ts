/** See break-out-later.ts. */
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { stateFolder } from '../../src/base/index.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { carryOut, environment, folderOutside, here, record } from './break-out-later.ts';

describe.skipIf(!here)('a link that an agent leaves', () => {
  test('at the place of a shared cache opens nothing', async () => {
    const outside = folderOutside();
    const seen = await carryOut({
      agent: `rm cache && ln -s ${outside} cache`,
      check: `touch ${outside}/escaped; ls -d cache`,
      task: { setup: { caches: ['cache'] } },
    });
    expect(seen).toBe('cache');
    expect(readdirSync(outside)).toEqual([]);
  });

  test('at the place of settings shows nothing that is hidden', async () => {
    const keys = stateFolder('keys');
    const seen = await carryOut({
      agent: `ln -s ${keys} .claude; ln -s /run .codex; ln -s ${temporaryFolder()} .gemini`,
      check: `ls -A ${keys} /run; rm -f .gemini; echo end`,
    });
    expect(seen.split('\n').filter((line) => !/^(\/run:|\/.*keys:|systemd|)$/.test(line))).toEqual(['end']);
  });
});

describe.skipIf(!here)('in the record that git has of its place', () => {
  test('a link is not followed: neither to the index of the user, nor to any file', async () => {
    const file = join(folderOutside(), 'precious');
    writeFileSync(file, 'precious');
    let index = (): Buffer => Buffer.alloc(0);
    let before = index();
    const links = `for at in "$d/logs/HEAD" "$c/logs/$(git symbolic-ref HEAD)"; do rm -f "$at"; ln -s ${file} "$at"; done`;
    const seen = await carryOut({
      agent: `${record}; ${links}; rm "$d/index"; ln -s "$c/index" "$d/index"`,
      check: 'echo end',
      prepare({ repository }) {
        index = () => readFileSync(join(repository, '.git/index'));
        before = index();
      },
    });
    expect(seen).toBe('end');
    expect(readFileSync(file, 'utf8')).toBe('precious');
    expect(index()).toEqual(before);
  });

  test('what is new is not written to where a link among the objects leads', async () => {
    const outside = folderOutside();
    const links = `for i in $(seq 0 255); do n=$(printf %02x $i); [ -e "$c/objects/$n" ] || ln -s ${outside} "$c/objects/$n"; done`;
    expect(await carryOut({ check: `${record}; ${links}; echo end` })).toBe('end');
    expect(readdirSync(outside)).toEqual([]);
  });

  test('it makes no configuration, and in the objects changes neither packs nor what leads elsewhere', async () => {
    const steps = [
      'echo x >"$d/config.worktree"',
      'echo /elsewhere >"$c/objects/info/alternates"',
      'touch "$c/objects/pack/x"',
      'echo x >"$c/logs/HEAD"',
    ];
    const check = `${record}; ${steps.map((step) => `(${step}) && echo open`).join('; ')}; echo end`;
    expect(await carryOut({ check })).toBe('end');
  });
});

describe.skipIf(!here)('in the sandbox', () => {
  test('sockets that programs outside listen at answer nobody', async () => {
    const path = join(folderOutside(), 'engine.sock');
    const server = createServer((socket) => socket.end()).listen(path);
    onTestFinished(() => void server.close());
    const call = `const s=require('net').connect('${path}');s.on('connect',()=>{console.log('open');s.end()}).on('error',(e)=>console.log('shut'))`;
    expect(await carryOut({ check: `'${process.execPath}' -e "${call}"` })).toBe('shut');
  });

  test('a folder that was left open to Piton is not open to what it contains', () => {
    const folder = temporaryFolder();
    const outside = folderOutside();
    const run = 'touch /proc/self/fd/251/escaped || true; ls -l /proc/self/fd >seen.txt';
    writeFileSync(
      join(folder, 'flow.json'),
      JSON.stringify({ name: 'flow', tasks: { only: { run, sandbox: 'required' } } }),
    );
    // Above a gap: Node closes no others.
    const text = `exec 251<${outside}; cd ${folder} && exec "$@"`;
    const piton = join(import.meta.dirname, '../../bin/piton.js');
    const words = ['-c', text, 'bash', process.execPath, piton, 'run', './flow.json', '--id', 'run'];
    const env = { ...environment, PITON_TRUST: '1' };
    expect(spawnSync('bash', words, { encoding: 'utf8', env }).status).toBe(0);
    expect(readdirSync(outside)).toEqual([]);
    expect(readFileSync(join(folder, 'seen.txt'), 'utf8')).not.toContain(outside);
  });
});
