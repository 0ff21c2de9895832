import { isPlainObject } from '../../base/index.ts';
import type { Path } from '../problems.ts';
import type { Notes } from './notes.ts';
import { parseGithubExpression } from './parse-expression.ts';
import { Untranslatable, type JobScope } from './job-scope.ts';
import { bareCondition, secretOf, translateText } from './translate-text.ts';

export interface Environment {
  /** Values may hold our expressions. */
  readonly env: Map<string, string>;
  /** Variables that a person has to set where Piton is started. */
  readonly secrets: Set<string>;
}

interface Place {
  readonly at: Path;
  readonly notes: Notes;
  readonly scope: JobScope;
}

/** `env` of a file, a job or a step. The value of a secret is in no draft, also not one that somebody wrote into the file. */
export function translateEnvironment(given: unknown, place: Place): Environment {
  const found: Environment = { env: new Map(), secrets: new Set() };
  for (const [name, value] of Object.entries(isPlainObject(given) ? given : {})) {
    translateVariable(name, value, { ...place, at: [...place.at, name], found });
  }
  return found;
}

const secretName = /(^|_)(TOKEN|SECRET|PASSWORD|PASSWD|API_?KEY|PRIVATE_KEY|CREDENTIALS?)$/i;

function translateVariable(
  name: string,
  value: unknown,
  { at, notes, scope, found }: Place & { found: Environment },
): void {
  if (!isUsable(name) || typeof value === 'object')
    return notes.todo(at, `the variable \`${name}\``, 'It cannot be set here: choose another name or value.');
  const text = String(value);
  const source = sourceOfSecret(name, text);
  if (source !== undefined) return askForSecret(name, source, { at, notes, found });
  try {
    found.env.set(name, translateText(text, scope));
  } catch (error) {
    if (!(error instanceof Untranslatable)) throw error;
    notes.todo(at, `the variable \`${name}\``, `Set it yourself: ${error.message}.`);
  }
}

function isUsable(name: string): boolean {
  return /^[A-Za-z_]\w*$/.test(name) && !name.startsWith('PITON_');
}

/** Where GitHub has it from, if it is a secret. */
function sourceOfSecret(name: string, text: string): string | undefined {
  const secret = secretIn(text);
  if (secret !== undefined) return `secrets.${secret}`;
  const isWrittenDown = secretName.test(name) && text.length >= 8 && !text.includes('${{');
  return isWrittenDown ? 'in the file itself, which is no place for a secret' : undefined;
}

/** The name of the secret, if the value is one and nothing else. */
function secretIn(text: string): string | undefined {
  const node = text.includes('${{') ? parseGithubExpression(bareCondition(text)) : undefined;
  return node?.kind === 'path' ? secretOf(node) : undefined;
}

function askForSecret(
  name: string,
  source: string,
  { at, notes, found }: { at: Path; notes: Notes; found: Environment },
): void {
  found.secrets.add(name);
  notes.todo(
    at,
    `the secret \`${name}\` (on GitHub: ${source})`,
    `Set ${name} in the environment that you start Piton in.`,
  );
}
