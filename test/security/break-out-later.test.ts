/** What a contained process leaves behind, so that the next one, or Piton itself, opens to it what it cannot reach. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { stateFolder } from '../../src/base/index.ts';
import { findSandbox } from '../../src/sandbox/index.ts';
import { git, openRepository, type RepositoryPlace } from '../support/repository-place.ts';
import { played } from '../support/scripted-place.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const environment = { ...process.env, PITON_BWRAP: undefined };
const here = (await findSandbox(environment)).by === 'bubblewrap';

/** Not below a temporary folder, which nobody sees inside. */
function folderOutside(): string {
  const folder = mkdtempSync(join(homedir(), '.piton-test-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

interface Plot {
  /** What the agent does, and what then runs in its check. */
  readonly agent?: string;
  readonly check?: string;
  readonly task?: object;
  prepare?(place: RepositoryPlace): void;
}

/** What the check has seen. Nothing of what was planted is brought in, so that nothing is held. */
async function carryOut({ agent = ':', check = ':', task = {}, prepare }: Plot): Promise<string> {
  const place: RepositoryPlace = await openRepository({ environment });
  prepare?.(place);
  const names = ['dist/', '.claude', '.codex', 'cache', 'home'];
  writeFileSync(join(place.repository, '.git/info/exclude'), names.join('\n'));
  const run = await place.run({
    agent: played([[{ run: agent }, { answer: 'done' }]], {
      sandbox: 'required',
      check: `set +e; { ${check}\n} >seen.txt 2>/dev/null; true`,
      ...task,
    }),
  });
  expect(await run.result()).toEqual({ status: 'succeeded', outputs: { agent: 'done' } });
  return git(place.repository, 'show', 'piton/run:seen.txt');
}

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

  test('in a home, or a folder of caches, that lies in the place opens nothing', async () => {
    const outside = folderOutside();
    const seen = await carryOut({
      agent: `mkdir -p home/.cargo; ln -s ${outside} home/.npm; ln -s ${outside} home/.cargo/registry; ln -s ${outside} home/go`,
      check: `touch ${outside}/escaped; mkdir -p $HOME/sub; echo end`,
      task: { env: { HOME: './home', GOMODCACHE: './home/go' } },
    });
    expect(seen).toBe('end');
    expect(readdirSync(outside)).toEqual([]);
  });
});

describe.skipIf(!here)('in the record that git has of its place', () => {
  const record = 'd=$(git rev-parse --git-dir); c=$(git rev-parse --git-common-dir)';

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

  test('a pipe keeps nobody waiting', async () => {
    const pipes =
      'rm "$d/index"; mkfifo "$d/index" "$d/ORIG_HEAD" "$(dirname "$c/$(git symbolic-ref HEAD)")/zz"';
    expect(await carryOut({ check: `${record}; ${pipes}; echo end` })).toBe('end');
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
  test('keys are hidden that are made only while the attempt is prepared', async () => {
    const state = folderOutside();
    vi.stubEnv('XDG_STATE_HOME', state);
    onTestFinished(() => void vi.unstubAllEnvs());
    const look = `find ${state} -type f`;
    expect(await carryOut({ agent: `${look} >first.txt`, check: `${look}; cat first.txt; echo end` })).toBe(
      'end',
    );
  });

  test('what the loader is told counts inside, and not for what contains it', async () => {
    const outside = folderOutside();
    const output = join(outside, 'x');
    const seen = await carryOut({
      check: 'unset LD_DEBUG; echo $LD_DEBUG_OUTPUT',
      task: { env: { LD_DEBUG: 'statistics', LD_DEBUG_OUTPUT: output } },
    });
    expect(seen).toBe(output);
    expect(readdirSync(outside)).toEqual([]);
  });

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
