
# ---- From here on every script of tracec is the same. ----

name=${0##*/}
run=/run/tracec
state=$run/$instance.script
tracefs=''
dir=''
phase=''
lasts=''
signal=''
began=''
status=0
# What a run remembers of itself, since its state file can be changed: when it began, that it is about to make the
# instance, and the inode of the instance that it has made.
own_began=''
makes=''
made=''
# Whether the user says with `--instance` that the instance is this script's.
claimed=''
# Whether this run has created the output.
created=''
# Whether the session leaves out what the processes of a run do.
leaves_out=''
is_left_out=''
newline='
'
# Processes of a run; each is a child of this shell.
reader=''
timer=''
limiter=''
keeper=''
# The process of the command, a child of the keeper, and whether its end was reported.
command=''
command_has_ended=''
# How the reader ended: `complete`, `closed`, `failed` or `missing`.
reader_end=''
# The process that copies trace_pipe, a child of the reader.
copy=''
# The name of this shell's program. It is read once: the processes of a run can outlive the shell.
self=''

usage() {
    cat <<END
usage: $name [run] [--for SECONDS] [-- COMMAND [ARGUMENT...]]
           apply the session, print its records until it ends, undo it
       $name start    apply the session and leave it recording
       $name stream   print the records of a session that was started, until a signal
       $name stop     end the session, whether started or run, and undo it
       $name undo [--instance NAME]
           undo what a killed run has left; with NAME, also if the state file does not say who made the instance,
           or is of another script
       $name status   say whether the session is applied
       $name show     print each write; nothing is changed

--tracefs DIR before the command names the tracefs to use.

exit status: 0, or that of COMMAND; 1 refused, or the records could not be copied, and undone; 2 usage; 3 no tracefs;
4 no permission; 5 something could not be undone; 6 the instance or the state file is in use;
128 and the number of a signal that came before the recording began, and undone
END
}

# A message can hold a path, whose control characters are not for the terminal.
say() {
    text=$1
    case $text in *[[:cntrl:]]*) text=$(escaped "$text") ;; esac
    printf '%s: %s\n' "$name" "$text" >&2
}

# Ends the script with an error. The trap on EXIT undoes what was applied.
fail() {
    say "$2"
    exit "$1"
}

# ---- The machine ----

is_tracefs() {
    [ -d "$1/instances" ] && [ -e "$1/trace_pipe" ]
}

# Sets `tracefs` to the tracefs that is mounted. Returns 1 if there is none.
find_tracefs() {
    if [ -n "$tracefs" ]; then
        is_tracefs "$tracefs"
        return
    fi
    tracefs=/sys/kernel/tracing
    is_tracefs "$tracefs" && return
    # A blank in a path is written as \040.
    while read -r _ place kind _; do
        [ "$kind" = tracefs ] || continue
        tracefs=$(printf '%b' "$place")
        is_tracefs "$tracefs" && return
    done </proc/self/mounts
    tracefs=/sys/kernel/debug/tracing
    is_tracefs "$tracefs" && return
    tracefs=''
    return 1
}

locate() {
    find_tracefs && return
    if [ -n "$tracefs" ]; then
        case $(LC_ALL=C ls -d "$tracefs/instances" 2>&1) in
            *'Permission denied'*) fail 4 "$tracefs cannot be read: run this as root" ;;
        esac
        fail 3 "$tracefs is not a tracefs"
    fi
    if [ "$(id -u)" != 0 ]; then
        fail 4 'no tracefs that this user can see is mounted: run this as root'
    fi
    fail 3 'tracefs is not mounted: mount -t tracefs nodev /sys/kernel/tracing'
}

allowed() {
    if [ "$(id -u)" != 0 ] && ! [ -w "$tracefs/instances" ]; then
        fail 4 "$tracefs/instances cannot be written: run this as root"
    fi
}

# Sets `inode` to the inode of a file that can be opened. No process is started for it, since the session could record
# it (fs/proc/fd.c, seq_show).
inode_of() {
    inode=''
    [ -e "$1" ] || return 1
    {
        while read -r first second; do
            [ "$first" != ino: ] || inode=$second
        done </proc/self/fdinfo/3
    } 2>/dev/null 3<"$1"
    [ -n "$inode" ]
}

# Sets `began` to the start time of a process, in ticks since the boot. A process id may be reused, but not with the
# same time.
began_of() {
    began=''
    IFS= read -r began 2>/dev/null <"/proc/$1/stat" || return 1
    # The name of the program is in parentheses and can contain any character.
    began=${began##*) }
    # shellcheck disable=SC2086 # These are words.
    set -- $began
    began=${20}
}

read_boot() {
    this_boot=''
    IFS= read -r this_boot 2>/dev/null </proc/sys/kernel/random/boot_id || fail 3 '/proc is not mounted'
}

# ---- The state file: what a killed run has to undo ----

# The directory is shared with tracec. Its files can be trusted if only its owner can write in it.
is_safe_run() {
    line=$(ls -ldn "$run" 2>/dev/null) || return 1
    # shellcheck disable=SC2086 # These are words.
    set -- $line
    case $1 in drwx?-??-*) ;; *) return 1 ;; esac
    [ "$3" = "$(id -u)" ]
}

require_safe_run() {
    is_safe_run && return
    [ "$(id -u)" = 0 ] || fail 4 "only root can read the state of the session in $run: run this as root"
    fail 4 "$run is not a directory that belongs to this user and that only this user can write in"
}

# Reads the lines of the state file.
parse_state() {
    clear_state
    while IFS= read -r line; do
        case $line in
            version=*) of_version=${line#*=} ;;
            session=*) of_session=${line#*=} ;;
            digest=*) of_digest=${line#*=} ;;
            boot=*) of_boot=${line#*=} ;;
            pid=*) of_pid=${line#*=} ;;
            began=*) of_began=${line#*=} ;;
            inode=*) of_inode=${line#*=} ;;
            mode=*) of_mode=${line#*=} ;;
        esac
    done <"$state"
}

