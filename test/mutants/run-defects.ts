import { agents } from './agents.ts';
import { commandLine } from './command-line.ts';
import { configuration } from './configuration.ts';
import type { Defect } from './defect.ts';
import { engine } from './engine.ts';
import { keeping } from './keeping.ts';
import { isDeep, readIfThere, ScratchCopy, type Choice } from './scratch-copy.ts';
import { spool } from './spool.ts';
import { workspaces } from './workspaces.ts';

const all: readonly Defect[] = [
  ...engine,
  ...keeping,
  ...spool,
  ...workspaces,
  ...agents,
  ...commandLine,
  ...configuration,
];

/** The share that `npm test` alone has to catch. All tests together catch everything that is not explained. */
const ordinaryShare = 0.9;

/** On a small machine more would only wait for each other, and tests would be taken for hung. */
const workers = 2;

type Verdict = 'killed' | 'killed by hanging' | 'SURVIVED' | 'survived, explained' | 'STALE' | 'BROKEN';

interface Options {
  /** Only what `npm test` runs. */
  readonly isOrdinary: boolean;
}

/** Prints the defects with one of the words in their name or file, and which of them are stale. Gives the exit code. */
export function listDefects(words: readonly string[]): number {
  const chosen = choose(words);
  if (chosen.length === 0) return refuse(words);
  for (const defect of chosen)
    console.log(`${isStale(defect) ? 'STALE ' : ''}${defect.name} (${defect.file})`);
  return chosen.some(isStale) ? 1 : 0;
}

function isStale({ file, find }: Defect): boolean {
  return readIfThere(file)?.split(find).length !== 2;
}

function refuse(words: readonly string[]): number {
  console.error(`No defect has ${words.join(' or ')} in its name or file; they are in test/mutants.`);
  return 2;
}

function choose(words: readonly string[]): readonly Defect[] {
  return all.filter(
    ({ name, file }) =>
      words.length === 0 || words.some((word) => name.includes(word) || file.includes(word)),
  );
}

/** Tries each defect and says how many the tests catch. Gives the exit code. */
export async function runDefects(words: readonly string[], { isOrdinary }: Options): Promise<number> {
  const chosen = choose(words);
  if (chosen.length === 0) return refuse(words);
  const defects = isOrdinary ? chosen.map(ordinaryPart) : chosen;
  const copies = Array.from({ length: Math.min(workers, defects.length) }, () => new ScratchCopy());
  try {
    if (!(await passesUnchanged(copies[0]!, defects))) return 1;
    const verdicts = await tryAll(copies, defects);
    return conclude(verdicts, isOrdinary);
  } finally {
    for (const copy of copies) copy.remove();
  }
}

function ordinaryPart(defect: Defect): Defect {
  return { ...defect, tests: defect.tests.filter((file) => !isDeep(file)) };
}

/** Otherwise a test that fails anyway would count as catching every defect. */
async function passesUnchanged(copy: ScratchCopy, defects: readonly Defect[]): Promise<boolean> {
  const filesOf = (some: readonly Defect[]): string[] => [...new Set(some.flatMap(({ tests }) => tests))];
  const parts = defects.filter(({ named }) => named !== undefined);
  const names = new Set(parts.map(({ named }) => `(?:${named})`));
  const choices: Choice[] = [
    { tests: filesOf(defects.filter(({ named }) => named === undefined)) },
    { tests: filesOf(parts), named: [...names].join('|') },
  ];
  const files = filesOf(defects).length;
  console.log(`Running ${files} test file${files === 1 ? '' : 's'} without a defect first …`);
  for (const choice of choices) {
    if (choice.tests.length === 0) continue;
    const { how, output } = await copy.runUnchanged(choice);
    if (how === 'passed') continue;
    console.log(`Without a defect the tests have ${how}:\n${output}`);
    return false;
  }
  return true;
}

async function tryAll(
  copies: readonly ScratchCopy[],
  defects: readonly Defect[],
): Promise<ReadonlyMap<Defect, Verdict>> {
  const waiting = [...defects];
  const verdicts = new Map<Defect, Verdict>();
  const work = async (copy: ScratchCopy): Promise<void> => {
    for (let defect = waiting.shift(); defect !== undefined; defect = waiting.shift()) {
      const startedAt = performance.now();
      const verdict = await judge(copy, defect);
      verdicts.set(defect, verdict);
      const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
      console.log(`${verdict.padEnd(20)} ${seconds.padStart(6)} s  ${defect.name} (${defect.file})`);
    }
  };
  await Promise.all(copies.map(work));
  return verdicts;
}

async function judge(copy: ScratchCopy, defect: Defect): Promise<Verdict> {
  const { tests, explained } = defect;
  const survived = explained === undefined ? 'SURVIVED' : 'survived, explained';
  if (tests.length === 0) return survived;
  const run = await copy.runWith(defect);
  if (run === undefined) return 'STALE';
  // What does not compile was not caught by a test.
  if (run.how === 'broken') return 'BROKEN';
  if (run.how === 'passed') return survived;
  return run.how === 'hung' ? 'killed by hanging' : 'killed';
}

function conclude(verdicts: ReadonlyMap<Defect, Verdict>, isOrdinary: boolean): number {
  const withVerdict = (wanted: Verdict): Defect[] =>
    [...verdicts].flatMap(([defect, verdict]) => (verdict === wanted ? [defect] : []));
  const useless = withVerdict('STALE').length + withVerdict('BROKEN').length;
  const survived = withVerdict('SURVIVED').length;
  const explained = withVerdict('survived, explained');
  for (const defect of explained) console.log(`cannot be caught: ${defect.name}: ${defect.explained}`);
  const tried = verdicts.size - useless - explained.length;
  const share = tried === 0 ? 1 : (tried - survived) / tried;
  const by = isOrdinary ? 'by `npm test` alone' : 'by their tests';
  console.log(`${tried - survived} of ${tried} defects are caught ${by}: ${percent(share)}`);
  const isEnough = isOrdinary ? share >= ordinaryShare : survived === 0;
  if (!isEnough) console.log(isOrdinary ? `Failed: ${percent(ordinaryShare)} must be caught.` : unexplained);
  if (useless > 0) console.log(`Failed: ${useless} could not be tried; rewrite them in test/mutants.`);
  return isEnough && useless === 0 ? 0 : 1;
}

const unexplained = 'Failed: a defect that survives needs a test, or an explanation why there can be none.';

function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`;
}
