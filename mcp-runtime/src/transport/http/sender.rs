//! The sender of a request: its principal, or else the address that it comes from.

use std::net::{IpAddr, Ipv6Addr};

use http::Extensions;

use super::peer::PeerAddress;
use crate::bound::Sender;
use crate::dispatch::Principal;

/// Returns the sender of a request with these extensions, whose connection comes from this address if that is known.
pub(super) fn sender(extensions: &Extensions, peer: Option<IpAddr>) -> Sender {
    let named = extensions.get().map(|PeerAddress(address)| *address);
    match extensions.get::<Principal>() {
        Some(principal) => Sender::principal(principal),
        None => named.or(peer).map_or(Sender::Unknown, of_address),
    }
}

/// Returns the sender that an address stands for.
fn of_address(address: IpAddr) -> Sender {
    match address.to_canonical() {
        IpAddr::V4(address) => Sender::V4(address.octets()),
        IpAddr::V6(address) => Sender::V6(network(address)),
    }
}

/// The first 64 bits of an address.
fn network(address: Ipv6Addr) -> [u8; 8] {
    let [a, b, c, d, e, f, g, h, ..] = address.octets();
    [a, b, c, d, e, f, g, h]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(principal: Option<&str>, named: Option<&str>, peer: Option<&str>) -> Sender {
        let mut extensions = Extensions::new();
        extensions.extend(principal.map(Principal::new).map(with).unwrap_or_default());
        extensions.extend(
            named
                .map(|named| with(PeerAddress(named.parse().unwrap())))
                .unwrap_or_default(),
        );
        sender(&extensions, peer.map(|peer| peer.parse().unwrap()))
    }

    fn with<T: Clone + Send + Sync + 'static>(extension: T) -> Extensions {
        let mut extensions = Extensions::new();
        extensions.insert(extension);
        extensions
    }

    #[test]
    fn each_principal_each_address_and_each_network_is_a_sender() {
        let one = Some("192.0.2.1");
        let senders = [
            of(Some("ada"), None, one),
            of(Some("bob"), None, one),
            of(None, None, one),
            of(None, None, Some("192.0.2.2")),
            of(None, None, Some("2001:db8::1")),
            of(None, None, Some("2001:db8:0:1::1")),
            of(None, None, None),
        ];
        for (at, sender) in senders.iter().enumerate() {
            assert!(!senders[..at].contains(sender), "{sender:?}");
        }
        for (sender, same) in [
            (of(Some("ada"), None, Some("192.0.2.9")), senders[0]),
            (of(None, None, Some("::ffff:192.0.2.1")), senders[2]),
            (of(None, one, Some("192.0.2.9")), senders[2]),
            (of(None, None, Some("2001:db8::ffff:1")), senders[4]),
        ] {
            assert_eq!(sender, same);
        }
    }
}