clear_state() {
    of_boot=''
    of_pid=''
    of_began=''
    of_inode=''
    of_mode=''
    of_session=''
    of_digest=''
    of_version=''
}

# Returns whether the state file is of this script and describes the instance that is there. No process is started for
# it, since the session could record it; `read_state` looks closer.
is_applied() {
    # shellcheck disable=SC3067 # dash, busybox and every other sh of Linux have -O.
    [ -O "$run" ] && [ -f "$state" ] && ! [ -L "$state" ] && [ -O "$state" ] || return 1
    parse_state
    [ "$of_version $of_boot $of_session $of_digest" = "3 $this_boot $session $digest" ] || return 1
    find_tracefs || return 1
    dir=$tracefs/instances/$instance
    inode_of "$dir" && [ "$inode" = "$of_inode" ]
}

# Reads the state file. Returns 1 if there is none. One of another script is refused: two scripts can have the same
# instance.
read_state() {
    clear_state
    [ -e "$run" ] || [ -L "$run" ] || return 1
    require_safe_run
    [ -e "$state" ] || [ -L "$state" ] || return 1
    if [ -L "$state" ] || ! [ -f "$state" ]; then
        fail 6 "$state is not a regular file"
    fi
    parse_state
    case $of_version in
        3) ;;
        '')
            [ ! -s "$state" ] || fail 6 "$state does not name its version: the file was changed, and is not used"
            # A run was killed between creating and writing the file, before it changed anything.
            of_boot=$this_boot
            return 0
            ;;
        *) fail 6 "$state is of version $of_version; the script that wrote it can undo it" ;;
    esac
    if [ "$of_boot" = "$this_boot" ] && [ "$of_session $of_digest" != "$session $digest" ] && [ -z "$claimed" ]; then
        say "$state is of another script, of the session $(escaped "$of_session") (digest $(escaped "$of_digest"))"
        fail 6 "use that script, or undo what it has left: $name undo --instance $instance"
    fi
}

# Returns whether the run of the state file goes on. Before it has recorded the inode it may not have opened the file.
is_alive() {
    is_number "$of_pid" && began_of "$of_pid" && [ "$began" = "$of_began" ] || return 1
    [ -z "$of_inode" ] || holds_state || uses_instance "$of_pid"
}

# Returns whether the process of the state file has it open, as a run has. Lines that were changed do not make another
# process a run.
holds_state() {
    has_open "$of_pid" "$state" && return
    # An editor has put a new file in the place of the one that the run has open.
    case $(ls -l "/proc/$of_pid/fd" 2>/dev/null)$newline in
        *" $state (deleted)$newline"*) return 0 ;;
    esac
    return 1
}

# PROCESS: returns whether the process has files of the instance open.
uses_instance() {
    case $(ls -l "/proc/$1/fd" 2>/dev/null) in
        *"/instances/$instance/"*) return 0 ;;
    esac
    return 1
}

