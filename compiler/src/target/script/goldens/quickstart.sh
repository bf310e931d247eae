#!/bin/sh
# The session quickstart of examples/quickstart.trc, made by tracec for a kernel of unknown release.
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

session='quickstart'
digest='fa74c466'
instance='tracec.test'
after='3'
after_whole='3'
output=''
output_place=''
needs_command=''

# Each step: the clause that asks for it, the file, the value.
steps() {
    leave_out 'examples/quickstart.trc:5:1'
    write 'examples/quickstart.trc:5:1' 'tracing_on' '0'
    write 'examples/quickstart.trc:5:1' 'buffer_percent' '0'
    write 'examples/quickstart.trc:10:39' 'events/sched/sched_process_exec/filter' '!(filename ~ "/sbin/*" && filename ~ "*")'
    write 'examples/quickstart.trc:13:39' 'events/sched/sched_process_exit/filter' 'COMM == "sh" || COMM == "true"'
    write 'examples/quickstart.trc:10:39' 'events/sched/sched_process_exec/enable' '1'
    write 'examples/quickstart.trc:13:39' 'events/sched/sched_process_exit/enable' '1'
}

# The step that starts the recording.
last() {
    record 'examples/quickstart.trc:5:1' 'tracing_on' '1' 'same'
}

