/**
 * What is run on the other machine for attempts, in POSIX sh. An attempt there has a folder with the same files as one here, and
 * the same wrapper; all attempts of a place are beside each other.
 */

/** How an attempt is: `exited`, `alive`, `dead` (it had begun), `claimed` (about to begin, or died before), or `unclaimed`. */
const seeState = `
born() {
  now=
  if { read -r line <"/proc/$1/stat"; } 2>/dev/null; then
    set -- \${line##*) }
    case $1 in [ZX]) return ;; esac
    shift 19
    now=$1
  else
    set -- $(LC_ALL=C TZ=UTC ps -o lstart= -p "$1" 2>/dev/null)
    now=$*
  fi
}
boot_id() { cat /proc/sys/kernel/random/boot_id 2>/dev/null || sysctl -n kern.boottime 2>/dev/null || echo unknown; }
boot=$(boot_id)
# Sets state; of one that has exited code and late; of others wrapper, if that lives.
see() {
  see_wrapper "$1" "$2"
  # While its wrapper lives, a record is not its own; after its death was seen, all is there that it has written.
  [ "$state" = alive ] && return
  { read -r a code late nonce e <"$1/exit"; } 2>/dev/null && [ "$a $e" = "$2 end" ] && state=exited
}
see_wrapper() {
  state=unclaimed wrapper=
  [ -d "$1/claim" ] || return
  state=claimed
  { read -r line <"$1/wrapper"; } 2>/dev/null || return
  case $line in "$2 "*" end") ;; *) return ;; esac
  state=dead
  line=\${line#"$2 "}
  pid=\${line%% *} start=\${line#* }
  start=\${start% end}
  { read -r began <"$1/boot"; } 2>/dev/null
  [ "$began" = "$boot" ] || return
  born "$pid"
  [ "$now" = "$start" ] && state=alive wrapper=$pid
}
nap() { sleep 0.1 2>/dev/null || sleep 1; }
`;

/**
 * Arguments: the folder of the place's attempts, the attempt that is about to begin. It is its turn from now on: one that was on
 * its way finds that out, and what is prepared and has not begun never will. Then all others are told.
 */
export const surveyAttempts = `${seeState}
mkdir -p -m 700 "$1" && echo "$2" >"$1/turn.draft" && mv "$1/turn.draft" "$1/turn" || { echo "$1 cannot be written" >&2; exit 3; }
for folder in "$1"/*/; do
  folder=\${folder%/}
  attempt=\${folder##*/}
  [ -d "$folder" ] && [ "$attempt" != '*' ] || continue
  [ "$attempt" = "$2" ] || mkdir "$folder/claim" 2>/dev/null && [ "$attempt" != "$2" ] && : >"$folder/never"
  rounds=20
  see "$folder" "$attempt"
  # A claim without a name is that of a wrapper which is about to write it, or died before.
  while [ "$state" = claimed ] && [ ! -f "$folder/never" ] && [ "$rounds" -gt 0 ]; do nap; see "$folder" "$attempt"; rounds=$((rounds - 1)); done
  { read -r kind <"$folder/kind"; } 2>/dev/null || kind=work
  { read -r taker <"$folder/taker"; } 2>/dev/null || taker=$attempt
  marks=
  for mark in never stopping delivered; do [ -f "$folder/$mark" ] && marks="$marks $mark"; done
  echo "$attempt $state $kind $taker$marks"
done
exit 0
`;

/**
 * Arguments: the folder of the place's attempts, the attempt, its kind, its directory, time allowed in seconds, rounds of grace,
 * blank exit record, size of all files, then name and size of each, \`--\`, and the command line. A line with the nonce comes on standard
 * input, then the files, one after the other. After this the environment is exported, and \`launchAttempt\` follows. Run again, it finds what it began.
 */
