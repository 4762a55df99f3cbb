"""The calls of Purser that a site with license keys needs."""

import math
import os
import time
from datetime import datetime, timezone
from urllib.parse import quote, urlencode

import httpx

BASE_URL = os.environ["PURSER_URL"].rstrip("/")
CLIENT_ID = os.environ["PURSER_CLIENT_ID"]
LICENSE_SECONDS = int(os.environ.get("LICENSE_SECONDS", "300"))
# How much longer a license is used while Purser does not answer.
GRACE_SECONDS = 3600

http = httpx.AsyncClient(
    base_url=f"{BASE_URL}/api/v1",
    auth=httpx.BasicAuth(CLIENT_ID, os.environ["PURSER_CLIENT_SECRET"]),
    timeout=10,
)

# For each key: until when its license is fresh, until when it is usable, and the license.
_cache: dict[str, tuple[float, float, dict]] = {}
_prices: tuple[float, dict] = (0.0, {})


async def prices() -> dict:
    """The name of the app and its prices, in the order of the seller.

    They are read once a minute: Purser limits how often a server may read them.
    """
    global _prices
    until, found = _prices
    if time.monotonic() < until:
        return found
    answer = await http.get(f"/public/apps/{CLIENT_ID}/prices/")
    found = answer.raise_for_status().json()
    _prices = (time.monotonic() + 60, found)
    return found


def buy_link(price_id: str, next_url: str) -> str:
    """The page that sells a price. The buyer returns to next_url with svc_order."""
    return f"{BASE_URL}/buy/{price_id}/?{urlencode({'next': next_url})}"


async def order(svc_order: str) -> dict | None:
    """The order of a returning buyer, with the license key; None for an unknown order.

    While the payment is processing, there is no key yet, and retry_after has the seconds to wait.
    """
    ref = quote(svc_order, safe="")
    # Purser accepts no request this long.
    if len(ref) > 8000:
        return None
    answer = await http.get(f"/orders/{ref}")
    if answer.status_code == 404:
        return None
    order = answer.raise_for_status().json()
    if answer.status_code == 202:
        order["retry_after"] = answer.headers["Retry-After"]
    return order


def seconds_until(day: str | None) -> float:
    """The seconds until the start of a day in UTC; infinity without a day."""
    if day is None:
        return math.inf
    start = datetime.fromisoformat(day).replace(tzinfo=timezone.utc)
    return (start - datetime.now(timezone.utc)).total_seconds()


def remember(key: str, state: dict) -> None:
    """Caches a license: fresh until the day on which its period ends, at most."""
    now = time.monotonic()
    fresh = min(LICENSE_SECONDS, seconds_until(state["period_end"]))
    usable = min(LICENSE_SECONDS + GRACE_SECONDS, seconds_until(state["canceled_at"]))
    _cache[key] = (now + fresh, now + usable, state)


async def validate(key: str) -> dict | None:
    """The state of a license, cached while it is entitled; None for an unknown key.

    While Purser does not answer or limits this server, the last state is used for an hour more,
    but not past the day on which a canceled license ends.
    """
    fresh_until, usable_until, state = _cache.get(key, (0.0, 0.0, {}))
    now = time.monotonic()
    if now < fresh_until:
        return state
    try:
        # A visitor with a usable license does not wait for a timeout.
        timeout = 2 if now < usable_until else 10
        answer = await http.post("/licenses/validate", json={"key": key}, timeout=timeout)
        if answer.status_code == 429 or answer.status_code >= 500:
            answer.raise_for_status()
    except httpx.HTTPError:
        if now >= usable_until:
            raise
        # An outage causes a request every five seconds, not for each page.
        _cache[key] = (min(time.monotonic() + 5, usable_until), usable_until, state)
        return state
    _cache.pop(key, None)
    if answer.status_code == 404:
        return None
    state = answer.raise_for_status().json()
    if state["entitled"]:
        remember(key, state)
    return state
