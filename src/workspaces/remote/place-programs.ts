/**
 * What is run on the other machine for places, in POSIX sh: nothing but sh, git and what every system has is needed there. Each
 * of them can be cut off anywhere and run again. They answer in lines: a word, then what it is about.
 */

/** Git without editor, prompts, hooks or surprises, and always told outright where it works. */
const withGit = `
LC_ALL=C GIT_TERMINAL_PROMPT=0 GIT_OPTIONAL_LOCKS=0 GIT_EDITOR=: GIT_ASKPASS=false
export LC_ALL GIT_TERMINAL_PROMPT GIT_OPTIONAL_LOCKS GIT_EDITOR GIT_ASKPASS
unset GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE GIT_OBJECT_DIRECTORY GIT_COMMON_DIR
fail() { echo "$1" >&2; exit 3; }
g() {
  git -c core.hooksPath=/dev/null -c core.fsmonitor=false -c core.splitIndex=false -c core.safecrlf=false \\
    -c core.quotePath=false -c gc.auto=0 -c maintenance.auto=false -c submodule.recurse=false \\
    -c advice.detachedHead=false -c advice.addEmbeddedRepo=false "$@"
}
# Whether $1 is a worktree of the repository $2; if so, git works in it from now on.
enter() {
  [ -f "$1/.git" ] && read -r link <"$1/.git" || return 1
  case $link in "gitdir: $2/worktrees/"*) ;; *) return 1 ;; esac
  [ -f "\${link#gitdir: }/HEAD" ] || return 1
  GIT_DIR=\${link#gitdir: } GIT_WORK_TREE=$1
  export GIT_DIR GIT_WORK_TREE
  cd "$1"
}
# Whose the worktree is that was entered: "token base".
owner=
read_owner() { owner=; [ -f "$GIT_DIR/piton" ] && read -r owner <"$GIT_DIR/piton"; }
head_of() { g rev-parse --quiet --verify 'HEAD^{commit}'; }
`;

/**
 * Lays out the files of commit $2 with HEAD at $1, on the branch $3; what is there is what the index holds, or was kept. Written
 * down first: what was laid out by half must be taken neither for work of the agent nor for the whole.
 */
const layOut = `
lay_out() {
  echo "$1 $2 $3" >"$GIT_DIR/piton-laying.draft" && mv "$GIT_DIR/piton-laying.draft" "$GIT_DIR/piton-laying" || fail 'the disk cannot be written'
  finish_laying
}
finish_laying() {
  [ -f "$GIT_DIR/piton-laying" ] || return 0
  read -r to_head to_files to_branch <"$GIT_DIR/piton-laying"
  rm -f "$GIT_DIR/index.lock" "$GIT_DIR/HEAD.lock"
  rm -rf "$GIT_DIR/rebase-merge" "$GIT_DIR/rebase-apply"
  rm -f "$GIT_DIR/MERGE_HEAD" "$GIT_DIR/CHERRY_PICK_HEAD" "$GIT_DIR/REVERT_HEAD"
  g read-tree --reset -u "$to_files" || fail 'the files could not be laid out'
  tip=$(g rev-parse --quiet --verify "$to_branch") && [ "$tip" != "$to_head" ] && g update-ref "refs/piton/kept/$tip" "$tip"
  g update-ref "$to_branch" "$to_head" && g symbolic-ref HEAD "$to_branch" || fail 'HEAD could not be moved'
  g read-tree --reset "$to_head" && g update-index -q --refresh
  rm -f "$GIT_DIR/piton-laying"
}
`;

/**
 * Arguments: folder, name of the repository, path in it, branch, what git ignores here beside what is committed, then commits. Makes the
 * repository, and says how the place is.
 */
