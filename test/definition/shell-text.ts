import { spawnSync } from 'node:child_process';
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { expect } from 'vitest';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { command } from './shell-commands.ts';

export const shells = ['sh', 'bash', 'zsh', 'ksh'].filter(
  (shell) => spawnSync(shell, ['-c', ':']).status === 0,
);

/** Runs the text with every expression having this value; gives what it prints. */
function output(run: string, value: string, { shell, cwd }: { shell: string; cwd: string }): string {
  const work = command(run, shell);
  const values = Object.fromEntries(Object.keys(work.env).map((name) => [name, value]));
  const env = { PATH: process.env['PATH'], ...values };
  // With a socket as its input, which Node would give it, bash reads the user's own settings first.
  return spawnSync(shell, ['-c', work.run as string], {
    cwd,
    env,
    encoding: 'utf8',
    timeout: 10_000,
    stdio: ['ignore', 'pipe', 'ignore'],
  }).stdout;
}

function runIfAccepted(act: () => void): void {
  try {
    act();
  } catch (error) {
    if ((error as { code?: string }).code !== 'DEFINITION_INVALID') throw error;
  }
}

/** What may stand around an expression, or around text with one: harmless, or not. */
const wrappings: readonly ((inside: string) => string)[] = [
  (inside) => `echo ${inside}`,
  (inside) => `printf %s ${inside}`,
  (inside) => `"${inside}"`,
  (inside) => `'${inside}'`,
  (inside) => `x=${inside}`,
  (inside) => `$(${inside})`,
  (inside) => `$(echo ${inside})`,
  (inside) => `\`${inside}\``,
  (inside) => `(${inside})`,
  (inside) => `{ ${inside}; }`,
  (inside) => `((${inside}))`,
  (inside) => `echo $((${inside} + 1))`,
  (inside) => `\${x:-${inside}}`,
  (inside) => `\${x:${inside}}`,
  (inside) => `a[${inside}]=1`,
  (inside) => `\\${inside}`,
  (inside) => `$${inside}`,
  (inside) => `$'${inside}'`,
  (inside) => `eval ${inside}`,
  (inside) => `eval "${inside}"`,
  (inside) => `sh -c ${inside}`,
  (inside) => `sh -ec "${inside}"`,
  (inside) => `env A=1 bash -o pipefail -c '${inside}'`,
  (inside) => `${inside} | sh`,
  (inside) => `${inside} | cat | bash -s`,
  (inside) => `${inside} |\n  sh 2>&1`,
  (inside) => `${inside} | (cat | sh)`,
  (inside) => `${inside} > >(sh)`,
  (inside) => `${inside} | if true; then sh; fi`,
  (inside) => `${inside} | xargs -I{} sh -c '{}'`,
  (inside) => `{ sh; } <<E\n${inside}\nE\n`,
  (inside) => `echo x >&${inside}`,
  (inside) => `cat <<E\n${inside}\nE\n`,
  (inside) => `cat <<'E'\n${inside}\nE\n`,
  (inside) => `cat <<-E | sh\n${inside}\n\tE\n`,
  (inside) => `sh <<E\n${inside}\nE\n`,
  (inside) => `bash <<< ${inside}`,
  (inside) => `. <(${inside})`,
  (inside) => `[[ ${inside} -eq 1 ]]`,
  (inside) => `[ ${inside} -eq 1 ]`,
  (inside) => `test -v ${inside}`,
  (inside) => `let ${inside}`,
  (inside) => `export ${inside}`,
  (inside) => `declare -i n=${inside}`,
  (inside) => `printf -v ${inside} x`,
  (inside) => `read ${inside} <<< x`,
  (inside) => `unset ${inside}`,
  (inside) => `trap ${inside} EXIT`,
  (inside) => `case x in x) ${inside};; esac`,
  (inside) => `for i in ${inside}; do echo "$i"; done`,
  (inside) => `if true; then ${inside}; fi`,
  (inside) => `# it's\n${inside}`,
  (inside) => `echo "it's" ${inside}`,
  (inside) => `echo ${inside} # it's "`,
  (inside) => `echo \\" ${inside}`,
  (inside) => `awk 'BEGIN { ${inside} }'`,
  (inside) => `perl -e ${inside}`,
];

