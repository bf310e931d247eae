# Files, pipes, signals and network as scripts use them.
d=$(mktemp -d) && cd "$d" || exit 1
(ip link set lo up || busybox ip link set lo up) 2> /dev/null
for i in 1 2; do
    echo hello > f$i; cat f$i > /dev/null; ln -s f$i l$i; rm f$i; mkdir d$i; rmdir d$i
    dd if=/dev/zero of=big bs=64k count=20 conv=fsync 2> /dev/null; sync -f big
    (sleep 0.02 & wait) ; (true | cat | cat) ; sh -c 'kill -USR1 $$' 2> /dev/null
    timeout 0.05 sleep 1
done
ping -c 1 -w 1 127.0.0.1 > /dev/null 2>&1
(command -v bash > /dev/null && timeout 1 bash -c 'echo x > /dev/tcp/127.0.0.1/9') 2> /dev/null
timeout 0.1 sh -c 'while :; do :; done'
head -c 10000000 /dev/zero | tail -c 1 > /dev/null
cd / && rm -rf "$d"
true
