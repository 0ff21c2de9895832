import { describe, expect, test } from 'vitest';
import { command } from './shell-commands.ts';
import { refusal } from './support.ts';

const filled = (text: string): string => text.replaceAll('§', '${{ inputs.v }}');

/** The text that is run in the end, with `${v}` for the variable that holds the value. */
const accepted = (text: string, shell: string): string =>
  (command(filled(text), shell).run as string).replaceAll('${PITON_VALUE_1}', '${v}');

/** Why it is refused. */
const refused = (text: string, shell: string): string =>
  [...new Set(refusal(() => command(filled(text), shell)).map(({ message }) => message))].join(' ');

const executes = (name: string): string => `\`${name}\` would execute what is in this value.`;
const calculates = (name: string): string =>
  `\`${name}\` calculates with this value: some shells would execute what is in it.`;
const unclear = 'How this text is quoted cannot be told for certain, so no value can stand in it.';
const arithmetic = 'A value cannot stand in arithmetic: some shells would execute what is in it.';
const backticks = 'A value cannot stand in backticks, which are read twice.';
const braces = 'A value cannot stand in `${…}`: shells do not agree on how to quote it there.';
const dollar = 'A `$` stands directly before the expression, and would mean something else with it.';
const here =
  'A value cannot stand in a here-document whose delimiter is quoted: the shell expands nothing there.';
const delimiter = 'The delimiter of a here-document cannot be a value.';

const shells = ['sh', 'bash', 'zsh'];