export const beginAttempt = `
piton_attempts=$1 piton_attempt=$2 piton_kind=$3 piton_directory=$4 piton_timeout=$5 piton_rounds=$6 piton_blank=$7
shift 7
piton_total=$1
shift
piton_folder=$piton_attempts/$piton_attempt
mkdir -p -m 700 "$piton_folder" || { echo "$piton_folder cannot be made" >&2; exit 3; }
if [ -d "$piton_folder/claim" ]; then cat >/dev/null; echo begun; exit 0; fi
piton_bundle=$piton_folder/bundle.$$
IFS= read -r piton_token || { echo 'the files did not arrive' >&2; exit 255; }
cat >"$piton_bundle" || { echo "$piton_folder cannot be written" >&2; exit 3; }
# A connection that is lost looks like the end of the files.
[ "$(($(wc -c <"$piton_bundle")))" = "$piton_total" ] || { rm -f "$piton_bundle"; echo 'the files did not arrive' >&2; exit 255; }
piton_position=1
while [ "$1" != -- ]; do
  tail -c "+$piton_position" "$piton_bundle" | head -c "$2" >"$piton_bundle.one" && mv "$piton_bundle.one" "$piton_folder/$1" || { echo "$piton_folder cannot be written" >&2; exit 3; }
  piton_position=$((piton_position + $2))
  shift 2
done
shift
rm -f "$piton_bundle"
echo "$piton_kind" >"$piton_folder/kind"
echo "$piton_attempt" >"$piton_folder/taker"
cat /proc/sys/kernel/random/boot_id >"$piton_folder/boot" 2>/dev/null || sysctl -n kern.boottime >"$piton_folder/boot" 2>/dev/null || echo unknown >"$piton_folder/boot"
# Only if they are not there: another try of the same may have come so far as to have begun.
(set -C; printf '%s\\n' "$piton_blank" >"$piton_folder/exit") 2>/dev/null
(set -C; printf '%127s\\n' '' >"$piton_folder/wrapper") 2>/dev/null
(set -C; echo 0 >"$piton_folder/timed-out") 2>/dev/null
cd "$piton_directory" || { echo "the folder $piton_directory is not there" >&2; exit 4; }
read -r piton_turn <"$piton_attempts/turn"
[ "$piton_turn" = "$piton_attempt" ] || { echo superseded; exit 0; }
piton_mkdir=$(command -v mkdir) piton_sleep=$(command -v sleep) piton_detach=$(command -v setsid)
piton_input=/dev/null
[ -f "$piton_folder/input" ] && piton_input=$piton_folder/input
`;

/** In the environment of the command: an assignment to a name that it holds would change it, thus these names. */
export const launchAttempt = `
# Where there is job control without a terminal, what runs in the background hears SIGINT as usual.
set -m 2>/dev/null
$piton_detach /bin/sh -c 'eval "$PITON_WRAPPER"' piton "$piton_folder" "$piton_attempt" /bin/sh "$piton_mkdir" "$piton_sleep" "$piton_timeout" "$piton_rounds" "$@" \\
  <"$piton_input" >>"$piton_folder/stdout" 2>>"$piton_folder/stderr" 3<<PITON_NONCE &
$piton_token
PITON_NONCE
unset PITON_WRAPPER PITON_WATCHER
piton_rounds=100
while [ ! -d "$piton_folder/claim" ] && [ "$piton_rounds" -gt 0 ]; do "$piton_sleep" 0.05 2>/dev/null || "$piton_sleep" 1; piton_rounds=$((piton_rounds - 1)); done
echo begun
`;

/**
 * Arguments: folder of the attempt, its id, and how much of both outputs is known. Tells what comes, each piece after a line with
 * a letter and its size, until the end. The points show that it lives: without them it would go on when nobody listens.
 */
