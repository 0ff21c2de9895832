import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { shellWord } from '../../../../base/index.ts';
import type { Stage } from '../stage.ts';

export type AgentName = 'plan' | 'search' | 'export' | 'document';

/** Each piece of work that agents do, in the order in which they come to it. */
export const pieces = [
  'plan: planned both features',
  'search: wrote a first version',
  'search: read why its test failed',
  'search: corrected it',
  'export: wrote the first half',
  'export: wrote the second half',
  'document: described both features',
] as const;

type Piece = (typeof pieces)[number];
type Step = Readonly<Record<string, unknown>>;

/** Outside of the worktrees: it counts what was done, also what was thrown away. */
function ledgerFile({ folder }: Stage): string {
  return join(folder, 'work-done.txt');
}

function gateFile({ folder }: Stage): string {
  return join(folder, 'resumed');
}

/** The pieces of work that were done, as the agents wrote them down themselves. */
export function workDone(stage: Stage): string[] {
  const file = ledgerFile(stage);
  return existsSync(file) ? readFileSync(file, 'utf8').split('\n').slice(0, -1) : [];
}

/** The agents that were in the middle of their work when Piton was killed go on with it. */
export function openGate(stage: Stage): void {
  writeFileSync(gateFile(stage), '');
}

const searchText = (match: string): string =>
  `import { notes } from './notes.mjs';\n\nexport const search = (word) => notes.filter((note) => ${match});\n`;

const firstHalf = `const quoted = (text) => '"' + text.replaceAll('"', '""') + '"';\n`;
const secondHalf = `import { notes } from './notes.mjs';\n\n${firstHalf}\nexport const toCsv = () => notes.map(quoted).join('\\n');\n`;

/** A piece of work, perhaps a file; the wait for the comeback of Piton; or the answer that ends a turn. */
type Act =
  | { readonly does: Piece; readonly file?: string; readonly text?: string }
  | 'waits'
  | { readonly answers: string };

const finishExport: readonly Act[] = [
  { does: 'export: wrote the second half', file: 'export.mjs', text: secondHalf },
  { answers: 'The export is written.' },
];

/** What each agent does in each turn of its conversation. */
const turns: Readonly<Record<AgentName, readonly (readonly Act[])[]>> = {
  plan: [[{ does: 'plan: planned both features' }, { answers: 'Search first, then the export.' }]],
  search: [
    [
      { does: 'search: wrote a first version', file: 'search.mjs', text: searchText('note.includes(word)') },
      { answers: 'The search is written.' },
    ],
    [
      { does: 'search: read why its test failed' },
      'waits',
      {
        does: 'search: corrected it',
        file: 'search.mjs',
        text: searchText('note.toLowerCase().includes(word.toLowerCase())'),
      },
      { answers: 'Capitals do not matter any more.' },
    ],
  ],
  export: [
    [{ does: 'export: wrote the first half', file: 'export.mjs', text: firstHalf }, 'waits', ...finishExport],
    finishExport,
  ],
  document: [
    [
      {
        does: 'document: described both features',
        file: 'CHANGES.md',
        text: '- Notes can be searched.\n- Notes can be exported as CSV.\n',
      },
      { answers: 'Both features are described.' },
    ],
  ],
};

/** For the scripted agent: see docs/guides/scripted.md. */
export function scriptOf(name: AgentName, stage: Stage): string {
  const played = turns[name].map((acts) => acts.flatMap((act) => stepsOf(act, stage)));
  return `${JSON.stringify({ turns: played }, null, 2)}\n`;
}

function stepsOf(act: Act, stage: Stage): Step[] {
  if (act === 'waits') return [{ await: gateFile(stage) }];
  if ('answers' in act) return [{ answer: act.answers }];
  const { does, file, text } = act;
  return [
    ...(stage.isWatched ? [{ wait: '700ms' }] : []),
    ...(file === undefined ? [] : [{ edit: { file, text } }]),
    { run: `echo ${shellWord(does)} >> ${shellWord(ledgerFile(stage))}` },
  ];
}
