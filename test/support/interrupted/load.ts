/** Brings a fixture back: the store through its contract, the repository, and what lay in folders. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import {
  chainHash,
  genesis,
  ownIdentity,
  sha256,
  stateFolder,
  type ProcessIdentity,
} from '../../../src/base/index.ts';
import { createDecoder } from '../../../src/engine/codec.ts';
import { foldCommit, summaryOf, type RunState } from '../../../src/kernel/index.ts';
import type { Commit, InboxCommand, Lease, StoredCommit } from '../../../src/model/index.ts';
import { LocalHeads } from '../../../src/spool/local/heads.ts';
import { StoreKey } from '../../../src/spool/store-key.ts';
import type { Store } from '../../../src/store/index.ts';
import { Git } from '../../../src/workspaces/git/index.ts';
import { readBlob, type Fixture } from './fixture.ts';

/** Where a fixture is to be, and on which machine it believes to be. */
export interface Ground {
  readonly root: string;
  readonly machine: Pick<ProcessIdentity, 'host' | 'bootId' | 'pidNamespace'>;
}

export function here(root: string): Ground {
  return { root, machine: ownIdentity() };
}

/** The same for everybody. */
export const nowhere: Ground = {
  root: '/fixture',
  machine: { host: 'host', bootId: 'boot', pidNamespace: 'namespace' },
};

export function localised(text: string, { root, machine }: Ground): string {
  return text
    .replaceAll('@ROOT@', root)
    .replaceAll('@HOST@', machine.host)
    .replaceAll('@BOOT@', machine.bootId)
    .replaceAll('@NAMESPACE@', machine.pidNamespace);
}

/** The commits as they would have been stored there. */
export function commitsOf({ run, journal }: Fixture, ground: Ground): StoredCommit[] {
  let hash = genesis;
  return journal.map((line, index) => {
    const body = localised(line, ground);
    hash = chainHash(hash, body);
    return { run, seq: index + 1, body, hash };
  });
}

const decode = createDecoder({ readBlob: (hash) => Promise.resolve(readBlob(hash)) });

export async function decoded(commits: readonly StoredCommit[]): Promise<Commit[]> {
  return await Promise.all(commits.map((commit) => decode(commit)));
}

export interface LoadedFixture {
  readonly state: RunState;
  readonly last: StoredCommit;
}

/** Writes the journal, commit by commit; then nobody has its lease. */
export async function loadJournal(store: Store, fixture: Fixture, ground: Ground): Promise<LoadedFixture> {
  const stored = commitsOf(fixture, ground);
  const commits = await decoded(stored);
  const owner = { ...ownIdentity(), instance: 'fixture' };
  let state: RunState | undefined;
  let lease: Lease | undefined;
  for (const [index, commit] of commits.entries()) {
    state = foldCommit(state, commit);
    const request = {
      commit: stored[index]!,
      blobs: blobsIn(stored[index]!),
      summary: summaryOf(state),
      at: commit.at,
    };
    if (lease === undefined) {
      lease = await store.createRun({
        ...request,
        lease: { name: `run:${request.commit.run}`, owner, token: 'fixture', leaseMs: 60_000 },
        release: false,
      });
    } else {
      await store.append({ ...request, lease, answers: [] });
    }
  }
  await passLease(store, lease!, commits.at(-1)!.epoch);
  for (const command of fixture.inbox) {
    await store.sendCommand(JSON.parse(localised(JSON.stringify(command), ground)) as InboxCommand);
  }
  return { state: state!, last: stored.at(-1)! };
}

function blobsIn({ body }: StoredCommit): { readonly hash: string; readonly text: string }[] {
  const { events } = JSON.parse(body) as { events: { blobs?: Record<string, string> }[] };
  return events
    .flatMap(({ blobs = {} }) => Object.values(blobs))
    .map((hash) => {
      const text = readBlob(hash);
      if (sha256(text) !== hash) throw new Error(`the blob ${hash} is not what it was`);
      return { hash, text };
    });
}

