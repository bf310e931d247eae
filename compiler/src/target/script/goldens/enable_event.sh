#!/bin/sh
# The session enable of tests/live/enable_event.trc, made by tracec for a kernel of unknown release.
#
# It records in instances/tracec.test of tracefs and undoes all that it changes. It needs root and a POSIX
# shell (dash, busybox ash) with cat, dd, id, ls, mkdir, mkfifo, rm, rmdir, sed and sleep.
#
#     sh FILE                  record until a signal, or as long as the session says
#     sh FILE run -- COMMAND   record until COMMAND ends
#     sh FILE undo             undo what a killed run has left
#     sh FILE help             list all commands
#
# COMMAND ignores SIGINT and SIGQUIT unless it handles them: a shell cannot reset them for it.
#
# shellcheck disable=SC2016
set -u

session='enable'
digest='065ef084'
instance='tracec.test'
after=''
after_whole=''
output=''
output_place=''
needs_command=''

# Each step: the clause that asks for it, the file, the value.
steps() {
    leave_out 'tests/live/enable_event.trc:7:1'
    write 'tests/live/enable_event.trc:7:1' 'tracing_on' '0'
    write 'tests/live/enable_event.trc:7:1' 'buffer_percent' '0'
    entry 'tests/live/enable_event.trc:9:9' 'events/sched/sched_process_exec/trigger' 'enable_event:sched:sched_process_exit if filename == "/bin/true" && filename ~ "/bin/true*" && filename ~ "*"' 'enable_event:sched:sched_process_exit' ' if filename == "/bin/true" && filename ~ "/bin/true*" && filename ~ "*"'
}

# The step that starts the recording.
last() {
    record 'tests/live/enable_event.trc:7:1' 'tracing_on' '1' 'same'
}

