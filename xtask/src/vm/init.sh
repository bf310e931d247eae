#!/bin/busybox sh
# Process 1 of a test machine: makes a small world, runs /machine/command between two marks, switches off.
# MARK is set by a line that the host puts in front of this text.

PATH=/bin:/sbin
HOME=/root
export PATH HOME
/bin/busybox mkdir -p /proc /sys /dev /tmp /run /root /sbin /usr/bin /usr/sbin
# What the host put there stays: these links are only made where nothing is.
/bin/busybox --install -s /bin 2>/dev/null
[ -e /usr/bin/env ] || ln -s /bin/env /usr/bin/env

mount -t proc proc /proc
mount -t sysfs sysfs /sys
mount -t devtmpfs devtmpfs /dev
# Terminals of tests.
mkdir -p /dev/pts
mount -t devpts devpts /dev/pts
mount -t tracefs tracefs /sys/kernel/tracing
mount -t tmpfs tmpfs /tmp
mount -t tmpfs tmpfs /run
chmod 1777 /tmp
ip link set lo up
hostname machine
cd /root

exec </dev/null >/dev/console 2>&1
stty -F /dev/console -echo -onlcr

# No message of the kernel may split a mark.
dmesg -n 1
echo "$MARK begin"
dmesg -n 5
{
    sh /machine/command
    echo "$?" >/machine/status
} 2>&1 | cat
dmesg -n 1
echo "$MARK end $(cat /machine/status)"
# Setting a terminal waits until its output has left; switching off would not.
stty -F /dev/console echo
poweroff -f