export const followAttempt = `${seeState}
folder=$1 attempt=$2 out=$3 err=$4 quiet=0
send() {
  size=$(wc -c <"$2" 2>/dev/null) || size=0
  part=$((size - $3))
  if [ "$part" -le 0 ]; then part=0; return; fi
  [ "$part" -le 1048576 ] || part=1048576
  printf '%s %s\\n' "$1" "$part"
  tail -c "+$(($3 + 1))" "$2" | head -c "$part"
  quiet=0
}
silence=0
while :; do
  # Seen before reading: what was written before it was over is then surely read.
  see "$folder" "$attempt"
  quiet=$((quiet + 1))
  send o "$folder/stdout" "$out"; out=$((out + part)); sent=$part
  send e "$folder/stderr" "$err"; err=$((err + part)); sent=$((sent + part))
  case $state,$sent in
  exited,0)
    [ -f "$folder/output" ] && send r "$folder/output" 0
    [ -f "$folder/output" ] && [ "$part" -gt 0 ] && { position=$part; while send r "$folder/output" "$position"; [ "$part" -gt 0 ]; do position=$((position + part)); done; }
    printf 'x %s %s %s\\n' "$code" "$late" "$nonce"
    exit 0
    ;;
  dead,0) echo d; exit 0 ;;
  # A wrapper that has just claimed has not said who it is yet.
  claimed,0 | unclaimed,0) silence=$((silence + 1)); [ "$silence" -lt 50 ] || { echo d; exit 0; } ;;
  *) silence=0 ;;
  esac
  [ $((quiet % 10)) -ne 0 ] || echo .
  [ "$sent" -gt 0 ] || nap
done
`;

/**
 * Arguments: folder of the attempt, its id, rounds of grace, and a word if it is asked to stop. Ends all that lives of it, politely first, the wrapper last, so that
 * it can write how the command ended. Says nothing before it is done, so it goes on if nobody listens any more.
 */
export const stopAttempt = `${seeState}
folder=$1 attempt=$2 rounds=$3
[ -d "$folder" ] || { echo absent; exit 0; }
# Whoever finds its end must not take that for its own doing.
[ -z "$4" ] || : >"$folder/stopping"
mkdir "$folder/claim" 2>/dev/null && { echo never; exit 0; }
see "$folder" "$attempt"
leader=$wrapper
consider() {
  case $2 in [ZX]*) return ;; esac
  case $leader in '') ;; "$4" | "$5") found="$found $1" ;; esac
}
members() {
  found=
  if [ -r /proc/self/stat ]; then
    for file in /proc/[0-9]*/stat; do
      { read -r line <"$file"; } 2>/dev/null && consider \${line%% *} \${line##*) }
    done
    for file in $(grep -l -a "PITON_REMOTE_$attempt=1" /proc/[0-9]*/environ 2>/dev/null); do
      file=\${file#/proc/}
      case " $found " in *" \${file%/environ} "*) ;; *) found="$found \${file%/environ}" ;; esac
    done
  else
    set -- $(ps -A -o pid= -o stat= -o ppid= -o pgid=)
    while [ $# -ge 4 ]; do consider "$1" "$2" "$3" "$4" 0; shift 4; done
  fi
  [ -n "$found" ]
}
if members; then
  kill -TERM $found 2>/dev/null
  kill -CONT $found 2>/dev/null
fi
while [ "$rounds" -gt 0 ] && members; do nap; rounds=$((rounds - 1)); done
rounds=50
while [ "$rounds" -gt 0 ] && members; do
  for one in $found; do
    [ "$one" = "$leader" ] && [ "$rounds" -gt 40 ] || kill -KILL "$one" 2>/dev/null
  done
  nap
  rounds=$((rounds - 1))
done
members && echo "alive $found" || echo stopped
`;

/** Arguments: folder of an attempt, and who follows it from now on. */
export const takeAttempt = `
echo "$2" >"$1/taker.draft" && mv "$1/taker.draft" "$1/taker"
`;

/** Arguments: as for `stopAttempt`. All it had to tell is told: what it has left running is ended, and what was told before goes. */
export const settleAttempt = `${stopAttempt}
: >"$folder/delivered"
for other in "\${folder%/*}"/*/; do
  other=\${other%/}
  [ "$other" = "$folder" ] || [ ! -f "$other/delivered" ] || rm -rf "$other"
done
exit 0
`;
