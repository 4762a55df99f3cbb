"""A site that sells with license keys."""

import logging
import os
import secrets
from html import escape
from typing import Annotated

import httpx
from fastapi import Cookie, Depends, FastAPI, HTTPException, Request
from fastapi.responses import HTMLResponse, RedirectResponse

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


@app.get("/")
async def plans(session: Annotated[str | None, Cookie()] = None):
    found = await purser.prices()
    if session not in sessions:
        session = secrets.token_urlsafe()
        sessions[session] = {"purchase": secrets.token_urlsafe()}
    next_url = f"{SITE}/return?purchase={sessions[session]['purchase']}"
    rows = [
        f"<li>{escape(price['product_name'])}, ${price['amount']} {how_often(price)}: "
        f"<a href='{escape(purser.buy_link(price['public_id'], next_url))}'>"
        f"Buy {escape(price['product_name'])}</a></li>"
        for price in found["prices"]
    ]
    answer = page(found["app_name"], f"<ul>{''.join(rows)}</ul><a href='/app'>Open the app</a>")
    secure = SITE.startswith("https:")
    answer.set_cookie("session", session, httponly=True, samesite="lax", secure=secure)
    return answer


@app.get("/return")
async def after_purchase(
    purchase: str = "", svc_order: str = "", session: Annotated[str | None, Cookie()] = None
):
    # A link that another person made has another purchase: do not adopt its license.
    if session not in sessions or purchase != sessions[session]["purchase"]:
        return page("Open this page in the browser that you bought in", status=400)
    order = await purser.order(svc_order) if svc_order else None
    if order is None:
        return page("This order is not known", status=400)
    if order["status"] == "processing":
        answer = page("Your payment is processing")
        answer.headers["Refresh"] = str(order["retry_after"])
        return answer
    sessions[session]["license_key"] = order["license_key"]
    return RedirectResponse("/app", status_code=303)


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
    return page("Purser does not answer. Try again in a minute.", status=503)