export const openPlace = `${withGit}
case $1 in '~') root=$HOME ;; '~/'*) root=$HOME/\${1#'~/'} ;; /*) root=$1 ;; *) root=$HOME/$1 ;; esac
command -v git >/dev/null || fail 'there is no git'
[ -d "$root" ] || mkdir -p -m 700 "$root" || exit 3
mkdir -p "$root/$2" || exit 3
root=$(cd "$root/$2" && pwd -P) || exit 3
path=$root/$3 repository=$root/repository.git branch=$4 exclude=$5
shift 5
if [ ! -f "$repository/piton" ]; then
  draft=$root/repository.$$
  rm -rf "$draft"
  g init --quiet --bare "$draft" && g --git-dir="$draft" config core.logAllRefUpdates true || exit 3
  : >"$draft/piton"
  [ -d "$repository" ] || mv "$draft" "$repository"
  rm -rf "$draft" "$repository/repository.$$"
fi
if [ "$(cat "$repository/info/exclude" 2>/dev/null)" != "$exclude" ]; then
  mkdir -p "$repository/info" && printf '%s\\n' "$exclude" >"$repository/info/exclude.$$" && mv "$repository/info/exclude.$$" "$repository/info/exclude" || exit 3
fi
echo "root $root"
for commit in "$@"; do g --git-dir="$repository" cat-file -e "$commit^{commit}" 2>/dev/null && echo "has $commit"; done
tip=$(g --git-dir="$repository" rev-parse --quiet --verify "$branch") && echo "tip $tip"
if enter "$path" "$repository"; then
  read_owner
  echo "owner $owner"
  head=$(head_of) && echo "head $head"
  [ -f "$GIT_DIR/piton-ready" ] && echo ready
  [ -f "$GIT_DIR/piton-filled" ] && echo filled
  [ -f "$GIT_DIR/piton-order" ] && read -r order <"$GIT_DIR/piton-order" && echo "order $order"
  [ -n "$(ls -A | grep -v '^\\.git$')" ] || echo bare
elif [ -e "$path" ] && [ -n "$(ls -A "$path" 2>/dev/null)" ]; then echo foreign
elif [ -e "$path" ] && [ ! -d "$path" ]; then echo foreign
fi
exit 0
`;

/** Arguments: repository, path, branch, token, base, HEAD, the commit whose files are laid out, and how many copies are to follow. */
export const makePlace = `${withGit}${layOut}
repository=$1 path=$2 branch=$3 token=$4 base=$5 head=$6 files=$7 copies=$8
if ! enter "$path" "$repository"; then
  [ ! -e "$path" ] || rmdir "$path" || fail "$path is there already"
  mkdir -p "\${path%/*}" || exit 3
  GIT_DIR=$repository && export GIT_DIR
  g worktree prune
  tip=$(g rev-parse --quiet --verify "$branch") && [ "$tip" != "$head" ] && g update-ref "refs/piton/kept/$tip" "$tip"
  g update-ref "$branch" "$head" || exit 3
  g worktree add --quiet --no-checkout "$path" "\${branch#refs/heads/}" || exit 3
  unset GIT_DIR
  enter "$path" "$repository" || fail "$path was made by git, but is no worktree"
fi
[ -f "$GIT_DIR/piton-ready" ] && exit 0
echo "$token $base" >"$GIT_DIR/piton.draft" && mv "$GIT_DIR/piton.draft" "$GIT_DIR/piton" || exit 3
lay_out "$head" "$files" "$branch"
[ "$copies" != 0 ] || : >"$GIT_DIR/piton-filled"
: >"$GIT_DIR/piton-ready"
`;

/**
 * Arguments: repository, path, branch, token, base, the tree that is believed to be there, HEAD, files, and an order that is done
 * by it.
 */
export const layOutAgain = `${withGit}${layOut}
repository=$1 path=$2 branch=$3 token=$4 base=$5 tree=$6 head=$7 files=$8 order=$9
enter "$path" "$repository" || fail "$path is no worktree any more"
read_owner
case $owner in "$token "*) ;; *) fail "$path is the place of somebody else" ;; esac
if [ ! -f "$GIT_DIR/piton-laying" ]; then
  # The index holds what is there, so that what is not in the new files is removed.
  g read-tree --reset "$tree" && g update-index -q --refresh || [ -z "$(g ls-files --modified --deleted)" ] || fail "$path is being changed"
fi
lay_out "$head" "$files" "$branch"
[ "$owner" = "$token $base" ] || { echo "$token $base" >"$GIT_DIR/piton.draft" && mv "$GIT_DIR/piton.draft" "$GIT_DIR/piton"; } || exit 3
[ -z "$order" ] || echo "$order" >"$GIT_DIR/piton-order"
exit 0
`;

