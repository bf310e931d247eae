//! Sockets of all families, in the network of this process.

use std::io::{self, Read, Write};
use std::net::{Ipv4Addr, Ipv6Addr, Shutdown, SocketAddr, TcpListener, TcpStream, UdpSocket};
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::os::unix::net::{UnixDatagram, UnixStream};
use std::time::Duration;

use libtest_mimic::Failed;

/// Uses them.
pub(super) fn run() -> Result<(), Failed> {
    super::shell(include_str!("network.sh"), &[])?;
    families();
    let hosts: [std::net::IpAddr; 2] = [Ipv4Addr::LOCALHOST.into(), Ipv6Addr::LOCALHOST.into()];
    for host in hosts {
        // A machine may have no IPv6.
        for result in [streams(host), datagrams(host)] {
            if let Err(error) = result {
                println!("{host}: {error}");
            }
        }
    }
    multipath()?;
    local()?;
    Ok(())
}

/// Opens a socket of each family and kind, and names it in vain.
fn families() {
    for family in 0..46 {
        for kind in [libc::SOCK_STREAM, libc::SOCK_DGRAM, libc::SOCK_RAW, libc::SOCK_SEQPACKET] {
            // SAFETY: the calls take numbers and the address of a local variable.
            unsafe {
                let socket = libc::socket(family, kind | libc::SOCK_NONBLOCK, 0);
                if socket < 0 {
                    continue;
                }
                let mut address: libc::sockaddr_storage = std::mem::zeroed();
                address.ss_family = family as libc::sa_family_t;
                let pointer = (&raw const address).cast::<libc::sockaddr>();
                libc::bind(socket, pointer, 16);
                libc::connect(socket, pointer, 16);
                libc::send(socket, pointer.cast(), 16, libc::MSG_DONTWAIT | libc::MSG_NOSIGNAL);
                libc::shutdown(socket, libc::SHUT_RDWR);
                libc::close(socket);
            }
        }
    }
}

/// Sends a lot through a stream, closes one in order and one with a reset, and connects to a closed port.
fn streams(host: std::net::IpAddr) -> io::Result<()> {
    let listener = TcpListener::bind((host, 0))?;
    let address = listener.local_addr()?;
    for reset in [false, true] {
        let mut client = TcpStream::connect(address)?;
        let (mut server, _) = listener.accept()?;
        client.set_nonblocking(true)?;
        // Until no buffer has room.
        while client.write(&[1; 1 << 16]).is_ok() {}
        server.set_read_timeout(Some(Duration::from_millis(50)))?;
        let mut bytes = vec![0; 1 << 20];
        while server.read(&mut bytes).is_ok_and(|length| length > 0) {}
        client.set_nonblocking(false)?;
        if reset {
            linger(&client);
        } else {
            client.shutdown(Shutdown::Write)?;
        }
        drop(client);
        let _ = server.read(&mut bytes);
        let _ = server.write(&bytes);
        let _ = server.write(&bytes);
    }
    drop(listener);
    let _ = TcpStream::connect_timeout(&address, Duration::from_millis(100));
    Ok(())
}

/// Has a stream end by a reset.
fn linger(stream: &TcpStream) {
    let linger = libc::linger { l_onoff: 1, l_linger: 0 };
    let length = size_of::<libc::linger>() as libc::socklen_t;
    // SAFETY: the length is that of the local variable.
    unsafe {
        libc::setsockopt(
            stream.as_raw_fd(),
            libc::SOL_SOCKET,
            libc::SO_LINGER,
            (&raw const linger).cast(),
            length,
        )
    };
}

/// Sends datagrams, to one that reads none, and to nobody.
fn datagrams(host: std::net::IpAddr) -> io::Result<()> {
    let (from, to) = (UdpSocket::bind((host, 0))?, UdpSocket::bind((host, 0))?);
    let address = to.local_addr()?;
    for _ in 0..2000 {
        let _ = from.send_to(&[2; 1200], address);
    }
    to.set_read_timeout(Some(Duration::from_millis(20)))?;
    let _ = to.recv(&mut [0; 2000]);
    drop(to);
    from.connect(address)?;
    let _ = from.send(&[3; 100]);
    let _ = from.send(&[3; 100]);
    let mut nobody: SocketAddr = address;
    nobody.set_port(9);
    let _ = from.send_to(&[4; 20_000], nobody);
    Ok(())
}

/// Uses a stream over several paths, if the kernel has such.
fn multipath() -> io::Result<()> {
    /// `IPPROTO_MPTCP` (include/uapi/linux/in.h).
    const MULTIPATH: libc::c_int = 262;
    let socket = || -> io::Result<OwnedFd> {
        // SAFETY: a descriptor that is not negative is a new one.
        unsafe {
            match libc::socket(libc::AF_INET, libc::SOCK_STREAM, MULTIPATH) {
                -1 => Err(io::Error::last_os_error()),
                new => Ok(OwnedFd::from_raw_fd(new)),
            }
        }
    };
    let (Ok(server), Ok(client)) = (socket(), socket()) else { return Ok(()) };
    // SAFETY: all zero is an address; the lengths are those of the local variable.
    unsafe {
        let mut address: libc::sockaddr_in = std::mem::zeroed();
        address.sin_family = libc::AF_INET as libc::sa_family_t;
        address.sin_addr.s_addr = u32::from(Ipv4Addr::LOCALHOST).to_be();
        let mut length = size_of::<libc::sockaddr_in>() as libc::socklen_t;
        let pointer = (&raw mut address).cast::<libc::sockaddr>();
        libc::bind(server.as_raw_fd(), pointer, length);
        libc::listen(server.as_raw_fd(), 1);
        libc::getsockname(server.as_raw_fd(), pointer, &raw mut length);
        libc::connect(client.as_raw_fd(), pointer, length);
    }
    let (mut server, mut client) = (TcpListener::from(server), TcpStream::from(client));
    server.set_nonblocking(true)?;
    let accepted = server.accept();
    let _ = client.write_all(&[5; 100_000]);
    if let Ok((mut accepted, _)) = accepted {
        let _ = accepted.set_read_timeout(Some(Duration::from_millis(20)));
        let mut bytes = [0; 1 << 16];
        while accepted.read(&mut bytes).is_ok_and(|length| length > 0) {}
    }
    drop((&mut server, client.flush()));
    Ok(())
}

/// Uses sockets of the machine itself.
fn local() -> io::Result<()> {
    let (mut one, mut other) = UnixStream::pair()?;
    one.write_all(&[6; 1000])?;
    let mut bytes = [0; 1000];
    other.read_exact(&mut bytes)?;
    let (one, other) = UnixDatagram::pair()?;
    one.set_nonblocking(true)?;
    while one.send(&[7; 10_000]).is_ok() {}
    let _ = other.recv(&mut bytes)?;
    Ok(())
}