/** Pieces of what shells might take for more than text. */
const piece = fc.constantFrom(
  '$(touch canary)',
  '`touch canary`',
  ';touch canary;',
  '\ntouch canary\n',
  '&&touch canary',
  '|touch canary',
  "'",
  '"',
  '\\',
  '$',
  '${IFS}',
  '$1',
  '#',
  '*',
  '~',
  '\n',
  '\t',
  ' ',
  '%s',
  '-n',
  '!',
  '{a,b}',
  '>canary',
  'é',
  '⚠',
  '\nEND\n',
  'END',
  ')',
  '))',
  '}',
  ']]',
  'a[$(touch canary)]',
  "'\"'",
  '\\"',
  "\\'",
  '<<END',
  '&',
  '\r',
);
const value = fc
  .array(fc.oneof(piece, fc.string()), { maxLength: 8 })
  .map((parts) => parts.join('').replaceAll('\0', ''));

/** The value in every place where one may stand, each time followed by a mark. */
const everywhere = `
printf '%s<end>' \${{ inputs.v }}
printf '%s<end>' "\${{ inputs.v }}"
printf '%s<end>' '\${{ inputs.v }}'
printf '%s<end>' "$(printf '%s.' \${{ inputs.v }})"
printf '%s<end>' "$(printf '%s.' "$(printf '%s' '\${{ inputs.v }}')")"
printf '%s<end>' "$(cat <<INNER
\${{ inputs.v }}.
INNER
)"
x=\${{ inputs.v }}; printf '%s<end>' "$x"
sh -c 'printf "%s<end>" "$1"' sh \${{ inputs.v }}
case "$x" in \${{ inputs.v }}) printf '%s<end>' same ;; esac
if [ "$x" = \${{ inputs.v }} ]; then printf '%s<end>' same; fi # \${{ inputs.v }}
cat <<END
\${{ inputs.v }}<end>
END
`;

/** Tries so many values: the first that some place does not hold, or that is executed, in words. */
export function findWrongValue(shell: string, numRuns: number): string | undefined {
  const cwd = temporaryFolder();
  return fc.defaultReportMessage(
    fc.check(
      fc.property(value, (v) => {
        const inner = v.replace(/\n+$/, '');
        const expected = [v, v, v, `${v}.`, `${inner}.`, `${v}.`, v, v, 'same', 'same', v];
        expect(output(everywhere, v, { shell, cwd }).split('<end>').slice(0, -1)).toEqual(expected);
        expect(readdirSync(cwd)).toEqual([]);
      }),
      { numRuns },
    ),
  );
}

/** Tries so many texts, each with a value that would do harm: the first that executes it, in words. */
export function findHarmfulText(shell: string, numRuns: number): string | undefined {
  const cwd = temporaryFolder();
  const text = fc
    .array(fc.constantFrom(...wrappings), { maxLength: 4 })
    .map((around) => around.reduce((inside, wrap) => wrap(inside), '${{ inputs.v }}'));
  const evil = fc.constantFrom(
    'a[$(touch canary)]',
    'a[$(touch canary)]=1',
    "';touch canary;'",
    '";touch canary;"',
    '$(touch canary)',
    '`touch canary`',
    'touch canary',
    'touch canary #',
    ';touch canary;',
    '\ntouch canary\n',
    ')\ntouch canary\n(',
    '\nE\ntouch canary\n',
    '}\ntouch canary\n',
    'system("touch canary")',
  );
  return fc.defaultReportMessage(
    fc.check(
      fc.property(text, evil, (run, v) => {
        runIfAccepted(() => output(run, v, { shell, cwd }));
        const files = readdirSync(cwd);
        // What one text has written, another might execute.
        for (const file of files) rmSync(join(cwd, file), { recursive: true, force: true });
        expect(files).not.toContain('canary');
      }),
      { numRuns },
    ),
  );
}
