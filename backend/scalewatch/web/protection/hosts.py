"""Names and addresses of machines."""

from ipaddress import ip_address


def is_loopback(host: str) -> bool:
    """Tell whether a host, without its port, is this machine as it calls itself."""
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False
