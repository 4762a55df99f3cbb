"""A site that sells with license keys."""

import logging
import os
import secrets
from html import escape
from typing import Annotated
from urllib.parse import urlencode

import httpx
from fastapi import Cookie, Depends, FastAPI, HTTPException, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response

import purser

SITE = os.environ.get("SITE_URL", "http://localhost:3000")

# The log that uvicorn shows.
log = logging.getLogger("uvicorn.error")

app = FastAPI()

# What each browser started and bought. A real site keeps it in its database.
sessions: dict[str, dict] = {}


def page(title: str, body: str = "", status: int = 200) -> HTMLResponse:
    head = f"<!doctype html><html lang='en'><title>{escape(title)}</title>"
    return HTMLResponse(f"{head}<h1>{escape(title)}</h1>{body}", status_code=status)


def how_often(price):
    return f"per {price['frequency']}" if price["frequency"] else "once"


def started(session: str | None) -> str:
    """The session of a browser, with a random value that its purchases bring back."""
    if session not in sessions:
        session = secrets.token_urlsafe()
        sessions[session] = {"purchase": secrets.token_urlsafe()}
    return session


def keep(session: str, answer: Response, known: str | None = None) -> Response:
    """Stores the session in the browser, unless the browser knows it.

    A request of another tab may be answered after a purchase, which began a new session.
    """
    if session == known:
        return answer
    secure = SITE.startswith("https:")
    answer.set_cookie("session", session, httponly=True, samesite="lax", secure=secure)
    return answer


@app.get("/")
async def plans(known: Annotated[str | None, Cookie(alias="session")] = None):
    found = await purser.prices()
    session = started(known)
    next_url = f"{SITE}/login?purchase={sessions[session]['purchase']}"
    rows = [
        f"<li>{escape(price['product_name'])}, ${price['amount']} {how_often(price)}: "
        f"<a href='{escape(purser.buy_link(price['public_id'], next_url))}'>"
        f"Buy {escape(price['product_name'])}</a></li>"
        for price in found["prices"]
    ]
    body = f"<ul>{''.join(rows)}</ul><a href='/app'>Open the app</a>"
    return keep(session, page(found["app_name"], body), known)


@app.get("/login")
async def after_purchase(
    purchase: str = "",
    svc_order: str = "",
    known: Annotated[str | None, Cookie(alias="session")] = None,
):
    """The Login URL: buyers return here, also those who bought on the marketplace."""
    if not svc_order:
        return page("Welcome", "<a href='/app'>Open the app</a>")
    session = started(known)
    own = sessions[session]
    # A reloaded page brings the order that this session has adopted.
    if purchase != own["purchase"] and svc_order != own.get("svc_order"):
        # Another person may have made this link: ask before you adopt its license.
        query = urlencode({"svc_order": svc_order, "purchase": own["purchase"]})
        link = f"<a href='?{escape(query)}'>Use this purchase</a>"
        return keep(session, page("Use this purchase in this browser?", link), known)
    order = await purser.order(svc_order)
    if order is None:
        body = "<p>Its payment failed, or the link is older than 24 hours.</p>"
        return page("This order is not known", f"{body}<a href='/'>See the plans</a>", 404)
    if order["status"] == "processing":
        answer = page("Your payment is processing")
        answer.headers["Refresh"] = str(order["retry_after"])
        return answer
    # A new session: another person may have planted the one that the browser brought.
    session = started(None)
    sessions[session] |= {"svc_order": svc_order, "license_key": order["license_key"]}
    return keep(session, RedirectResponse("/app", status_code=303))


async def require_license(session: Annotated[str | None, Cookie()] = None) -> dict:
    """The license of the visitor. Answers 402 if it does not grant access."""
    key = sessions.get(session, {}).get("license_key")
    state = await purser.validate(key) if key else None
    if state is None or not state["entitled"]:
        raise HTTPException(402, state["status"] if state else "no license")
    return state


@app.get("/app")
async def the_app(license: Annotated[dict, Depends(require_license)]):
    plan = escape(f"Plan: {license['product_public_id']} ({license['status']})")
    return page("The app is open", f"<p>{plan}</p>")


@app.exception_handler(402)
async def locked(_request: Request, error: HTTPException):
    body = f"<p>Your license: {escape(error.detail)}.</p><a href='/'>See the plans</a>"
    return page("The app is locked", body, status=402)


@app.exception_handler(httpx.HTTPError)
async def unavailable(_request: Request, error: httpx.HTTPError):
    # Such as a wrong client secret, which the visitor can do nothing about.
    log.error("Purser: %r", error)
    return page("Something went wrong. Try again.", status=502)