describe('a value keeps its place, whatever the shell', () => {
  test.each([
    ['echo "a\'§\'b" §', 'echo "a\'${v}\'b" "${v}"'],
    ['echo \'a"§"b\' §', 'echo \'a"\'"${v}"\'"b\' "${v}"'],
    ['echo "a\\"§" §', 'echo "a\\"${v}" "${v}"'],
    ["echo 'a\\' § 'b'", "echo 'a\\' \"${v}\" 'b'"],
    ['echo "$x §" $y§', 'echo "$x ${v}" $y"${v}"'],
    ['echo a\\\n§', 'echo a\\\n"${v}"'],
    ['echo "a`date` §"', 'echo "a`date` ${v}"'],
    ['echo \\\\§', 'echo \\\\"${v}"'],
    ['echo "$(echo "$(echo \'§\')")" §', 'echo "$(echo "$(echo \'\'"${v}"\'\')")" "${v}"'],
    ['echo $1§ $?§ $!§', 'echo $1"${v}" $?"${v}" $!"${v}"'],
    ['echo "$\'§\'" §', 'echo "$\'${v}\'" "${v}"'],
    ['echo $"§"', 'echo $"${v}"'],
    ['echo "§', 'echo "${v}'],
    ["echo '§", "echo ''\"${v}\"'"],
    ['echo $(echo §', 'echo $(echo "${v}"'],
    ['a=§ b=\'§\' c="§"', 'a="${v}" b=\'\'"${v}"\'\' c="${v}"'],
    ["echo # § '\necho §", 'echo #  \'\necho "${v}"'],
    ['echo a#§ # §', 'echo a#"${v}" # '],
    ['echo $#§', 'echo $#"${v}"'],
    ['echo "${x}§" ${y}', 'echo "${x}${v}" ${y}'],
    ['echo ${#x} §', 'echo ${#x} "${v}"'],
    ['echo {§,b}', 'echo {"${v}",b}'],
    ['echo ~§ *§', 'echo ~"${v}" *"${v}"'],
    ['echo $(( 1 + 2 )) §', 'echo $(( 1 + 2 )) "${v}"'],
    ['((x = 1)); echo §', '((x = 1)); echo "${v}"'],
    ['( (echo §) )', '( (echo "${v}") )'],
    ['if (! (echo §)); then (echo §); fi', 'if (! (echo "${v}")); then (echo "${v}"); fi'],
    ['f() { echo §; }; g ( ) (echo §)', 'f() { echo "${v}"; }; g ( ) (echo "${v}")'],
    ['case §x in (a|b) echo §;; esac', 'case "${v}"x in (a|b) echo "${v}";; esac'],
    [
      'a=(1 2) b+=(3); [[ (-n §) ]] || (time (echo §))',
      'a=(1 2) b+=(3); [[ (-n "${v}") ]] || (time (echo "${v}"))',
    ],
  ])('in quotes and substitutions: %s', (text, expected) => {
    for (const shell of shells) expect(accepted(text, shell)).toBe(expected);
  });

  test.each([
    ['cat <<E\n§ "§" \'§\'\nE\necho §', 'cat <<E\n${v} "${v}" \'${v}\'\nE\necho "${v}"'],
    ['cat <<-E\n\t§\n\tE\necho §', 'cat <<-E\n\t${v}\n\tE\necho "${v}"'],
    ['cat <<E\n\tE\n§\nE', 'cat <<E\n\tE\n${v}\nE'],
    ['cat << E\n$(echo §)\nE\n§', 'cat << E\n$(echo "${v}")\nE\n"${v}"'],
    ['cat <<E; echo §\nx\nE', 'cat <<E; echo "${v}"\nx\nE'],
    ['cat <<E', 'cat <<E'],
    ['cat <<E\n§', 'cat <<E\n${v}'],
    ["cat <<'E'x\n'\nEx\necho §", "cat <<'E'x\n'\nEx\necho \"${v}\""],
    ['cat <<E | tr a b\n§\nE', 'cat <<E | tr a b\n${v}\nE'],
  ])('in a here-document: %s', (text, expected) => {
    for (const shell of shells) expect(accepted(text, shell)).toBe(expected);
  });

  test.each([
    ['echo § | sh script.sh', 'echo "${v}" | sh script.sh'],
    ["echo § | sh -c 'cat'", 'echo "${v}" | sh -c \'cat\''],
    ['echo § || sh', 'echo "${v}" || sh'],
    ['echo § && sh', 'echo "${v}" && sh'],
    ['echo § ; sh', 'echo "${v}" ; sh'],
    ['echo § & sh', 'echo "${v}" & sh'],
    ['echo § | cat; sh', 'echo "${v}" | cat; sh'],
    ['echo § | python3 x.py', 'echo "${v}" | python3 x.py'],
    ['echo § | ssh host cat', 'echo "${v}" | ssh host cat'],
    ['echo § | xargs sh -c \'echo "$1"\' _', 'echo "${v}" | xargs sh -c \'echo "$1"\' _'],
    ['echo § | xargs echo', 'echo "${v}" | xargs echo'],
    ['echo § | make', 'echo "${v}" | make'],
    ["echo § | awk '{print}'", 'echo "${v}" | awk \'{print}\''],
    ['{ echo §; }; echo x | sh', '{ echo "${v}"; }; echo x | sh'],
    ['echo § | { cat; }; sh', 'echo "${v}" | { cat; }; sh'],
    ['echo § | (cat) ; sh', 'echo "${v}" | (cat) ; sh'],
    [
      'echo § | while read -r x; do echo "$x"; done; sh',
      'echo "${v}" | while read -r x; do echo "$x"; done; sh',
    ],
    ['echo § | if a; then c; fi; sh', 'echo "${v}" | if a; then c; fi; sh'],
    ['sh x.sh <<E\n§\nE', 'sh x.sh <<E\n${v}\nE'],
    ['cat <<E; sh\n§\nE', 'cat <<E; sh\n${v}\nE'],
    ['{ cat; sh < x; } <<E\n§\nE', '{ cat; sh < x; } <<E\n${v}\nE'],
    ['sh; { cat; } <<E\n§\nE', 'sh; { cat; } <<E\n${v}\nE'],
    ['(sh); (cat) <<E\n§\nE', '(sh); (cat) <<E\n${v}\nE'],
    ['sh; if a; then cat; fi <<E\n§\nE', 'sh; if a; then cat; fi <<E\n${v}\nE'],
    [
      'while a; do sh; done; while b; do cat; done <<E\n§\nE',
      'while a; do sh; done; while b; do cat; done <<E\n${v}\nE',
    ],
    ['cat <<< §', 'cat <<< "${v}"'],
    ['exec > >(tee log)\necho §', 'exec > >(tee log)\necho "${v}"'],
    ['echo § > >(sh x.sh)', 'echo "${v}" > >(sh x.sh)'],
    ['cat <(echo §)', 'cat <(echo "${v}")'],
    ['diff <(echo §) <(echo §)', 'diff <(echo "${v}") <(echo "${v}")'],
    ['tee >(cat) < §', 'tee >(cat) < "${v}"'],
    ['echo § > >(cat)', 'echo "${v}" > >(cat)'],
    ['echo hi > §', 'echo hi > "${v}"'],
    ['echo hi >> §', 'echo hi >> "${v}"'],
    ['cat < §', 'cat < "${v}"'],
    ['echo hi 2> §', 'echo hi 2> "${v}"'],
    ['echo hi >| §', 'echo hi >| "${v}"'],
    ['echo hi &> §', 'echo hi &> "${v}"'],
    ['echo hi 2>&1 §', 'echo hi 2>&1 "${v}"'],
    ['sh < §', 'sh < "${v}"'],
  ])('that another command reads: %s', (text, expected) => {
    for (const shell of shells) expect(accepted(text, shell)).toBe(expected);
  });

  test.each([
    ["sh -c 'x' §", 'sh -c \'x\' "${v}"'],
    ['sh -c x §', 'sh -c x "${v}"'],
    ['sh -e §', 'sh -e "${v}"'],
    ['sh §', 'sh "${v}"'],
    ['sh x §', 'sh x "${v}"'],
    ['sh -c "$x" §', 'sh -c "$x" "${v}"'],
    ['sh $x -c y §', 'sh $x -c y "${v}"'],
    ['busybox sh -c x §', 'busybox sh -c x "${v}"'],
    ['ssh § ls', 'ssh "${v}" ls'],
    ['ssh -p 22 § ls', 'ssh -p 22 "${v}" ls'],
    ['ssh -i §  host', 'ssh -i "${v}"  host'],
    ['python3 -c x §', 'python3 -c x "${v}"'],
    ['python3 x.py §', 'python3 x.py "${v}"'],
    ['node x.js §', 'node x.js "${v}"'],
    ['deno run §', 'deno run "${v}"'],
    ['npx cowsay §', 'npx cowsay "${v}"'],
    ['env A=§ ls', 'env A="${v}" ls'],
    ['env §', 'env "${v}"'],
    ["awk -v x=§ '{print}'", 'awk -v x="${v}" \'{print}\''],
    ["awk '{print}' §", 'awk \'{print}\' "${v}"'],
    ['awk -f x.awk §', 'awk -f x.awk "${v}"'],
    ['sed -e x §', 'sed -e x "${v}"'],
    ['sed --expression=x §', 'sed --expression=x "${v}"'],
    ["sed 's/a/b/' §", 'sed \'s/a/b/\' "${v}"'],
    ['sed -f x §', 'sed -f x "${v}"'],
    ['grep §', 'grep "${v}"'],
    ['perl -e "$x" §', 'perl -e "$x" "${v}"'],
    ['e§val x', 'e"${v}"val x'],
    ['x=$(echo §)', 'x=$(echo "${v}")'],
    ['echo $(echo §)', 'echo $(echo "${v}")'],
    ['x=$(echo §) ls', 'x=$(echo "${v}") ls'],
  ])('as a word of a command: %s', (text, expected) => {
    for (const shell of shells) expect(accepted(text, shell)).toBe(expected);
  });

  test.each([
    ['[[ § == 1 ]]', '[[ "${v}" == 1 ]]'],
    ['[[ a == b ]] && echo § -lt 1', '[[ a == b ]] && echo "${v}" -lt 1'],
    ['a[1]=§', 'a[1]="${v}"'],
    ['x=(§)', 'x=("${v}")'],
    ['declare x=§', 'declare x="${v}"'],
    ['declare -r x=§', 'declare -r x="${v}"'],
    ['local x=§', 'local x="${v}"'],
    ['export A=§', 'export A="${v}"'],
    ['readonly A=§', 'readonly A="${v}"'],
    ['read -r x <<< §', 'read -r x <<< "${v}"'],
    ['printf -v x §', 'printf -v x "${v}"'],
    ['printf %s §', 'printf %s "${v}"'],
    ['echo -v §', 'echo -v "${v}"'],
    ['MYENV=§ ls', 'MYENV="${v}" ls'],
  ])('as a number or the name of a variable: %s', (text, expected) => {
    for (const shell of shells) expect(accepted(text, shell)).toBe(expected);
  });

  test.each([
    ['case x in x) echo §;; esac', 'case x in x) echo "${v}";; esac'],
    ['case § in a) ;; esac', 'case "${v}" in a) ;; esac'],
    ['f() { echo §; }', 'f() { echo "${v}"; }'],
    ['function f { echo §; }; f', 'function f { echo "${v}"; }; f'],
    ['for i in §; do echo "$i"; done', 'for i in "${v}"; do echo "$i"; done'],
    ['select x in §; do :; done', 'select x in "${v}"; do :; done'],
    ['while [ § ]; do :; done', 'while [ "${v}" ]; do :; done'],
    ['coproc echo §', 'coproc echo "${v}"'],
    ['time echo §', 'time echo "${v}"'],
    ['! echo §', '! echo "${v}"'],
  ])('in other commands: %s', (text, expected) => {
    for (const shell of shells) expect(accepted(text, shell)).toBe(expected);
  });
});