/** Arguments: repository, path, token, the folder of the run in the place, then the paths. The files come as a tar. */
export const fillPlace = `${withGit}
repository=$1 path=$2 token=$3 prefix=$4
shift 4
enter "$path" "$repository" || fail "$path is no worktree any more"
draft=$GIT_DIR/piton-copies
rm -rf "$draft" && mkdir -p "$draft/$prefix" && tar -xf - -C "$draft/$prefix" || fail 'the copies did not arrive'
seen=$( (cd "$draft" && find . ! -type d) | sed 's,^\\./,,' | g check-ignore --no-index --verbose --non-matching --stdin | sed -n 's/^::[[:space:]]*//p' | head -n 1)
[ -z "$seen" ] || { echo "seen $seen"; rm -rf "$draft"; exit 0; }
for one in "$@"; do
  target=$path/$prefix/$one
  [ -e "$target" ] && continue
  case $target in */*) mkdir -p "\${target%/*}" ;; esac
  mv "$draft/$prefix/$one" "$target" || exit 3
done
rm -rf "$draft"
: >"$GIT_DIR/piton-filled"
`;

/**
 * Arguments: repository, path, token, the snapshot before, its message, its date, what of ignored files is kept (nothing, or
 * `all`), then patterns of ignored files that are not, `--`, and hash and path of each file that was copied there.
 *
 * The index is a copy: neither HEAD nor the index of the agent changes. It is seeded with HEAD, since an empty one would lose
 * files that are tracked and ignored at once.
 */
export const keepPlace = `${withGit}${layOut}
repository=$1 path=$2 token=$3 previous=$4 message=$5 date=$6 ignored=$7
shift 7
if ! enter "$path" "$repository"; then
  if [ -e "$path" ]; then echo replaced; else echo gone; fi
  exit 0
fi
read_owner
case $owner in "$token "*) ;; *) echo "foreign $owner"; exit 0 ;; esac
finish_laying
own=$GIT_DIR/piton-index-$$
trap 'rm -f "$own" "$own".*' EXIT
cp -p "$GIT_DIR/index" "$own" 2>/dev/null
GIT_INDEX_FILE=$own && export GIT_INDEX_FILE
head=$(head_of) || { echo headless; exit 0; }
g read-tree --reset "$head" 2>/dev/null || { rm -f "$own"; g read-tree "$head" || exit 3; }
g ls-files -z | g update-index -z --no-assume-unchanged --stdin
g ls-files -z | g update-index -z --no-skip-worktree --stdin
# Repositories inside of the tree are listed as folders: they cannot be taken.
files_only() { tr '\\0\\n' '\\n\\0' | sed '/\\/$/d' | tr '\\n\\0' '\\0\\n'; }
nested_in() { tr '\\0\\n' '\\n\\0' | sed -n 's,^\\(.*\\)/$,left \\1,p'; }
take() {
  "$@" | files_only >"$own.list"
  g update-index --add --remove --replace -z --stdin <"$own.list" 2>/dev/null && return
  # One that cannot be read must not keep the others from being kept.
  xargs -0 -n 1 sh -c 'git update-index --add --remove --replace -- "$1" 2>/dev/null || echo "left $1"' take <"$own.list"
}
take g ls-files --modified --deleted -z
take g ls-files --others --exclude-standard -z
g ls-files --others --exclude-standard -z | nested_in
tree=$(g write-tree) || exit 3
echo "head $head"
echo "tree $tree"
GIT_AUTHOR_NAME=Piton GIT_AUTHOR_EMAIL=piton@localhost GIT_COMMITTER_NAME=Piton GIT_COMMITTER_EMAIL=piton@localhost
GIT_AUTHOR_DATE=$date GIT_COMMITTER_DATE=$date
export GIT_AUTHOR_NAME GIT_AUTHOR_EMAIL GIT_COMMITTER_NAME GIT_COMMITTER_EMAIL GIT_AUTHOR_DATE GIT_COMMITTER_DATE
commit=
if [ -n "$previous" ] && [ "$(g rev-parse --quiet --verify "$previous^{tree}")" = "$tree" ] &&
  [ "$(g rev-parse --quiet --verify "$previous^1")" = "$head" ]; then commit=$previous
else
  # What was kept before stays within reach, also where the agent has thrown it away since.
  before=
  [ -n "$previous" ] && [ "$previous" != "$head" ] && g cat-file -e "$previous^{commit}" 2>/dev/null && before="-p $previous"
  commit=$(printf '%s\\n' "$message" | g commit-tree "$tree" -p "$head" $before -F -) || exit 3
fi
g update-ref "refs/piton/saved/$token" "$commit" || exit 3
echo "commit $commit"
if [ "$ignored" = all ]; then
  rounds=$#
  while [ "$1" != -- ]; do set -- "$@" "$1"; shift; rounds=$((rounds - 1)); done
  shift
  rounds=$((rounds - 1))
  while [ "$rounds" -gt 0 ]; do
    [ "$(g hash-object --no-filters -- "$2" 2>/dev/null)" = "$1" ] && set -- "$@" ":(exclude,literal)$2"
    shift 2
    rounds=$((rounds - 2))
  done
  g read-tree --empty
  take g ls-files --others --ignored --exclude-standard -z -- . "$@"
  g ls-files --others --ignored --exclude-standard -z -- . "$@" | nested_in
  rest=$(g write-tree) || exit 3
  echo "rest $rest"
  # All that HEAD has ever been at here goes along, and what the agent has stashed.
  set --
  for past in $(g log --walk-reflogs --format=%H HEAD 2>/dev/null | sort -u) $(g log --walk-reflogs --format=%H refs/stash 2>/dev/null); do
    g merge-base --is-ancestor "$past" "$commit" 2>/dev/null || set -- "$@" -p "$past"
  done
  whole=$(printf '%s\\n' "$message" | g commit-tree "$rest" -p "$commit" "$@" -F -) || exit 3
  g update-ref "refs/piton/whole/$token" "$whole" || exit 3
  echo "whole $whole"
fi
unset GIT_INDEX_FILE
for operation in rebase-merge rebase-apply MERGE_HEAD CHERRY_PICK_HEAD REVERT_HEAD; do
  [ -e "$GIT_DIR/$operation" ] && echo "operation $operation"
done
g ls-files --unmerged | sed 's/^[^	]*	/unmerged /' | sort -u
exit 0
`;