# PROCESS FILE: returns whether the process has the file open.
has_open() {
    for descriptor in "/proc/$1/fd"/*; do
        # shellcheck disable=SC3013 # dash, busybox and every other sh of Linux have -ef.
        [ "$descriptor" -ef "$2" ] && return
    done
    return 1
}

is_own_state() {
    [ "$of_pid" = "$$" ] && [ "$of_mode" = run ] && is_alive
}

note() {
    { [ -f "$state" ] && printf '%s\n' "$1" >>"$state"; } || fail 1 "cannot write $state"
}

remove_state() {
    rm -f "$state.fifo" "$state" || return 1
    remove_run
}

# The directory is kept if another session has a file in it.
remove_run() {
    rmdir "$run" 2>/dev/null || :
}

# ---- Steps ----

# Writes a value of at most 4,095 bytes with one write(2). A write of so few bytes to a pipe is atomic (PIPE_BUF), so dd
# reads the value at once. The file is opened without O_TRUNC, which would remove the entries of a list. Sets `problem`
# to the error's text if it fails.
put() {
    problem=$(printf '%s' "$2" | LC_ALL=C dd bs=4096 count=1 conv=notrunc of="$1" 2>&1) && return 0
    problem=${problem%%"$newline"*}
    problem=${problem##*: }
    return 1
}

# Reads a control file into `now`, without surrounding white space.
shown() {
    now=$(cat "$1" 2>/dev/null) || return 1
    trim "$now"
    now=$trimmed
}

trim() {
    trimmed=$1
    while :; do
        case $trimmed in
            [[:space:]]*) trimmed=${trimmed#?} ;;
            *[[:space:]]) trimmed=${trimmed%?} ;;
            *) return ;;
        esac
    done
}

# Returns whether a file shows a value: literally, as the marked one of a choice (`local [mono]`), or with the `*` of an
# event that a trigger watches.
shows() {
    shown "$1" || return 1
    trim "$2"
    [ "$now" = "$trimmed" ] && return
    case $2 in 0 | 1) [ "$now" = "$2*" ] && return ;; esac
    case " $now " in *" [$2] "*) return 0 ;; esac
    return 1
}

# Prints a text with its control characters escaped for the terminal.
escaped() {
    printf '%s\n' "$1" | cat -v
}

visible() {
    escaped "$1" | sed 's/^/    /' >&2
}

refused() {
    say "$1: $2 cannot be written: $problem"
    visible "$3"
    log=$(cat "$dir/error_log" 2>/dev/null) || log=''
    [ -z "$log" ] || visible "$log"
    exit 1
}

differs() {
    say "$1: $2 shows another value than the one written"
    visible "$3"
    say 'it shows'
    visible "$now"
    exit 1
}

# Handles the phases in which nothing is written. Returns 1 if the step has to be done.
is_looked_at() {
    case $phase in
        look)
            if ! [ -e "$tracefs/$2" ]; then
                say "$1: this kernel has no $2"
                lacks=1
            fi
            ;;
        show) printf '%s: %s\n    %s\n' "$1" "$2" "$3" | cat -v ;;
        # Only `leave_out` has a part in this phase.
        leave) ;;
        *) return 1 ;;
    esac
    # Also if the output was closed: nothing may be written then either.
    return 0
}

# PLACE FILE VALUE: replaces the contents of a file of the instance.
write() {
    is_looked_at "$@" && return
    put "$dir/$2" "$3" || refused "$@"
    shows "$dir/$2" "$3" || differs "$@"
}

# PLACE FILE VALUE: writes a number that the kernel may round up.
resize() {
    is_looked_at "$@" && return
    put "$dir/$2" "$3" || refused "$@"
    shows "$dir/$2" "$3" && return
    case $now in
        '' | *[!0-9]*) differs "$@" ;;
    esac
    [ "$now" -ge "$3" ] || differs "$@"
    say "$1: the kernel has rounded $2 to $now"
}

# PLACE FILE VALUE: writes a switch that triggers of the session can change at any time.
flip() {
    is_looked_at "$@" && return
    put "$dir/$2" "$3" || refused "$@"
}

# PLACE FILE VALUE CHECK: writes the switch that starts the recording. No process is started for it, since the session
# could record it. One byte is one write(2) in every shell.
record() {
    is_looked_at "$@" && return
    problem='the shell does not report the error'
    printf '%s' "$3" 2>/dev/null >"$dir/$2" || refused "$@"
    [ "$4" = flip ] && return
    IFS= read -r now <"$dir/$2" || now=''
    [ "$now" = "$3" ] || differs "$@"
}

# PLACE FILE VALUE HEAD TAIL: adds an entry to a list, which shows it as a line of HEAD, the remaining count, and TAIL.
entry() {
    is_looked_at "$@" && return
    put "$dir/$2" "$3" || refused "$@"
    shown "$dir/$2" || differs "$@"
    rest=$now$newline
    while [ -n "$rest" ]; do
        line=${rest%%"$newline"*}
        rest=${rest#*"$newline"}
        case $line in "$4:"*"$5") return ;; esac
    done
    differs "$@"
}

# PLACE: the processes of a run are to be left out. The kernel takes ids of the first PID namespace, and the shell knows
# those only if it is in that one (include/linux/proc_ns.h, PROC_PID_INIT_INO).
leave_out() {
    [ "$phase" = leave ] || { is_looked_at "$1" set_event_notrace_pid '(the processes of the run)' && return; }
    if inode_of /proc/self/ns/pid && [ "$inode" = 4026531836 ]; then
        leaves_out=1
    else
        say "$1: in a PID namespace of its own the script cannot leave out what its processes do"
    fi
}

# PROCESS: leaves a process out. An id that is written is added to the list, unless the file is opened with O_TRUNC. No
# process is started for it. Returns 1 with a message if the list does not show the id.
omit() {
    [ -n "$leaves_out" ] || return 0
    printf '%s' "$1" 2>/dev/null >>"$dir/set_event_notrace_pid" || :
    while read -r line; do
        [ "$line" != "$1" ] || return 0
    done 2>/dev/null <"$dir/set_event_notrace_pid"
    say "$dir/set_event_notrace_pid does not show the process $1"
    return 1
}

# Leaves this shell out of a session that records.
leave_self_out() {
    [ -z "$is_left_out" ] || return 0
    is_left_out=1
    phase=leave
    steps
    omit "$$"
}

# ---- Apply and undo ----

# Looks whether the session can be applied. Nothing is changed.
prepare() {
    locate
    allowed
    lacks=''
    phase=look
    steps
    last
    [ -z "$lacks" ] || fail 1 'nothing was changed'
    dir=$tracefs/instances/$instance
    read_boot
    if read_state; then
        if [ "$of_boot" = "$this_boot" ]; then
            [ "$of_mode" != start ] || fail 6 "the session is applied: $name stop ends it"
            is_alive && fail 6 "the session is run by process $of_pid: $name stop ends it"
            fail 6 "a killed run has left the session applied: $name undo undoes it"
        fi
        say 'the state file of an earlier boot is void: removed'
        remove_state || fail 6 "cannot remove $state"
    fi
    [ -e "$dir" ] && fail 6 "the instance $dir is there, and this script has not made it"
    return 0
}

# From here on, every way out of the script undoes what it has done.
guard() {
    began_of "$$" || fail 3 '/proc is not mounted'
    own_began=$began
    IFS= read -r self <"/proc/$$/comm" || self=''
    trap on_exit EXIT
    trap 'on_signal INT 2' INT
    trap 'on_signal TERM 15' TERM
    trap 'on_signal HUP 1' HUP
    trap 'on_signal QUIT 3' QUIT
    trap 'on_signal PIPE 13' PIPE
}

# Creates the output, or looks whether it can be written. What it holds is kept until the session is applied.
open_output() {
    [ -n "$output" ] || return 0
    # With `set -C` a file that another program creates meanwhile is not taken for the own one. One assignment: a signal
    # comes before it or after it.
    created=$([ -e "$output" ] || { set -C && : >"$output" && echo 1; } 2>/dev/null)
    [ -n "$created" ] || printf '' 2>/dev/null >>"$output" || fail 1 "$output_place: $output cannot be written"
}

# Removes the output of a run that has failed before it wrote a record, if the run has created it. One that was created
# through a symlink stays.
discard_output() {
    if [ -n "$created" ] && [ -f "$output" ] && ! [ -L "$output" ] && ! [ -s "$output" ]; then
        rm -f "$output"
    fi
}

# Applies all steps except the last, which starts the recording.
begin() {
    mkdir -m 0700 "$run" 2>/dev/null || [ -d "$run" ] || fail 1 "cannot make the directory $run"
    require_safe_run
    create_state || fail 6 "cannot make $state: another run has made it just now, or the file system is full"
    exec 9<&0 <"$state"
    makes=1
    # One assignment: a signal comes before it or after it.
    made=$(make_instance)
    ended=$?
    if ! is_number "$made"; then
        problem=${made:-its inode cannot be read}
        forget_failed_instance
        fail 1 "cannot make the instance $dir: ${problem##*: }"
    fi
    # `note` has said why.
    [ "$ended" = 0 ] || exit 1
    phase=apply
    steps
}

# Creates the state file, or fails because another run has created it (`set -C`). No process is started for it: one that
# outlives a killed run could create the file after `undo` has looked for it.
create_state() {
    mask=$(umask)
    umask 077
    set -C
    printf 'version=3\nsession=%s\ndigest=%s\nboot=%s\npid=%s\nbegan=%s\nmode=%s\n' \
        "$session" "$digest" "$this_boot" "$$" "$own_began" run 2>/dev/null >"$state"
    ended=$?
    set +C
    umask "$mask"
    return "$ended"
}

# Makes the instance, notes its inode, and prints it, or the error's text. This process goes on if the script is killed;
# `await_maker` knows it by the state file, its standard input.
make_instance() {
    # Nobody reads what it prints if the script was killed.
    trap '' PIPE
    LC_ALL=C mkdir "$dir" 2>&1 || return
    inode_of "$dir" || return
    printf '%s' "$inode" 2>/dev/null
    note "inode=$inode"
}

# An instance that has the name now does not belong to this script if mkdir has failed with a message.
forget_failed_instance() {
    if [ -n "$made" ] && ! is_number "$made"; then
        made=''
        makes=''
        remove_state
    fi
}

# Undoes the session of the state file that was read. Returns 1 if something is left.
put_back() {
    dir=$tracefs/instances/$instance
    if [ "$of_boot" != "$this_boot" ]; then
        if [ -n "$of_inode" ] && inode_of "$dir" && [ "$inode" = "$of_inode" ]; then
            say "unchanged: $state is of another boot, but names the instance $dir; rmdir it and remove the file"
            return 1
        fi
        say 'the state file is of an earlier boot, and nothing of the session is left: removed'
        remove_state
        return
    fi
    await_maker || return 1
    if inode_of "$dir"; then
        if [ -z "$of_inode$claimed" ]; then
            say "unchanged: $state does not say whether this script made the instance $dir"
            say "if it did: $name undo --instance $instance; if not: remove the file"
            return 1
        fi
        if [ "$inode" != "${of_inode:-$inode}" ]; then
            say "unchanged: $state does not describe the instance $dir; remove the file if another program made it"
            return 1
        fi
        remove_instance || return 1
    fi
    remove_state
}

# Waits until no process of a killed run makes the instance. Returns 1 if one does not end.
await_maker() {
    tries=0
    while [ -z "$of_inode" ] && find_maker; do
        tries=$((tries + 1))
        if [ "$tries" -ge 20 ]; then
            say "process $process has $state open, and may be about to make the instance $dir"
            say "end it, then: $name undo"
            return 1
        fi
        sleep 0.1 2>/dev/null || sleep 1
    done
    return 0
}

# Sets `process` to one that may make the instance: only the processes of a run have its state file open. Reads the
# state file again after that, since a process that has ended has noted the inode. Returns 1 if there is none.
find_maker() {
    for process in /proc/[0-9]* ''; do
        process=${process#/proc/}
        [ "$process" != "$$" ] || continue
        [ -n "$process" ] || break
        ! has_open "$process" "$state" || break
    done
    parse_state
    [ -n "$process" ]
}

# The kernel does not remove an instance while one of its files is open, and does not notify when it is closed.
remove_instance() {
    printf 0 2>/dev/null >"$dir/tracing_on" || :
    tries=0
    while end_streams && ! problem=$(LC_ALL=C rmdir "$dir" 2>&1); do
        [ -d "$dir" ] || return 0
        end_readers
        tries=$((tries + 1))
        if [ "$tries" -ge 20 ]; then
            say "$dir cannot be removed: ${problem##*: }"
            say_openers
            then="$name undo"
            [ -e "$state" ] || then="rmdir $dir"
            say "end what has its files open, then: $then"
            return 1
        fi
        sleep 0.1 2>/dev/null || sleep 1
    done
}

# Ends what the command `stream` has started, also since the state file was read: it would wait for records for ever.
end_streams() {
    [ -f "$state" ] || return 0
    while IFS= read -r line; do
        case $line in stream=*) ;; *) continue ;; esac
        stream=${line#*=}
        if is_stream "${stream%:*}" "${stream#*:}"; then
            kill -s TERM "${stream%:*}" 2>/dev/null
        fi
    done <"$state"
    return 0
}

# Ends what reads trace_pipe for a run that was killed. Only the processes of a run of this script have its state file
# open too. They ignore all signals but this one.
end_readers() {
    [ -f "$state" ] || return 0
    for process in /proc/[0-9]*; do
        process=${process#/proc/}
        [ "$process" != "$$" ] || continue
        if has_open "$process" "$dir/trace_pipe" && has_open "$process" "$state"; then
            kill -s KILL "$process" 2>/dev/null
        fi
    done
    return 0
}

# PROCESS BEGAN: returns whether the process is the one that was recorded, and reads trace_pipe.
is_stream() {
    is_number "$1" && began_of "$1" && [ "$began" = "$2" ] && has_open "$1" "$dir/trace_pipe"
}

# Lists the processes that have files of the instance open.
say_openers() {
    for process in /proc/[0-9]*; do
        uses_instance "${process#/proc/}" || continue
        IFS= read -r comm 2>/dev/null <"$process/comm" || continue
        say "process ${process#/proc/} ($(escaped "$comm")) has files of it open"
    done
}

ignore_signals() {
    trap '' INT TERM HUP QUIT PIPE
    # A shell that ignores SIGCHLD could not wait for its children.
    trap - CHLD
}

# Ends the processes of a run and closes its files, so that the instance can be removed.
detach() {
    end_copy
    [ -z "$timer" ] || kill -s TERM "$timer" 2>/dev/null || :
    [ -z "$limiter" ] || kill -s KILL "$limiter" 2>/dev/null || :
    [ -z "$reader" ] || kill -s USR2 "$reader" 2>/dev/null || :
    # A command that was not released ends by this; one that runs is not ended.
    exec 3<&- 4<&- 5<&- 6<&- 7<&- 8<&-
    for child in "$timer" "$limiter" "$reader"; do
        [ -z "$child" ] || wait "$child" 2>/dev/null || :
    done
    timer=''
    limiter=''
    reader=''
}

# The trap undoes the session on every way out of the script.
on_exit() {
    status=$?
    ignore_signals
    set +C
    trap - EXIT
    undo_own || status=5
    discard_output || status=5
    exit "$status"
}

# Returns 1 if something is left.
undo_own() {
    detach
    forget_failed_instance
    if [ -n "$made" ]; then
        undo_made
        return
    fi
    if read_state && is_own_state; then
        put_back
        return
    fi
    if [ -n "$makes" ] && [ -d "$dir" ]; then
        say "unchanged: $state was changed, and the instance $dir may be of this run; rmdir it then"
        return 1
    fi
    remove_run
}

# Undoes a run that has made its instance.
undo_made() {
    if inode_of "$dir"; then
        if [ "$inode" != "$made" ]; then
            say "unchanged: the instance $dir is not the one that this script has made"
            return 1
        fi
        remove_instance || return 1
    fi
    if ! [ -e "$state" ] && ! [ -L "$state" ]; then
        say "another program has removed $state"
        remove_run
    elif has_open "$$" "$state" || names_this_run; then
        remove_state
    else
        say "unchanged: $state is not the file that this script has made"
        return 1
    fi
}

# Returns whether a file that has replaced the state file describes this run. A file that cannot be used ends the
# subshell only.
names_this_run() (
    read_state && [ "$of_pid" = "$$" ] && [ "$of_began" = "$own_began" ]
)

on_signal() {
    if [ -n "$lasts" ]; then
        # Not ended here: in a trap a second one would change the status of the command that it interrupts.
        signal=$1
        echo "signal $1" >&8
        return
    fi
    say "interrupted by SIG$1 before the recording began"
    exit "$((128 + $2))"
}

# ---- A run ----
#
# Processes: the reader copies the records by dd, the keeper starts the command and waits for it, the timer waits for the
# end of the time. Each reports to this shell. Minders end the reader and the timer if this shell is killed.
#
# Descriptors: 3 and 4 write and read the pipe that releases the command; in the reader 3 is the pipe for what dd says. 6
# and 5 are the pipe whose end of file means that this shell has ended. 7 is trace_pipe. The processes of the run write
# their reports to 8. 9 is standard input; in its place this shell has the state file (`holds_state`), which is 9 in the
# reader. A process of the run closes the others by `exec`: for a redirection of one function the shell would keep a copy.

# PIPE...: makes pipes without a name.
pipes() {
    for pipe; do
        rm -f "$state.fifo"
        mkfifo -m 0600 "$state.fifo" || fail 1 "cannot make $state.fifo"
        # Opened for both, so that the open does not wait for the other end.
        case $pipe in
            said) exec 3<>"$state.fifo" ;;
            go) exec 3<>"$state.fifo" && exec 4<"$state.fifo" ;;
            life) exec 6<>"$state.fifo" && exec 5<"$state.fifo" ;;
            reports) exec 8<>"$state.fifo" ;;
        esac
        rm -f "$state.fifo"
    done
}

# Waits until a process has executed its program and sleeps, because the session could record what it does until then.
settle() {
    tries=0
    while [ "$tries" -lt 1000 ] && IFS= read -r comm 2>/dev/null <"/proc/$1/comm"; do
        IFS= read -r line 2>/dev/null <"/proc/$1/stat" || return 0
        case ${line##*) } in
            S*) [ "$comm" = "$self" ] || return 0 ;;
        esac
        tries=$((tries + 1))
    done
}

# Waits for a child of this process, and continues after signals whose traps set `woken`. Sets `ended` to the status of
# the child.
await() {
    # The shell reports a child that was killed to standard error.
    woken=''
    wait "$1" 2>/dev/null
    ended=$?
    while [ -n "$woken" ]; do
        woken=''
        first=$ended
        wait "$1" 2>/dev/null
        ended=$?
        # The child had been reaped when the signal came.
        [ "$ended" != 127 ] || ended=$first
    done
}

# Copies trace_pipe to the output until the recording has stopped and all records are read. A reader that has read
# something then gets the end of the file; one that has not waits for ever (kernel/trace/trace.c, tracing_wait_pipe).
read_records() {
    # The state file stays open as 9, also in dd: `end_readers` knows both by it.
    exec 9<&4 4<&- 6<&- </dev/null
    minder=''
    # However the reader ends, its processes end with it. They ignore the signals that a user sends.
    trap 'end_own' EXIT
    stopping=''
    ended=0
    [ -z "$output" ] || exec >"$output"
    # A signal to the process group reaches the script too, which then lets this process and dd read the rest.
    trap '' INT TERM HUP QUIT
    trap 'stopping=1; woken=1; wake' USR1
    # A signal that comes before `copy` is set takes effect after it is set.
    dying=''
    trap 'dying=1; woken=1; [ -z "$copy" ] || kill -s KILL "$copy" 2>/dev/null' USR2
    # `$$` is the process id of the script.
    IFS=' ' read -r own _ </proc/self/stat
    omit "$own" || give_up
    mind "$own" USR2 &
    minder=$!
    omit "$minder" || give_up
    exec 5<&-
    end=complete
    while [ -z "$dying" ]; do
        # Not cat: busybox cat calls sendfile(2), for which the kernel does not end trace_pipe. See `stream_session`.
        LC_ALL=C dd bs=65536 <&7 2>&3 3<&- 7<&- 8<&- &
        copy=$!
        [ -z "$dying" ] || kill -s KILL "$copy"
        omit "$copy" || give_up
        settle "$copy"
        echo "ready $copy" >&8
        await "$copy"
        copied
        copy=''
        if [ "$end" != complete ] || [ -n "$stopping$dying" ]; then
            break
        fi
        # A trigger has stopped the recording, and another may start it again.
        until [ -n "$stopping$dying" ] || { shown "$dir/tracing_on" && [ "$now" = 1 ]; }; do
            sleep 1 3<&- 7<&- 8<&- >/dev/null 2>&1 &
            wait "$!"
        done
    done
    echo "reader $end" >&8
}

# Sets `end` by the status of dd and by what it said: `complete`, `closed` if nobody reads the output, or `failed`, with a
# message.
copied() {
    side=''
    problem="dd has ended with status $ended"
    [ "$ended" -le 128 ] || problem="dd was ended by signal $((ended - 128))"
    echo end >&3
    # dd also counts what it has copied. A message of dd ends with the error's text.
    while IFS= read -r line <&3 && [ "$line" != end ]; do
        case $line in
            'dd: '*output*) side=output ;;
            'dd: '*) side=input ;;
            *) continue ;;
        esac
        problem=${line##*: }
    done
    case $ended:$problem in
        0:*) return ;;
        # SIGPIPE, or its error where it is ignored.
        141:* | *:'Broken pipe')
            end=closed
            return
            ;;
    esac
    [ -z "$dying" ] || return
    end=failed
    case $side:$output in
        output:) say "standard output cannot be written: $problem" ;;
        output:*) say "$output_place: $output cannot be written: $problem" ;;
        input:*) say "$dir/trace_pipe cannot be read: $problem" ;;
        *) say "the records cannot be copied: $problem" ;;
    esac
}

# Ends a process of the run whose children cannot be left out, and the run with it.
give_up() {
    echo 'reader failed' >&8
    exit 1
}

# Ends the processes of the reader.
end_own() {
    [ -z "$copy" ] || kill -s KILL "$copy" 2>/dev/null
    [ -z "$minder" ] || kill -s KILL "$minder" 2>/dev/null
}

# Makes the waiting reader check again whether the recording has stopped: the kernel does not wake it for that. A read
# that is interrupted by a stop signal is restarted.
wake() {
    [ -z "$copy" ] || { kill -s STOP "$copy" && kill -s CONT "$copy"; } 2>/dev/null
}

# PROCESS SIGNAL: sends the signal if the script is killed. The instance cannot be removed while the reader runs, and
# nothing of a killed run is to be left.
mind() {
    exec 3<&- 4<&- 6<&- 7<&- 8<&- 9<&- </dev/null >/dev/null 2>&1
    read -r word <&5 || kill -s "$2" "$1" 2>/dev/null
}

# Reports when the time of the session is over.
count_down() {
    exec 3<&- 4<&- 6<&- 7<&- 9<&- </dev/null >/dev/null 2>&1
    nap=''
    minder=''
    trap 'end_nap' EXIT
    # The script and the minder can both send it, and `exit` in the trap on EXIT would end that.
    trap 'end_nap; exit 0' TERM
    IFS=' ' read -r own _ </proc/self/stat
    mind "$own" TERM &
    minder=$!
    omit "$minder" || give_up
    exec 5<&-
    sleep "$1" &
    nap=$!
    settle "$nap"
    echo ready 0 >&8
    await "$nap"
    # A sleep that accepts whole seconds only has failed at once.
    if [ "$ended" != 0 ]; then
        sleep "$2" &
        nap=$!
        await "$nap"
    fi
    nap=''
    echo timer 0 >&8
}

# Ends the processes of the timer.
end_nap() {
    [ -z "$nap" ] || kill -s KILL "$nap" 2>/dev/null
    [ -z "$minder" ] || kill -s KILL "$minder" 2>/dev/null
}

# Starts the command, and reports its end. This shell could miss it: a shell notices a signal that comes just before it
# reads only after the read. `wait` misses no child that has ended.
keep() {
    hold "$@" &
    command=$!
    exec 3<&- 4<&- 5<&- 6<&- 7<&- 9<&- </dev/null >/dev/null 2>&1
    trap '' INT TERM HUP QUIT
    echo "holds $command" >&8
    wait "$command"
    echo "command $?" >&8
}

# Becomes the command when it is released. Until then SIGTERM ends it as it would end the command.
hold() {
    exec 3<&- 6<&- 7<&- </dev/null
    read -r word <&4 || exit 0
    exec "$@" <&9 4<&- 5<&- 8<&- 9<&-
}

# Reports after a second that the wait is over.
limit() {
    [ -z "$limiter" ] || return 0
    be_late &
    limiter=$!
}

be_late() {
    # The signal that has ended the recording can come a second time, to the process group.
    trap '' INT TERM HUP QUIT
    exec 3<&- 4<&- 5<&- 6<&- 7<&- 9<&- </dev/null >/dev/null 2>&1
    sleep 1
    echo late 0 >&8
}

# Waits for the report of a process of the run.
await_report() {
    while IFS=' ' read -r what value <&8; do
        case $what:$value in
            ready:0) ;;
            ready:*) copy=$value ;;
            holds:*) command=$value ;;
            # It was killed before it was released.
            command:*) command_ended "$value" ;;
        esac
        [ "$what" != "$1" ] || return 0
        [ "$what" != reader ] || fail 1 'the process that reads the records has ended'
    done
    return 1
}

run_session() {
    if [ -n "$needs_command" ] && [ "$#" = 0 ] && [ -z "$after" ]; then
        say "$needs_command: the session ends with its command: $name run -- COMMAND"
        exit 2
    fi
    prepare
    guard
    open_output
    begin
    pipes life reports said
    exec 7<"$dir/trace_pipe"
    # The state file, for the reader: a process in the background has /dev/null as standard input.
    exec 4<&0
    read_records &
    reader=$!
    pipes go
    if [ "$#" != 0 ]; then
        keep "$@" &
        keeper=$!
        await_report holds
        omit "$keeper" || exit 1
    fi
    await_report ready
    if [ -n "$after" ]; then
        count_down "$after" "$after_whole" &
        timer=$!
        await_report ready
        omit "$timer" || exit 1
    fi
    # Last, since with the option event-fork the children of a process that is left out are left out too. The keeper has
    # started the command before it was left out.
    omit "$$" || exit 1
    lasts=1
    last
    [ -z "$command" ] || echo go >&3
    # A process that is killed reports nothing.
    trap 'echo child 0 >&8' CHLD
    look_for_children
    [ -z "$command_has_ended" ] || finish "with its command (exit status $status)"
    while :; do
        IFS=' ' read -r what value <&8 || continue
        case $what in
            ready) copy=$value ;;
            child) look_for_children ;;
            signal) finish "by SIG$value" ;;
            timer) finish "after $after s" ;;
            command)
                command_ended "$value"
                [ "$value" != missing ] || finish 'by an error'
                finish "with its command (exit status $value)"
                ;;
            reader)
                # Nothing has asked it to end.
                [ "$value" != complete ] || value=missing
                reader_ended "$value"
                [ "$value" = closed ] || finish 'by an error'
                finish 'because its output was closed'
                ;;
        esac
    done
}

# Reports a reader and a keeper that have ended. What they have reported themselves is read before this.
look_for_children() {
    [ -n "$reader_end" ] || is_child "$reader" "$$" || echo 'reader missing' >&8
    ! is_command_running || is_child "$keeper" "$$" || echo 'command missing' >&8
}

# PROCESS PARENT: returns whether it is a child of the parent that has not ended.
is_child() {
    # A read that a signal interrupts is tried again.
    until IFS= read -r line 2>/dev/null <"/proc/$1/stat"; do
        [ -e "/proc/$1/stat" ] || return 1
    done
    case ${line##*) } in
        [ZX]*) return 1 ;;
        ?" $2 "*) return 0 ;;
    esac
    return 1
}

# REPORT: notes how the reader ended. The first report holds.
reader_ended() {
    reads=''
    [ -z "$reader_end" ] || return 0
    reader_end=$1
    [ "$1" != missing ] || say 'the process that reads the records was killed'
}

# Ends the copy of a reader that was killed: the instance cannot be removed while it runs.
end_copy() {
    [ "$reader_end" = missing ] && [ -n "$copy" ] || return 0
    has_open "$copy" "$dir/trace_pipe" && kill -s KILL "$copy" 2>/dev/null
}

# Stops the recording, lets the reader read the rest, and undoes the session.
finish() {
    lasts=''
    trap limit INT TERM HUP QUIT PIPE
    printf 0 >"$dir/tracing_on" || say "$dir/tracing_on cannot be written"
    if [ -n "$signal" ]; then
        limit
        # The process id of one that has ended may be that of another process.
        if is_command_running && is_child "$command" "$keeper"; then
            kill -s TERM "$command" 2>/dev/null
        fi
    fi
    count
    complete=''
    reads=''
    # A reader that has nothing to read does not notice the end of the recording: `detach` ends it.
    if [ "$recorded" != 0 ] && [ -z "$reader_end" ]; then
        reads=1
        kill -s USR1 "$reader" 2>/dev/null
        look_for_children
    fi
    while [ -n "$reads" ] || is_command_awaited; do
        IFS=' ' read -r what value <&8 || continue
        case $what in
            reader)
                reader_ended "$value"
                [ "$reader_end" = complete ] || complete=', not all of them written'
                ;;
            child) look_for_children ;;
            command) command_ended "$value" ;;
            late)
                [ -z "$reads" ] || complete=', not all of them written'
                break
                ;;
        esac
    done
    ignore_signals
    case $reader_end in
        failed | missing)
            complete=', not all of them written'
            status=1
            ;;
    esac
    undo_own || status=5
    trap - EXIT
    records=records
    [ "$recorded" != 1 ] || records=record
    runs=''
    if is_command_running; then
        runs='; its command still runs'
    fi
    say "$session: $recorded $records$complete, $lost lost, ended $1$runs"
    exit "$status"
}

# Returns whether to wait for a command that was signalled. It gets as long as the reader.
is_command_awaited() {
    [ -n "$signal" ] && is_command_running
}

# Returns whether the end of the command was not reported.
is_command_running() {
    [ -n "$command" ] && [ -z "$command_has_ended" ]
}

# STATUS: notes the exit status of the command, or that it is unknown. The first report holds.
command_ended() {
    [ -z "$command_has_ended" ] || return 0
    command_has_ended=1
    status=$1
    [ "$1" = missing ] || return 0
    status=1
    say 'the process that waits for the command was killed'
}

# Sets `recorded` to the number of records that the ring received, and `lost` to that of the lost ones.
count() {
    recorded=0
    lost=0
    for stats in "$dir"/per_cpu/cpu*/stats; do
        while IFS=': ' read -r first second third _; do
            case "$first $second" in
                'entries '*) recorded=$((recorded + second)) ;;
                'read events') recorded=$((recorded + third)) ;;
                'overrun '*) lost=$((lost + second)) ;;
                'dropped events') lost=$((lost + third)) ;;
            esac
        done <"$stats"
    done
}

