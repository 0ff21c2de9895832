/** A stand-in for `gh`, the command line of GitHub: it keeps its pull requests in a folder, and misbehaves on request. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export interface StandInGh {
  /** Put before the PATH of whoever is to find it. */
  readonly bin: string;
  /** `<head> <base> <draft> <title>` of each pull request. */
  opened(): string[];
  /** What the last one says. */
  body(): string;
  /** Each call, by its arguments. */
  calls(): string[];
  /**
   * `logged-out`: it has nobody to act for; `broken`: every call fails; `mute`: it opens one, and fails all the same; `slow-list`:
   * it sees what was opened only from the second look on.
   */
  behave(how: 'logged-out' | 'broken' | 'mute' | 'slow-list' | 'well'): void;
}

const script = `#!/bin/sh
here=$(dirname "$0")/..
echo "$*" >> "$here/calls"
case $(cat "$here/behaviour") in
  logged-out) echo 'To get started with GitHub CLI, please run:  gh auth login' >&2; exit 4 ;;
  broken) echo 'HTTP 502: Bad Gateway' >&2; exit 1 ;;
esac
verb="$1 $2"; shift 2
head= base= title= draft=false
while [ $# -gt 0 ]; do
  case $1 in
    --head) head=$2; shift 2 ;;
    --base) base=$2; shift 2 ;;
    --title) title=$2; shift 2 ;;
    --draft) draft=true; shift ;;
    *) shift ;;
  esac
done
touch "$here/pulls"
case $verb in
  'pr list')
    if [ "$(cat "$here/behaviour")" = slow-list ]; then echo well > "$here/behaviour"; echo '[]'; exit 0; fi
    number=0 comma=
    printf '['
    while read -r one into rest; do
      number=$((number + 1))
      [ "$one" = "$head" ] || continue
      printf '%s{"number":%s,"url":"https://git.example/pull/%s","baseRefName":"%s"}' "$comma" $number $number "$into"
      comma=,
    done < "$here/pulls"
    echo ']' ;;
  'pr create')
    if grep -q "^$head $base " "$here/pulls"; then echo "a pull request for branch \\"$head\\" into branch \\"$base\\" already exists" >&2; exit 1; fi
    cat > "$here/body"
    echo "$head $base $draft $title" >> "$here/pulls"
    if [ "$(cat "$here/behaviour")" = mute ]; then echo 'connection reset' >&2; exit 1; fi
    echo
    echo "https://git.example/pull/$(wc -l < "$here/pulls" | tr -d ' ')" ;;
  'auth token') echo a-token-of-nobody ;;
  *) echo "unknown command" >&2; exit 2 ;;
esac
`;

export function standInGh(folder: string): StandInGh {
  const home = join(folder, 'stand-in-gh');
  const bin = join(home, 'bin');
  mkdirSync(bin, { recursive: true });
  writeFileSync(join(bin, 'gh'), script, { mode: 0o755 });
  const lines = (name: string): string[] => {
    const file = join(home, name);
    return existsSync(file) ? readFileSync(file, 'utf8').split('\n').slice(0, -1) : [];
  };
  const behave: StandInGh['behave'] = (how) => writeFileSync(join(home, 'behaviour'), how);
  behave('well');
  return {
    bin,
    behave,
    opened: () => lines('pulls'),
    calls: () => lines('calls'),
    body: () => readFileSync(join(home, 'body'), 'utf8'),
  };
}

/** A PATH on which there is what git needs, and no `gh`: neither the stand-in nor a real one. */
export function pathWithoutGh(folder: string): string {
  const bin = join(folder, 'without-gh');
  mkdirSync(bin);
  for (const name of ['git', 'sh']) {
    const file = execFileSync('sh', ['-c', `command -v ${name}`], { encoding: 'utf8' }).trim();
    symlinkSync(file, join(bin, name));
  }
  return bin;
}
