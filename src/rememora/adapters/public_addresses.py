"""Addresses of the public internet: an allowed range less what IANA set apart for special purposes.

Lists of our own and not `ipaddress.is_global`, whose answer differs between versions of Python, and whose rule
for IPv6 is to forbid what is known: forms that embed an IPv4 address pass it.
"""

from __future__ import annotations

import ipaddress
from typing import Final

Address = ipaddress.IPv4Address | ipaddress.IPv6Address

IPV6: Final = ipaddress.IPv6Network("2000::/3")
"""All that has been given out for use on the internet; every form that embeds IPv4 but 6to4 lies outside."""

SPECIAL_IPV4: Final = tuple(
    ipaddress.IPv4Network(each)
    for each in (
        "0.0.0.0/8",  # this network
        "10.0.0.0/8",  # private
        "100.64.0.0/10",  # shared by a provider's customers
        "127.0.0.0/8",  # loopback
        "169.254.0.0/16",  # link-local, cloud metadata
        "172.16.0.0/12",  # private
        "192.0.0.0/24",  # protocol assignments
        "192.0.2.0/24",  # documentation
        "192.31.196.0/24",  # AS112
        "192.52.193.0/24",  # multicast tunnels
        "192.88.99.0/24",  # 6to4 relays
        "192.168.0.0/16",  # private
        "192.175.48.0/24",  # AS112
        "198.18.0.0/15",  # benchmarks
        "198.51.100.0/24",  # documentation
        "203.0.113.0/24",  # documentation
        "224.0.0.0/4",  # multicast
        "240.0.0.0/4",  # reserved, broadcast
    )
)
SPECIAL_IPV6: Final = tuple(
    ipaddress.IPv6Network(each)
    for each in (
        "2001::/23",  # protocol assignments: Teredo, benchmarks, ORCHID
        "2001:db8::/32",  # documentation
        "2002::/16",  # 6to4
        "2620:4f:8000::/48",  # AS112
        "3fff::/20",  # documentation
    )
)


def is_public(address: Address) -> bool:
    """Return whether an address belongs to the public internet."""
    if isinstance(address, ipaddress.IPv4Address):
        return not any(address in special for special in SPECIAL_IPV4)
    return address in IPV6 and not any(address in special for special in SPECIAL_IPV6)
