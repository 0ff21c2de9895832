import { describe, expect, test } from 'vitest';
import { command } from './shell-commands.ts';
import { refusal, task, workflow } from './support.ts';

function refused(run: string, shell = 'sh'): string {
  const problems = refusal(() => command(run, shell));
  expect(problems.map(({ path }) => path)).toEqual(problems.map(() => 'tasks.a.run'));
  expect(problems.every(({ remedy }) => remedy !== undefined)).toBe(true);
  return problems.map(({ message }) => message).join('\n');
}

describe('an expression in shell text becomes a variable, quoted as its place demands', () => {
  test.each([
    ['outside of quotes', 'echo ${{ inputs.v }}', 'echo "${PITON_VALUE_1}"'],
    ['as a part of a word', 'a=x${{ inputs.v }}y', 'a=x"${PITON_VALUE_1}"y'],
    ['in double quotes', 'echo "a ${{ inputs.v }}"', 'echo "a ${PITON_VALUE_1}"'],
    ['in single quotes', "echo 'a ${{ inputs.v }}'", `echo 'a '"\${PITON_VALUE_1}"''`],
    ['in a substitution', 'echo "$(echo ${{ inputs.v }})"', 'echo "$(echo "${PITON_VALUE_1}")"'],
    ['in a subshell', '(echo ${{ inputs.v }})', '(echo "${PITON_VALUE_1}")'],
    ['in a here-document', 'cat <<E\n"${{ inputs.v }}"\nE\n', 'cat <<E\n"${PITON_VALUE_1}"\nE\n'],
    [
      'behind a here-document',
      "cat <<'E'\n'\nE\necho ${{ inputs.v }}",
      "cat <<'E'\n'\nE\necho \"${PITON_VALUE_1}\"",
    ],
    ['behind an apostrophe in a comment', "# it's\necho ${{ inputs.v }}", '# it\'s\necho "${PITON_VALUE_1}"'],
    ['behind a word with a #', 'echo a#b ${{ inputs.v }}', 'echo a#b "${PITON_VALUE_1}"'],
    ['behind an escaped quote', 'echo \\" ${{ inputs.v }}', 'echo \\" "${PITON_VALUE_1}"'],
    [
      'as the pattern of a case',
      'case $x in ${{ inputs.v }}) ;; esac',
      'case $x in "${PITON_VALUE_1}") ;; esac',
    ],
    [
      'as an argument of a second shell',
      'sh -c \'echo "$1"\' _ ${{ inputs.v }}',
      'sh -c \'echo "$1"\' _ "${PITON_VALUE_1}"',
    ],
    [
      'as an argument of a quoted script',
      'sh -c "$s" _ $x ${{ inputs.v }}',
      'sh -c "$s" _ $x "${PITON_VALUE_1}"',
    ],
    ['as the name of a file', 'echo hi > ${{ inputs.v }}', 'echo hi > "${PITON_VALUE_1}"'],
    ['as a number that is compared', '[ ${{ inputs.v }} -gt 3 ]', '[ "${PITON_VALUE_1}" -gt 3 ]'],
  ])('%s', (_, run, expected) => {
    const work = command(run);
    expect(work.run).toBe(expected);
    expect(work.env).toEqual({ PITON_VALUE_1: '${{ inputs.v }}' });
  });

  test('the same expression is the same variable, another is another', () => {
    const work = command("echo ${{ inputs.v }} '${{inputs.v}}' ${{ inputs.w }}");
    expect(work.env).toEqual({ PITON_VALUE_1: '${{ inputs.v }}', PITON_VALUE_2: '${{ inputs.w }}' });
  });

  test('a variable that is there already keeps its name', () => {
    const env = { PITON_VALUE_1: 'mine' };
    const work = workflow([task('a', { work: { type: 'command', run: 'echo ${{ run.id }}', env } })])
      .tasks[0]!.work;
    expect(work).toMatchObject({
      run: 'echo "${PITON_VALUE_2}"',
      env: { PITON_VALUE_1: 'mine', PITON_VALUE_2: '${{ run.id }}' },
    });
  });

  test('in a comment it is dropped', () => {
    expect(command('echo hi # ${{ inputs.v }}')).toMatchObject({ run: 'echo hi # ', env: {} });
  });

  test('text without expressions stays as it is, whatever it is', () => {
    const run = 'eval "$(cat x)"; echo $((1 + `a`)) <<\'E\'\nE';
    expect(command(run)).toMatchObject({ run, env: {} });
  });
});

