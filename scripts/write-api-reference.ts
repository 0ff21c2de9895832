/**
 * Writes docs/reference/api.md and the pages beside it: all that `piton` and `piton/testing` export. With `--check` it only compares. Fails
 * if something that is exported, or a method of it, has no sentence.
 */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { format, resolveConfig } from 'prettier';
import { readApi, type ApiExport } from './read-api.ts';

const reference = join(import.meta.dirname, '..', 'docs', 'reference');

interface Group {
  readonly page: string;
  readonly title: string;
  readonly about: string;
  /** What belongs here, by the file it is declared in. The first group that fits counts. */
  readonly files: RegExp;
  /** What belongs here wherever it is declared. */
  readonly names?: readonly string[];
}

const groups: readonly Group[] = [
  {
    page: 'state-graphs',
    title: 'State graphs',
    about: 'Definitions over a state, with cycles: see [state graphs](../../guides/state-graphs.md).',
    files: /library\/graph-builder/,
    names: ['GraphMigrationOptions'],
  },
  {
    page: 'workflows',
    title: 'Define workflows',
    about:
      'Definitions of tasks and what they need: see [workflows](../../guides/workflows.md) and [patterns](../../guides/patterns.md).',
    files:
      /library\/(workflow-builder|task-|chain|parallel|route|predicates|load-workflow|agent-options|ask-options|command-options|delivery-options|place-options|storable|definition|migration-options)|model\/workflow/,
  },
  {
    page: 'running',
    title: 'Open and run',
    about:
      'Opens Piton on a store, starts runs and goes on with them: see [first steps](../../guides/first-steps.md).',
    files: /^src\/assemble|library\/(piton|run|run-result)\.ts|engine\/options|remote-machine/,
    names: ['Origin'],
  },
  {
    page: 'delivery',
    title: 'Places and delivery',
    about:
      'Where tasks work, and how what a run has made is looked at and handed over: see [take the result](../../guides/delivery.md).',
    files: /library\/(delivery\.ts|upkeep)|^src\/workspaces|kernel\/placement/,
  },
  {
    page: 'stores',
    title: 'Stores',
    about:
      'What keeps journals, leases and commands, for those who write one: see [stores](../../guides/stores.md).',
    files: /^src\/store|model\/journal/,
    names: ['CommandAnswer', 'InboxCommand', 'RunSummary'],
  },
  {
    page: 'agents',
    title: 'Agents',
    about:
      'What an adapter to a coding agent does, for those who write one: see [agents](../../guides/agents.md).',
    files: /^src\/agents|model\/agent-names/,
  },
  {
    page: 'projects',
    title: 'Projects',
    about: 'A folder with `.piton` in it: trust, workflow files, plans, drivers in the background.',
    files: /^src\/(project|config|definition)/,
  },
  {
    page: 'errors',
    title: 'Errors, clocks and values',
    about: 'What everything else is made of. Codes of errors: [errors](../errors.md).',
    files: /^src\/base/,
  },
  {
    page: 'deciding',
    title: 'Deciding',
    about:
      'What a person decides about a run, and with which definition it goes on: see [resume and recover](../../guides/recovery.md).',
    files:
      /engine\/(resume-options|offer-session|preview-migration|repair|fork)|kernel\/(changed-fields|decide-|drift|judge-key|reruns)|library\/(command-result|lent-session|fork)|model\/commands/,
  },
  {
    page: 'looking',
    title: 'Looking at runs',
    about:
      'What is shown of runs, tasks and attempts, now and earlier: see [looking at runs](../../guides/looking-at-runs.md).',
    files: /./,
  },
];
const testing: Group = {
  page: 'testing',
  title: 'Testing',
  about: 'What `piton/testing` exports: see [stores](../../guides/stores.md).',
  files: /./,
};
/** In which the pages are listed. */
const order = [
  'running',
  'workflows',
  'state-graphs',
  'looking',
  'deciding',
  'delivery',
  'stores',
  'agents',
  'projects',
  'errors',
];

const written = '<!-- written by scripts/write-api-reference.ts -->';

interface Page {
  readonly group: Group;
  readonly exports: readonly ApiExport[];
}

