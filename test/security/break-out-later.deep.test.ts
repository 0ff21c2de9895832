/** See break-out-later.ts. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { carryOut, folderOutside, here, record } from './break-out-later.ts';

describe.skipIf(!here)('what a contained process leaves', () => {
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

  test('a pipe keeps nobody waiting', async () => {
    const pipes =
      'rm "$d/index"; mkfifo "$d/index" "$d/ORIG_HEAD" "$(dirname "$c/$(git symbolic-ref HEAD)")/zz"';
    expect(await carryOut({ check: `${record}; ${pipes}; echo end` })).toBe('end');
  });

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
});