# ---- Commands ----

start_session() {
    [ -z "$needs_command$after" ] || say 'a session that is started ends only by the command stop'
    prepare
    guard
    begin
    omit "$$" || exit 1
    last
    # A signal from here on would undo a session that the state file calls started.
    ignore_signals
    note mode=start
    trap - EXIT INT TERM HUP QUIT PIPE
    say "recording in $dir; $name stream prints the records, $name stop ends it"
}

stream_session() {
    locate
    read_boot
    if is_applied && [ "$of_mode" = start ]; then
        leave_self_out || exit 1
    fi
    if ! read_state || [ "$of_boot" != "$this_boot" ] || [ "$of_mode" != start ]; then
        fail 1 "the session is not started: $name start"
    fi
    dir=$tracefs/instances/$instance
    [ -d "$dir" ] || fail 1 "the session was started, but its instance $dir is gone: $name undo removes $state"
    # The shell ends if `exec` fails.
    if ! problem=$( (: <"$dir/trace_pipe") 2>&1); then
        problem=${problem##*: }
        case $problem in *busy*) problem='another process reads it' ;; esac
        fail 6 "$dir/trace_pipe cannot be opened: $problem"
    fi
    exec <"$dir/trace_pipe"
    # From here on the instance is not removed, and therefore the state file is there.
    began_of "$$" || fail 3 '/proc is not mounted'
    note "stream=$$:$began"
    leave_self_out || exit 1
    # Not cat: busybox cat calls sendfile(2), which holds the pipe of the output while it waits for records, so that those
    # before cannot be read from it.
    exec dd bs=65536 status=none
}