describe('a value is refused, whatever the shell', () => {
  test.each([
    ['echo `echo \\`§\\`` x', backticks],
    ['echo $$§ $§', dollar],
    ['echo ${x:-"§"}', braces],
    ['echo "${x:-\'§\'}" §', braces],
    ['echo "${x" §', braces],
    ['echo $[1]§', unclear],
    ['echo $(( (1 + §) * 2 ))', arithmetic],
    ['echo $((1 + 2) §', unclear],
    ['echo $(( "§" )) §', arithmetic],
  ])('in quotes and substitutions: %s', (text, expected) => {
    for (const shell of shells) expect(refused(text, shell)).toBe(expected);
  });

  test.each([
    ["cat <<\\E\n§\nE\necho '§'", here],
    ['cat <<"E" <<F\n§\nE\n§\nF\n', here],
    ['cat <<E\n$(echo §\nE\necho §', unclear],
    ['cat <<E\n§\\\nE\necho §\nE', unclear],
    ['cat <<§ §\n', delimiter],
  ])('in a here-document: %s', (text, expected) => {
    for (const shell of shells) expect(refused(text, shell)).toBe(expected);
  });

  test.each([
    ['echo § | sh', executes('sh')],
    ['echo § | sh -e', executes('sh')],
    ['echo § | sh -s a', executes('sh')],
    ["echo § | sh -c 'sh'", executes('sh')],
    ["echo § | sh -c '. /dev/stdin'", executes('sh')],
    ['echo § | bash -', executes('bash')],
    ['echo § | /bin/bash', executes('bash')],
    ['echo § |& sh', executes('sh')],
    ['echo § | cat | sh', executes('sh')],
    ['echo § | python3', executes('python3')],
    ['echo § | node -', executes('node')],
    ['echo § | ssh host', executes('ssh')],
    ['echo § | ssh -p 22 host', executes('ssh')],
    ['echo § | ssh -v host', executes('ssh')],
    ['echo § | xargs sh', executes('sh')],
    ["echo § | xargs -I{} sh -c 'echo {}'", executes('sh')],
    ['echo § | xargs sh -c', executes('sh')],
    ['echo § | make -f -', executes('make')],
    ['echo § | sed -f -', executes('sed')],
    ['echo § | source /dev/stdin', executes('source')],
    ['echo § | eval x', executes('eval')],
    ['echo § | parallel', executes('parallel')],
    ['echo § | $0', executes('sh')],
    ['echo § | "$BASH"', executes('sh')],
    ['{ echo §; } | sh', executes('sh')],
    ['(echo §) | sh', executes('sh')],
    ['(echo § | cat) | sh', executes('sh')],
    ['if true; then echo §; fi | sh', executes('sh')],
    ['for i in a; do echo §; done | sh', executes('sh')],
    ['echo § | { cat; sh; }', executes('sh')],
    ['echo § | { sh < x; }', executes('sh')],
    ['echo § | (cat; sh)', executes('sh')],
    ['echo § | while read -r x; do sh; done', executes('sh')],
    ['echo § | if a; then if b; then c; fi; sh; fi', executes('sh')],
    ['echo § | ! sh', executes('sh')],
    ['echo § | time sh', executes('sh')],
    ['sh <<E\n§\nE', executes('sh')],
    ['{ cat; sh; } <<E\n§\nE', executes('sh')],
    ['(sh; cat) <<E\n§\nE', executes('sh')],
    ['if a; then sh; fi <<E\n§\nE', executes('sh')],
    ['while a; do while b; do sh; done; done <<E\n§\nE', executes('sh')],
    ['case x in x) sh;; esac <<E\n§\nE', executes('sh')],
    ['bash <<< §', executes('bash')],
    ['cat <<< § | sh', executes('sh')],
    ['source <(echo §)', executes('source')],
    ['echo § > >(sh)', executes('sh')],
    ['echo § | tee >(sh) x', executes('sh')],
    ['tee >(cat | bash -s) <<< §', executes('bash')],
    ['cat <<E > >(sh)\n§\nE', executes('sh')],
    ['exec > >(sh)\necho §', executes('sh')],
    ['{ echo §; } > >(cat; (sh))', executes('sh')],
    ['. <(echo §)', executes('.')],
    ['bash <(echo §)', executes('bash')],
    ['echo hi >& §', executes('>&')],
    ['cat <& §', executes('>&')],
  ])('that another command reads: %s', (text, expected) => {
    for (const shell of shells) expect(refused(text, shell)).toBe(expected);
  });

  test.each([
    ['eval §', executes('eval')],
    ['eval echo §', executes('eval')],
    ['command eval §', executes('eval')],
    ['trap § EXIT', executes('trap')],
    ['watch §', executes('watch')],
    ['sh -c §', executes('sh')],
    ['sh -ec §', executes('sh')],
    ['sh -o pipefail -c §', executes('sh')],
    ['sh +o x -c §', executes('sh')],
    ['bash --rcfile x -c §', executes('bash')],
    ['sh -c $x §', executes('sh')],
    ['busybox sh -c §', executes('busybox')],
    ['$SHELL -c §', executes('sh')],
    ['=sh -c §', executes('sh')],
    ['$x=sh -ec "§"', executes('sh')],
    ['${x}=/bin/sh -c §', executes('sh')],
    ['"${BASH}" -c §', executes('sh')],
    ['x$y/sh -c §', executes('sh')],
    ['ssh host §', executes('ssh')],
    ['ssh -p 22 host §', executes('ssh')],
    ['ssh -v host §', executes('ssh')],
    ['python3 -c §', executes('python3')],
    ['python3.12 -c §', executes('python3.12')],
    ['perl -e §', executes('perl')],
    ['perl -ne §', executes('perl')],
    ['ruby -e §', executes('ruby')],
    ['node -e §', executes('node')],
    ['node --eval §', executes('node')],
    ['node -p §', executes('node')],
    ['deno eval §', executes('deno')],
    ['php -r §', executes('php')],
    ['su -c §', executes('su')],
    ['su - user -c §', executes('su')],
    ['npx -c §', executes('npx')],
    ['env -S §', executes('env')],
    ['awk §', executes('awk')],
    ['awk -F : §', executes('awk')],
    ['awk -v x §', executes('awk')],
    ['gawk §', executes('gawk')],
    ['sed §', executes('sed')],
    ['sed -n §', executes('sed')],
    ['sed -e §', executes('sed')],
    ['echo eval §', executes('eval')],
    ['perl $x -e §', executes('perl')],
    ['perl -e $x §', executes('perl')],
    ['"eval" §', executes('eval')],
    ["'e'val §", executes('eval')],
    ['\\eval §', executes('eval')],
    ['eval$x §', executes('eval')],
    ['e$1val §', executes('eval')],
    ['e${x}val §', executes('eval')],
    ['$(echo §)', executes('$(…)')],
    ['$(echo §) x', executes('$(…)')],
    ['if $(echo §); then :; fi', executes('$(…)')],
    ['sudo -n $(echo §)', executes('$(…)')],
    ['timeout 5 $(echo §)', executes('$(…)')],
    ['A=1 $(echo §)', executes('$(…)')],
    ['> x $(echo §)', executes('$(…)')],
    ['"$(echo §)"', executes('$(…)')],
    ['! $(echo §)', executes('$(…)')],
  ])('as a word of a command: %s', (text, expected) => {
    for (const shell of shells) expect(refused(text, shell)).toBe(expected);
  });

  test.each([
    ['let x=§', calculates('let')],
    ['[ -v § ]', calculates('[')],
    ['test -R §', calculates('test')],
    ['[[ § -eq 1 ]]', calculates('[[ ]]')],
    ['[[ a == b && § -lt 1 ]]', calculates('[[ ]]')],
    ['[[ -v § ]]', calculates('[[ ]]')],
    ['a[§]=1', calculates('a[…]')],
    ['[§]=1', calculates('[…]')],
    ['echo a[§]', calculates('a[…]')],
    ['a[1 + §]=1', unclear],
    ['declare -a x=(§)', unclear],
    ['declare §', executes('declare')],
    ['declare -i x=§', executes('declare')],
    ['declare -n x=§', executes('declare')],
    ['local §', executes('local')],
    ['export §', executes('export')],
    ['typeset -i A=§', executes('typeset')],
    ['integer A=§', executes('integer')],
    ['read §', executes('read')],
    ['unset §', executes('unset')],
    ['getopts § x', executes('getopts')],
    ['mapfile §', executes('mapfile')],
    ['alias a=§', executes('alias')],
    ['printf -v § x', executes('printf -v')],
    ['PS4=§ ls', executes('PS4')],
    ['PROMPT_COMMAND=§', executes('PROMPT_COMMAND')],
    ['BASH_ENV=§ ls', executes('BASH_ENV')],
    ['ENV=§ sh x', executes('ENV')],
    ['EDITOR=§ git commit', executes('EDITOR')],
    ['GIT_EDITOR=§ git commit', executes('GIT_EDITOR')],
    ['GIT_SEQUENCE_EDITOR=§ git', executes('GIT_SEQUENCE_EDITOR')],
    ['PAGER=§ git log', executes('PAGER')],
    ['GIT_PAGER=§ git log', executes('GIT_PAGER')],
    ['GIT_SSH_COMMAND=§ git fetch', executes('GIT_SSH_COMMAND')],
    ['PS4+=§', executes('PS4+')],
  ])('as a number or the name of a variable: %s', (text, expected) => {
    for (const shell of shells) expect(refused(text, shell)).toBe(expected);
  });

  test.each([
    ['echo $(case x in x) echo §;; esac)', unclear],
    ['echo $(case x) §', unclear],
    // Patterns, which zsh takes for a word and others for a mistake.
    ['bash <<< (§)', unclear],
    ['cat < (§)', unclear],
    ['sh -c (§)', unclear],
    ['perl -e @(§)', unclear],
    ['for ((i = §; i < 3; i++)); do :; done', arithmetic],
  ])('in other commands: %s', (text, expected) => {
    for (const shell of shells) expect(refused(text, shell)).toBe(expected);
  });
});

