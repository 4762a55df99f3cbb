"""The calls of Purser that a site with license keys needs."""

import os
import time
from datetime import datetime, timezone
from urllib.parse import quote, urlencode

import httpx

BASE_URL = os.environ["PURSER_URL"].rstrip("/")
CLIENT_ID = os.environ["PURSER_CLIENT_ID"]
LICENSE_SECONDS = int(os.environ.get("LICENSE_SECONDS", "300"))

http = httpx.AsyncClient(
    base_url=f"{BASE_URL}/api/v1",
    auth=httpx.BasicAuth(CLIENT_ID, os.environ["PURSER_CLIENT_SECRET"]),
    timeout=10,
)

_cache: dict[str, tuple[float, dict]] = {}
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


def seconds_to_cache(state: dict) -> float:
    """How long a license is cached: never past the start of the day on which its period ends."""
    if state["period_end"] is None:
        return LICENSE_SECONDS
    end = datetime.fromisoformat(state["period_end"]).replace(tzinfo=timezone.utc)
    return min(LICENSE_SECONDS, (end - datetime.now(timezone.utc)).total_seconds())


async def validate(key: str) -> dict | None:
    """The state of a license, cached while it is entitled; None for an unknown key."""
    until, state = _cache.get(key, (0.0, {}))
    if time.monotonic() < until:
        return state
    answer = await http.post("/licenses/validate", json={"key": key})
    if answer.status_code == 404:
        return None
    state = answer.raise_for_status().json()
    if state["entitled"]:
        _cache[key] = (time.monotonic() + seconds_to_cache(state), state)
    return state