# COMMAND: undoes a session that was started or left. `stop` also ends one that runs.
undo_session() {
    read_boot
    # First, since the session could record the rest.
    if [ "$1" = stop ] && is_applied; then
        printf 0 2>/dev/null >"$dir/tracing_on" || :
    fi
    if ! read_state; then
        # A run that was killed before it created the state file has left the directory.
        remove_run
        say 'there is nothing to undo'
        return
    fi
    if [ "$of_mode" = run ] && [ "$of_boot" = "$this_boot" ] && is_alive; then
        [ "$1" = stop ] || fail 6 "the session is run by process $of_pid: $name stop ends it"
        holds_state || fail 6 "process $of_pid does not have $state open: it has just begun, or the file was changed"
        kill -s TERM "$of_pid" || fail 4 "process $of_pid cannot be signalled"
        return
    fi
    locate
    allowed
    ignore_signals
    put_back || exit 5
    say 'undone'
}

say_status() {
    read_boot
    if ! read_state; then
        echo "$session is not applied"
    elif [ "$of_boot" != "$this_boot" ]; then
        echo "$session is not applied; $state is of an earlier boot"
    elif [ "$of_mode" = start ]; then
        echo "$session is applied in instances/$instance, by $name start"
    elif is_alive; then
        echo "$session is applied in instances/$instance, by process $of_pid"
    else
        echo "$session was left in instances/$instance by a killed run: $name undo undoes it"
    fi
}

