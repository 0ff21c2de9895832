import { createServer, type Server } from 'node:net';
import { once } from 'node:events';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { givePorts, portsFolder, releasePorts } from '../../../src/workspaces/filling/ports.ts';
import { isPortFree } from '../../../src/workspaces/filling/free-ports.ts';
import { startProgram } from '../../support/start-program.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

/** A range that is used by no other test. */
function stand(first = 18_400, last = 18_419) {
  const top = temporaryFolder();
  const settings = { folder: join(top, 'ports'), first, last };
  const place = (name: string): string => {
    mkdirSync(join(top, name), { recursive: true });
    return join(top, name);
  };
  return { settings, place, give: (name: string, count: number) => givePorts(settings, place(name), count) };
}

async function listen(port: number, host: string): Promise<Server> {
  const server = createServer();
  onTestFinished(() => void server.close());
  server.listen(port, host);
  await once(server, 'listening');
  return server;
}

describe('ports of places', () => {
  test('are apart from each other, and where no such block is left, that is said', async () => {
    const { give } = stand();
    const blocks = [];
    for (const name of ['a', 'b', 'c', 'd', 'e', 'f']) blocks.push(await give(name, 2));
    const ports = blocks.flatMap(({ first }) => [first, first + 1]);
    expect(new Set(ports).size).toBe(12);
    expect(ports.every((port) => port >= 18_400 && port <= 18_419)).toBe(true);
    await expect(give('g', 20)).rejects.toMatchObject({
      code: 'PORTS_UNAVAILABLE',
      message: expect.stringContaining('20 free ports') as string,
    });
  });

  test('are the same whenever a place asks again, also when it listens on them', async () => {
    const { give } = stand(18_420, 18_439);
    const block = await give('a', 2);
    await listen(block.first, '127.0.0.1');
    expect(await give('a', 2)).toEqual(block);
  });

  test('are others when a place wants more of them than before', async () => {
    const { give } = stand(18_440, 18_443);
    await give('a', 2);
    expect(await give('a', 4)).toEqual({ first: 18_440, count: 4 });
  });

  test('are not those on which somebody else listens', async () => {
    const { give } = stand(18_444, 18_446);
    await listen(18_445, '127.0.0.1');
    expect(await isPortFree(18_445)).toBe(false);
    expect([(await give('a', 1)).first, (await give('b', 1)).first].sort()).toEqual([18_444, 18_446]);
  });

  test('may be given to others when they are released, or when the place is gone', async () => {
    const { give, place, settings } = stand(18_448, 18_449);
    expect(await give('a', 2)).toEqual({ first: 18_448, count: 2 });
    await expect(give('b', 1)).rejects.toMatchObject({ code: 'PORTS_UNAVAILABLE' });
    releasePorts(settings, place('a'));
    expect(await give('b', 2)).toEqual({ first: 18_448, count: 2 });
    rmSync(place('b'), { recursive: true });
    expect(await give('c', 2)).toEqual({ first: 18_448, count: 2 });
  });

  test('are never given twice, however many processes ask at once', async () => {
    const { place, settings } = stand(18_450, 18_549);
    const programs = ['a', 'b', 'c', 'd'].map((name) => {
      const paths = [1, 2, 3].map((number) => place(`${name}${number}`));
      return startProgram('give-ports', { args: [JSON.stringify({ settings, paths, count: 3 })] });
    });
    const printed = await Promise.all(programs.map((program) => program.ended()));
    const firsts = printed.flatMap(({ lines }) => lines.map(Number));
    expect(firsts).toHaveLength(12);
    const ports = firsts.flatMap((first) => [first, first + 1, first + 2]);
    expect(new Set(ports).size).toBe(36);
  });

  test('are shared out in a folder of the user, which is named if it cannot be used', async () => {
    expect(portsFolder({ XDG_STATE_HOME: '/state', HOME: '/home/ada' })).toBe('/state/piton/ports');
    expect(portsFolder({ HOME: '/home/ada' })).toBe('/home/ada/.local/state/piton/ports');
    const { settings, place } = stand();
    writeFileSync(settings.folder, 'a file');
    await expect(givePorts(settings, place('a'), 1)).rejects.toMatchObject({
      code: 'PORTS_UNAVAILABLE',
      message: expect.stringContaining(settings.folder) as string,
    });
  });
});
