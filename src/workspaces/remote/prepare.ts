import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { effect, PitonError, withOwnPath, systemClock } from '../../base/index.ts';
import type { Prepared, Recovery } from '../contract.ts';
import { readSaved } from '../git/index.ts';
import { Answers } from './answers.ts';
import { beginningOf } from './head-of-run.ts';
import { markOf, placeBranch, placePath, repositoryName, thereOf, type RemotePlace } from './layout.ts';
import { latestHere, remember, type Placed } from './mirror.ts';
import { readNews, writeNews } from './news.ts';
import { carryOut } from './orders.ts';
import { fillPlace, makePlace, openPlace } from './place-programs.ts';
import { lineTo, type RemoteRequest, type Resolved } from './ports.ts';
import { pushCommits } from './push.ts';
import { callMachine, type Line } from './ssh.ts';

/** The place there as it should be, whatever is there. */
export async function preparePlace(options: Resolved, request: RemoteRequest): Promise<Prepared> {
  assertPossible(request);
  const sight = await lookAround(options, request);
  assertOurs(sight);
  const { answers } = sight;
  if (!answers.has('ready')) await makeAgain(options, sight);
  if (request.copy.length > 0 && !answers.has('filled')) await fill(sight);
  const ordered = await carryOut(options, asWork(sight), answers.one('order'));
  if (ordered?.recovered !== undefined) await writeNews(options, sight.place, ordered.recovered);
  const place = ordered?.place ?? sight.place;
  const recovered = await readNews(options, place);
  return { place, ...(recovered !== undefined && { recovered }) };
}

/** What is done here for the place itself is nobody's attempt. */
function asWork({ request, place }: Sight): Placed {
  return { ...request, known: place, attempt: place.token, seq: 0, at: systemClock.now() };
}

interface Sight {
  readonly line: Line;
  readonly request: RemoteRequest;
  readonly place: RemotePlace;
  readonly answers: Answers;
}

async function lookAround(options: Resolved, request: RemoteRequest): Promise<Sight> {
  const { known, repository, snapshot } = request;
  const remote = machineOf(request);
  const line = lineTo(options, remote);
  const base = known?.base ?? (await beginningOf(options.git, request));
  const branch = known?.branch ?? placeBranch(request);
  const way = [line.machine.folder, repositoryName(repository.commonDir), placePath(request), branch];
  const exclude = readExclude(repository.commonDir);
  const args = [...way, exclude, base, ...(snapshot === undefined ? [] : [snapshot])];
  const told = await effect('remote.opened', () => callMachine(line, { program: openPlace, args }));
  const answers = new Answers(told);
  const path = known?.path ?? `${answers.one('root')}/${placePath(request)}`;
  const token = known?.token ?? request.token;
  const place = asItBegan({ kind: 'remote', remote, path, branch, base, token }, answers);
  return { line, request, answers, place };
}

/** What git ignores here beside what is committed, it ignores there. */
function readExclude(commonDir: string): string {
  const file = join(commonDir, 'info', 'exclude');
  return existsSync(file) ? readFileSync(file, 'utf8').trimEnd() : '';
}

function machineOf({ known, mode }: RemoteRequest): string {
  return known?.remote ?? (mode.mode === 'remote' ? mode.remote : '');
}

/** Prepared before, but not recorded: it began from where it says. */
function asItBegan(place: RemotePlace, answers: Answers): RemotePlace {
  const [mark, base] = (answers.one('owner') ?? '').split(' ');
  return mark === markOf(place) && base !== undefined ? { ...place, base } : place;
}

/** Without a mark only what holds nothing yet can be the rest of an earlier try. */
function assertOurs({ place, answers, request }: Sight): void {
  const owner = answers.one('owner');
  const isOurs =
    owner === undefined || (owner === '' ? answers.has('bare') : owner.split(' ')[0] === markOf(place));
  if (isOurs && !answers.has('foreign')) return;
  const what =
    owner === undefined
      ? 'is there already, and is not a worktree of Piton’s'
      : 'is the place of somebody else';
  throw new PitonError('WORKSPACE_DRIFTED', `${place.path} on ${place.remote} ${what}.`, {
    path: place.path,
    remote: place.remote,
    run: request.run,
    task: request.task,
    remedy: 'Look at it there, move away what is worth keeping, then try again.',
  });
}

