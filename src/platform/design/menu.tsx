import { createContext } from 'preact'

/** A link of a menu or a footer. */
export type Link = { label: string; href: string; current?: boolean }

/** The menu of a signed-in person. */
export type AccountMenu = { email: string; links: Link[]; csrf_token: string }

/** The signed-in person for whom a page is rendered. */
export const Account = createContext<AccountMenu | undefined>(undefined)
