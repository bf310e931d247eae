#!/bin/sh
# The session settings of tests/live/settings.trc, made by tracec for a kernel of unknown release.
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

session='settings'
digest='11334ae3'
instance='tracec.test'
after='100'
after_whole='100'
output=''
output_place=''
needs_command=''

# Each step: the clause that asks for it, the file, the value.
steps() {
    leave_out 'tests/live/settings.trc:4:1'
    write 'tests/live/settings.trc:4:1' 'tracing_on' '0'
    write 'tests/live/settings.trc:6:5' 'trace_clock' 'mono'
    resize 'tests/live/settings.trc:5:5' 'buffer_size_kb' '256'
    write 'tests/live/settings.trc:7:5' 'options/overwrite' '0'
    write 'tests/live/settings.trc:8:5' 'options/disable_on_free' '1'
    write 'tests/live/settings.trc:4:1' 'buffer_percent' '0'
    write 'tests/live/settings.trc:10:5' 'events/sched/sched_process_exec/enable' '1'
}

# The step that starts the recording.
last() {
    record 'tests/live/settings.trc:4:1' 'tracing_on' '1' 'same'
}