async function makeAgain(options: Resolved, sight: Sight): Promise<void> {
  const { request, place, answers, line } = sight;
  const source = await sourceOf(options, sight);
  const needed = [place.base, source.files].filter((commit) => !isThere(answers, commit));
  if (needed.length > 0)
    await pushCommits(options.git, { line, place, repository: request.repository }, needed);
  const isLost = request.known !== undefined && !answers.has('owner');
  if (isLost) await writeNews(options, place, { found: 'it was gone', how: source.how, from: source.files });
  const { repository } = thereOf(place);
  const own = [repository, place.path, place.branch, markOf(place), place.base];
  await effect('remote.made', () =>
    callMachine(line, {
      program: makePlace,
      args: [...own, source.head, source.files, String(request.copy.length)],
    }),
  );
  if (source.isMirrored) await remember(options, asWork(sight), { what: 'same', commit: source.files });
}

function isThere(answers: Answers, commit: string): boolean {
  return answers.one('tip') === commit || answers.all('has').includes(commit);
}

interface Source {
  readonly how: Recovery['how'];
  readonly head: string;
  readonly files: string;
  /** It is laid out here as well. */
  readonly isMirrored: boolean;
}

/** The latest of what is known: commits on its branch there that never came home, or what did. */
async function sourceOf(options: Resolved, sight: Sight): Promise<Source> {
  const { request, place, answers } = sight;
  const { base } = place;
  if (request.known === undefined) return { how: 'recreated', head: base, files: base, isMirrored: false };
  const tip = answers.one('tip');
  if (tip !== undefined && (await readSaved(options.git, request.repository, tip)) === undefined)
    return { how: 'recreated', head: tip, files: tip, isMirrored: false };
  const { saved, prepared } = await latestHere(options, asWork(sight));
  const how = prepared.recovered?.how ?? 'recreated';
  return { how, head: saved.head ?? base, files: saved.commit, isMirrored: true };
}

/** What git does not have. As a whole or not at all: half of it would be taken for all. */
async function fill({ line, request, place }: Sight): Promise<void> {
  const { copy, folder, repository } = request;
  const missing = copy.find((file) => !existsSync(join(folder, file)));
  if (missing !== undefined) throw missingFile(missing, folder);
  const prefix = repository.prefix === '' ? '.' : repository.prefix;
  const args = [thereOf(place).repository, place.path, markOf(place), prefix, ...copy];
  const bytes = await effect('remote.filled', () =>
    callMachine(line, { program: fillPlace, args, input: () => packed(folder, copy) }),
  );
  const seen = new Answers(bytes).one('seen');
  if (seen !== undefined) throw notIgnored(seen);
}

function packed(folder: string, files: readonly string[]): Readable {
  const args = ['-C', folder, '-cf', '-', '--', ...files];
  const tar = spawn('tar', args, { env: withOwnPath(process.env), stdio: ['ignore', 'pipe', 'ignore'] });
  // Where there is no tar, an error that nobody hears would end the driver.
  tar.on('error', (error) => tar.stdout.destroy(error));
  return tar.stdout;
}

function missingFile(file: string, folder: string): PitonError {
  return new PitonError('SETUP_FAILED', `There is no ${file} in ${folder} to copy.`, {
    file,
    remedy: 'Take it out of `setup.copy`, or make it.',
  });
}

function notIgnored(file: string): PitonError {
  const message = `${file} is to be copied, and git does not ignore it: it would become a part of the result.`;
  return new PitonError('SETUP_FAILED', message, {
    file,
    remedy: 'Add it to .git/info/exclude, or commit a .gitignore that names it; then `piton retry`.',
  });
}

/** What rests on files of this machine, or on what others do on it, cannot be had elsewhere. */
function assertPossible({ slot, caches, ports, artifactsOf, task }: RemoteRequest): void {
  const wishes = {
    pool: slot !== undefined,
    caches: caches.length > 0,
    ports: ports > 0,
    artifacts: artifactsOf.length > 0,
  };
  const wish = Object.entries(wishes).find(([, isWanted]) => isWanted)?.[0];
  if (wish === undefined) return;
  throw new PitonError(
    'REMOTE_UNSUPPORTED',
    `${task} is to work on another machine, where there are no \`${wish}\`.`,
    {
      task,
      wish,
      remedy: `Take \`${wish}\` out of it, or let it work in a worktree here.`,
    },
  );
}
