/** Files that were cut, changed, or made by somebody who means harm: nothing of them comes into the store. */
import { existsSync, mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { open, workflow, type Piton } from '../../src/index.ts';
import { snapshotFormat } from '../../src/kernel/index.ts';
import { tarHeader } from '../../src/engine/carrying/tar.ts';
import {
  changed,
  putTogether,
  rechained,
  sha256,
  takeApart,
  tarOf,
  type Members,
} from '../support/exports.ts';
import { git, projectInRepository, edits } from '../support/git-project.ts';
import { played, writeFlow } from '../cli/played.ts';
import { openPiton } from '../support/open-piton.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const big = 'x'.repeat(20_000);
const flow = workflow('flow')
  .task('a', () => big)
  .task('b', { needs: ['a'] }, () => 'done');

let good: string;
let members: Members;

beforeAll(async () => {
  const folder = mkdtempSync(join(tmpdir(), 'piton-hostile-'));
  await using piton = await open({ store: `sqlite:${folder}/state.db`, durability: 'process' });
  await (await piton.start(flow, { id: 'r' })).result();
  good = join(folder, 'r.piton');
  await piton.export('r', good);
  members = takeApart(good);
});

afterAll(() => rmSync(dirname(good), { recursive: true, force: true }));

/** The store after a refusal is what it was before. */
async function refusal(
  write: (file: string) => void,
  prepare?: (piton: Piton) => Promise<unknown>,
): Promise<unknown> {
  const file = join(temporaryFolder(), 'r.piton');
  const piton = await openPiton({ store: `sqlite:${temporaryFolder()}/state.db`, durability: 'process' });
  await prepare?.(piton);
  const before = await piton.runIds();
  write(file);
  const refused: unknown = await piton.import(file).catch((error: unknown) => error);
  expect(await piton.runIds()).toEqual(before);
  expect(await piton.checkStore()).toEqual([]);
  return refused;
}

const invalid = (what: RegExp): unknown =>
  expect.objectContaining({ code: 'EXPORT_INVALID', message: expect.stringMatching(what) });

/** Of the last commit, with this as the state. */
function snapshotOf(state: string): string {
  const { seq, hash } = JSON.parse(members[0]![1].toString()) as { seq: number; hash: string };
  return JSON.stringify({ seq, hash, format: snapshotFormat, text: sha256(state) + state });
}

const journal = 'journal/000001.jsonl';
const blobOf = (text: string): string => members.find(([, content]) => content.includes(text))![0];

test('a file that is not there, a folder, a pipe, an empty file, another file', async () => {
  const unreadable = expect.objectContaining({ code: 'FILE_UNREADABLE' });
  expect(await refusal(() => undefined)).toEqual(unreadable);
  const piton = await openPiton();
  await expect(piton.import(temporaryFolder())).rejects.toEqual(unreadable);
  await expect(piton.import('/dev/zero')).rejects.toEqual(unreadable);
  expect(await refusal((file) => writeFileSync(file, ''))).toEqual(invalid(/ends too early/));
  expect(await refusal((file) => writeFileSync(file, big))).toEqual(invalid(/no export of Piton/));
});

test('cut off at any length, it is refused', async () => {
  const { length } = readFileSync(good);
  const lengths = [1, 511, 512, 513, 2_000, length - 1_025, length - 1_024, length - 512, length - 1];
  for (const size of lengths) {
    const refused = await refusal((file) => {
      writeFileSync(file, readFileSync(good));
      truncateSync(file, size);
    });
    expect(refused).toEqual(invalid(/./));
  }
});

test('with any byte flipped, it is refused', async () => {
  const bytes = readFileSync(good);
  for (let at = 7; at < bytes.length; at += Math.ceil(bytes.length / 60)) {
    const refused = await refusal((file) => {
      const flipped = Buffer.from(bytes);
      flipped[at]! ^= 0x10;
      writeFileSync(file, flipped);
    });
    expect(refused).toEqual(invalid(/./));
  }
});

const cases: Record<string, () => [Members, RegExp]> = {
  'a path that leads out': () => [[...members, ['../../evil', Buffer.from('x')]], /no export has/],
  'an absolute path': () => [[...members, ['/etc/passwd', Buffer.from('x')]], /no export has/],
  'a member twice': () => [[...members, members[1]!], /twice/],
  'a member that no commit names': () => [
    [...members, [`blobs/${sha256('1')}`, Buffer.from('1')]],
    /no commit refers to/,
  ],
  'a blob of another content': () => [changed(members, blobOf(big), (text) => `${text} `), /another hash/],
  'a blob that is missing': () => [changed(members, blobOf(big), () => undefined), /is missing/],
  'a definition that is missing': () => [
    changed(members, blobOf('"format":1'), () => undefined),
    /is missing/,
  ],
  'no journal': () => [changed(members, journal, () => undefined), /does not end with/],
  'a journal without its end': () => [
    changed(members, journal, (text) => text.slice(0, text.trimEnd().lastIndexOf('\n') + 1)),
    /does not end with/,
  ],
  'a line that is no commit': () => [changed(members, journal, (text) => `${text}{}\n`), /is no commit/],
  'a commit that is not what was hashed': () => [
    changed(members, journal, (text) => text.replace('"epoch":1', '"epoch":2')),
    /is not what was written/,
  ],
  'a commit without its events': () => [
    rechained(members, (body, seq) => (seq === 2 ? body.replace(/"events":.*$/, '"events":7}') : body)),
    /does not have what a commit has/,
  ],
  'a commit of another run': () => [
    rechained(members, (body) => body.replace('"run":"r"', '"run":"s"')),
    /belongs elsewhere/,
  ],
  'JSON that is nested without end': () => [
    rechained(members, (body, seq) =>
      seq === 2 ? body.replace('"data":{', `"data":{"x":${'['.repeat(50_000)}${']'.repeat(50_000)},`) : body,
    ),
    /nested more than/,
  ],
  'tasks that the workflow does not have': () => [
    rechained(members, (body) => body.replaceAll('"task":"b"', '"task":"nobody"')),
    /cannot have happened/,
  ],
  'a snapshot, though nothing was dropped': () => [
    [...members, ['snapshot.json', Buffer.from(snapshotOf('{}'))]],
    /and all values/,
  ],
  'a snapshot that tells something else': () => [
    [...changed(members, blobOf(big), () => undefined), ['snapshot.json', Buffer.from(snapshotOf('{}'))]],
    /cannot have happened/,
  ],
  'another format': () => [
    changed(members, 'piton-export.json', (text) => text.replace('piton-export', 'zip')),
    /does not say what it is/,
  ],
};

test.each(Object.keys(cases))('%s', async (name) => {
  const [given, what] = cases[name]!();
  expect(await refusal((file) => putTogether(file, given))).toEqual(invalid(what));
});

test('lengths that lie, links, and what comes behind the end', async () => {
  const [name, content] = members[0]!;
  const lying = (size: number): Buffer =>
    Buffer.concat([tarHeader({ name, size }, 0), content, Buffer.alloc(2_048)]);
  expect(await refusal((file) => writeFileSync(file, lying(8 ** 11 - 1)))).toEqual(invalid(/ends too early/));
  const link = tarOf(members);
  link.write('2', 156);
  expect(await refusal((file) => writeFileSync(file, link))).toEqual(invalid(/no export of Piton/));
  const more = Buffer.concat([readFileSync(good), Buffer.from('more')]);
  expect(await refusal((file) => writeFileSync(file, more))).toEqual(invalid(/behind its end/));
});

describe('told in its own words:', () => {
  const about = (change: (text: string) => string): Members => changed(members, 'piton-export.json', change);

  test.each(['../evil', 'a/b', '', '..', 'x'.repeat(200), '-rf'])('the id %j', async (id) => {
    const named = about((text) => text.replace('"run": "r"', `"run": ${JSON.stringify(id)}`));
    expect(await refusal((file) => putTogether(file, named))).toMatchObject({ code: 'RUN_ID_INVALID' });
  });

  test('a newer format, a newer journal, an event that nobody knows', async () => {
    const newer = about((text) => text.replace('"version": 1', '"version": 2'));
    expect(await refusal((file) => putTogether(file, newer))).toMatchObject({ code: 'EXPORT_TOO_NEW' });
    const journalled = rechained(members, (body) => body.replace(/"version":\d+/, '"version":99'));
    expect(await refusal((file) => putTogether(file, journalled))).toMatchObject({ code: 'RUN_TOO_NEW' });
    const unknown = rechained(members, (body) => body.replaceAll('task.succeeded', 'task.vanished'));
    expect(await refusal((file) => putTogether(file, unknown))).toMatchObject({ code: 'RUN_TOO_NEW' });
  });

  test('another run of that id', async () => {
    const start = async (piton: Piton): Promise<void> => {
      await (await piton.start(flow, { id: 'r' })).result();
    };
    const refused = await refusal((file) => writeFileSync(file, readFileSync(good)), start);
    expect(refused).toMatchObject({ code: 'RUN_EXISTS', message: expect.stringContaining('another run r') });
  });
});

test('refs that are not of the run are not made, and objects that are broken not taken', async () => {
  const project = projectInRepository();
  writeFlow(project, { fix: played([edits('b.txt', 'two\n')]) });
  await project.piton(['run', 'flow', '--id', 'r1']);
  await project.piton(['export', 'r1']);
  const parts = takeApart(join(project.folder, 'r1.piton'));
  const victim = projectInRepository();
  const main = git(victim.folder, 'rev-parse', 'main');
  git(victim.folder, 'fetch', '-q', project.folder, 'main');
  const file = join(victim.folder, 'evil.piton');
  const evil = [
    'refs/heads/main',
    'refs/heads/piton/other',
    'refs/piton/r1/../../heads/main',
    'HEAD',
    'refs/piton/r1/a b',
  ];
  for (const ref of evil) {
    const named = changed(parts, 'piton-export.json', (text) =>
      text.replace('refs/heads/piton/r1"', `${ref}"`),
    );
    putTogether(file, named);
    expect(await victim.piton(['import', file])).toMatchObject({
      stderr: expect.stringContaining('REF_NOT_OURS'),
    });
    expect(await victim.withStore((piton) => piton.runIds())).toEqual([]);
  }
  expect(git(victim.folder, 'rev-parse', 'main')).toBe(main);
  putTogether(
    file,
    parts.map(([name, content]) => [name, name === 'files.bundle' ? content.subarray(0, -30) : content]),
  );
  expect(await victim.piton(['import', file])).toMatchObject({
    code: 4,
    stderr: expect.stringContaining('EXPORT_INVALID'),
  });
  expect(existsSync(join(victim.folder, 'b.txt'))).toBe(false);
});