const main = readApi('src/index.ts');
const ofTests = readApi('src/testing/index.ts');
assertTold([...main, ...ofTests]);
const byGroup = Map.groupBy(main, groupOf);
const pages: readonly Page[] = [
  ...order.map((page) => groups.find((group) => group.page === page)!),
  testing,
].map((group) => ({ group, exports: group === testing ? ofTests : (byGroup.get(group) ?? []) }));

const files = new Map<string, string>([
  ['api.md', indexText()],
  ...pages.map((page) => [`api/${page.group.page}.md`, pageText(page)] as const),
]);
const config = await resolveConfig(join(reference, 'api.md'));
const outdated: string[] = [];
for (const [name, text] of files) {
  const formatted = await format(text, { ...config, parser: 'markdown' });
  if (storedText(name) !== formatted) outdated.push(name);
  if (!process.argv.includes('--check')) writeFileSync(join(made(reference), name), formatted);
}
const strange = readdirSync(join(made(reference), 'api')).filter((name) => !files.has(`api/${name}`));
if (!process.argv.includes('--check')) for (const name of strange) rmSync(join(reference, 'api', name));
else if (outdated.length + strange.length > 0) {
  const names = [...outdated, ...strange].map((name) => `docs/reference/${name}`).join(', ');
  console.error(`${names}: outdated. Write the reference anew: node scripts/write-api-reference.ts`);
  process.exit(1);
}

function made(folder: string): string {
  mkdirSync(join(folder, 'api'), { recursive: true });
  return folder;
}

function storedText(name: string): string | undefined {
  try {
    return readFileSync(join(reference, name), 'utf8');
  } catch {
    return undefined;
  }
}

function groupOf({ name, file }: ApiExport): Group {
  return groups.find(({ names }) => names?.includes(name)) ?? groups.find(({ files }) => files.test(file))!;
}

/** Whoever exports something says what it is. */
function assertTold(exports: readonly ApiExport[]): void {
  const silent = exports
    .filter(({ about }) => about === '')
    .map(({ name, file, line }) => `${name} (${file}:${line})`);
  const bare = [...new Set([...silent, ...exports.flatMap((one) => one.bare)])];
  if (bare.length === 0) return;
  console.error(
    `These are exported without a sentence:\n${bare.map((one) => `  ${one}\n`).join('')}Write a comment (/** … */) right above each: what it is, what is promised, what is thrown. Then: node scripts/write-api-reference.ts`,
  );
  process.exit(1);
}

function indexText(): string {
  const rows = pages.map(({ group, exports }) => {
    const links = anchored(exports).map(
      ({ name, anchor }) => `[\`${name}\`](api/${group.page}.md#${anchor})`,
    );
    return `## [${group.title}](api/${group.page}.md)\n\n${links.join(' · ')}\n`;
  });
  return `# API reference\n\nEverything that \`piton\` and \`piton/testing\` export, from the sources. ${written}\n\n${rows.join('\n')}`;
}

function pageText({ group, exports }: Page): string {
  const sections = exports.map(
    ({ name, about, text }) =>
      `## ${name}\n\n${escaped(about)}\n\n\`\`\`typescript\n${plain(text)}\n\`\`\`\n`,
  );
  return `# ${group.title}\n\n${group.about} All that is exported: [API reference](../api.md). ${written}\n\n${sections.join('\n')}`;
}

/** As GitHub names them: a heading that is there already gets a number. */
function anchored(exports: readonly ApiExport[]): { readonly name: string; readonly anchor: string }[] {
  const seen = new Map<string, number>();
  return exports.map(({ name }) => {
    const slug = name.toLowerCase();
    const times = seen.get(slug) ?? 0;
    seen.set(slug, times + 1);
    return { name, anchor: times === 0 ? slug : `${slug}-${times}` };
  });
}

/** Outside of code, nothing that a comment says is markup. */
function escaped(about: string): string {
  return about
    .split(/(`[^`]*`)/)
    .map((part) => (part.startsWith('`') ? part : part.replaceAll(/[<*_[\]]/g, String.raw`\$&`)))
    .join('');
}

function plain(text: string): string {
  return text.replaceAll(/^(\s*)(?:export |async |declare )+/gm, '$1');
}