/** It was taken as often as the journal says. */
async function passLease(store: Store, first: Lease, epoch: number): Promise<void> {
  await store.releaseLease(first);
  for (let taken = first.epoch; taken < epoch;) {
    const { owner, token } = first;
    const { lease } = await store.takeLease({ name: first.name, owner, token, leaseMs: 60_000 });
    taken = lease.epoch;
    await store.releaseLease(lease);
  }
}

/** The repository, its worktrees, and what lay in the spool; the store has to be in `.piton` of the repository. */
export async function layOut(fixture: Fixture, ground: Ground): Promise<void> {
  const repository = join(ground.root, 'repository');
  makeRepository(fixture, repository);
  const spool = join(repository, '.piton/spool');
  const key = new StoreKey(spool, stateFolder('keys'));
  const git = new Git({ environment: process.env, durability: 'process' });
  for (const { path, text } of fixture.files.filter(({ path }) => /^\.git\/|\/\.git$/.test(path)))
    write(join(repository, path), localised(text, ground));
  fillWorktrees(fixture, repository);
  const part = join(repository, 'part');
  const told = existsSync(part) ? JSON.stringify(readFileSync(part, 'utf8')) : '';
  for (const { path, text } of fixture.files) {
    const attempt = /^\.piton\/spool\/(\w+)\/exit$/.exec(path)?.[1];
    const nonce = attempt === undefined ? '' : key.nonceOf(attempt, exitIn(text));
    const whole = localised(text, ground)
      .replace('@NONCE@', nonce)
      .replaceAll('"@PART@"', () => told);
    write(join(repository, path), whole.includes('"@SEAL@"') ? sealed(whole, git) : whole);
  }
  const { head, run } = fixture;
  if (head !== undefined)
    await new LocalHeads(spool, { store: 'piton.db', isSynced: false }).raise(run, head);
}

/** What a record says, in whose place the nonce is still to come. */
function exitIn(record: string): { readonly code: number; readonly timedOut: boolean } {
  const [, code, late] = /^\S+ (\d{3}) ([01]) /.exec(record) ?? [];
  return { code: Number(code ?? 1), timedOut: late === '1' };
}

/** With the key of whoever loads it. */
function sealed(text: string, git: Git): string {
  const { seal: _, ...note } = JSON.parse(text) as { readonly seal: string };
  return text.replace('@SEAL@', git.sealOf(JSON.stringify(note)));
}

function makeRepository({ base, repository }: Fixture, folder: string): void {
  mkdirSync(folder, { recursive: true });
  const git = (args: readonly string[], input = ''): string =>
    execFileSync('git', args, { cwd: folder, input, encoding: 'utf8' });
  git(['init', '-q', '-b', 'main']);
  git(['fast-import', '--quiet'], base.text);
  git(['fast-import', '--quiet'], repository);
  git(['reset', '-q', '--hard']);
  for (const ref of git(['for-each-ref', '--format=%(refname)', 'refs/fixture']).split('\n').filter(Boolean))
    git(['update-ref', '-d', ref]);
}

/** Their files as in their commits, and what was staged. */
function fillWorktrees({ indexes }: Fixture, repository: string): void {
  const admin = join(repository, '.git/worktrees');
  for (const name of existsSync(admin) ? readdirSync(admin) : []) {
    const place = placeOf(join(admin, name));
    if (!existsSync(place)) continue;
    const git = (args: readonly string[], input = ''): void =>
      void execFileSync('git', args, { cwd: place, input, encoding: 'utf8' });
    git(['reset', '-q', '--hard']);
    const staged = indexes.find((index) => place.endsWith(index.place));
    if (staged === undefined) continue;
    git(['read-tree', '--empty']);
    git(['update-index', '--index-info'], staged.entries);
  }
}

function placeOf(gitDir: string): string {
  return dirname(readFileSync(join(gitDir, 'gitdir'), 'utf8').trim());
}

function write(path: string, text: string): void {
  mkdirSync(path.endsWith('/') ? path : dirname(path), { recursive: true, mode: 0o700 });
  if (!path.endsWith('/')) writeFileSync(path, text);
}