test('shells differ: what one of them takes for text, another calculates with or quotes otherwise', () => {
  expect(refused("echo $'a\\'b' §", 'sh')).toBe(unclear);
  expect(accepted("echo $'a\\'b' §", 'bash')).toBe("echo $'a\\'b' \"${v}\"");
  expect(accepted("echo $'a\\'b' §", 'zsh')).toBe("echo $'a\\'b' \"${v}\"");
  expect(accepted('echo $x[1]§', 'sh')).toBe('echo $x[1]"${v}"');
  expect(accepted('echo $x[1]§', 'bash')).toBe('echo $x[1]"${v}"');
  expect(refused('echo $x[1]§', 'zsh')).toBe(unclear);
  expect(accepted('[ § -eq 1 ]', 'sh')).toBe('[ "${v}" -eq 1 ]');
  expect(accepted('[ § -eq 1 ]', 'bash')).toBe('[ "${v}" -eq 1 ]');
  expect(refused('[ § -eq 1 ]', 'zsh')).toBe(calculates('['));
  expect(accepted('test § -gt 1', 'sh')).toBe('test "${v}" -gt 1');
  expect(accepted('test § -gt 1', 'bash')).toBe('test "${v}" -gt 1');
  expect(refused('test § -gt 1', 'zsh')).toBe(calculates('test'));
});