/** Arguments: repository, path, branch, token, the folder of its attempts. Nothing of it is needed any more. */
export const removePlace = `${withGit}
repository=$1 path=$2 branch=$3 token=$4 attempts=$5
if enter "$path" "$repository"; then
  read_owner
  case $owner in "$token "*) ;; *) echo "foreign $owner"; exit 0 ;; esac
  cd /
  unset GIT_WORK_TREE
  GIT_DIR=$repository && export GIT_DIR
  g worktree remove --force --force "$path" || exit 3
fi
GIT_DIR=$repository && export GIT_DIR
g worktree prune
g update-ref -d "$branch"
for kind in saved whole laid; do g update-ref -d "refs/piton/$kind/$token"; done
rm -rf "$attempts"
rmdir "\${path%/*}" 2>/dev/null
exit 0
`;

/** Arguments: for each place its repository, path and token. */
export const lookAtPlaces = `${withGit}
while [ $# -ge 3 ]; do
  (
    if ! enter "$2" "$1"; then
      if [ -e "$2" ]; then echo 'drifted it is not the worktree any more in which it worked'; else echo 'missing it is gone'; fi
      exit 0
    fi
    read_owner
    case $owner in "$3 "*) ;; *) echo 'drifted it is the place of somebody else'; exit 0 ;; esac
    head_of >/dev/null || { echo 'drifted it has no commit at its HEAD'; exit 0; }
    changed=$(g status --porcelain --untracked-files=all --no-renames | cut -c 4-)
    case $changed in
    '') echo 'clean nothing is uncommitted' ;;
    *) echo "dirty $(printf '%s\\n' "$changed" | wc -l | tr -d ' ') uncommitted: $(printf '%s\\n' "$changed" | head -n 5 | tr '\\n' ' ')" ;;
    esac
  ) || echo 'unknown it could not be looked at'
  shift 3
done
`;