wrong_usage() {
    usage >&2
    exit 2
}

is_number() {
    case $1 in
        '' | *[!0-9]*) return 1 ;;
    esac
}

main() {
    # The descriptor of a closed standard input would be that of the next file that is opened.
    [ -e "/proc/$$/fd/0" ] || ! [ -d "/proc/$$/fd" ] || exec </dev/null
    if [ "${1-}" = --tracefs ]; then
        [ "$#" -ge 2 ] || wrong_usage
        tracefs=$2
        shift 2
    fi
    word=${1-run}
    case $word in
        run) [ "$#" = 0 ] || shift ;;
        --for | --) word=run ;;
        undo)
            if [ "${2-}" = --instance ]; then
                [ "$#" = 3 ] || wrong_usage
                [ "$3" = "$instance" ] || fail 2 "the instance of this script is $instance"
                claimed=1
            else
                [ "$#" = 1 ] || wrong_usage
            fi
            ;;
        start | stream | stop | status | show) [ "$#" = 1 ] || wrong_usage ;;
        help | -h | --help)
            usage
            exit 0
            ;;
        *) wrong_usage ;;
    esac
    case $word in
        run)
            if [ "${1-}" = --for ]; then
                [ "$#" -ge 2 ] || wrong_usage
                is_number "$2" || wrong_usage
                # sleep of busybox ends at once for a number that it cannot hold.
                [ "${#2}" -le 9 ] || fail 2 '--for takes at most 999999999 seconds'
                after=$2
                after_whole=$2
                shift 2
            fi
            if [ "$#" != 0 ]; then
                [ "$1" = -- ] || wrong_usage
                [ "$#" -ge 2 ] || wrong_usage
                shift
            fi
            run_session "$@"
            ;;
        start) start_session ;;
        stream) stream_session ;;
        stop | undo) undo_session "$word" ;;
        status) say_status ;;
        show)
            phase=show
            steps
            last
            ;;
    esac
}

main "$@"
