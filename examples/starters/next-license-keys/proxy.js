import { requireLicense } from '@purser/client/next'
import { NextResponse } from 'next/server'
import { keyOf, licenses } from './lib/purser.js'

const guard = requireLicense(licenses, {
  read: keyOf,
  refuse: ({ status, headers }, request) =>
    NextResponse.rewrite(new URL('/locked', request.url), { status, headers }),
})

/** Continues to `/app` with a license, and shows `/locked` without one. */
export const proxy = guard.middleware

export const config = { matcher: ['/app/:path*'] }
