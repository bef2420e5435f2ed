"""No cookies: what an endpoint sends with one answer goes back to it with no other."""

from __future__ import annotations

from http.cookiejar import CookieJar, DefaultCookiePolicy


def no_cookies() -> CookieJar:
    """Return a jar that keeps nothing and reads nothing.

    A cookie would tie the requests of one framework to those of another, and the standard library
    prints a traceback for one that it cannot read.
    """
    return CookieJar(DefaultCookiePolicy(netscape=False, rfc2965=False))
