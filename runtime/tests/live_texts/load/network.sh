# In a network namespace of its own.
ip=ip; command -v ip > /dev/null || ip="busybox ip"
{
    $ip link set lo up
    $ip link add v0 type veth peer name v1
    $ip addr add 10.9.0.1/24 dev v0; $ip -6 addr add fd09::1/64 dev v0 nodad
    $ip link set v0 up; $ip link set v1 up
    $ip neigh add 10.9.0.7 lladdr 02:00:00:00:00:07 dev v0
    $ip neigh change 10.9.0.7 lladdr 02:00:00:00:00:08 dev v0
    $ip neigh del 10.9.0.7 dev v0
    $ip route add 10.10.0.0/16 via 10.9.0.1
    $ip -6 route add fd10::/64 via fd09::1
    $ip route get 10.10.1.1; $ip -6 route get fd10::1
    ping -c 1 -w 1 10.9.0.9; ping -c 1 -w 1 fd09::9; ping -c 2 -w 2 127.0.0.1; ping -c 1 -w 1 ::1
    $ip link add b0 type bridge; $ip link set v1 master b0; $ip link set b0 up
    bridge fdb add 02:00:00:00:00:11 dev v1 master static
    bridge fdb del 02:00:00:00:00:11 dev v1 master
    ping -c 1 -w 1 10.9.0.8
    tc qdisc add dev v0 root handle 1: htb default 1
    tc class add dev v0 parent 1: classid 1:1 htb rate 8kbit
    ping -c 2 -s 1200 -i 0.2 -w 1 10.9.0.8
    tc qdisc change dev v0 root handle 1: htb default 2
    tc qdisc del dev v0 root
    tc qdisc add dev v0 root pfifo limit 2; tc qdisc del dev v0 root
    $ip link set v0 mtu 1400; $ip link set v0 name v9; $ip link set v9 down
    $ip link del b0; $ip link del v9
    $ip tuntap add t0 mode tun; $ip link set t0 up; $ip link del t0
    $ip link set lo down; $ip link set lo up
} > /dev/null 2>&1
true
