/**
 * The text of the wrapper, in POSIX sh. It is given in the environment: a file could be replaced while the shell reads it,
 * and as an argument it would fill the screen of whoever lists processes. It goes between us and the command because it
 * outlives us. What it promises:
 *
 * - it takes its nonces from descriptor 3, one for what fails and one for what passes, and without them does nothing: whoever started it
 *   died before giving them;
 * - `mkdir claim` comes then, so an attempt starts once at most, whoever else tries;
 * - then it writes who it is, then the command begins: without that line nothing has begun;
 * - it ends after the command and writes how it ended over blanks that were there before, so a full disk cannot hinder it,
 *   and in such a way that no part of the record can be taken for the whole;
 * - everything it does between is done by the shell itself: no process but `mkdir`, the command, and a watcher if there is
 *   a deadline.
 *
 * Its variables begin with `piton_`: an assignment to a name the environment holds would change the command's environment.
 * The nonces are unset first for the same reason, and neither exported nor traced: the command must not see them.
 * The wrapper's own messages (`Killed`) would look like the command's, thus it keeps the command's stderr apart, as 3. The command is
 * run in the foreground, since the shell makes background ones ignore SIGINT, and by `exec`, since `exit` or `set` as the
 * name of a program would be done by the wrapper. Signals are caught by handlers, never ignored, as that is inherited: but
 * for the moment in which the watcher is born, which is to be deaf from the beginning.
 */
export const wrapperText = `
piton_folder=$1 piton_attempt=$2 piton_shell=$3 piton_mkdir=$4 piton_sleep=$5
piton_timeout=$6 piton_grace=$7
shift 7
piton_stop= piton_watcher= piton_crash=$PITON_WRAPPER_CRASH piton_watch=$PITON_WATCHER
unset PITON_WRAPPER PITON_WATCHER PITON_WRAPPER_CRASH
piton_at() { case $piton_crash in "$1") kill -KILL $$ ;; esac; }
piton_born() { shift 19; piton_start=$1; }
piton_words() { piton_start="$*"; }

unset piton_nonce piton_passed
set +ax
exec 4>&2 2>/dev/null
read -r piton_nonce piton_passed <&3 || exit 0
exec 3>&4 4>&-
trap 'piton_stop=1' HUP INT QUIT TERM USR1 USR2 PIPE
piton_at before-claim
"$piton_mkdir" "$piton_folder/claim" || exit 0
piton_at after-claim
case $piton_stop in 1) exit 0 ;; esac

if read -r piton_line </proc/$$/stat; then piton_born \${piton_line##*) }
else piton_words $(LC_ALL=C TZ=UTC ps -o lstart= -p $$); fi
piton_line="$piton_attempt $$ $piton_start end"
printf '%-127s\\n' "$piton_line" 1<>"$piton_folder/wrapper"
read -r piton_back <"$piton_folder/wrapper"
case $piton_back in "$piton_line") ;; *) exit 0 ;; esac

case $piton_timeout in
'') ;;
*)
  trap '' HUP INT QUIT TERM USR1 USR2 PIPE
  (
    export PITON_WATCHER="$piton_watch"
    exec "$piton_shell" -c 'eval "$PITON_WATCHER"' piton-watch $$ "$piton_folder" "$piton_sleep" "$piton_timeout" "$piton_grace"
  ) </dev/null >/dev/null 3>&- &
  piton_watcher=$!
  trap 'piton_stop=1' HUP INT QUIT TERM USR1 USR2 PIPE
  ;;
esac

piton_at before-command
case $piton_stop in
1) piton_code=143 ;;
*)
  (exec "$@" 2>&3 3>&-)
  piton_code=$?
  ;;
esac
piton_at after-command

read -r piton_late <"$piton_folder/timed-out" || piton_late=0
case $piton_crash in during-record) printf '%s 0' "$piton_attempt" 1<>"$piton_folder/exit"; kill -KILL $$ ;; esac
case $piton_code,$piton_late in 0,0) piton_nonce=$piton_passed ;; esac
printf '%s %03d %s %s end\\n' "$piton_attempt" "$piton_code" "$piton_late" "$piton_nonce" 1<>"$piton_folder/exit"
piton_at after-record

case $piton_watcher,$piton_late in
,* | *,1) ;;
*) while kill -ALRM "$piton_watcher"; do "$piton_sleep" 0.02 || "$piton_sleep" 1; done ;;
esac
exit 0
`;

/**
 * The watcher: sleeps for the time allowed (a sleeping machine does not count), marks the attempt as timed out, ends all
 * processes of the session and all children of the wrapper, but neither the wrapper, which still has to write the record,
 * nor itself. The monitor of a sandbox (bwrap) is not asked: it would take all that is in it with it at once. It is deaf to all that may be sent to the group, else a request to stop would lift the deadline. SIGALRM ends
 * it together with its sleep: `$!` rather than a variable, since the signal may come between fork and assignment, and the
 * wrapper repeats it, since some shells may miss one that comes just before they wait.
 */
export const watcherText = `
wrapper=$1 folder=$2 sleep=$3 timeout=$4 rounds=$5
trap 'kill -KILL $!; exit 0' ALRM
nap() {
  "$sleep" "$1" &
  wait $! && return
  "$sleep" "$(( \${1%.*} + 1 ))" &
  wait $!
}
consider() {
  case $1 in $$ | "$wrapper") return ;; esac
  case $2 in [ZX]*) return ;; esac
  case $wrapper in "$3" | "$4" | "$5") found="$found $1" ;; esac
}
find_members() {
  found=
  if [ -r /proc/self/stat ]; then
    for file in /proc/[0-9]*/stat; do
      read -r line <"$file" || continue
      case $1,$line in polite,*' (bwrap) '*) ;; *) consider \${line%% *} \${line##*) } ;; esac
    done
  else
    set -- $(ps -A -o pid= -o stat= -o ppid= -o pgid=)
    while [ $# -ge 4 ]; do consider "$1" "$2" "$3" "$4" 0; shift 4; done
  fi
  [ -n "$found" ]
}

nap "$timeout"
echo 1 1<>"$folder/timed-out"
find_members polite && kill -TERM $found
kill -TERM "$wrapper"
while [ "$rounds" -gt 0 ] && find_members; do nap 0.2; rounds=$((rounds - 1)); done
rounds=50
while [ "$rounds" -gt 0 ] && find_members; do kill -KILL $found; nap 0.1; rounds=$((rounds - 1)); done
`;

/** How long a round of the watcher takes, while it waits for what it has asked to end. */
export const watcherRoundMs = 200;
