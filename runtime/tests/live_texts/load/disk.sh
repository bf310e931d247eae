# With a mounted file system: its kind, the options, its image and the directory.
cd "$4" || exit 1
{
    dd if=/dev/zero of=x bs=4k count=200 oflag=direct
    dd if=x of=/dev/null bs=64k iflag=direct
    cat x > /dev/null
    fstrim .
    filefrag -v x
    fsfreeze --freeze . && fsfreeze --unfreeze .
    mount -o remount,ro . && mount -o remount,rw .
    df .
    device=$(losetup -j "$3" | cut -d: -f1)
    [ -e /sys/fs/ext4/${device##*/}/trigger_fs_error ] && echo test > /sys/fs/ext4/${device##*/}/trigger_fs_error
    blockdev --flushbufs --rereadpt --getra "$device"
    dd if="$device" of=/dev/null bs=4k count=10
    blkdiscard -o 200M -l 1M "$device"
    sync
} > /dev/null 2>&1
true
