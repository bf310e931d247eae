# Pipes, processes that compete and end by signals, limits of memory, files of the kernel, modules, priorities.
{
    d=$(mktemp -d) && cd "$d"
    mkfifo p; (cat p & echo x > p; wait)
    for i in 1 2 3 4 5 6 7 8; do (while :; do :; done) & p="$p $!"; done; sleep 0.3; kill $p; wait
    head -c 30000000 /dev/zero | tail -c 1 | cat
    sh -c 'kill -SEGV $$'; sleep 1 & kill -STOP $!; kill -CONT $!; kill $!; wait
    sh -c 'ulimit -v 20000; head -c 100000000 /dev/zero | tail -c 90000000'
    echo 1 > /proc/sys/vm/compact_memory
    cat /proc/meminfo /proc/vmstat /proc/interrupts /proc/self/smaps /proc/net/dev
    cat /sys/class/thermal/thermal_zone*/temp
    cat /dev/kmsg & sleep 0.05; kill $!
    mount -t tmpfs none "$d"; umount "$d"
    modules=${TRACEC_TEXTS_MODULES:-}
    [ -n "$modules" ] && rmmod dummy && insmod "$modules"/*-dummy.ko && insmod "$modules"/*-dummy.ko
    unshare -U true; unshare -p -f true
    nice -n 5 true; renice -n 1 $$; ionice -c 3 true; chrt -f 1 true; taskset 1 true
    cd /; rm -rf "$d"
} > /dev/null 2>&1
true
