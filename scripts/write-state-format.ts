/** Writes the tables and events of docs/reference/state-format.md. With `--check` it only compares, and fails if it is outdated. */
import { readFileSync, writeFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { format, resolveConfig } from 'prettier';
import { definition } from '../src/model/definition-shape.ts';
import { eventShapes } from '../src/model/event-shapes.ts';
import { journalVersion } from '../src/model/index.ts';
import { defineSeals } from '../src/store/sqlite/migrate.ts';
import { migrations } from '../src/store/sqlite/migrations.ts';
import { eventWords, tableWords } from './state-format-words.ts';

const file = new URL('../docs/reference/state-format.md', import.meta.url);
const stored = readFileSync(file, 'utf8');
const filled = fill(fill(stored, 'tables', tablesText()), 'events', eventsText());
const text = await format(filled, { ...(await resolveConfig(file)), parser: 'markdown' });

if (!process.argv.includes('--check')) writeFileSync(file, text);
else if (stored !== text) {
  console.error(
    'docs/reference/state-format.md is outdated. Write it anew: node scripts/write-state-format.ts',
  );
  process.exit(1);
}

function fill(whole: string, name: string, content: string): string {
  const begin = `<!-- ${name}, written by scripts/write-state-format.ts: begin -->`;
  const end = `<!-- ${name}: end -->`;
  const [before, rest] = whole.split(begin);
  const [, after] = rest!.split(end);
  return [before, begin, '\n\n', content, '\n\n', end, after].join('');
}

/** As they are in a new store. */
function tablesText(): string {
  using database = new DatabaseSync(':memory:');
  defineSeals(database);
  for (const migration of migrations) database.exec(migration);
  const schema = database.prepare(`SELECT name FROM sqlite_schema WHERE type = 'table'`).all();
  const tables = Object.keys(tableWords);
  const unlike = new Set(schema.map(({ name }) => String(name))).symmetricDifference(new Set(tables));
  if (unlike.size > 0)
    throw new Error(`scripts/state-format-words.ts and the store differ in ${[...unlike].join(', ')}`);
  const version = `\`PRAGMA user_version\` is ${migrations.length}, and the journal version ${journalVersion}.`;
  return [version, ...tables.map((name) => tableText(database, name))].join('\n\n');
}

function tableText(database: DatabaseSync, table: string): string {
  const words = tableWords[table]!;
  const columns = database.prepare(`SELECT name, type, "notnull", pk FROM pragma_table_info(?)`).all(table);
  const names = new Set(columns.map(({ name }) => String(name)));
  const unlike = names.symmetricDifference(new Set(Object.keys(words)));
  if (unlike.size > 0)
    throw new Error(`scripts/state-format-words.ts and ${table} differ in ${[...unlike].join(', ')}`);
  const rows = columns.map(({ name, type, notnull, pk }) => {
    const kind = `${String(type)}${notnull === 0 && pk === 0 ? ', may be NULL' : ''}`;
    return `| \`${String(name)}\` | ${kind} | ${words[String(name)]} |`;
  });
  return [`### ${table}`, ['| column | type | what it is |', '| --- | --- | --- |', ...rows].join('\n')].join(
    '\n\n',
  );
}

function eventsText(): string {
  const rows = eventShapes.map(({ type, describe }) => {
    const whole = describe().replaceAll(definition.describe(), 'a definition');
    const [, beside = '', data = ''] = /^\{ type: one of [^,]+,(.*?) data: (.*) \}$/.exec(whole) ?? [];
    const of = beside.includes('attempt')
      ? 'attempt'
      : beside.includes('task?')
        ? 'run or task'
        : beside === ''
          ? 'run'
          : 'task';
    return `| \`${type}\` | ${of} | ${eventWords[type]} | ${dataText(data)} |`;
  });
  return ['| type | of | what it says | data |', '| --- | --- | --- | --- |', ...rows].join('\n');
}

function dataText(data: string): string {
  const fields = data.replace(/^\{ ?| ?\}$/g, '').replaceAll('any object with {  }', 'an object');
  return fields === '' ? '' : `\`${fields.replaceAll('|', '\\|')}\``;
}