describe('an expression is refused where its value would be executed, or might be', () => {
  test.each([
    ['arithmetic', 'echo $(( ${{ inputs.v }} + 1 ))'],
    ['arithmetic', '(( x = ${{ inputs.v }} ))'],
    ['arithmetic', 'echo $(( $(echo ${{ inputs.v }}) ))'],
    ['backticks', 'echo `echo ${{ inputs.v }}`'],
    ['here-document whose delimiter is quoted', "cat <<'E'\n${{ inputs.v }}\nE"],
    ['delimiter', 'cat <<${{ inputs.v }}\nx'],
    ['backslash', 'echo \\${{ inputs.v }}'],
    ['`$` stands directly before', 'echo "$${{ inputs.v }}"'],
    ['`${…}`', 'echo ${x:-${{ inputs.v }}}'],
    ["`$'…'`", "echo $'${{ inputs.v }}'"],
    ['`eval`', 'eval "echo ${{ inputs.v }}"'],
    ['`eval`', 'eval "$(echo ${{ inputs.v }})"'],
    ['`sh`', 'sh -c "echo ${{ inputs.v }}"'],
    ['`bash`', "sudo /bin/bash -euo pipefail -c 'echo ${{ inputs.v }}'"],
    ['`sh`', 'echo ${{ inputs.v }} | sh'],
    ['`bash`', '{ echo ${{ inputs.v }}; } | tee x | bash -s'],
    ['`bash`', 'bash <<E\necho ${{ inputs.v }}\nE'],
    ['`bash`', 'bash <<< ${{ inputs.v }}'],
    ['`source`', 'source <(echo ${{ inputs.v }})'],
    ['`ssh`', 'ssh -p 22 host ls ${{ inputs.v }}'],
    ['`python3`', 'python3 -c "print(${{ inputs.v }})"'],
    ['`sed`', 'sed "s/a/${{ inputs.v }}/" file'],
    ['`trap`', 'trap "echo ${{ inputs.v }}" EXIT'],
    ['`read`', 'read ${{ inputs.v }}'],
    ['`export`', 'export ${{ inputs.v }}'],
    ['`declare`', 'declare -i n=${{ inputs.v }}'],
    ['`[[ ]]`', '[[ ${{ inputs.v }} -eq 1 ]]'],
    ['`a[…]`', 'a[${{ inputs.v }}]=1'],
    ['`$(…)`', 'if true; then $(echo ${{ inputs.v }}); fi'],
    ['`sh`', 'sh -c $script ${{ inputs.v }}'],
    ['`sh`', 'sh -c bash <<E\n${{ inputs.v }}\nE'],
    ['`sh`', 'echo ${{ inputs.v }} |\n  sh'],
    ['`sh`', 'echo ${{ inputs.v }} | # to the shell\n\n  sh'],
    ['`sh`', 'cat <<E |\n${{ inputs.v }}\nE\nsh'],
    ['`sh`', 'echo ${{ inputs.v }} | sh 2>&1'],
    ['`sh`', 'sh 0<<E\n${{ inputs.v }}\nE'],
    ['`sh`', 'echo ${{ inputs.v }} | $SHELL'],
    ['`sh`', '"${SHELL}" -c "echo ${{ inputs.v }}"'],
    ['`sh`', 'echo ${{ inputs.v }} | (cat | sh)'],
    ['`sh`', 'echo ${{ inputs.v }} | if true; then { sh; }; fi'],
    ['`sh`', 'echo ${{ inputs.v }} | case x in x) sh;; esac'],
    ['`sh`', '(sh) <<E\n${{ inputs.v }}\nE'],
    ['`sh`', 'while true; do if true; then sh; fi; break; done <<E\n${{ inputs.v }}\nE'],
    ['`sh`', "echo ${{ inputs.v }} | xargs -I{} sh -c 'echo {}'"],
    ['`sh`', 'echo ${{ inputs.v }} | xargs sh -c'],
    ['`bash`', 'bash /dev/stdin <<E\n${{ inputs.v }}\nE'],
    ['`.`', '. /dev/stdin <<E\n${{ inputs.v }}\nE'],
    ['`>&`', 'echo x >&${{ inputs.v }}'],
    ['`declare`', 'declare -n r=${{ inputs.v }}'],
    ['`GIT_EDITOR`', 'GIT_EDITOR=${{ inputs.v }} git commit'],
    ['`env`', 'env -S ${{ inputs.v }}'],
    ['cannot be told for certain', 'a[1 + ${{ inputs.v }}]=1'],
    ['cannot be told for certain', 'echo $(case x in x) echo ${{ inputs.v }};; esac)'],
  ])('%s: %s', (reason, run) => {
    expect(refused(run, 'bash')).toContain(reason);
  });

  test.each([
    'echo ${{ inputs.v }} |\n  cat\nsh script.sh',
    'echo ${{ inputs.v }} | while read -r line; do echo "$line"; done; curl x | sh',
    'python3 - <<\'E\'\nE\nwhile read -r line; do echo "$line"; done <<E\n${{ inputs.v }}\nE',
    '(cat; sh < script) <<E\n${{ inputs.v }}\nE',
    'echo ${{ inputs.v }} | xargs -I{} echo {} 2>&1',
    'echo ${{ inputs.v }} 2>&1 | sh script.sh',
  ])('but not for what merely stands near it: %s', (run) => {
    expect(command(run, 'bash').env).toHaveProperty('PITON_VALUE_1');
  });

  test('in text for a shell whose quoting is not known', () => {
    expect(refused('echo ${{ inputs.v }}', '/usr/bin/fish')).toContain('`fish`');
  });
});
